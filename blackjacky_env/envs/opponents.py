"""The registry of opponents by game and name: empty here, filled by packages of agents when they are imported.

A package registers by an entry point of the group ``blackjacky.agents`` that refers to a module. It is imported when
an unknown name is asked for, so that the environments do not depend on agents. Entry points that refer to an
object in a module belong to one game; they are read by such a package.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np
import numpy.typing as npt

from blackjacky_env.checks import check_list
from blackjacky_env.compiled.compiling import is_compiled
from blackjacky_env.compiled.policies import Policy
from blackjacky_env.games import leaving_out

GROUP = "blackjacky.agents"


class Opponent(Protocol):
    """Anything that can play a seat, given only that seat's observations."""

    name: str

    def reset(self, seed: int | None = None) -> None:
        """Start a new game; the same seed gives the same choices."""

    def act(self, observation: dict[str, npt.NDArray[Any]]) -> int:
        """A legal action for ``observation`` and ``action_mask``, both as the environment gives them."""


@runtime_checkable
class CompiledOpponent(Protocol):
    """An agent that can play inside a batch: a policy (see `blackjacky_env.compiled.policies`) and its parameters."""

    policy: Policy
    parameters: npt.NDArray[np.float32]


Provider = tuple[Callable[[str], Mapping[str, str]], Callable[..., Opponent]]

_PROVIDERS: list[Provider] = []


def register_provider(placeholders: Callable[[str], Mapping[str, str]], make: Callable[..., Opponent]) -> None:
    """Register the opponents of any game, without loading a game before it is needed.

    A name that ends in a colon stands for all names that begin with it: ``"ppo:"`` for ``"ppo:PATH"``.

    Args:
        placeholders: (game) -> its opponents by name, in order, each with the placeholder to show after a final colon.
        make: (name, game) -> the opponent.
    """
    _PROVIDERS.append((placeholders, make))


def opponent_names(game: str) -> list[str]:
    """The registered names for a game, in order of registration."""
    return list(_placeholders(game))


def compiled_names(game: str) -> list[str]:
    """The `opponent_names` that can play inside a batch; names that end in a colon are included unchecked."""
    return [name for name in opponent_names(game) if name.endswith(":") or _is_compiled(make_opponent(game, name))]


def make_opponent(game: str, name: str) -> Opponent:
    """The opponent called ``name`` for a game; the `ValueError` for an unknown name lists all names."""
    _load_packages()
    prefix, colon, _ = name.partition(":")
    for placeholders, make in _PROVIDERS:
        if prefix + colon in placeholders(game):
            return make(name, game)
    names = opponent_names(game)
    near = difflib.get_close_matches(name, names, n=2)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ";"
    there_are = f"opponents are {_listed(game, names)}" if names else "no installed package has any: pass agent objects"
    raise ValueError(f"unknown opponent {name!r} for {game}{hint} {there_are}")


def find_opponents(game: str, opponents: Sequence[str | Opponent]) -> list[Opponent]:
    """Agents for a list of names and agents; raises `TypeError` or `ValueError`."""
    found = [make_opponent(game, each) if isinstance(each, str) else each for each in check_opponents(opponents)]
    for each in found:
        if not callable(getattr(each, "act", None)) or not callable(getattr(each, "reset", None)):
            raise TypeError(f"opponent {each!r} is neither a name nor an agent with reset(seed) and act(observation)")
        _check_game(game, each)
    return found


def check_opponents(opponents: Sequence[Any]) -> Sequence[Any]:
    """``opponents``; `TypeError` or `ValueError` unless it is a non-empty list."""
    return check_list("opponents", opponents, "a list of names of agents and agents, such as ['random']")


def find_compiled(game: str, opponent: str | CompiledOpponent) -> CompiledOpponent:
    """The agent, made by name if given one; `TypeError` if it is not compiled, `ValueError` if for another game."""
    found = make_opponent(game, opponent) if isinstance(opponent, str) else opponent
    if not _is_compiled(found):
        raise TypeError(
            f"opponent {opponent!r} is not compiled, so it cannot play inside a batch; allowed are compiled agents by "
            f"name ({_listed(game, compiled_names(game))}), and objects with a compiled policy and its parameters"
        )
    _check_game(game, found)
    return found


def _is_compiled(agent: object) -> TypeGuard[CompiledOpponent]:
    return isinstance(agent, CompiledOpponent) and is_compiled(agent.policy)


def _check_game(game: str, opponent: object) -> None:
    if (plays := getattr(opponent, "game", game)) != game:
        raise ValueError(f"opponent {opponent!r} plays {plays}, this environment is {game}")


def _placeholders(game: str) -> dict[str, str]:
    """The registered names for a game, each with the placeholder to show after a final colon."""
    _load_packages()
    return {name: placeholder for placeholders, _ in _PROVIDERS for name, placeholder in placeholders(game).items()}


def _listed(game: str, names: Sequence[str]) -> str:
    placeholders = _placeholders(game)
    return ", ".join(repr(name + placeholders[name] if name.endswith(":") else name) for name in names)


@cache
def _load_packages() -> None:
    """Import every package with agents; each registers its own. One that cannot be imported is left out."""
    for registered in entry_points(group=GROUP):
        if not registered.attr:
            with leaving_out(registered):
                registered.load()
