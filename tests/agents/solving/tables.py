"""Tables that are solved in the tests; games of ``examples`` are in the registry while the context lasts."""

import sys
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from blackjacky_agents.solving.game_tree import build_tree
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.strategies import normalised
from blackjacky_agents.solving.views import tree_and_views
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, Registration

EXAMPLES = Path(__file__).parents[3] / "examples"
PLAYED = ("tests.kuhn_poker", "leduc_poker", "liars_dice")
SIX_CARDS = {"max_card": 3, "hand_size": 1, "hearts": 1, "bust_at": 5, "max_turns_per_round": 3}
"""Options of the smallest interesting table of Black Jacky."""
FOUR_CARDS = {**SIX_CARDS, "deck": [2, 2, 3, 3], "tricks": [], "max_turns_per_round": 2}
"""Options of a table that fits on a page."""
THREE_CARDS = {"max_card": 2, "hand_size": 1, "hearts": 2, "bust_at": 3, "max_turns_per_round": 1}
DUEL_OF_THREE = {"num_players": 3, "variant": "schnell_duell", **SIX_CARDS}
TABLES = {
    "kuhn": ("kuhn_poker", {}),
    "leduc": ("leduc_poker", {}),
    "dice": ("liars_dice", {"num_players": 2, "dice": 1}),
    "three-sided": ("liars_dice", {"num_players": 2, "dice": 1, "faces": 3}),
    "three with dice": ("liars_dice", {"num_players": 3, "dice": 1, "faces": 2}),
    "four cards": ("black_jacky", {"num_players": 2, **FOUR_CARDS}),
    "six": ("black_jacky", {"num_players": 2, **SIX_CARDS}),
    "reshuffling": ("black_jacky", {"num_players": 2, **SIX_CARDS, "hand_size": 2, "tricks": [], "bust_at": 8}),
    "two hearts": ("black_jacky", {"num_players": 2, **THREE_CARDS}),
    "three, one turn": ("black_jacky", {**DUEL_OF_THREE, "max_turns_per_round": 1}),
    "three": ("black_jacky", {**DUEL_OF_THREE, "tricks": [2]}),
}
EACH_TABLE = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "kuhn" else pytest.mark.prove) for name in TABLES]
)
"""Every table in `make prove`, the smallest in `make test`."""


@contextmanager
def with_examples():
    """Kuhn and Leduc poker and Liar's dice are in the registry."""
    registered = {name.removeprefix("tests."): Registration(f"{name}:GAME") for name in PLAYED}
    paths = [*sys.path, *(str(EXAMPLES / name) for name in PLAYED)]
    with mock.patch.dict(GAMES, registered), mock.patch.object(sys, "path", paths):
        yield


def table(name):
    """One of `TABLES`."""
    game, options = TABLES[name]
    with with_examples():
        return SmallTable.of(game, **options)


def environment(name):
    """An environment for one of `TABLES`."""
    game, options = TABLES[name]
    with with_examples():
        return TableEnv(game, **options)


@cache
def tree(name):
    """Its tree."""
    return build_tree(table(name))


@cache
def views_of(name):
    """The views at a table."""
    return tree_and_views(table(name))[1]


def random_strategies(found, seed=0):
    """Strategies of all seats, drawn at random."""
    rng = np.random.default_rng(seed)
    return tuple(normalised(each.first, rng.random(len(each.after) - 1) ** 2) for each in found.seats)


def by_key(found, values):
    """For each seat the part of its values that belongs to each information state, by the state's key."""
    return [
        {key.tobytes(): own[slice(*ends)] for key, ends in zip(states.keys, pairwise(seat.first), strict=True)}
        for states, seat, own in zip(found.states, found.seats, values, strict=True)
    ]
