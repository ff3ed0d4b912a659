"""The bots of Black Jacky play what a player of the game would respect, see only what they may, and are a ladder."""

from itertools import combinations
from math import prod

import numpy as np
import pytest

from blackjacky_agents import bot_names, make_agent
from blackjacky_agents.arena.evaluation import against_copies
from blackjacky_agents.games.black_jacky.bots import counter, odds
from blackjacky_agents.games.black_jacky.bots.counter import estimate
from blackjacky_agents.games.black_jacky.bots.threshold import PARAMETERS as LIMITS
from blackjacky_env import black_jacky_v0
from blackjacky_env.compiled.compiling import entry
from tests.games.black_jacky import moves as do
from tests.games.black_jacky.rigging import Table, losing, one_round

BOTS = bot_names("black_jacky")
KNOCK_FROM, DRAW_BELOW, KEEP_FROM, LAST_DRAW_BELOW = map(int, LIMITS)
SUM = 13  # of the hand 6, 7


def choice(name, table):
    agent = make_agent(name)
    agent.reset(seed=0)
    return agent.act(table.env.observe(table.env.agent_selection))


def test_counter_tips_who_acts_last_in_the_round():
    """P1: seats 4 and 1 tip, in this order, and seat 3 will start."""
    table = Table([losing([1, 4], range(5), start=2)], 5, start=2, hearts=1).knock_all()
    assert [choice("counter", table), choice("counter", table.play(do.tip(3)))] == [do.tip(3), do.tip(1)]


@pytest.mark.parametrize("name", ["threshold", "trickster"])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("distance", range(-2, 13))
def test_threshold_and_trickster_zock_by_limits(distance, last, name):
    table = one_round([[6, 7], [6, 7]], top=7, bust_at=SUM + distance).play(do.NO_TRICK)  # a 7 lies open
    if last:
        table.play(do.KNOCK, do.NO_TRICK)
    good, low = (KEEP_FROM, LAST_DRAW_BELOW) if last else (KNOCK_FROM, DRAW_BELOW)
    if distance <= 0:
        expected = do.swap_draw(7)  # bust: the highest card goes
    elif distance <= good:
        expected = do.KNOCK
    elif distance == good + 1:
        expected = do.swap_discard(6)  # the 7 that lies there makes it good
    elif distance > low:
        expected = do.DRAW
    else:
        expected = do.swap_draw(6)  # too high to draw, too low to knock: the lowest card goes
    assert choice(name, table) == expected


THREE = {"hand_size": 3}
STAY = (do.NO_TRICK, do.swap_discard(2))
AHEAD, BEHIND = ({"top": 2, "draw": draw} for draw in ([8, 3], [4, 3]))
NO_ROOM = {"hand_size": 3, "bust_at": 19, "start": 1}
FULL = [[3, 8, 8], [6, 6, 6], [4, 7, 7]]
SWAP = (do.NO_TRICK, do.swap_discard(6))
AFTER_7 = [[8, 8], [3, 7], [5, 6]]
DONE = [[8, 8], [7, 7], [4, 6]]

