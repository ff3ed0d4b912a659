"""The bots of Black Jacky play what a player of the game would respect, see only what they may, and are a ladder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain, combinations
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blackjacky_agents import CompiledAgent, bot_names, make_agent
from blackjacky_agents.arena.evaluation import against_copies, at_one_table
from blackjacky_agents.games.black_jacky.bots import counter
from blackjacky_agents.games.black_jacky.bots.counter import estimate
from blackjacky_agents.games.black_jacky.bots.threshold import LIMITS
from blackjacky_agents.games.black_jacky.bots.threshold import choose as choose_by_sum
from blackjacky_env import black_jacky_v0, make_batch
from blackjacky_env.engine.compiling import entry
from tests.games.black_jacky.rigging import (
    DRAW,
    DRAWS,
    IDLE_3,
    IDLE_6,
    KNOCK,
    KNOCKS,
    NO_TRICK,
    Table,
    all_cards,
    exchange,
    give,
    lay,
    losing,
    one_round,
    plus_one,
    swap_discard,
    swap_draw,
    tip,
)

BOTS = bot_names("black_jacky")
KNOCK_FROM, DRAW_BELOW, KEEP_FROM, LAST_DRAW_BELOW = map(int, LIMITS)
SUM = 13  # of the hand 6, 7


def choice(name: str, table: Table) -> int:
    """What the bot does in the place of the player to act."""
    agent = make_agent(name)
    agent.reset(seed=0)
    return agent.act(table.env.observe(table.env.agent_selection))


def turn(name: str, table: Table) -> list[int]:
    """What the bot does until somebody else is to act."""
    player, actions = table["player"], []
    while table["player"] == player:
        actions.append(choice(name, table))
        table.play(actions[-1])
    return actions


def sum_of(table: Table) -> int:
    """The whole sum of the player to act, nothing but 5s and "+1" laid out (S1)."""
    player = table["player"]
    laid = sum(card for card in table["displays"][player] if card != 5)
    return sum(table["hands"][player]) + laid + (table["plus_one"] == player)


@pytest.mark.parametrize(
    ("players", "options"),
    [
        ([2, 3, 4, 5, 6], {}),
        ([2, 3, 4, 5, 6], {"variant": "schnell_duell"}),
        ([2, 3], {"max_card": 3, "hand_size": 1}),
        ([2, 3], {"max_card": 4, "bust_at": 9, "max_turns_per_round": None}),  # the draw pile runs out (R14)
        ([3, 4], {"hand_size": 8, "bust_at": 40}),
        ([4], {"hand_size": 8, "bust_at": 99}),
        ([4, 6], {"bust_at": 2, "hearts": 9}),
        ([4, 5], {"tricks": [3, 4, 6]}),
    ],
)
def test_every_action_is_legal_in_games_of_every_size_variant_and_deck(players: list[int], options: Any) -> None:
    batch = make_batch("black_jacky", 24, num_players=[players[i % len(players)] for i in range(24)], seed=3, **options)
    agents = [make_agent(name) for name in BOTS]
    games = np.arange(24)
    for agent in agents:
        agent.reset(seed=1)
    for step in range(120):
        actions = np.array([agent.act_batch(batch.observations, batch.action_masks) for agent in agents])
        for chosen in actions:
            assert batch.action_masks[games, chosen].all()
        batch.step(actions[(games + step) % len(agents), games])  # every bot makes moves in every game


def two_tippers() -> Table:
    """A table of five where seats 4 and 1 tip, in this order, and seat 3 will start."""
    return Table([losing([1, 4], range(5), start=2)], 5, start=2, hearts=1).knock_all()


@pytest.mark.parametrize("name", BOTS)
def test_tips_name_players_in_the_saloon(name: str) -> None:
    """P1."""
    table = two_tippers()
    for saloon in ({tip(1), tip(3), tip(4)}, {tip(1), tip(2), tip(4)}):
        tipped = choice(name, table)
        assert tipped in table.legal == saloon
        table.play(tipped)


def test_counter_tips_who_acts_last_in_the_round() -> None:
    table = two_tippers()
    assert [*turn("counter", table), *turn("counter", table)] == [tip(3), tip(1)]


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), players=st.integers(2, 6), steps=st.integers(0, 80))
def test_positions_that_look_alike_get_the_same_action(seed: int, players: int, steps: int) -> None:
    """Wherever the unseen cards lie, also late in a round and with cards that were given in exchanges."""
    table, rng = Table([], players), np.random.default_rng(seed)
    for _ in range(steps):
        if table["phase"] != "over":
            table.play(int(rng.choice(sorted(table.legal))))
    if table["phase"] == "over":
        return
    imagined = Table([], players)
    observation = table.env.observe(table.env.agent_selection)["observation"]
    imagined.env.unwrapped.set_state(black_jacky_v0.sample_state(observation, rng))
    assert imagined.snapshot() != table.snapshot()
    assert [choice(name, imagined) for name in BOTS] == [choice(name, table) for name in BOTS]


def test_random_takes_every_legal_action_equally_often() -> None:
    table = one_round([[1, 8], [7, 7]])
    observation = table.env.observe("player_0")
    rows = [np.repeat(observation[part][None], 3000, axis=0) for part in ("observation", "action_mask")]
    agent = make_agent("random")
    agent.reset(seed=0)
    actions, counts = np.unique(agent.act_batch(*rows), return_counts=True)
    assert set(actions) == table.legal == {NO_TRICK, lay(1), lay(8)}
    assert np.abs(counts - 1000).max() < 4 * np.sqrt(3000 * 1 / 3 * 2 / 3)  # standard deviations


def below_bust(distance: int) -> Table:
    """A table at which the player to act holds 6 and 7, which is ``distance`` below `bust_at`, and a 7 lies open."""
    return one_round([[6, 7], [6, 7]], top=7, bust_at=SUM + distance).play(NO_TRICK)


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("distance", range(-2, 13))
def test_threshold_goes_by_its_limits(distance: int, last: bool) -> None:
    table = below_bust(distance)
    if last:
        table.play(KNOCK, NO_TRICK)
    good, low = (KEEP_FROM, LAST_DRAW_BELOW) if last else (KNOCK_FROM, DRAW_BELOW)
    if distance <= 0:
        expected = swap_draw(7)  # bust: the highest card goes
    elif distance <= good:
        expected = KNOCK
    elif distance == good + 1:
        expected = swap_discard(6)  # the 7 that lies there makes it good
    elif distance > low:
        expected = DRAW
    else:
        expected = swap_draw(6)  # too high to draw, too low to knock: the lowest card goes
    assert choice("threshold", table) == expected


def test_threshold_is_saved_by_the_discard_pile_and_takes_the_most() -> None:
    table = one_round([[6, 7, 8], [1, 2, 2]], top=6, hand_size=3).play(NO_TRICK)
    assert choice("threshold", table) == swap_discard(7)  # 20; without the 6 it would be bust
    content = CompiledAgent("threshold", "black_jacky", choose_by_sum, np.array([3, 5, 3, 8], np.float32))
    assert content.act(table.env.observe("player_0")) == swap_discard(7)  # without the 8 it would have 19


def test_threshold_gives_its_lowest_card_and_its_highest_if_it_is_bust() -> None:
    for bust_at, card in ((14, 5), (13, 8)):
        table = one_round([[3, 4], [5, 8], [6, 6]], bust_at=bust_at).play(exchange(1, 2))
        assert choice("threshold", table) == give(card)


def test_threshold_knocks_when_nothing_can_be_drawn() -> None:
    """R14: one card was left to draw, and only the 1 lies open, which makes nothing good."""
    table = one_round([[2, 3], [2, 3]], top=1, draw=[3], max_card=3).play(DRAWS, NO_TRICK)
    assert DRAW not in table.legal
    assert choice("threshold", table) == KNOCK


def test_threshold_never_plays_a_trick() -> None:
    batch = make_batch("black_jacky", 20, num_players=[2, 3, 4, 5] * 5, seed=0)
    threshold = make_agent("threshold")
    threshold.reset(seed=0)
    could = 0
    for _ in range(150):
        may_lay = batch.action_masks[:, 0] == 1
        could += (batch.action_masks[may_lay].sum(axis=1) > 1).sum()
        actions = threshold.act_batch(batch.observations, batch.action_masks)
        assert not actions[may_lay].any()
        batch.step(actions)
    assert could > 500


def test_trickster_lays_a_1_to_cut_off_others_when_it_is_ahead() -> None:
    """T1: it holds 1, 8, 8 and 3, the other two cards."""
    hands, stay = [[1, 8], [2, 7]], (NO_TRICK, swap_discard(2))
    ahead = one_round(hands, top=2, draw=[8, 3]).play(DRAWS, stay, DRAWS, stay)
    assert choice("trickster", ahead) == lay(1)
    behind = one_round(hands, top=2, draw=[4, 3]).play(DRAWS, stay, DRAWS, stay)
    assert choice("trickster", behind) == NO_TRICK
    knocked = one_round(hands, top=2, draw=[8, 3]).play(DRAWS, stay, DRAWS, KNOCKS)
    assert choice("trickster", knocked) != lay(1)
    equals = one_round(hands, top=2, draw=[8, 6, 3, 6]).play(DRAWS, DRAWS, DRAWS, DRAWS)
    assert choice("trickster", equals) != lay(1)


def test_trickster_lays_a_3_to_get_rid_of_a_card_when_it_is_bust() -> None:
    """T3: with whoever holds the most cards; it gives the highest of its own."""
    hands, stay = [[3, 8, 8], [6, 6, 6], [4, 7, 7]], [(NO_TRICK, swap_discard(6)), (NO_TRICK, swap_discard(4))]
    for most, moves in ((1, [DRAWS, stay[1]]), (2, [stay[0], DRAWS])):
        bust = one_round(hands, hand_size=3, bust_at=19, start=1).play(*moves)
        assert turn("trickster", bust) == [exchange(0, most), give(8)]
    good = one_round(hands, hand_size=3, bust_at=20, start=1).play(stay[0], DRAWS)
    assert choice("trickster", good) not in {exchange(0, 1), exchange(0, 2), exchange(1, 2)}
    alone = one_round([[3, 8, 8], [6, 6, 6]], hand_size=3, bust_at=19, start=1).play(KNOCKS)
    assert choice("trickster", alone) == NO_TRICK
    assert IDLE_3 in alone.legal


def test_trickster_lays_a_6_against_a_player_who_is_done_and_likely_to_be_just_below_bust() -> None:
    """T6: the second has laid a 7, drawn a card and has no turn left."""
    hands = [[8, 8], [3, 7], [5, 6]]
    assert choice("trickster", one_round(hands).play(KNOCKS, (lay(7), DRAW))) == plus_one(2)
    assert choice("trickster", one_round(hands).play(KNOCKS, (lay(7), swap_draw(3)))) == NO_TRICK  # far below
    assert choice("trickster", one_round(hands).play(DRAWS, (lay(7), DRAW))) == NO_TRICK  # he can still swap
    safe = one_round(hands).play(KNOCKS, (lay(7), DRAW), NO_TRICK, DRAW)
    assert IDLE_6 not in safe.legal


THREE = {"hand_size": 3}
DONE = [[8, 8], [7, 7], [4, 6]]


@pytest.mark.parametrize(
    ("hands", "options", "moves", "expected"),
    [
        # T2: against a knock, when it is behind.
        ([[8, 8], [2, 4]], {}, [KNOCKS], lay(2)),
        ([[8, 8], [2, 4]], {}, [DRAWS], NO_TRICK),
        ([[4, 4], [2, 8]], {"bust_at": 11}, [KNOCKS], lay(8)),  # ahead
        # T4: the next player has no turn left, and one card more is likely to make him bust.
        (DONE, {}, [KNOCKS, DRAWS], lay(4)),
        (DONE, {}, [KNOCKS, (NO_TRICK, swap_draw(7))], NO_TRICK),  # he has two cards
        (DONE, {}, [DRAWS, DRAWS], NO_TRICK),  # he can still get rid of a card
        # T5: to be no longer bust.
        ([[5, 8, 8], [1, 2, 2]], THREE, [], lay(5)),
        ([[5, 7, 8], [1, 2, 2]], THREE, [], lay(8)),  # 20 is not bust
        ([[5, 7, 7, 7], [1, 2, 2, 3]], {"hand_size": 4}, [], NO_TRICK),  # 26 - 5 is bust as well
        # T6: to make its good sum better.
        ([[6, 6, 6], [1, 2, 2]], THREE, [], plus_one(0)),  # 18
        ([[6, 7, 7], [1, 2, 2]], THREE, [], NO_TRICK),  # 20 would be bust
        ([[6, 6], [1, 2]], {}, [], NO_TRICK),  # 12 stays low
        # T7: to see another card on the discard pile, as with 15 it swaps its 1 with a 5 if one lies there.
        ([[1, 7, 7], [2, 2, 3]], {"top": 3, **THREE}, [], lay(7)),
        ([[1, 7, 7], [2, 2, 3]], {"top": 5, **THREE}, [], NO_TRICK),
        ([[5, 7, 7], [1, 2, 2]], {"top": 4, **THREE}, [], NO_TRICK),  # 19 is good
        # T8: for the tenth that wins ties.
        ([[4, 8, 8], [1, 2, 2]], THREE, [], lay(8)),  # 20
        ([[7, 8, 8], [1, 2, 2]], THREE, [], NO_TRICK),  # bust
        ([[4, 8], [1, 2]], {}, [], NO_TRICK),  # 12
    ],
)
def test_trickster_lays_a_card_where_its_trick_helps(
    hands: list[list[int]], options: Any, moves: list[Any], expected: int
) -> None:
    assert choice("trickster", one_round(hands, **options).play(*moves)) == expected


def test_trickster_zocks_as_threshold_does() -> None:
    for distance in range(-2, 13):
        assert choice("trickster", below_bust(distance)) == choice("threshold", below_bust(distance))


def random_positions(players: int, games: int, phase: str, **options: Any) -> Iterator[Table]:
    """Every position of this phase in some random games."""
    for seed in range(games):
        table, rng = Table([], players, start=seed % players, **options), np.random.default_rng(seed)
        table.env.reset(seed=seed)
        while table["phase"] != "over":
            if table["phase"] == phase:
                yield table
            table.play(int(rng.choice(sorted(table.legal))))


def least_sums(table: Table) -> dict[int, int]:
    """The least whole sum that each zock of the player to act may lead to, as far as he can know."""
    x, player = sum_of(table), table["player"]
    hidden = [*table["draw_pile"], *chain(*table["hands"][:player], *table["hands"][player + 1 :])]
    least = {KNOCK: x, DRAW: x + min(hidden)}
    for card in table["hands"][player]:
        least[swap_draw(card)] = x - card + min(hidden)
        least[swap_discard(card)] = x - card + table["discard_top"]
    return least


@pytest.mark.parametrize("players", [2, 4])
def test_counter_never_makes_itself_bust_when_it_can_stand(players: int) -> None:
    tight = 0
    for table in random_positions(players, 20, "zock", hand_size=3):
        least = least_sums(table)
        if least[KNOCK] < 21 <= max(least.values()):
            assert least[choice("counter", table)] < 21
            tight += 1
    assert tight > 50


def shuffled(hand: list[int], players: int, seed: int, top: int = 1) -> Table:
    """A table at which seat 0 starts with this hand, whose other cards are dealt at random."""
    rest = [*(all_cards() - Counter([*hand, top])).elements()]
    np.random.default_rng(seed).shuffle(rest)
    cards = iter(rest)
    deck = [hand[i] if seat == 0 else next(cards) for i in range(len(hand)) for seat in range(players)]
    return Table([[*deck, top, *cards]], players, hand_size=len(hand))


def test_counter_draws_when_no_card_can_make_it_bust_and_the_others_are_done() -> None:
    """With 12 or less a card more always is a higher sum, and every swap may be a lower one."""
    for hand in ([6, 6], [2, 4], [5, 7], [3, 4]):
        table = one_round([[8, 8], hand, [7, 7]], top=1, start=2).play(KNOCKS, KNOCKS)
        assert turn("counter", table)[-1] == DRAW


def test_counter_swaps_away_from_being_bust_when_one_swap_surely_helps() -> None:
    """It has 24, and the 4 that lies open makes 20 of it; most cards of the draw pile leave it bust or lower."""
    for players in range(2, 7):
        assert turn("counter", shuffled([8, 8, 8], players, seed=players, top=4))[-1] == swap_discard(8)


@pytest.mark.parametrize("hand", [[4, 8, 8], [5, 7, 8], [6, 7, 7]])
@pytest.mark.parametrize("players", range(2, 7))
def test_counter_knocks_with_the_highest_sum_of_a_hand(players: int, hand: list[int]) -> None:
    assert turn("counter", shuffled(hand, players, seed=players))[-1] == KNOCK


@entry
def estimated(observation, mask, values, parameters):
    estimate(observation, mask, values, parameters)


def estimates(table: Table, parameters: npt.NDArray[np.float32] = counter.PARAMETERS) -> npt.NDArray[np.float32]:
    """What `counter` reckons for each action of the player to act."""
    seen, values = table.env.observe(table.env.agent_selection), np.empty(61, np.float32)
    estimated(seen["observation"], seen["action_mask"], values, parameters)
    return values


@pytest.mark.parametrize("phase", ["tip", "trick", "exchange", "zock"])
def test_counter_estimates_a_chance_for_every_legal_action_and_no_other(phase: str) -> None:
    found = 0
    for table in random_positions(5, 4, phase):
        values = estimates(table)
        assert set(np.flatnonzero(values < counter.ILLEGAL).tolist()) == table.legal
        chances = values[list(table.legal)]
        assert ((chances >= 0) & (chances <= 1 + counter.PARAMETERS[counter.TRICK_COST])).all()
        found += 1
    assert found


class Enumeration:
    """The chance of losing a heart (S2) when nobody acts after me, over every way to draw the unseen cards."""

    def __init__(self, table: Table) -> None:
        self.seen = black_jacky_v0.decode(table.env.observe(table.env.agent_selection)["observation"])
        open_cards = [self.seen["my_hand"], self.seen["discards"], *self.seen["displays"], *self.seen["known"]]
        counts = np.arange(1, 9) - np.sum(open_cards, axis=0)
        self.unseen = np.repeat(np.arange(1, 9), counts).tolist()

    def laid_out(self, seat: int) -> int:
        """S1, in tenths."""
        laid, plus_one = self.seen["displays"][seat], self.seen["plus_one"][seat]
        return 10 * plus_one + sum({5: 0, 8: 81}.get(v, 10 * v) * laid[v - 1] for v in range(1, 9))

    def hidden(self, seat: int) -> int:
        return self.seen["hand_counts"][seat] - sum(self.seen["known"][seat - 1])

    def others(self) -> list[int]:
        return [seat for seat in range(1, self.seen["num_players"]) if self.seen["hearts"][seat] > 0]

    def others_sums(self) -> list[npt.NDArray[np.int64]]:
        sums = []
        for seat in self.others():
            base = self.laid_out(seat) + 10 * sum(v * self.seen["known"][seat - 1][v - 1] for v in range(1, 9))
            sums.append(np.array([base + 10 * sum(cards) for cards in combinations(self.unseen, self.hidden(seat))]))
        return sums

    def zocks(self) -> dict[int, float]:
        """The chance after each zock; the player draws any unseen card."""
        hand = [v for v in range(1, 9) if self.seen["my_hand"][v - 1]]
        x = self.laid_out(0) + 10 * sum(v * self.seen["my_hand"][v - 1] for v in range(1, 9))
        top = 1 + self.seen["discard_top"].index(1)
        others = self.others_sums()

        def losing_with(mine: int) -> float:
            return 1.0 if mine >= 210 else prod(float(((mine <= his) & (his < 210)).mean()) for his in others)

        def drawing_to(mine: int) -> float:
            return float(np.mean([losing_with(mine + 10 * v) for v in self.unseen]))

        chances = {KNOCK: losing_with(x), DRAW: drawing_to(x)}
        chances |= {swap_draw(v): drawing_to(x - 10 * v) for v in hand}
        return chances | {swap_discard(v): losing_with(x + 10 * (top - v)) for v in hand}


def uniform_parameters() -> npt.NDArray[np.float32]:
    """Parameters with which the others' conduct tells nothing, and showing a card costs nothing."""
    parameters = counter.PARAMETERS.copy()
    for conduct in (counter.FIRST, counter.LATE, counter.DONE, counter.OPEN):
        parameters[conduct : conduct + 3] = 0, 1, 1  # no fall, its floor, the weight of being bust
    parameters[[counter.EXPOSED, counter.TRICK_COST]] = 0
    return parameters


