"""T5, T8, S1 to S3, P1 to P4, E1, E2, Q1, Q2: settlement, tipping, the end, Schnell-Duell; options and figures."""

from collections import Counter

import pytest

from blackjacky_env import black_jacky_v0
from tests.games.black_jacky import moves as do
from tests.games.black_jacky.rigging import Table, all_cards, cards_on_table, deal, losing, one_round
from tests.games.tables import positions


def test_the_sheets_worked_example():
    told = {"sums": [201, 200, 210], "hands": [[5, 7], [5, 8], [2, 6, 7]], "displays": [[8], [6], [6]]}
    table = one_round([[7, 8], [6, 8], [6, 7]], draw=[5, 5, 6, 2])
    table.play(
        (do.lay(8), do.DRAW), (do.plus_one(0), do.DRAW), (do.plus_one(2), do.DRAW), do.KNOCKS, do.KNOCKS, do.DRAWS
    )
    table.shows(last_settlement={"losers": [2], **told}, hearts=[3, 3, 2])


SIX_EACH = [[8] * 5 + [7], [8, 8, 7, 7, 7, 7], [8, 7, 7, 6, 6, 6]]
BUST, PLUS_ONE = [do.DRAWS, do.KNOCKS, do.KNOCKS], [do.DRAWS, do.plus_one(1), do.KNOCK, do.KNOCKS]
SETTLED = [
    # S1: everybody is counted, knocked or not
    ([[8, 7], [6, 6], [5, 5]], [1, 2], {}, [do.KNOCKS, do.DRAWS, do.DRAWS], [150, 130, 120], [2]),
    # S1: 20.2 is the highest sum that is not bust, exactly 21 is bust, and +1 can make bust
    ([[8, 8], [8, 7]], [4, 5], {}, [do.lay(8), do.DRAW, do.DRAWS, do.lay(8), do.KNOCK, do.KNOCKS], [202, 200], [1]),
    ([[8, 8], [8, 7]], [5], {}, BUST, [210, 150], [0]),
    ([[8, 8], [6, 2]], [4], {}, PLUS_ONE, [210, 80], [0]),
    # S1: the lowest sum loses, however high it is; bust_at moves the limit
    (SIX_EACH, [], {"top": 1, "hand_size": 6, "bust_at": 99}, [do.KNOCKS] * 3, [470, 440, 400], [2]),
    ([[5, 5], [1, 2], [4, 5]], [], {"bust_at": 10}, [do.KNOCKS] * 3, [100, 30, 90], [0]),
    # S2: exactly the bust lose a heart; if nobody is bust, all tied for the lowest sum; a tenth decides
    (
        [[8, 8], [7, 7], [1, 2]],
        [5, 8],
        {},
        [do.DRAWS, do.DRAWS, do.KNOCKS, do.KNOCKS, do.KNOCKS],
        [210, 220, 30],
        [0, 1],
    ),
    ([[8, 8], [2, 5], [3, 4], [7, 7]], [], {}, [do.KNOCKS] * 4, [160, 70, 70, 140], [1, 2]),
    # T8: a laid 8 counts a tenth more, one in the hand does not; T5: a laid 5 counts nothing, one in the hand does
    ([[8, 4], [8, 4]], [], {}, [do.KNOCKS, do.lay(8), do.KNOCK], [120, 121], [0]),
    ([[5, 8], [5, 7]], [], {}, [do.lay(5), do.KNOCK, do.KNOCKS], [80, 120], [0]),
]


@pytest.mark.parametrize(("hands", "draw", "options", "moves", "sums", "losers"), SETTLED)
def test_the_bust_or_else_the_lowest_sums_lose_a_heart(hands, draw, options, moves, sums, losers):
    table = one_round(hands, draw=draw, **options)
    hearts = [number - (seat in losers) for seat, number in enumerate(table["hearts"])]
    table.play(*moves).settled(sums=sums, losers=losers).shows(hearts=hearts)


def test_r5_s2_a_wanted_player_has_no_sum_and_so_not_the_lowest_even_if_that_is_nothing():
    decks = [deal([[7], [1], [8], [8]]), deal({0: [8], 2: [5], 3: [7]}, start=2)]
    table = Table(decks, players=4, hearts=1, hand_size=1).knock_all().play(do.tip(2), (do.lay(5), do.KNOCK))
    table.play(do.KNOCKS, do.KNOCKS).settled(sums=[80, None, 0, 70], losers=[2]).shows(hearts=[1, 0, 0, 1])