THRESHOLD = [
    (
        [[6, 7, 8], [1, 2, 2]],
        {"top": 6, **THREE},
        [do.NO_TRICK],
        do.swap_discard(7),
    ),  # 20; without the 6 it would be bust
    ([[3, 4], [5, 8], [6, 6]], {"bust_at": 14}, [do.exchange(1, 2)], do.give(5)),  # its lowest card
    ([[3, 4], [5, 8], [6, 6]], {"bust_at": 13}, [do.exchange(1, 2)], do.give(8)),  # it is bust
    # R14: one card was left to draw, and only the 1 lies open, which makes nothing good.
    ([[2, 3], [2, 3]], {"top": 1, "draw": [3], "max_card": 3}, [do.DRAWS, do.NO_TRICK], do.KNOCK),
]
TRICKSTER = [
    # T1: to cut off others when it is ahead with 1, 8, 8 and 3, the other two cards.
    ([[1, 8], [2, 7]], AHEAD, [do.DRAWS, STAY, do.DRAWS, STAY], do.lay(1)),
    ([[1, 8], [2, 7]], BEHIND, [do.DRAWS, STAY, do.DRAWS, STAY], do.NO_TRICK),
    ([[1, 8], [2, 7]], AHEAD, [do.DRAWS, STAY, do.DRAWS, do.KNOCKS], do.lay(8)),  # nobody can be cut off any more
    # T3: to get rid of a card when it is bust, with whoever holds the most cards.
    (FULL, NO_ROOM, [SWAP, do.DRAWS], do.exchange(0, 2)),
    (FULL, NO_ROOM, [SWAP, do.DRAWS, do.exchange(0, 2)], do.give(8)),
    (FULL[:2], NO_ROOM, [do.KNOCKS], do.NO_TRICK),  # nobody to exchange with
    # T6: against a player who is done and likely to be just below bust.
    (AFTER_7, {}, [do.KNOCKS, (do.lay(7), do.DRAW)], do.plus_one(2)),
    (AFTER_7, {}, [do.KNOCKS, (do.lay(7), do.swap_draw(3))], do.NO_TRICK),  # far below
    # T2: against a knock, when it is behind.
    ([[8, 8], [2, 4]], {}, [do.KNOCKS], do.lay(2)),
    ([[8, 8], [2, 4]], {}, [do.DRAWS], do.NO_TRICK),
    # T4: the next player has no turn left, and one card more is likely to make him bust.
    (DONE, {}, [do.KNOCKS, do.DRAWS], do.lay(4)),
    (DONE, {}, [do.KNOCKS, (do.NO_TRICK, do.swap_draw(7))], do.NO_TRICK),  # he has two cards
    # T5: to be no longer bust.
    ([[5, 8, 8], [1, 2, 2]], THREE, [], do.lay(5)),
    ([[5, 7, 7, 7], [1, 2, 2, 3]], {"hand_size": 4}, [], do.NO_TRICK),  # 26 - 5 is bust as well
    # T6: to make its good sum better.
    ([[6, 6, 6], [1, 2, 2]], THREE, [], do.plus_one(0)),  # 18
    # T7: to see another card on the discard pile, as with 15 it swaps its 1 with a 5 if one lies there.
    ([[1, 7, 7], [2, 2, 3]], {"top": 3, **THREE}, [], do.lay(7)),
    ([[1, 7, 7], [2, 2, 3]], {"top": 5, **THREE}, [], do.NO_TRICK),
    # T8: for the tenth that wins ties.
    ([[4, 8, 8], [1, 2, 2]], THREE, [], do.lay(8)),  # 20
    ([[7, 8, 8], [1, 2, 2]], THREE, [], do.NO_TRICK),  # bust
]
COUNTER = [  # it has 12 or less, so that a card more always is a higher sum; 24, and 20 with the 4; the best
    *(
        ([[8, 8], hand, [7, 7]], {"start": 2}, [do.KNOCKS, do.KNOCKS, do.NO_TRICK], do.DRAW)
        for hand in ([6, 6], [2, 4], [3, 4])
    ),
    ([[8, 8, 8], [1, 2, 2], [3, 3, 5]], {"top": 4, **THREE}, [do.NO_TRICK], do.swap_discard(8)),
    *(([hand, [2, 2, 3]], {"top": 1, **THREE}, [do.NO_TRICK], do.KNOCK) for hand in ([4, 8, 8], [5, 7, 8], [6, 7, 7])),
]
CASES = {"threshold": THRESHOLD, "trickster": TRICKSTER, "counter": COUNTER}


@pytest.mark.parametrize(("name", "case"), [(name, case) for name, cases in CASES.items() for case in cases])
def test_bots_do_what_helps(name, case):
    hands, options, moves, expected = case
    assert choice(name, one_round(hands, **options).play(*moves)) == expected


def zocks(players, games):
    """Every position of this phase in some random games."""
    for seed in range(games):
        table, rng = Table([], players, start=seed % players), np.random.default_rng(seed)
        table.env.reset(seed=seed)
        while table["phase"] != "over":
            if table["phase"] == "zock":
                yield table
            table.play(int(rng.choice(sorted(table.legal))))


@entry
def estimated(observation, mask, values, parameters):
    estimate(observation, mask, values, parameters)