@pytest.mark.parametrize("players", [2, 3, 5])
def test_counter_reckons_as_an_enumeration_of_all_hidden_hands_does(players: int) -> None:
    """Its last decision of the round: nobody has a turn after it, because of a knock or of a 1 (R12, T1)."""
    checked, given_cards = 0, 0
    for table in random_positions(players, 16, "zock"):
        exact = Enumeration(table)
        last = table["ends_after_turn"] or table["last_turns"] == [table["player"]]
        if not last or table["draw_pile"] == [] or max(map(exact.hidden, exact.others())) > 3:
            continue
        chances = exact.zocks()
        assert set(chances) == table.legal
        np.testing.assert_allclose(
            estimates(table, uniform_parameters())[list(chances)], [*chances.values()], atol=1e-5
        )
        checked += 1
        given_cards += np.sum(exact.seen["known"]) > 0
    assert checked > 20
    assert given_cards > 5


def test_counter_wins_clearly_against_copies_of_every_other_bot() -> None:
    """Par is 25 %."""
    others = [name for name in BOTS if name != "counter"]
    scores = against_copies(make_agent("counter"), [make_agent(name) for name in others], num_players=4, games=400)
    low = {name: score.low for name, score in zip(others, scores, strict=True)}
    assert low["random"] > 0.85
    assert low["threshold"] > 0.3
    assert low["trickster"] > 0.3


def test_the_bots_are_a_ladder() -> None:
    agents = [make_agent(name) for name in ("counter", "random", "threshold", "trickster")]
    counter_, random, threshold, trickster = at_one_table(agents, games=1000)
    assert random.high < threshold.low
    assert max(threshold.high, trickster.high) < counter_.low
    assert random.high < trickster.low