def test_s3_the_heart_is_lost_before_the_right_tip_brings_one():
    """Everybody in the saloon is lost and the tipper returns: he alone has a heart."""
    table = Table([losing([1], range(4)), losing([0, 2, 3], [0, 2, 3], 2)], players=4, hearts=1, reward="hearts")
    assert table.knock_all().rewards() == [0, -1, 0, 0]
    assert table.play(do.tip(1)).knock_all().rewards() == [-1, 1, -1, -1]
    table.shows(phase="over", winners=[1], hearts=[0, 1, 0, 0])


def test_s3_tips_come_before_the_deal_plus_one_goes_back_to_the_box_and_a_returned_tipper_starts_in_turn():
    one_round([[6, 8], [7, 7]]).play((do.plus_one(0), do.KNOCK), do.KNOCKS).shows(round=1, plus_one=None)
    table = Table([losing([1], range(4))], players=4, hearts=1).knock_all().shows(asked=("tip", 1), round=1)
    table.shows(hands=[[]] * 4, displays=[[]] * 4, draw_pile=[], discards=[], discard_top=None)
    decks = [losing([1], range(4), start=3), losing([2], [0, 2, 3], start=0)]
    table = Table(decks, players=4, start=3, hearts=1).knock_all().shows(start_player=0)
    table.play(do.tip(1)).knock_all().shows(round=2, start_player=1)


@pytest.mark.parametrize(
    ("players", "start", "losers", "starter"),
    [
        *((4, start, [3], (start + 1) % 4) for start in range(4)),
        (5, 0, [1, 2], 3),  # who has no heart does not start
        (5, 2, [2], 3),  # the old start player's seat counts though he is out
    ],
)
def test_s3_the_next_player_clockwise_starts_the_next_round(players, start, losers, starter):
    hearts = 2 if players == 4 else 1
    table = Table([losing(losers, range(players), start)], players, start, hearts=hearts).knock_all()
    table.shows(round=1, start_player=starter)
    assert players == 5 or table["player"] == starter


def test_s3_the_rounds_deck_does_not_depend_on_what_was_played_before():
    short, long = (one_round([[8, 8], [7, 7], [6, 6]]) for _ in range(2))
    for table in (short, long):
        table.env.reset(seed=11, options={"start_player": 0})
    short.knock_all()
    long.play(do.NO_TRICK, do.swap_draw(long["hands"][0][0]), do.DRAWS, do.DRAWS).knock_all()
    long.shows(**{key: short[key] for key in ("hands", "discard_top", "draw_pile", "start_player")})


def test_e1_the_last_player_with_a_heart_wins_at_once_be_it_black_and_the_cards_lie_as_settled():
    table = Table([losing([1], range(2), start=start) for start in (0, 1, 0)], players=2)
    table.knock_all().knock_all().shows(hearts=[3, 1]).knock_all()
    table.shows(asked=("over", None), round=2, winners=[0], hearts=[3, 0], status=["saloon", "out"])
    assert table.rewards() == [1, -1]
    assert all(table.env.terminations.values())
    assert not any(table.env.truncations.values())
    # There are last turns only if somebody knocked.
    table = one_round([[8, 8], [5, 4]], hearts=1).play(do.KNOCKS, (do.lay(5), do.KNOCK)).settled(sums=[160, 40])
    table.shows(hands=[[8, 8], [4]], displays=[[], [5]], last_turns=[])
    one_round([[1, 8], [5, 4]], hearts=1).play(do.lay(1), do.DRAW).shows(phase="over", last_turns=None)
    table = one_tipper(2, 3).play(do.tip(3)).knock_all()
    table.shows(phase="over", winners=[0], status=[IN, OUT, OUT, OUT])
    decks = [losing([1], range(4)), losing([2, 3], [0, 2, 3], start=2), losing([0], [0, 1], start=0)]
    table = Table(decks, players=4, hearts=1).knock_all().play(do.tip(1)).knock_all()
    table.shows(start_player=0, black_hearts=[False, True, False, False]).knock_all().shows(winners=[1])


