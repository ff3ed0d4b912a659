"""What tests of all games share: the games of the registry, and a tiny one whose observation is int16."""

from contextlib import contextmanager
from unittest import mock

from blackjacky_env.games import DEFAULT, GAMES, Registration

TINY = "tiny"
NAMES = [*GAMES, TINY]
FIRST = {DEFAULT, TINY}
"""The games with which `make test` runs the tests of what works with any game."""


@contextmanager
def with_tiny():
    with mock.patch.dict(GAMES, {TINY: Registration("tests.tiny_game:GAME")}):
        yield
