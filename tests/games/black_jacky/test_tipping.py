"""P1 to P4: tipping, black hearts, the showdown; E1 with a returning tipper."""

import pytest

from blackjacky_env.black_jacky_v0 import decode
from tests.games.black_jacky.rigging import KNOCKS, NO_TRICK, Table, losing, tip

IN, WANTED, OUT = "saloon", "wanted", "out"


def two_tippers():
    """Return a table of five where seats 4 and 1 tip, in this order, and seat 3 will start and lose."""
    decks = [losing([1, 4], range(5), start=2), losing([3], [0, 2, 3], start=3), losing([1], [0, 1, 2, 4], start=4)]
    return Table(decks, players=5, start=2, hearts=1).knock_all()


def one_tipper(*losers):
    """Return a table of four where seat 1 tips, seat 2 starts and `losers` will lose."""
    return Table([losing([1], range(4)), losing(losers, [0, 2, 3], start=2)], players=4, hearts=1).knock_all()


def test_p1_a_wanted_player_tips_before_the_deal_and_must():
    """He is no part of the round."""
    table = one_tipper(2).shows(asked=("tip", 1), status=[IN, WANTED, IN, IN], hands=[[]] * 4)
    table.shows(legal={tip(1), tip(2), tip(3)}).play(tip(1)).shows(player=2)
    assert NO_TRICK in table.legal
    table.play(KNOCKS).shows(last_turns=[3, 0])


def test_p1_only_players_in_the_saloon_may_be_named():
    table = two_tippers().shows(player=4, legal={tip(1), tip(3), tip(4)})  # seats 0, 2, 3; seat 1 is wanted
    table.play(tip(1)).shows(legal={tip(1), tip(2), tip(4)})  # seats 2, 3, 0; seat 4 is wanted


def test_p1_p2_tippers_go_in_turn_order_from_the_start_player_openly_until_the_next_round_begins():
    table = two_tippers().shows(start_player=3, player=4).play(tip(4)).shows(asked=("tip", 1))
    for who in [*table.env.agents, None]:
        assert table.env.unwrapped.view(who)["tips"] == [None, None, None, None, 3]
    table.play(tip(2)).shows(asked=("trick", 3), tips=[None, 3, None, None, 3])  # both may name the same player
    table.play(KNOCKS).shows(tips=[None, 3, None, None, 3])
    table.play(KNOCKS, KNOCKS).shows(round=2, tips=[None] * 5)


def test_p3_a_right_tip_brings_a_black_heart():
    table = two_tippers().play(tip(4), tip(1)).knock_all()  # seat 4 tips seat 3, seat 1 tips seat 2
    table.shows(hearts=[1, 0, 1, 0, 1], black_hearts=[False] * 4 + [True], status=[IN, WANTED, IN, WANTED, IN])
    assert decode(table.env.observe("player_0")["observation"])["black_hearts"] == [0, 0, 0, 0, 1, 0]


def test_p3_after_a_wrong_tip_one_tips_again():
    table = two_tippers().play(tip(1), tip(2)).knock_all()  # seat 4 tips seat 0, seat 1 tips seat 3
    table.shows(status=[IN, IN, IN, WANTED, WANTED], asked=("tip", 3), start_player=0).play(tip(2)).shows(player=4)


def test_p3_a_lost_black_heart_is_final():
    table = two_tippers().play(tip(4), tip(2)).knock_all()  # both right
    table.shows(black_hearts=[False, True, False, False, True], asked=("tip", 3), start_player=4)
    table.play(tip(3)).knock_all()  # seat 3 tips seat 1, who loses the black heart
    table.shows(status=[IN, OUT, IN, IN, IN], hearts=[1, 0, 1, 1, 1], black_hearts=[False, True, False, True, True])
    table.shows(phase="trick", round=3)  # nobody is wanted, so nobody tips


def test_p4_with_two_players_left_tipping_ends_and_the_wanted_are_out():
    table = Table([losing([1, 2], range(4))], players=4, hearts=1).knock_all()
    table.shows(status=[IN, OUT, OUT, IN], asked=("trick", 3))
    Table([losing([1], range(3))], players=3, hearts=1).knock_all().shows(status=[IN, OUT, IN], phase="trick")
    table = one_tipper(2, 3).play(tip(1)).knock_all()  # seat 1 is right and counts before: 0 and 1 are left
    table.shows(status=[IN, IN, OUT, OUT], phase="trick", winners=[])


def test_e1_without_a_right_tip_the_last_one_in_the_saloon_wins():
    table = one_tipper(2, 3).play(tip(3)).knock_all()
    table.shows(phase="over", winners=[0], status=[IN, OUT, OUT, OUT])


@pytest.mark.parametrize("named", [1, 2, 3])
def test_e1_a_sole_returning_tipper_wins(named):
    table = one_tipper(0, 2, 3).play(tip(named)).knock_all()
    table.shows(phase="over", winners=[1], black_hearts=[False, True, False, False])
    assert table.rewards() == pytest.approx([-1 / 3, 1, -1 / 3, -1 / 3])


def test_e1_a_black_heart_wins_like_a_red_one():
    decks = [losing([1], range(4)), losing([2, 3], [0, 2, 3], start=2), losing([0], [0, 1], start=0)]
    table = Table(decks, players=4, hearts=1).knock_all().play(tip(1)).knock_all()
    table.shows(start_player=0, black_hearts=[False, True, False, False]).knock_all().shows(winners=[1])
