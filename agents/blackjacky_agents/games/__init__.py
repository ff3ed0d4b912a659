"""The registry of game kits: one line per game, or an entry point of another package.

A package registers its `GameKit` with an entry point in the group ``blackjacky.agents``, named after the game. A game
without a kit gets an empty one: `random`, search and training work with any game. A kit that cannot be used is left out
with a warning that names it.
"""

from __future__ import annotations

import functools
import importlib
from importlib.metadata import entry_points

from blackjacky_agents.kit import Encoding, GameKit, raw_encoding
from blackjacky_env.checks import check_choice
from blackjacky_env.envs import GROUP
from blackjacky_env.games import get_game, leaving_out

_ROOMS = {
    "black_jacky": "blackjacky_agents.games.black_jacky",
    "schwarze_katze": "blackjacky_agents.games.schwarze_katze",
    "halunken": "blackjacky_agents.games.halunken",
    "black_spy": "blackjacky_agents.games.black_spy",
}


@functools.cache
def get_kit(game: str) -> GameKit:
    """The kit of the game called ``game``, empty if none is registered.

    Raises `ValueError` for an unknown game.
    """
    get_game(game)  # raises for an unknown game
    if game in _ROOMS:
        kit: GameKit = importlib.import_module(_ROOMS[game]).KIT
        return kit
    for registered in entry_points(group=GROUP, name=game):
        with leaving_out(registered):
            if not isinstance(found := registered.load(), GameKit):
                raise TypeError(f"{registered.value!r} is {found!r}, not a GameKit")
            return found
    return GameKit()


def bot_names(game: str) -> list[str]:
    """Names of a game's bots (rule-based or calculating), weakest first."""
    return ["random", *get_kit(game).bots]


def default_opponents(game: str) -> str:
    """The default opponents of a person, such as ``"counter,random*2"``."""
    return get_kit(game).opponents or f"random*{get_game(game).default_players - 1}"


def agent_names(game: str) -> list[str]:
    """Names of a game's bots and shipped trained agents, weakest first."""
    return [*bot_names(game), *get_kit(game).trained]


def encodings_of(game: str) -> dict[str, Encoding]:
    """All encodings of a game by name, the game's own before `raw`."""
    return {one.name: one for one in (*get_kit(game).encodings, raw_encoding(get_game(game)))}


def standing_encoding(game: str) -> Encoding:
    """Input of the value network at the beginning of a round: the game's own encoding, or else the observation."""
    return get_kit(game).standing_encoding or raw_encoding(get_game(game))


def find_encoding(name: str, game: str) -> Encoding:
    """The encoding called ``name``; the `ValueError` for unknown names lists the game's encodings."""
    found = encodings_of(game)
    return found[check_choice("encoding", name, tuple(found))]