class Enumeration:
    """The chance of losing a heart (S2) when nobody acts after me, over every way to draw the unseen cards."""

    def __init__(self, table):
        self.seen = black_jacky_v0.decode(table.env.observe(table.env.agent_selection)["observation"])
        open_cards = [self.seen["my_hand"], self.seen["discards"], *self.seen["displays"], *self.seen["known"]]
        self.unseen = np.repeat(np.arange(1, 9), np.arange(1, 9) - np.sum(open_cards, axis=0)).tolist()
        self.others = [seat for seat in range(1, self.seen["num_players"]) if self.seen["hearts"][seat] > 0]

    def laid_out(self, seat):
        """S1, in tenths."""
        laid, plus_one = self.seen["displays"][seat], self.seen["plus_one"][seat]
        return 10 * plus_one + sum({5: 0, 8: 81}.get(v, 10 * v) * laid[v - 1] for v in range(1, 9))

    def hidden(self, seat):
        return self.seen["hand_counts"][seat] - sum(self.seen["known"][seat - 1])

    def sums(self, seat):
        base = self.laid_out(seat) + 10 * sum(v * self.seen["known"][seat - 1][v - 1] for v in range(1, 9))
        return np.array([base + 10 * sum(cards) for cards in combinations(self.unseen, self.hidden(seat))])

    def zocks(self):
        """The chance after each zock; the player draws any unseen card."""
        hand = [v for v in range(1, 9) if self.seen["my_hand"][v - 1]]
        x = self.laid_out(0) + 10 * sum(v * self.seen["my_hand"][v - 1] for v in range(1, 9))
        top = 1 + self.seen["discard_top"].index(1)
        others = [self.sums(seat) for seat in self.others]

        def losing_with(mine):
            return 1.0 if mine >= 210 else prod(float(((mine <= his) & (his < 210)).mean()) for his in others)

        def drawing_to(mine):
            return float(np.mean([losing_with(mine + 10 * v) for v in self.unseen]))

        chances = {do.KNOCK: losing_with(x), do.DRAW: drawing_to(x)}
        chances |= {do.swap_draw(v): drawing_to(x - 10 * v) for v in hand}
        return chances | {do.swap_discard(v): losing_with(x + 10 * (top - v)) for v in hand}


@pytest.mark.parametrize("players", [2, 3, 5])
def test_counter_reckons_as_an_enumeration_of_all_hidden_hands_does(players):
    """Its last decision of the round: nobody has a turn after it, because of a knock or of a 1 (R12, T1)."""
    parameters = counter.PARAMETERS.copy()  # the others' conduct tells nothing, and showing a card costs nothing
    for conduct in (odds.FIRST, odds.LATE, odds.DONE, odds.OPEN):
        parameters[conduct : conduct + 3] = 0, 1, 1  # no fall, its floor, the weight of being bust
    parameters[[odds.EXPOSED, odds.TRICK_COST]] = 0
    checked, given_cards, values = 0, 0, np.empty(61, np.float32)
    for table in zocks(players, games=16):
        exact = Enumeration(table)
        last = table["ends_after_turn"] or table["last_turns"] == [table["player"]]
        if not last or table["draw_pile"] == [] or max(map(exact.hidden, exact.others)) > 3:
            continue
        chances = exact.zocks()
        assert set(chances) == table.legal
        seen = table.env.observe(table.env.agent_selection)
        estimated(seen["observation"], seen["action_mask"], values, parameters)
        np.testing.assert_allclose(values[list(chances)], [*chances.values()], atol=1e-5)
        checked += 1
        given_cards += np.sum(exact.seen["known"]) > 0
    assert checked > 20
    assert given_cards > 5


def test_the_bots_are_a_ladder():
    """Par is 25 %."""
    random, threshold, trickster, counter_ = (make_agent(name) for name in BOTS)
    scores = against_copies(counter_, [random, threshold, trickster], num_players=4, games=400)
    assert all(score.low > least for score, least in zip(scores, (0.85, 0.3, 0.3), strict=True))
    scores = against_copies(random, [threshold, trickster], num_players=4, games=400)
    assert all(score.high < 0.25 for score in scores)
