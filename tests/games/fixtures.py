"""What the tests know of a game: its examples, what is hidden in it, and what is true of all its positions."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import Any

from blackjacky_env.declare.fields import NOBODY
from blackjacky_env.declare.game import Game
from blackjacky_env.games.trick_taking import NOT_IN_DECK, PLAYED
from blackjacky_env.play.states import check_ranges
from blackjacky_env.testing.tables import promises
from tests.games.example import Examples

Fact = tuple[bool, str]


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


def promises_of(game: str) -> dict[str, Any]:
    """The promises that a game's environments keep, for `blackjacky_env.testing`."""
    return promises(getattr(_module(game, "hidden"), "vary_hidden", None))


def check_invariants(game: Game, records: Any) -> None:
    """Assert what is true of every position: of its record and, after a settlement, of the copy made just before it.

    Everything that observations and snapshots show is compared with the reference implementations instead.
    """
    of_game = getattr(_module(game.name, "invariants"), "facts", lambda s: ())
    for record in records:
        check_ranges(game, record)
        s = SimpleNamespace(**{name: record[name].tolist() for name in record.dtype.names})
        over = s.player == NOBODY
        seated = s.player < s.num_players and not any(s.winners[s.num_players :])
        general = [(seated, "who acts or wins has a seat"), (over or not any(s.winners), "nobody wins before the end")]
        assert [what for is_true, what in (*general, *of_game(s)) if not is_true] == [], s


def facts_of_tricks(s: Any, cards: int, playing: bool) -> Iterator[Fact]:
    """Of the record of a trick-taking game in which all cards are dealt."""
    n = s.num_players
    yield s.where.count(NOT_IN_DECK) == s.left_out, "cards that are not in the deck are counted"
    laid = (s.player - s.leader) % n if playing else 0
    for p in range(n):
        played = s.where.count(PLAYED + p)
        yield played == s.trick + ((p - s.leader) % n < laid), "everybody plays one card to each trick"
        yield s.where.count(p) + played == (cards - s.left_out) // n, "everybody was dealt the same number of cards"
