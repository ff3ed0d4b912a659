"""Rule options are declared once: what a dataclass of them allows, says and refuses."""

import json
from dataclasses import dataclass
from typing import Annotated, Literal

import pytest

from blackjacky_env.declare.options import Range, declared_options, describe_options, read_options
from blackjacky_env.games import GAMES, get_game


@dataclass(frozen=True)
class Options:
    """One of each kind."""

    size: Annotated[int, Range(1, 8)] = 2
    """Cards of a hand."""
    limit: Annotated[int | None, Range(1, 127)] = 100
    """Turns of a round;
    None: no limit."""
    tricks: Annotated[tuple[int, ...], Range(1, 3)] = (1, 2, 3)
    """What can be laid."""
    quick: bool = False
    lead: Literal["low", "high"] = "low"
    """Who leads."""


def test_every_kind_is_described_as_json():
    size, limit, tricks, quick, lead = json.loads(json.dumps(describe_options(Options)))
    assert size == {
        **{"name": "size", "kind": "integer", "default": 2, "low": 1, "high": 8, "optional": False, "choices": []},
        **{"allowed": "1 .. 8", "help": "Cards of a hand."},
    }
    assert (limit["optional"], limit["allowed"]) == (True, "1 .. 127 and None")
    assert limit["help"] == "Turns of a round; None: no limit."
    assert (tricks["kind"], tricks["default"], tricks["allowed"]) == ("subset", [1, 2, 3], "1 .. 3")
    assert (quick["kind"], quick["allowed"], quick["help"]) == ("flag", "False and True", "")
    assert (lead["kind"], lead["choices"], lead["allowed"]) == ("choice", ["low", "high"], "'low', 'high'")


def test_what_is_given_is_checked_and_made_plain():
    given = {"size": 8, "limit": None, "tricks": {3, 1}, "quick": 1, "lead": "high"}
    assert read_options(Options, given, "the game") == Options(8, None, (1, 3), True, "high")
    assert read_options(Options, {}, "the game") == Options()


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"size": 9}, ValueError, "size=9 is out of range; allowed are 1 .. 8"),
        ({"size": None}, TypeError, "size=None is not an integer; allowed are 1 .. 8"),
        ({"size": True}, TypeError, "size=True is not an integer"),
        ({"limit": 0}, ValueError, "limit=0 is out of range; allowed are 1 .. 127 and None"),
        ({"tricks": "12"}, TypeError, "tricks='12' is not a collection; allowed are collections of values 1 .. 3"),
        ({"tricks": iter([1])}, TypeError, "is not a collection"),  # options are read more than once
        ({"tricks": [4]}, ValueError, "a value of the option tricks=4 is out of range; allowed are 1 .. 3"),
        ({"quick": "no"}, ValueError, "quick='no' is unknown; allowed are False and True"),
        ({"lead": "left"}, ValueError, "lead='left' is unknown; allowed are 'low', 'high'"),
        (None, TypeError, "options=None is not a mapping"),  # JSON's null
        ({"sise": 3}, TypeError, "unknown option sise=3; the rules of the game have size, limit, tricks, quick, lead"),
    ],
)
def test_what_is_not_allowed_is_refused_by_name_and_value(given, error, said):
    with pytest.raises(error, match=said):
        read_options(Options, given, "the game")


def test_choices_are_words():
    @dataclass(frozen=True)
    class Numbers:
        size: Literal[24, 36] = 24

    with pytest.raises(TypeError, match=r"'size' is declared as .*Literal\[24, 36\]; allowed are .*Literal of words"):
        declared_options(Numbers)


@pytest.mark.parametrize("name", GAMES)
def test_every_option_of_every_game_is_explained_and_its_default_is_allowed(name):
    game = get_game(name)
    described = describe_options(game.options)
    assert all(option["help"].endswith(".") for option in described)
    for variant in game.variants:
        for players in variant.sizes:
            defaults = {option["name"]: option["default"] for option in described}
            in_force = game.check_options(players, variant.name, defaults)
            assert in_force == game.check_options(players, variant.name, {})
            assert list(in_force) == [option["name"] for option in described if option["kind"] != "cards"]
            assert game.read_options(game.new_state(players, variant.name, in_force)[0]) == (
                players,
                variant.name,
                in_force,
            )
