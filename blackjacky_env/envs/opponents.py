"""The table of opponents by game and name: empty here; packages of agents fill it when they are imported.

A package announces itself by an entry point of the group ``blackjacky.agents``. It is imported when a name is asked
for that is not in the table yet, so that the environments need no agents.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Protocol

import numpy.typing as npt

GROUP = "blackjacky.agents"


class Opponent(Protocol):
    """Anything that can play a seat: it is shown what that seat may know and nothing else."""

    name: str

    def reset(self, seed: int | None = None) -> None:
        """Start over; the same seed makes the same choices."""

    def act(self, observation: dict[str, npt.NDArray[Any]]) -> int:
        """A legal action for ``observation`` and ``action_mask``, both as the environment gives them."""


Maker = Callable[[str], Opponent]

_MAKERS: dict[tuple[str, str], Maker] = {}


def register_opponent(game: str, name: str, make: Maker) -> None:
    """Put an opponent into the table; ``make(name)`` builds it.

    A ``name`` that ends in a colon stands for all names that begin with it: ``"ppo:"`` is asked for ``"ppo:PATH"``.
    """
    _MAKERS[game, name] = make


def opponent_names(game: str) -> list[str]:
    """The names in the table for a game, in the order in which they were registered."""
    _load_packages()
    return [name for of, name in _MAKERS if of == game]


def make_opponent(game: str, name: str) -> Opponent:
    """The opponent called ``name`` for a game; `ValueError` names the nearest and all there are."""
    make = _find(game, name)
    if make is None:
        _load_packages()
        make = _find(game, name)
    if make is None:
        raise ValueError(_unknown(game, name))
    return make(name)


def _find(game: str, name: str) -> Maker | None:
    prefix, colon, _ = name.partition(":")
    return _MAKERS.get((game, prefix + colon))


def _unknown(game: str, name: str) -> str:
    names = opponent_names(game)
    if not names:
        return f"unknown opponent {name!r}: no installed package has agents for {game}; pass agent objects instead"
    near = difflib.get_close_matches(name, names, n=2)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ";"
    every = ", ".join(repr(known + "PATH" if known.endswith(":") else known) for known in names)
    return f"unknown opponent {name!r} for {game}{hint} there are {every}"


@cache
def _load_packages() -> None:
    """Import every package that announces agents; they register themselves."""
    for announced in entry_points(group=GROUP):
        announced.load()
