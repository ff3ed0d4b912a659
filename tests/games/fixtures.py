"""What the tests know of a game: its examples, what is hidden in it, and what is true of all its positions."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import Any

from blackjacky_env.engine.fields import NOBODY
from blackjacky_env.engine.game import Game
from blackjacky_env.engine.states import check_ranges
from blackjacky_env.testing.tables import Hidden, promises
from tests.games.example import Examples


@cache
def _module(game: str, name: str) -> ModuleType | None:
    """A module of the folder of a game's tests; None: the game has none."""
    path = f"tests.games.{game}.{name}"
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name is None or not path.startswith(error.name):
            raise
        return None


def examples_of(game: str) -> Examples:
    """A game's examples."""
    return getattr(_module(game, "examples"), "EXAMPLES", None) or Examples()


def hidden_of(game: str) -> Hidden | None:
    """What varies what is hidden and what is visible in a game; None: its fields say it."""
    module = _module(game, "hidden")
    return None if module is None else Hidden(module.vary_hidden, module.visible)


def promises_of(game: str) -> dict[str, Any]:
    """The promises that a game's environments keep, for `blackjacky_env.testing`."""
    return promises(hidden_of(game))


def check_invariants(game: Game, records: Any) -> None:
    """Assert what is true of every position: of its record and, after a settlement, of the copy made just before it."""
    module = _module(game.name, "invariants")
    for i, record in enumerate(records):
        check_ranges(game, record)
        plain = SimpleNamespace(**{name: record[name].tolist() for name in record.dtype.names})
        for is_true, what in (*facts(plain), *(module.facts(plain, i > 0) if module is not None else ())):
            assert is_true, f"it is not true that {what}: {plain}"


def facts(s: Any) -> Iterator[tuple[bool, str]]:
    """What is true of the record of any game, with its fields as plain Python values."""
    n = s.num_players
    yield NOBODY <= s.player < n, "the player to act has a seat"
    yield set(s.winners) <= {0, 1} and not any(s.winners[n:]), "the winners have seats"
    yield s.player == NOBODY or not any(s.winners), "nobody has won before the end"