@pytest.mark.parametrize("players", range(2, 7))
def test_e2_nobody_wins_when_all_lose_their_last_heart(players):
    table = Table([losing(range(players), range(players))], players=players, hearts=1).knock_all()
    table.shows(phase="over", winners=[], hearts=[0] * players, status=["out"] * players)
    assert table.rewards() == [0] * players


IN, WANTED, OUT = "saloon", "wanted", "out"


def two_tippers():
    """Return a table of five where seats 4 and 1 tip, in this order, and seat 3 will start and lose."""
    decks = [losing([1, 4], range(5), start=2), losing([3], [0, 2, 3], start=3), losing([1], [0, 1, 2, 4], start=4)]
    return Table(decks, players=5, start=2, hearts=1).knock_all()


def one_tipper(*losers):
    """Return a table of four where seat 1 tips, seat 2 starts and `losers` will lose."""
    return Table([losing([1], range(4)), losing(losers, [0, 2, 3], start=2)], players=4, hearts=1).knock_all()


def test_p1_a_wanted_player_must_tip_before_the_deal_for_one_in_the_saloon():
    """He is no part of the round."""
    table = one_tipper(2).shows(asked=("tip", 1), status=[IN, WANTED, IN, IN], hands=[[]] * 4)
    table.shows(legal={do.tip(1), do.tip(2), do.tip(3)}).play(do.tip(1)).shows(player=2)
    assert do.NO_TRICK in table.legal
    table.play(do.KNOCKS).shows(last_turns=[3, 0])
    table = two_tippers().shows(player=4, legal={do.tip(1), do.tip(3), do.tip(4)})  # seats 0, 2, 3; seat 1 is wanted
    table.play(do.tip(1)).shows(legal={do.tip(1), do.tip(2), do.tip(4)})  # seats 2, 3, 0; seat 4 is wanted


def test_p1_p2_tippers_go_in_turn_order_from_the_start_player_openly_until_the_next_round_begins():
    table = two_tippers().shows(start_player=3, player=4).play(do.tip(4)).shows(asked=("tip", 1))
    for who in [*table.env.agents, None]:
        assert table.env.unwrapped.view(who)["tips"] == [None, None, None, None, 3]
    table.play(do.tip(2)).shows(asked=("trick", 3), tips=[None, 3, None, None, 3])  # both may name the same player
    table.play(do.KNOCKS).shows(tips=[None, 3, None, None, 3])
    table.play(do.KNOCKS, do.KNOCKS).shows(round=2, tips=[None] * 5)


def test_p3_a_right_tip_brings_a_black_heart_whose_loss_is_final_and_after_a_wrong_one_one_tips_again():
    table = two_tippers().play(do.tip(4), do.tip(1)).knock_all()  # seat 4 tips seat 3, seat 1 tips seat 2
    table.shows(hearts=[1, 0, 1, 0, 1], black_hearts=[False] * 4 + [True], status=[IN, WANTED, IN, WANTED, IN])
    assert black_jacky_v0.decode(table.env.observe("player_0")["observation"])["black_hearts"] == [0, 0, 0, 0, 1, 0]
    table = two_tippers().play(do.tip(1), do.tip(2)).knock_all()  # seat 4 tips seat 0, seat 1 tips seat 3
    table.shows(status=[IN, IN, IN, WANTED, WANTED], asked=("tip", 3), start_player=0).play(do.tip(2)).shows(player=4)
    table = two_tippers().play(do.tip(4), do.tip(2)).knock_all()  # both right
    table.shows(black_hearts=[False, True, False, False, True], asked=("tip", 3), start_player=4)
    table.play(do.tip(3)).knock_all()  # seat 3 tips seat 1, who loses the black heart
    table.shows(status=[IN, OUT, IN, IN, IN], hearts=[1, 0, 1, 1, 1], black_hearts=[False, True, False, True, True])
    table.shows(phase="trick", round=3)  # nobody is wanted, so nobody tips


def test_p4_with_two_players_left_tipping_ends_and_the_wanted_are_out():
    table = Table([losing([1, 2], range(4))], players=4, hearts=1).knock_all()
    table.shows(status=[IN, OUT, OUT, IN], asked=("trick", 3))
    Table([losing([1], range(3))], players=3, hearts=1).knock_all().shows(status=[IN, OUT, IN], phase="trick")
    table = one_tipper(2, 3).play(do.tip(1)).knock_all()  # seat 1 is right and counts before: 0 and 1 are left
    table.shows(status=[IN, IN, OUT, OUT], phase="trick", winners=[])


