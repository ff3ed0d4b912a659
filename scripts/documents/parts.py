"""A generated part of a document, and where the documents are."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from blackjacky_env.games import GAMES

ROOT = Path(__file__).parents[2]
ROOMS = {name: room for name in GAMES if (room := ROOT / "blackjacky_env" / "games" / name).is_dir()}
"""By name, the folders of the games in this repository; games of other packages have their own documents."""


class Part(NamedTuple):
    """What a generator makes."""

    page: Path
    name: str
    """The part stands between ``<!-- NAME:begin -->`` and ``<!-- NAME:end -->``; "": it is the whole file."""
    content: str
