"""The reference implementations, found by the names of the registry: each in ``tests/games/NAME/reference``."""

from __future__ import annotations

import importlib

from blackjacky_env.games import GAMES

from .reading import Reading

READINGS: dict[str, Reading] = {
    name: importlib.import_module(f"tests.games.{name}.reference").READING for name in GAMES
}
