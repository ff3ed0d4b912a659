"""T1 to T8: what each laid card does."""

import pytest

from tests.games.black_jacky.rigging import (
    DRAW,
    DRAWS,
    IDLE_3,
    IDLE_6,
    KNOCK,
    KNOCKS,
    NO_TRICK,
    Table,
    deal,
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


@pytest.mark.parametrize("zock", [DRAW, KNOCK, swap_draw(8), swap_discard(8)])
def test_t1_settlement_comes_right_after_this_turns_zock_whatever_it_is(zock):
    table = one_round([[1, 8], [7, 7], [6, 6]]).play(lay(1))
    assert (table["ends_after_turn"], table["round"], table["phase"]) == (True, 0, "zock")
    table.play(zock)
    assert (table["round"], table["ends_after_turn"]) == (1, False)
    assert None not in table["last_settlement"]["sums"]


def test_t1_outstanding_last_turns_are_lost():
    table = one_round([[8, 8], [1, 7], [2, 2]]).play(KNOCKS, lay(1), KNOCK)
    assert table["last_settlement"] == {
        "sums": [160, 80, 40],
        "losers": [2],
        "hands": [[8, 8], [7], [2, 2]],
        "displays": [[], [1], []],
    }


def test_t2_cancels_all_knocking():
    table = one_round([[8, 8], [7, 7], [2, 5]]).play(KNOCKS, KNOCKS)
    assert table["knocked"] == [True, True, False]
    table.play(lay(2))
    assert table["knocked"] == [False] * 3
    assert (table["first_knocker"], table["last_turns"]) == (None, None)
    table.play(DRAW)
    assert (table["round"], table["player"]) == (0, 0)  # the knocker has a turn again
    table.play(DRAWS, DRAWS, DRAWS, DRAWS)
    assert table["round"] == 0


def test_t2_lets_who_had_his_last_turn_play_on():
    table = one_round([[8, 8], [7, 7], [2, 5]]).play(KNOCKS, DRAWS, lay(2), DRAW)
    assert (table["round"], table["player"]) == (0, 0)
    table.play(DRAWS)
    assert (table["round"], table["player"]) == (0, 1)


def test_t2_the_trickster_may_knock_and_is_the_first_knocker():
    table = one_round([[8, 8], [2, 7], [6, 6]]).play(KNOCKS, lay(2), KNOCK)
    assert (table["first_knocker"], table["last_turns"]) == (1, [2, 0])
    assert table["knocked"] == [False, True, False]
    table.play(DRAWS, DRAWS)
    assert table["round"] == 1


def test_t2_knockers_are_targets_again():
    table = one_round([[8, 8], [2, 7], [3, 6]]).play(KNOCKS, lay(2), DRAW)
    everybody = {plus_one(seat) for seat in range(3)} | {exchange(0, 1), exchange(0, 2), exchange(1, 2)}
    assert table.legal == {NO_TRICK} | everybody


def test_t2_without_a_knock_does_nothing():
    table = one_round([[2, 8], [7, 7]]).play(lay(2))
    assert (table["phase"], table["displays"][0], table["last_turns"]) == ("zock", [2], None)


def test_t3_two_players_give_each_other_a_card():
    table = one_round([[3, 8], [7, 7], [5, 6], [4, 4]]).play(exchange(1, 2))
    assert (table["phase"], table["player"]) == ("exchange", 1)
    assert table["exchange"] == {"trickster": 0, "pair": [1, 2], "given": [None, None]}
    assert table.legal == {give(7)}
    table.play(give(7))
    assert table["exchange"] == {"trickster": 0, "pair": [1, 2], "given": [7, None]}
    assert (table["player"], table["hands"][1]) == (2, [7, 7])  # both change places at once
    assert table.legal == {give(5), give(6)}
    table.play(give(6))
    assert table["hands"] == [[8], [6, 7], [5, 7], [4, 4]]
    assert (table["exchange"], table["phase"], table["player"]) == (None, "zock", 0)
    assert table["turn"] == 0


def test_t3_the_trickster_himself_gives_first():
    table = one_round([[4, 4], [7, 7], [3, 8], [5, 6]], start=2).play(exchange(0, 3))
    assert table["exchange"]["pair"] == [2, 1]
    assert (table["player"], table.legal) == (2, {give(8)})
    table.play(give(8), give(7))
    assert (table["hands"][2], table["hands"][1], table["player"]) == ([7], [7, 8], 2)


def test_t3_else_the_nearer_clockwise_from_the_trickster_gives_first():
    table = one_round([[4, 4], [7, 7], [3, 8], [5, 6]], start=2).play(exchange(1, 2))
    assert (table["exchange"]["pair"], table["player"]) == ([3, 0], 3)
    assert table.play(give(5))["player"] == 0


def test_t3_nobody_but_the_two_sees_a_card():
    table = one_round([[3, 8], [7, 7], [5, 6], [4, 4]]).play(exchange(1, 2), give(7))
    given = {agent: table.env.unwrapped.view(agent)["exchange"]["given"] for agent in [*table.env.agents, None]}
    assert given["player_1"] == [7, None]
    assert all(given[who] == ["hidden", None] for who in ("player_0", "player_2", "player_3", None))


def test_t3_needs_hand_cards_counted_after_the_3_was_laid():
    table = one_round([[3], [7], [8]], hand_size=1)
    assert table.legal == {NO_TRICK, exchange(1, 2)}


def test_t3_with_fewer_than_two_possible_players_is_without_effect():
    table = one_round([[8], [2], [3]], hand_size=1).play(lay(8), KNOCK, lay(2), DRAW)
    assert table.legal == {NO_TRICK, IDLE_3}  # seat 0 is active, but has no hand card
    table.play(IDLE_3)
    assert (table["phase"], table["exchange"], table["displays"]) == ("zock", None, [[8], [2], [3]])


def test_t4_the_next_player_clockwise_draws_a_card():
    table = one_round([[8, 8], [7, 7], [4, 6]], top=1, draw=[5, 2], start=2).play(lay(4))
    assert table["hands"] == [[5, 8, 8], [7, 7], [6]]
    assert (table["draw_pile"][0], table["phase"], table["player"]) == (2, "zock", 2)


def test_t4_skips_who_has_knocked():
    table = one_round([[8, 8], [7, 7], [4, 6], [6, 6]], draw=[5], start=3).play(KNOCKS, KNOCKS, DRAWS)
    table.play(lay(4))  # seat 3 and 0 have knocked
    assert table["player"] == 2
    assert [len(hand) for hand in table["hands"]] == [2, 4, 1, 2]


def test_t4_skips_the_wanted():
    second = deal({0: [4, 8], 2: [7, 7], 3: [6, 6]}, draw=[5], start=2)
    table = Table([losing([1], range(4)), second], players=4, hearts=1).knock_all().play(tip(1), DRAWS, DRAWS)
    table.play(lay(4))
    assert [len(hand) for hand in table["hands"]] == [1, 0, 4, 3]


def test_t4_hits_the_trickster_when_everybody_else_has_knocked():
    table = one_round([[8, 8], [7, 7], [4, 6]], draw=[5]).play(KNOCKS, KNOCKS, lay(4))
    assert table["hands"] == [[8, 8], [7, 7], [5, 6]]
    assert table["phase"] == "zock"


def test_t5_is_turned_over_and_counts_nothing():
    table = one_round([[5, 8], [5, 7]]).play(lay(5), KNOCK, KNOCKS)
    assert table["last_settlement"]["displays"] == [[5], []]
    assert table["last_settlement"]["sums"] == [80, 120]


@pytest.mark.parametrize("relative", range(3))
def test_t6_puts_plus_one_before_any_active_player(relative):
    table = one_round([[8, 4], [6, 7], [8, 3]], start=1).play(plus_one(relative))
    assert table["plus_one"] == (1 + relative) % 3
    table.play(KNOCK, KNOCKS, KNOCKS)
    sums = [120, 130, 110]
    sums[(1 + relative) % 3] += 10
    assert table["last_settlement"]["sums"] == sums


@pytest.mark.parametrize(("relative", "seat"), [(0, 1), (1, 2), (2, 0)])
def test_t6_leaves_or_moves_plus_one_that_lies_before_an_active_player(relative, seat):
    table = one_round([[6, 4], [6, 7], [8, 3]]).play(plus_one(1), DRAW)
    assert table.legal == {NO_TRICK, plus_one(0), plus_one(1), plus_one(2), lay(7)}
    assert table.play(plus_one(relative))["plus_one"] == seat


def test_t6_is_without_effect_while_plus_one_lies_before_a_knocker():
    table = one_round([[6, 4], [8, 7], [6, 2]]).play(plus_one(1), DRAW, KNOCKS)
    assert table.legal == {NO_TRICK, lay(2), IDLE_6}
    table.play(IDLE_6)
    assert (table["plus_one"], table["phase"], table["displays"][2]) == (1, "zock", [6])
    table.play(KNOCK, KNOCKS)
    assert table["last_settlement"]["sums"][1] == 160  # it still counts for him


def test_t6_works_again_when_the_knocking_was_cancelled():
    table = one_round([[6, 6], [8, 7], [2, 5]]).play(plus_one(1), DRAW, KNOCKS, lay(2), DRAW)
    assert table.play(plus_one(0))["plus_one"] == 0


def test_t7_turns_the_top_of_the_draw_pile_onto_the_discard_pile():
    table = one_round([[7, 8], [6, 6]], top=1, draw=[5, 2]).play(lay(7))
    assert (table["discard_top"], table["discards"], table["draw_pile"][0]) == (5, [1, 5], 2)
    assert table.play(swap_discard(8))["hands"][0] == [5]


def test_t8_only_a_laid_8_counts_a_tenth_more():
    table = one_round([[8, 4], [8, 3]]).play(lay(8), KNOCK, KNOCKS)
    assert table["last_settlement"]["sums"] == [121, 110]
