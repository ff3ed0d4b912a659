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
)


def test_the_sheets_worked_example():
    table = one_round([[7, 8], [6, 8], [6, 7]], draw=[5, 5, 6, 2])
    table.play((lay(8), DRAW), (plus_one(0), DRAW), (plus_one(2), DRAW), KNOCKS, KNOCKS, DRAWS)
    assert table["last_settlement"] == {
        "sums": [201, 200, 210],
        "losers": [2],
        "hands": [[5, 7], [5, 8], [2, 6, 7]],
        "displays": [[8], [6], [6]],
    }
    assert table["hearts"] == [3, 3, 2]


def test_the_sheets_worked_example_without_the_third_player():
    table = one_round([[7, 8], [6, 8]], draw=[5, 5]).play((lay(8), DRAW), (plus_one(0), DRAW), KNOCKS, KNOCKS)
    assert table["last_settlement"]["sums"] == [201, 200]
    assert table["last_settlement"]["losers"] == [1]


def test_s1_everybody_is_counted_knocked_or_not():
    table = one_round([[8, 7], [6, 6], [5, 5]], draw=[1, 2]).play(KNOCKS, DRAWS, DRAWS)
    assert table["last_settlement"]["sums"] == [150, 130, 120]


def test_s1_20_2_is_the_highest_sum_that_is_not_bust():
    table = one_round([[8, 8], [8, 7]], draw=[4, 5])
    table.play((lay(8), DRAW), DRAWS, (lay(8), KNOCK), KNOCKS)
    assert table["last_settlement"]["sums"] == [202, 200]
    assert table["last_settlement"]["losers"] == [1]


def test_s1_the_lowest_sum_loses_however_high_it_is():
    """bust_at moves the limit."""
    hands = [[8] * 5 + [7], [8, 8, 7, 7, 7, 7], [8, 7, 7, 6, 6, 6]]
    table = one_round(hands, top=1, hand_size=6, bust_at=99).knock_all()
    assert table["last_settlement"]["sums"] == [470, 440, 400]
    assert table["last_settlement"]["losers"] == [2]


def test_s1_exactly_21_is_bust():
    table = one_round([[8, 8], [8, 7]], draw=[5]).play(DRAWS, KNOCKS, KNOCKS)
    assert table["last_settlement"]["sums"] == [210, 150]
    assert table["last_settlement"]["losers"] == [0]


def test_s1_plus_one_can_make_bust():
    table = one_round([[8, 8], [6, 2]], draw=[4]).play(DRAWS, (plus_one(1), KNOCK), KNOCKS)
    assert table["last_settlement"]["sums"] == [210, 80]
    assert table["last_settlement"]["losers"] == [0]


def test_s2_exactly_the_bust_lose_a_heart():
    table = one_round([[8, 8], [7, 7], [1, 2]], draw=[5, 8]).play(DRAWS, DRAWS, KNOCKS, KNOCKS, KNOCKS)
    assert table["last_settlement"]["losers"] == [0, 1]
    assert table["hearts"] == [2, 2, 3]


def test_s2_if_nobody_is_bust_all_tied_for_the_lowest_sum_lose_a_heart():
    table = one_round([[8, 8], [2, 5], [3, 4], [7, 7]]).knock_all()
    assert table["last_settlement"]["losers"] == [1, 2]
    assert table["hearts"] == [2, 1, 1, 2]


def test_s2_a_tenth_decides():
    table = one_round([[8, 4], [8, 4]]).play(KNOCKS, (lay(8), KNOCK))
    assert table["last_settlement"]["sums"] == [120, 121]
    assert table["last_settlement"]["losers"] == [0]


def test_s3_the_heart_is_lost_before_the_right_tip_brings_one():
    """Everybody in the saloon is lost and the tipper returns: he alone has a heart."""
    table = Table([losing([1], range(4)), losing([0, 2, 3], [0, 2, 3], 2)], players=4, hearts=1, reward="hearts")
    table.knock_all()
    assert table.rewards() == [0, -1, 0, 0]
    table.play(tip(1)).knock_all()
    assert table.rewards() == [-1, 1, -1, -1]
    assert (table["phase"], table["winners"], table["hearts"]) == ("over", [1], [0, 1, 0, 0])


def test_s3_plus_one_goes_back_to_the_box():
    table = one_round([[6, 8], [7, 7]]).play((plus_one(0), KNOCK), KNOCKS)
    assert (table["round"], table["plus_one"]) == (1, None)


@pytest.mark.parametrize("start", range(4))
def test_s3_the_next_player_clockwise_starts_the_next_round(start):
    table = one_round([[8, 8], [7, 7], [6, 6], [2, 2]], start=start).knock_all()
    assert (table["round"], table["start_player"], table["player"]) == (1, (start + 1) % 4, (start + 1) % 4)


