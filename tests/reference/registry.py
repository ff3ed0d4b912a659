"""The reference implementations, found by the names of the registry: each in ``tests/games/NAME/reference``."""

from __future__ import annotations

import importlib
from pathlib import Path

from blackjacky_env.games import GAMES

from .declaration import Reference

REFERENCES: dict[str, Reference] = {
    name: importlib.import_module(f"tests.games.{name}.reference").REFERENCE
    for name in GAMES
    if (Path(__file__).parents[1] / "games" / name / "reference").is_dir()
}
