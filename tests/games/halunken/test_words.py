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


def basic():
    return Table(0, 4, 8, variant="basic")


def bidding():
    """Return a table at which player_1 is to offer more than a 6."""
    return Table(0, 4, 8).arrange(["R4", "R5 G6 G8", "R6"], jack=12).play("R6", "pass")


def robbing():
    return Table(0, 3, 8, variant="basic").arrange(["R4", "V3 G2 Y12", "R7"], taverns={3: "Y1"}).choose(3, 7, 6)


def giving():
    table = Table(0, 4, 8, jack_deck="4").arrange(["R4", "R5", ""], captains=[2, 4, 8], jack=0)
    return table.nobody_bids().choose(1, 1, 1)


def landing():
    """Return a duel in which player_1 has landed on Black Jack, whom player_0 has bought."""
    table = Table(0, 4).arrange(["R4 R5 R15", ""], "V3", captains=[0, 4], jack=9).buys(0, "R15")
    return table.choose(2, 5, jack=7)


def second_choice():
    """Return a duel in which player_0 chooses for Black Jack, whose Rum is spent."""
    table = Table(0, 7).arrange(["R4 R5", "R6"], captains=[0, 7], jack=3).buys(0, "R4").play("move 1")
    return table.play("move Rum", "move 1", "name 2").buys(0, "R5")


KINDS = ("field 3", "R4", "pass", "move 2", "name 7", "take from the harbour", "rob the buyer")
"""One action of each kind."""
TOO_LOW = "its value is {}, and an offer must be higher than the last one, 6 (J2)"
BID = {"R4": "it is not the player's own (J2)", "G6": TOO_LOW.format(6), "R5": TOO_LOW.format(5)}
POSITIONS = [
    ("place_captain", lambda: placing(1), {"field 0": "a figure stands on it (H1)"}),
    ("place_black_jack", lambda: placing(3), {"field 2": "a figure stands on it (H1)"}),
    ("bid", bidding, BID),
    ("choose_for_black_jack", second_choice, {"move Rum": "Black Jack's card has been used in this game (D1)"}),
    ("choose", lambda: basic().choose(3, 3, 3), {"move 3": "it has been used in this game (H3)"}),
    ("name", lambda: basic().choose("Rum", 7, 1), {"name 7": "the number was laid in this round (H5, D3)"}),
    ("take", lambda: landing().play("take from the harbour"), {"R4": "it is not in the harbour"}),
    ("take_or_rob", landing, {}),
    ("rob", robbing, {"R4": "it is not before player_1"}),
    ("give", giving, {"R5": "it is not before player_0"}),
]


@pytest.mark.parametrize(("phase", "begin", "impossible"), POSITIONS)
def test_an_illegal_action_is_refused_with_what_is_asked_or_why_it_cannot_be(phase, begin, impossible):
    table = begin().shows(phase=phase)
    before = table.env.get_state()
    other = dict.fromkeys({*KINDS} - table.legal, "the choice now is ")
    for action, reason in (other | impossible).items():
        with pytest.raises(IllegalActionError) as refused:
            table.play(action)
        number = table.env.parse_action(action)
        assert f"(action {number}) is illegal: {reason}" in str(refused.value)
        assert "Legal for player_" in str(refused.value)
    assert table.env.get_state() == before


def test_actions_are_written_and_read_as_people_write_them():
    env = halunken_v0.env()
    names = [env.action_name(action) for action in range(74)]
    assert names[14:56] == CARDS
    assert [env.parse_action(f" {name.lower()} ") for name in names] == list(range(74))
