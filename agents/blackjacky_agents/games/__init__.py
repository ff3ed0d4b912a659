"""The registry of what agents know of each game: one line each, or an entry point of somebody else's package.

A package announces its `GameKit` by an entry point of the group ``blackjacky.agents`` that is named after the game. A
game that nobody announces has an empty kit: `random` plays it, search searches it, and it can be learned.
"""

from __future__ import annotations

import functools
import importlib
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from blackjacky_env.envs.opponents import GROUP
from blackjacky_env.games import get_game

if TYPE_CHECKING:
    from blackjacky_agents.kit import GameKit

_ROOMS = {
    "black_jacky": "blackjacky_agents.games.black_jacky",
    "schwarze_katze": "blackjacky_agents.games.schwarze_katze",
}


@functools.cache
def get_kit(game: str) -> GameKit:
    """The kit of the game called ``game``, empty if nobody announces one.

    Raises `ValueError` for a game that does not exist, `TypeError` if what is announced is no `GameKit`.
    """
    from blackjacky_agents.kit import GameKit

    get_game(game)  # refuses a game that does not exist
    if game in _ROOMS:
        kit: GameKit = importlib.import_module(_ROOMS[game]).KIT
        return kit
    for announced in entry_points(group=GROUP, name=game):
        found = announced.load()
        if not isinstance(found, GameKit):
            raise TypeError(f"the entry point {announced.value!r} of {GROUP!r} is {found!r}; needed is a GameKit")
        return found
    return GameKit()


def bot_names(game: str) -> list[str]:
    """The bots for a game that follow rules of thumb or reckon, weakest first."""
    return ["random", *get_kit(game).bots]


def default_opponents(game: str) -> str:
    """Whom a person plays who names nobody, such as ``"counter,random*2"``."""
    return get_kit(game).opponents or f"random*{get_game(game).default_players - 1}"


def agent_names(game: str) -> list[str]:
    """The names of the bots and of the trained agents that are shipped for a game, weakest first."""
    return [*bot_names(game), *get_kit(game).trained]
