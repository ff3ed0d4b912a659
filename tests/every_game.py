"""What tests of all games share: the games of the registry, and a tiny one whose observation is int16."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from unittest import mock

from blackjacky_agents import CompiledAgent
from blackjacky_agents.bots import random
from blackjacky_agents.registry import BOTS
from blackjacky_env.envs.opponents import register_opponent
from blackjacky_env.games import GAMES

TINY = "tiny"
NAMES = [*GAMES, TINY]


@contextmanager
def with_tiny() -> Iterator[None]:
    """The tiny game is in the registry, with a bot."""
    make = partial(CompiledAgent, "random", TINY, random.choose)
    register_opponent(TINY, "random", lambda name: make())
    with mock.patch.dict(GAMES, {TINY: "tests.tiny_game"}), mock.patch.dict(BOTS, {(TINY, "random"): make}):
        yield