def test_s3_who_has_no_heart_does_not_start():
    table = Table([losing([1, 2], range(5))], players=5, hearts=1).knock_all()
    assert table["start_player"] == 3


def test_s3_a_returned_tipper_starts_when_it_is_his_seats_turn():
    decks = [losing([1], range(4), start=3), losing([2], [0, 2, 3], start=0)]
    table = Table(decks, players=4, start=3, hearts=1).knock_all()
    assert table["start_player"] == 0
    table.play(tip(1)).knock_all()
    assert (table["round"], table["start_player"]) == (2, 1)


def test_s3_the_old_start_players_seat_counts_though_he_is_out():
    table = Table([losing([2], range(5), start=2)], players=5, start=2, hearts=1).knock_all()
    assert table["start_player"] == 3


def test_s3_tips_come_before_the_deal():
    table = Table([losing([1], range(4))], players=4, hearts=1).knock_all()
    assert (table["phase"], table["player"], table["round"]) == ("tip", 1, 1)
    assert (table["hands"], table["displays"]) == ([[]] * 4, [[]] * 4)
    assert (table["draw_pile"], table["discards"], table["discard_top"]) == ([], [], None)


def test_s3_the_rounds_deck_does_not_depend_on_what_was_played_before():
    options = {"start_player": 0}
    short, long = (one_round([[8, 8], [7, 7], [6, 6]]) for _ in range(2))
    for table in (short, long):
        table.env.reset(seed=11, options=options)
    short.knock_all()
    long.play(NO_TRICK, swap_draw(long["hands"][0][0]), DRAWS, DRAWS).knock_all()
    for key in ("hands", "discard_top", "draw_pile", "start_player"):
        assert short[key] == long[key]


def test_e1_the_last_player_with_a_heart_wins_at_once():
    decks = [losing([1], range(2), start=start) for start in (0, 1, 0)]
    table = Table(decks, players=2).knock_all().knock_all()
    assert table["hearts"] == [3, 1]
    table.knock_all()
    assert (table["phase"], table["player"], table["round"]) == ("over", None, 2)
    assert (table["winners"], table["hearts"], table["status"]) == ([0], [3, 0], ["saloon", "out"])
    assert table.rewards() == [1, -1]
    assert all(table.env.terminations.values())
    assert not any(table.env.truncations.values())


def test_e1_in_over_the_cards_lie_as_settled():
    table = one_round([[8, 8], [5, 4]], hearts=1).play(KNOCKS, (lay(5), KNOCK))
    assert (table["hands"], table["displays"]) == ([[8, 8], [4]], [[], [5]])
    assert table["last_settlement"]["sums"] == [160, 40]
    assert table["last_turns"] == []


def test_e1_last_turns_is_none_if_nobody_knocked_in_the_last_round():
    table = one_round([[1, 8], [5, 4]], hearts=1).play(lay(1), DRAW)
    assert (table["phase"], table["last_turns"]) == ("over", None)


@pytest.mark.parametrize("players", range(2, 7))
def test_e2_nobody_wins_when_all_lose_their_last_heart(players):
    table = Table([losing(range(players), range(players))], players=players, hearts=1).knock_all()
    assert (table["phase"], table["winners"], table["hearts"]) == ("over", [], [0] * players)
    assert table["status"] == ["out"] * players
    assert table.rewards() == [0] * players


def test_rewards_win_are_shared_by_winners_and_others_and_sum_to_zero():
    table = Table([losing([1, 2, 3], range(4))], players=4, hearts=1).play(KNOCKS)
    assert table.rewards() == [0, 0, 0, 0]
    table.play(KNOCKS, KNOCKS, KNOCKS)
    assert table.rewards() == pytest.approx([1, -1 / 3, -1 / 3, -1 / 3])


def test_rewards_hearts_come_when_a_heart_is_lost():
    table = one_round([[8, 8], [2, 5], [3, 4]], reward="hearts").play(KNOCKS, KNOCKS)
    assert table.rewards() == [0, 0, 0]
    table.play(KNOCKS)
    assert table.rewards() == [0, -1, -1]
    table.play(DRAWS)
    assert table.rewards() == [0, 0, 0]


def test_a_second_settlement_replaces_the_first():
    decks = [losing([0], range(2)), deal([[8, 8], [2, 2]], start=1)]
    table = Table(decks, players=2).knock_all()
    assert table["last_settlement"]["losers"] == [0]
    table.knock_all()
    assert table["last_settlement"]["sums"] == [160, 40]
