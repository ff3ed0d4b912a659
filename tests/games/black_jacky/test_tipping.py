"""P1 to P4: tipping, black hearts, the showdown; E1 with a returning tipper."""

import pytest

from blackjacky_env.black_jacky_v0 import decode
from tests.games.black_jacky.rigging import KNOCKS, NO_TRICK, Table, losing, tip


def two_tippers():
    """Return a table of five where seats 4 and 1 tip, in this order, and seat 3 will start and lose."""
    decks = [
        losing([1, 4], range(5), start=2),
        losing([3], [0, 2, 3], start=3),
        losing([1], [0, 1, 2, 4], start=4),
    ]
    return Table(decks, players=5, start=2, hearts=1).knock_all()


def one_tipper(*losers):
    """Return a table of four where seat 1 tips, seat 2 starts and `losers` will lose."""
    return Table([losing([1], range(4)), losing(losers, [0, 2, 3], start=2)], players=4, hearts=1).knock_all()


def test_p1_a_wanted_player_tips_before_the_deal_and_must():
    table = one_tipper(2)
    assert (table["phase"], table["player"], table["status"][1]) == ("tip", 1, "wanted")
    assert table["hands"] == [[]] * 4
    assert table.legal == {tip(1), tip(2), tip(3)}


def test_p1_only_players_in_the_saloon_may_be_named():
    table = two_tippers()
    assert table["player"] == 4
    assert table.legal == {tip(1), tip(3), tip(4)}  # seats 0, 2, 3; seat 1 is wanted
    table.play(tip(1))
    assert table.legal == {tip(1), tip(2), tip(4)}  # seats 2, 3, 0; seat 4 is wanted


def test_p1_several_may_name_the_same_player():
    table = two_tippers().play(tip(4), tip(2))
    assert table["tips"] == [None, 3, None, None, 3]


def test_p2_tippers_go_in_turn_order_from_the_start_player():
    table = two_tippers()
    assert (table["start_player"], table["player"]) == (3, 4)
    table.play(tip(4))
    assert (table["phase"], table["player"]) == ("tip", 1)
    table.play(tip(2))
    assert (table["phase"], table["player"]) == ("trick", 3)


def test_p2_tips_are_open():
    table = two_tippers().play(tip(4))
    for who in [*table.env.agents, None]:
        assert table.env.unwrapped.view(who)["tips"] == [None, None, None, None, 3]


def test_p2_tips_stay_until_the_next_round_begins():
    table = two_tippers().play(tip(4), tip(2), KNOCKS)
    assert table["tips"] == [None, 3, None, None, 3]
    table.play(KNOCKS, KNOCKS)
    assert (table["round"], table["tips"]) == (2, [None] * 5)


def test_p3_a_right_tip_brings_a_black_heart():
    table = two_tippers().play(tip(4), tip(1)).knock_all()  # seat 4 tips seat 3, seat 1 tips seat 2
    assert table["hearts"] == [1, 0, 1, 0, 1]
    assert table["black_hearts"] == [False, False, False, False, True]
    assert decode(table.env.observe("player_0")["observation"])["black_hearts"] == [0, 0, 0, 0, 1, 0]
    assert table["status"] == ["saloon", "wanted", "saloon", "wanted", "saloon"]


def test_p3_after_a_wrong_tip_one_tips_again():
    table = two_tippers().play(tip(1), tip(2)).knock_all()  # seat 4 tips seat 0, seat 1 tips seat 3
    assert table["status"] == ["saloon", "saloon", "saloon", "wanted", "wanted"]
    assert (table["phase"], table["start_player"], table["player"]) == ("tip", 0, 3)
    assert table.play(tip(2))["player"] == 4


def test_p3_a_lost_black_heart_is_final():
    table = two_tippers().play(tip(4), tip(2)).knock_all()  # both right
    assert table["black_hearts"] == [False, True, False, False, True]
    assert (table["phase"], table["player"], table["start_player"]) == ("tip", 3, 4)
    table.play(tip(3)).knock_all()  # seat 3 tips seat 1, who loses the black heart
    assert table["status"] == ["saloon", "out", "saloon", "saloon", "saloon"]
    assert table["hearts"] == [1, 0, 1, 1, 1]
    assert table["black_hearts"] == [False, True, False, True, True]
    assert (table["phase"], table["round"]) == ("trick", 3)  # nobody is wanted, so nobody tips


def test_p4_with_two_players_left_tipping_ends_and_the_wanted_are_out():
    table = Table([losing([1, 2], range(4))], players=4, hearts=1).knock_all()
    assert table["status"] == ["saloon", "out", "out", "saloon"]
    assert (table["phase"], table["player"]) == ("trick", 3)


def test_p4_with_three_players_nobody_ever_tips():
    table = Table([losing([1], range(3))], players=3, hearts=1).knock_all()
    assert table["status"] == ["saloon", "out", "saloon"]
    assert table["phase"] == "trick"


def test_p4_returning_tippers_count_before_the_showdown():
    table = one_tipper(2, 3).play(tip(1)).knock_all()  # seat 1 is right: 0 and 1 are left
    assert table["status"] == ["saloon", "saloon", "out", "out"]
    assert (table["phase"], table["winners"]) == ("trick", [])


def test_e1_without_a_right_tip_the_last_one_in_the_saloon_wins():
    table = one_tipper(2, 3).play(tip(3)).knock_all()
    assert (table["phase"], table["winners"]) == ("over", [0])
    assert table["status"] == ["saloon", "out", "out", "out"]


@pytest.mark.parametrize("named", [1, 2, 3])
def test_e1_a_sole_returning_tipper_wins(named):
    table = one_tipper(0, 2, 3).play(tip(named)).knock_all()
    assert (table["phase"], table["winners"]) == ("over", [1])
    assert table["black_hearts"] == [False, True, False, False]
    assert table.rewards() == pytest.approx([-1 / 3, 1, -1 / 3, -1 / 3])


def test_e1_a_black_heart_wins_like_a_red_one():
    decks = [losing([1], range(4)), losing([2, 3], [0, 2, 3], start=2), losing([0], [0, 1], start=0)]
    table = Table(decks, players=4, hearts=1).knock_all().play(tip(1)).knock_all()
    assert (table["start_player"], table["black_hearts"][1]) == (0, True)
    table.knock_all()
    assert table["winners"] == [1]


def test_the_tipper_is_no_part_of_the_round():
    table = one_tipper(2).play(tip(1))
    assert table["player"] == 2
    assert NO_TRICK in table.legal
    table.play(KNOCKS)
    assert table["last_turns"] == [3, 0]
