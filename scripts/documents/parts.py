"""Generated parts of documents, and the folders of documents."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from blackjacky_env.games import GAMES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
RESULTS = ROOT / "agents" / "results"
"""Measurements, in a folder for each game."""
ROOMS = {name: room for name in GAMES if (room := ROOT / "blackjacky_env" / "games" / name).is_dir()}
"""Folders of the games in this repository, by name; games of other packages have their own documents."""


class Part(NamedTuple):
    """A generated part of a document."""

    page: Path
    name: str
    """The part is between ``<!-- NAME:begin -->`` and ``<!-- NAME:end -->``; empty: the whole file."""
    content: str
