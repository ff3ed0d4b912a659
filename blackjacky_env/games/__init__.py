"""The registry of games: a line for each game, and an entry point for each game of another package.

Version 0 of a game called NAME is ``blackjacky/NAME-v0`` in PettingZoo, ``blackjacky/NameSeat-v0`` in Gymnasium, and
the module ``blackjacky_env.NAME_v0``. Another package registers its game by an entry point of the group
``blackjacky.games``, named ``NAME`` or, from version 1 on, ``NAME-v1``, that refers to its `Game`. Games are imported
on first use. What another package has got wrong is left out with a warning that names it; all else works without it.
"""

from __future__ import annotations

import contextlib
import copyreg
import difflib
import functools
import importlib
import re
import warnings
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple

from blackjacky_env.declare.game import Game

GROUP = "blackjacky.games"
DEFAULT = "black_jacky"
"""The default game of commands and agents."""


class Registration(NamedTuple):
    """Where to find a game, and its version."""

    target: str
    """``MODULE:NAME`` of its `Game`."""
    version: int = 0


GAMES = {
    "black_jacky": Registration("blackjacky_env.games.black_jacky:GAME"),
    "schwarze_katze": Registration("blackjacky_env.games.schwarze_katze:GAME"),
    "halunken": Registration("blackjacky_env.games.halunken:GAME"),
    "black_spy": Registration("blackjacky_env.games.black_spy:GAME"),
}
"""The games of this package by name; those of other packages are added below."""


def leave_out(point: EntryPoint, why: object) -> None:
    """Warn that the entry point of another package is not used, and why."""
    package = "" if point.dist is None else f" of the package {point.dist.name!r}"
    message = f"the entry point {point.name!r}{package} in {point.group!r} ({point.value}) is left out: {why}"
    warnings.warn(message, UserWarning, stacklevel=2)


@contextlib.contextmanager
def leaving_out(point: EntryPoint) -> Iterator[None]:
    """Use the entry point of another package inside; if anything is raised there, leave it out with a warning."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  # another package's code may raise anything
        leave_out(point, f"{type(error).__name__}: {error}")


def _add_games_of_other_packages() -> None:
    for point in entry_points(group=GROUP):
        if (found := re.fullmatch(r"([a-z][a-z0-9_]*?)(?:-v([0-9]{1,9}))?", point.name)) is None:
            leave_out(point, "it is not named like a game; allowed are 'my_game' and 'my_game-v1'")
            continue
        registered = Registration(point.value, int(found[2] or 0))
        if (other := GAMES.setdefault(found[1], registered)) != registered:
            leave_out(point, f"{other.target!r} is registered as the game {found[1]!r}")


_add_games_of_other_packages()


@functools.cache
def get_game(name: str) -> Game:
    """The declaration of the game called ``name``; the `ValueError` for an unknown name lists all games."""
    if name not in GAMES:
        near = difflib.get_close_matches(str(name), GAMES, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        raise ValueError(f"unknown game {name!r}{hint} Games are {', '.join(map(repr, GAMES))}")
    registered = GAMES[name]
    module, _, attribute = registered.target.partition(":")
    game = getattr(importlib.import_module(module), attribute, None)
    if not isinstance(game, Game):
        raise TypeError(f"{registered.target!r}, registered as the game {name!r}, is {game!r}, not a Game")
    if (game.name, game.version) != (name, registered.version):
        raise ValueError(
            f"{registered.target!r} is {game.name!r} in version {game.version}, but registered as {name!r} in version "
            f"{registered.version}: name the entry point {game.name + (f'-v{game.version}' if game.version else '')!r}"
        )
    return game


def usable_games() -> list[str]:
    """Names of all games but those of other packages that cannot be imported, which are left out with a warning."""
    usable = []
    for name, registered in GAMES.items():
        with leaving_out(EntryPoint(name, registered.target, GROUP)):
            get_game(name)
            usable.append(name)
    return usable


def _reduce(game: Game) -> str | tuple[Any, ...]:
    """Pickle and copy a registered game by its name."""
    if game.name in GAMES and get_game(game.name) is game:
        return get_game, (game.name,)
    return object.__reduce_ex__(game, 2)


copyreg.pickle(Game, _reduce)


def other_game(agent: object, game: str) -> str | None:
    """The other game that an agent's attribute ``game`` names, if it does; what names no game is the agent's own."""
    plays = getattr(agent, "game", game)
    return plays if isinstance(plays, str) and plays in GAMES and plays != game else None


def module_name(name: str) -> str:
    """Name of a game's module, such as ``NAME_v0``; nothing is imported."""
    return f"{name}_v{GAMES[name].version}"


def seat_id(name: str) -> str:
    """Gymnasium's id of a game's seat, such as ``blackjacky/NameSeat-v0``; nothing is imported."""
    return f"blackjacky/{name.title().replace('_', '')}Seat-v{GAMES[name].version}"
