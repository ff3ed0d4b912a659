"""What networks are shown: what an encoding is, the one that every game has, and those of a game by name."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from blackjacky_agents.games import get_kit
from blackjacky_env.engine.checks import check_choice
from blackjacky_env.engine.compiling import compiled
from blackjacky_env.engine.game import Game
from blackjacky_env.engine.play import Encoder
from blackjacky_env.games import get_game


class Encoding(NamedTuple):
    """What a network is shown instead of the observation."""

    name: str
    version: int
    """Raised when the numbers come to mean something else."""
    function: Encoder
    size: int
    advice: int | None = None
    """Where the advice of a bot begins: one-hot, an entry for each action. None: there is none."""


@cache
def raw_encoding(game: Game) -> Encoding:
    """The observation as float32, each entry divided by the largest magnitude that it can have."""
    scale = 1 / game.layout.largest

    def encode(observation, mask, out):
        for i in range(len(scale)):
            out[i] = observation[i] * scale[i]

    return Encoding("raw", game.version, compiled(encode), game.layout.size)


def encodings_of(game: str) -> dict[str, Encoding]:
    """The encodings of a game by name, its own first."""
    return {one.name: one for one in (*get_kit(game).encodings, raw_encoding(get_game(game)))}


def standing_encoding(game: str) -> Encoding:
    """How the players of a game stand when a round begins: what the game declares, or else the whole observation."""
    return get_kit(game).standing_encoding or raw_encoding(get_game(game))


def find_encoding(name: str, game: str) -> Encoding:
    """The encoding of that name; `ValueError` names those that there are for the game."""
    found = encodings_of(game)
    return found[check_choice("encoding", name, tuple(found))]
