"""Encodings: the inputs of networks, computed from observation and action mask."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from blackjacky_env.compiled import compiled
from blackjacky_env.declare import Game, Layout
from blackjacky_env.play import Encoder


class Encoding(NamedTuple):
    """A network input computed from the observation."""

    name: str
    version: int
    """Incremented when the meaning of the features changes."""
    function: Encoder
    layout: Layout
    """The features, in order."""
    advice: int | None = None
    """Index of the first feature of a bot's advice (one-hot over the actions); None: the encoding has no advice."""
    drawn: Encoder | None = None
    """As ``function``, with random bits (uint64) before ``out``, where features are estimates from random playouts.

    An agent that plays draws its own, so that nobody else can compute what it will do; ``function`` takes them from the
    observation. None: nothing is drawn."""

    @property
    def size(self) -> int:
        """Number of features, float32."""
        return self.layout.size


@cache
def raw_encoding(game: Game) -> Encoding:
    """The observation as float32, each entry divided by its maximum magnitude."""
    scale = 1 / game.layout.largest

    def encode(observation, mask, out):
        for i in range(len(scale)):
            out[i] = observation[i] * scale[i]

    return Encoding("raw", game.version, compiled(encode), game.layout)
