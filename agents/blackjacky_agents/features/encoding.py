"""What an encoding is, and the one that every game has."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from blackjacky_env.engine.compiling import compiled
from blackjacky_env.engine.game import Game
from blackjacky_env.engine.play import Encoder


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
