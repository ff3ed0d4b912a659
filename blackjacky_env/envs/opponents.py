"""Opponents by game and name: none here, those of installed packages of agents.

A package names a module in an entry point of the group ``blackjacky.agents``; it has the functions of `AgentPackage`
and is imported when a name is asked for, so that the environments do not depend on agents. Entry points that refer to
an object in a module belong to one game; they are read by such a package.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Protocol, TypeGuard

import numpy.typing as npt

from blackjacky_env.checks import check_list
from blackjacky_env.compiled.compiling import is_compiled
from blackjacky_env.compiled.policies import CompiledOpponent
from blackjacky_env.games import leaving_out, other_game

GROUP = "blackjacky.agents"


class Opponent(Protocol):
    """Anything that can play a seat, given only that seat's observations."""

    name: str

    def reset(self, seed: int | None = None) -> None:
        """Start a new game; the same seed gives the same choices."""

    def act(self, observation: dict[str, npt.NDArray[Any]]) -> int:
        """A legal action for ``observation`` and ``action_mask``, both as the environment gives them."""


class AgentPackage(Protocol):
    """A module with opponents for any game."""

    def opponent_names(self, game: str) -> Sequence[str]:
        """Its opponents for a game; ``"ppo:PATH"`` stands for all names that begin with ``"ppo:"``."""

    def make_agent(self, name: str, game: str) -> Opponent:
        """The opponent of such a name."""


@cache
def _packages() -> list[AgentPackage]:
    """Every package with agents; one that cannot be imported is left out."""
    found = []
    for registered in entry_points(group=GROUP):
        if not registered.attr:
            with leaving_out(registered):
                found.append(registered.load())
    return found


def opponent_names(game: str) -> list[str]:
    """All opponents for a game."""
    return [name for package in _packages() for name in package.opponent_names(game)]


def compiled_names(game: str) -> list[str]:
    """The `opponent_names` that can play inside a batch; names with a colon are included unchecked."""
    return [name for name in opponent_names(game) if ":" in name or _is_compiled(make_opponent(game, name))]


def make_opponent(game: str, name: str) -> Opponent:
    """The opponent called ``name`` for a game; the `ValueError` for an unknown name lists all names."""
    kind = name.partition(":")[:2]
    for package in _packages():
        if any(each.partition(":")[:2] == kind for each in package.opponent_names(game)):
            return package.make_agent(name, game)
    names = opponent_names(game)
    near = difflib.get_close_matches(name, names, n=2)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ";"
    there_are = ", ".join(map(repr, names)) or "in no installed package: pass agent objects"
    raise ValueError(f"unknown opponent {name!r} for {game}{hint} opponents are {there_are}")


def find_casts(game: str, opponents: Sequence[str | Opponent], seats: int) -> list[list[Opponent]]:
    """The agents that play each opponent of a list in so many seats; raises `TypeError` or `ValueError`.

    A name is made into one for each seat; an object, or a compiled agent, which remembers nothing, plays them all.
    """
    casts = []
    for each in check_opponents(opponents):
        found = make_opponent(game, each) if isinstance(each, str) else each
        if not callable(getattr(found, "act", None)) or not callable(getattr(found, "reset", None)):
            raise TypeError(f"opponent {each!r} is neither a name nor an agent with reset(seed) and act(observation)")
        _check_game(game, found)
        more = seats - 1 if isinstance(each, str) and not _is_compiled(found) else 0
        casts.append([found, *(make_opponent(game, each) for _ in range(more))])
    return casts


def check_opponents(opponents: Sequence[Any]) -> Sequence[Any]:
    """``opponents``; `TypeError` or `ValueError` unless it is a non-empty list."""
    return check_list("opponents", opponents, "a list of names of agents and agents, such as ['random']")


def find_compiled(game: str, opponent: str | CompiledOpponent) -> CompiledOpponent:
    """The agent, made by name if given one; `TypeError` if it is not compiled, `ValueError` if for another game."""
    found = make_opponent(game, opponent) if isinstance(opponent, str) else opponent
    if not _is_compiled(found):
        names = ", ".join(map(repr, compiled_names(game)))
        raise TypeError(
            f"opponent {opponent!r} is not compiled, so it cannot play inside a batch; allowed are compiled agents by "
            f"name ({names}), and objects with a compiled policy and its parameters"
        )
    _check_game(game, found)
    return found


def _is_compiled(agent: object) -> TypeGuard[CompiledOpponent]:
    return isinstance(agent, CompiledOpponent) and is_compiled(agent.policy)


def _check_game(game: str, opponent: object) -> None:
    if plays := other_game(opponent, game):
        raise ValueError(f"opponent {opponent!r} plays {plays}, this environment is {game}")