@pytest.mark.parametrize("named", [1, 2, 3])
def test_e1_a_sole_returning_tipper_wins(named):
    table = one_tipper(0, 2, 3).play(do.tip(named)).knock_all()
    table.shows(phase="over", winners=[1], black_hearts=[False, True, False, False])
    assert table.rewards() == pytest.approx([-1 / 3, 1, -1 / 3, -1 / 3])


DUEL = {"variant": "schnell_duell"}


def test_q1_the_game_ends_when_the_first_heartless_cat_stands_there_and_nobody_tips():
    table = Table([losing([1], range(4))], players=4, hearts=1, **DUEL).knock_all()
    table.shows(asked=("over", None), round=0, hearts=[1, 0, 1, 1])
    Table([losing([1], range(4))], players=4, hearts=2, **DUEL).knock_all().shows(phase="trick", round=1)


LOST_BY_BUST = [[1, 2], [8, 8], [7, 8]]


@pytest.mark.parametrize(
    ("rounds", "options", "hearts", "winners"),
    [
        ([[[8, 8], [3, 5], [3, 5]], [[7, 7], [3, 4], [8, 8]]], {"hearts": 2}, [2, 0, 1], [0]),
        ([[[7, 7], [3, 4], [8, 8]]], {}, [1, 0, 1], [2]),
        ([[[8, 7], [3, 4], [8, 7]]], {}, [1, 0, 1], [0, 2]),
        ([LOST_BY_BUST, [[5, 5], [1, 2], [7, 8]]], {"hearts": 2, "bust_at": 10}, [1, 1, 0], [1]),
        ([LOST_BY_BUST, LOST_BY_BUST, [[8, 8], [7, 8], [1, 2]]], {"hearts": 3, "bust_at": 10}, [2, 0, 1], [0]),
        ([[[2, 5], [3, 4]]], {}, [0, 0], [0, 1]),
    ],
    ids=[
        "most hearts win, whatever the sum",
        "a tie goes to the highest sum of the round",
        "still tied, there are several winners",
        "a tied player who is bust ranks below every sum that is not",
        "hearts count before sums, even for a bust player",
        "it decides even if all stand at no heart: E2 does not apply",
    ],
)
def test_q2_most_hearts_win_and_then_the_highest_sum_that_is_not_bust(rounds, options, hearts, winners):
    """These hands are dealt round after round, and everybody knocks."""
    decks = [deal(hands, start=number) for number, hands in enumerate(rounds)]
    table = Table(decks, players=len(rounds[0]), **{"hearts": 1, **DUEL, **options})
    for _ in rounds:
        table.knock_all()
    table.shows(hearts=hearts, winners=winners)


def test_q2_a_sum_of_nothing_ranks_above_those_that_are_bust():
    decks = [deal([[1], [8], [7]]), deal([[6], [5], [7]], start=1)]
    table = Table(decks, players=3, hearts=2, hand_size=1, bust_at=6, **DUEL).knock_all()
    table.play((do.lay(5), do.KNOCK), do.KNOCKS, do.KNOCKS).shows(hearts=[1, 1, 0], winners=[1])


@pytest.mark.parametrize("players", range(2, 7))
def test_q2_if_all_tied_players_are_bust_all_win(players):
    table = one_round([[8, 8], [7, 8], [7, 7], [6, 6], [8, 5], [4, 7]][:players], hearts=1, bust_at=10, **DUEL)
    table.knock_all().shows(hearts=[0] * players, winners=[*range(players)])
    assert table.rewards() == [0] * players


@pytest.mark.prove
@pytest.mark.parametrize("variant", ["classic", "schnell_duell"])
@pytest.mark.parametrize("players", range(2, 7))
def test_random_games_end_and_keep_the_figures(players, variant):
    most_rounds = {2: 5, 3: 8, 4: 11, 5: 14, 6: 17}[players]
    for seed in range(8):
        for env in positions(black_jacky_v0.env(num_players=players, variant=variant), seed):
            table = env.snapshot()
            assert sum(table["hearts"]) <= 12
            assert table["round"] < most_rounds
            assert cards_on_table(table) == (Counter() if table["phase"] == "tip" else all_cards())
            sums = (table["last_settlement"] or {"sums": []})["sums"]
            assert all(total <= 202 or total >= 210 for total in sums if total is not None)
