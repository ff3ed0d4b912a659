"""S1 to S3, E1, E2, rewards and the worked example of the sheet."""

import pytest

from tests.games.black_jacky.rigging import (
    DRAW,
    DRAWS,
    KNOCK,
    KNOCKS,
    NO_TRICK,
    Table,
    deal,
    lay,
    losing,
    one_round,
    plus_one,
    swap_draw,
    tip,
    worked_example,
)


def test_the_sheets_worked_example():
    told = {"sums": [201, 200, 210], "hands": [[5, 7], [5, 8], [2, 6, 7]], "displays": [[8], [6], [6]]}
    worked_example().shows(last_settlement={"losers": [2], **told}, hearts=[3, 3, 2])


SETTLED = {
    "the sheet's worked example without the third player": (
        lambda: one_round([[7, 8], [6, 8]], draw=[5, 5]),
        [lay(8), DRAW, plus_one(0), DRAW, KNOCKS, KNOCKS],
        [201, 200],
        [1],
    ),
    "S1: everybody is counted, knocked or not": (
        lambda: one_round([[8, 7], [6, 6], [5, 5]], draw=[1, 2]),
        [KNOCKS, DRAWS, DRAWS],
        [150, 130, 120],
        [2],
    ),
    "S1: 20.2 is the highest sum that is not bust": (
        lambda: one_round([[8, 8], [8, 7]], draw=[4, 5]),
        [lay(8), DRAW, DRAWS, lay(8), KNOCK, KNOCKS],
        [202, 200],
        [1],
    ),
    "S1: the lowest sum loses, however high it is; bust_at moves the limit": (
        lambda: one_round([[8] * 5 + [7], [8, 8, 7, 7, 7, 7], [8, 7, 7, 6, 6, 6]], top=1, hand_size=6, bust_at=99),
        [KNOCKS] * 3,
        [470, 440, 400],
        [2],
    ),
    "S1: a lower bust_at": (lambda: one_round([[5, 5], [1, 2], [4, 5]], bust_at=10), [KNOCKS] * 3, [100, 30, 90], [0]),
    "S1: exactly 21 is bust": (lambda: one_round([[8, 8], [8, 7]], draw=[5]), [DRAWS, KNOCKS, KNOCKS], [210, 150], [0]),
    "S1: +1 can make bust": (
        lambda: one_round([[8, 8], [6, 2]], draw=[4]),
        [DRAWS, plus_one(1), KNOCK, KNOCKS],
        [210, 80],
        [0],
    ),
    "S2: exactly the bust lose a heart": (
        lambda: one_round([[8, 8], [7, 7], [1, 2]], draw=[5, 8]),
        [DRAWS, DRAWS, KNOCKS, KNOCKS, KNOCKS],
        [210, 220, 30],
        [0, 1],
    ),
    "S2: if nobody is bust, all tied for the lowest sum lose a heart": (
        lambda: one_round([[8, 8], [2, 5], [3, 4], [7, 7]]),
        [KNOCKS] * 4,
        [160, 70, 70, 140],
        [1, 2],
    ),
    "S2: a tenth decides": (lambda: one_round([[8, 4], [8, 4]]), [KNOCKS, lay(8), KNOCK], [120, 121], [0]),
}


@pytest.mark.parametrize("case", SETTLED)
def test_the_bust_or_else_the_lowest_sums_lose_a_heart(case):
    begin, moves, sums, losers = SETTLED[case]
    table = begin()
    hearts = [number - (seat in losers) for seat, number in enumerate(table["hearts"])]
    table.play(*moves).settled(sums=sums, losers=losers).shows(hearts=hearts)


def test_s3_the_heart_is_lost_before_the_right_tip_brings_one():
    """Everybody in the saloon is lost and the tipper returns: he alone has a heart."""
    table = Table([losing([1], range(4)), losing([0, 2, 3], [0, 2, 3], 2)], players=4, hearts=1, reward="hearts")
    assert table.knock_all().rewards() == [0, -1, 0, 0]
    assert table.play(tip(1)).knock_all().rewards() == [-1, 1, -1, -1]
    table.shows(phase="over", winners=[1], hearts=[0, 1, 0, 0])


def test_s3_plus_one_goes_back_to_the_box():
    one_round([[6, 8], [7, 7]]).play((plus_one(0), KNOCK), KNOCKS).shows(round=1, plus_one=None)


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


def test_s3_a_returned_tipper_starts_when_it_is_his_seats_turn():
    decks = [losing([1], range(4), start=3), losing([2], [0, 2, 3], start=0)]
    table = Table(decks, players=4, start=3, hearts=1).knock_all().shows(start_player=0)
    table.play(tip(1)).knock_all().shows(round=2, start_player=1)


def test_s3_tips_come_before_the_deal():
    table = Table([losing([1], range(4))], players=4, hearts=1).knock_all().shows(asked=("tip", 1), round=1)
    table.shows(hands=[[]] * 4, displays=[[]] * 4, draw_pile=[], discards=[], discard_top=None)


def test_s3_the_rounds_deck_does_not_depend_on_what_was_played_before():
    short, long = (one_round([[8, 8], [7, 7], [6, 6]]) for _ in range(2))
    for table in (short, long):
        table.env.reset(seed=11, options={"start_player": 0})
    short.knock_all()
    long.play(NO_TRICK, swap_draw(long["hands"][0][0]), DRAWS, DRAWS).knock_all()
    long.shows(**{key: short[key] for key in ("hands", "discard_top", "draw_pile", "start_player")})


def test_e1_the_last_player_with_a_heart_wins_at_once():
    table = Table([losing([1], range(2), start=start) for start in (0, 1, 0)], players=2)
    table.knock_all().knock_all().shows(hearts=[3, 1]).knock_all()
    table.shows(asked=("over", None), round=2, winners=[0], hearts=[3, 0], status=["saloon", "out"])
    assert table.rewards() == [1, -1]
    assert all(table.env.terminations.values())
    assert not any(table.env.truncations.values())


def test_e1_in_over_the_cards_lie_as_settled():
    """There are last turns only if somebody knocked."""
    table = one_round([[8, 8], [5, 4]], hearts=1).play(KNOCKS, (lay(5), KNOCK)).settled(sums=[160, 40])
    table.shows(hands=[[8, 8], [4]], displays=[[], [5]], last_turns=[])
    one_round([[1, 8], [5, 4]], hearts=1).play(lay(1), DRAW).shows(phase="over", last_turns=None)


@pytest.mark.parametrize("players", range(2, 7))
def test_e2_nobody_wins_when_all_lose_their_last_heart(players):
    table = Table([losing(range(players), range(players))], players=players, hearts=1).knock_all()
    table.shows(phase="over", winners=[], hearts=[0] * players, status=["out"] * players)
    assert table.rewards() == [0] * players


def test_a_second_settlement_replaces_the_first():
    decks = [losing([0], range(2)), deal([[8, 8], [2, 2]], start=1)]
    table = Table(decks, players=2).knock_all().settled(losers=[0])
    table.knock_all().settled(sums=[160, 40])
