"""Names of actions, and why an action is illegal, in the words of Halunken & Spelunken."""

from __future__ import annotations

import pytest

from blackjacky_env import IllegalActionError, halunken_v0
from tests.games.halunken.rigging import CARDS, Table


def placing(captains):
    """Return a game of three in which so many captains stand."""
    table = Table(0, 4, 8)
    table.env.reset(seed=0)
    return table.play(*(f"field {field}" for field in range(captains)))


def robbing():
    return Table(0, 3, 8, variant="basic").arrange(["R4", "V3 G2 Y12", "R7"], taverns={3: "Y1"}).choose(3, 7, 6)


def giving():
    table = Table(0, 4, 8, jack_deck="4").arrange(["R4", "R5", ""], captains=[2, 4, 8], jack=0)
    return table.nobody_bids().choose(1, 1, 1)


def landing():
    """Return a duel in which player_1 has landed on Black Jack, whom player_0 has bought."""
    table = Table(0, 4).arrange(["R4 R5 R15", ""], "V3", captains=[0, 4], jack=9).buys(0, "R15")
    return table.choose(2, 5, jack=7)


DECISIONS = {
    "place_captain": (lambda: placing(1), "a field for the captain (H2)"),
    "place_black_jack": (lambda: placing(3), "a field for Black Jack (J1)"),
    "bid": (lambda: Table(0, 4, 8), "a card of the player's own to offer, or a pass (J2)"),
    "choose_for_black_jack": (lambda: Table(0, 7).buys(1, "R11"), "a movement card for Black Jack (D3)"),
    "choose": (lambda: Table(0, 4, 8, variant="basic"), "a movement card (H4)"),
    "name": (lambda: Table(0, 4, 8, variant="basic").choose("Rum", 1, 1), "a number for Rum (H5)"),
    "take": (lambda: landing().play("take from the harbour"), "a card from the harbour (J3)"),
    "take_or_rob": (landing, "whether to take from the harbour or to rob the buyer (D5)"),
    "rob": (robbing, "a card of the player who is robbed (H7, J4)"),
    "give": (giving, "a card of the player's own to give to the harbour (J5, D6)"),
}
CALLED = {
    "field 3": "field 3 (action 3)",
    "R4": "R4 (action 14)",
    "pass": "passing (action 56)",
    "move 2": "movement card 2 (action 58)",
    "move Rum": "movement card Rum (action 64)",
    "name 7": "naming 7 (action 71)",
    "take from the harbour": "taking from the harbour (action 72)",
    "rob the buyer": "robbing the buyer (action 73)",
}
OTHERS = {"bid": {"R4"}, "take": {"R4"}, "rob": {"R4"}, "give": {"R4"}, "name": {"name 7"}}
"""Actions of the kind that is asked, which have reasons of their own."""


@pytest.mark.parametrize("phase", DECISIONS)
def test_an_action_of_another_kind_is_refused_with_what_is_asked_and_changes_nothing(phase):
    begin, asked = DECISIONS[phase]
    table = begin()
    assert table.now["phase"] == phase
    before = table.env.get_state()
    for action in CALLED.keys() - table.legal - OTHERS.get(phase, set()):
        with pytest.raises(IllegalActionError) as refused:
            table.play(action)
        assert str(refused.value).startswith(
            f"{CALLED[action]} is illegal: the choice now is {asked}. Legal for player_"
        )
    assert table.env.get_state() == before


def bidding():
    """Return a table at which player_1 is to offer more than a 6."""
    return Table(0, 4, 8).arrange(["R4", "R5 G6 G8", "R6"], jack=12).play("R6", "pass")


def second_round():
    return Table(0, 4, 8, variant="basic").choose(3, 3, 3)


def second_round_of_a_duel():
    """Return a duel in which player_0 chooses for Black Jack, whose Rum is spent."""
    table = Table(0, 7).arrange(["R4 R5", "R6"], captains=[0, 7], jack=3).buys(0, "R4").play("move 1")
    return table.play("move Rum", "move 1", "name 2").buys(0, "R5")


@pytest.mark.parametrize(
    ("begin", "action", "reason"),
    [
        (DECISIONS["place_captain"][0], "field 0", "a figure stands on it (H1)"),
        (DECISIONS["place_black_jack"][0], "field 2", "a figure stands on it (H1)"),
        (DECISIONS["bid"][0], "Y12", "it is not the player's own (J2)"),
        (bidding, "G6", "its value is 6, and an offer must be higher than the last one, 6 (J2)"),
        (bidding, "R5", "its value is 5, and an offer must be higher than the last one, 6 (J2)"),
        (second_round, "move 3", "it has been used in this game (H3)"),
        (second_round_of_a_duel, "move Rum", "Black Jack's card has been used in this game (D1)"),
        (robbing, "R4", "it is not before player_1"),
        (giving, "R5", "it is not before player_0"),
        (DECISIONS["take"][0], "R4", "it is not in the harbour"),
        (DECISIONS["name"][0], "name 1", "the number was laid in this round (H5, D3)"),
    ],
)
def test_an_impossible_action_is_refused_with_the_reason(begin, action, reason):
    table = begin()
    with pytest.raises(IllegalActionError) as refused:
        table.play(action)
    assert f" is illegal: {reason}. Legal for player_" in str(refused.value)


def test_actions_are_written_and_read_as_people_write_them():
    env = halunken_v0.env()
    names = [env.action_name(action) for action in range(74)]
    assert names[14:56] == CARDS
    assert [env.parse_action(f" {name.lower()} ") for name in names] == list(range(74))
