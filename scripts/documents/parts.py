"""Generated parts of documents, and the folders of documents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from blackjacky_env.games import GAMES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
RESULTS = ROOT / "agents" / "results"
"""Measurements, in a folder for each game."""
ROOMS = {name: room for name in GAMES if (room := ROOT / "blackjacky_env" / "games" / name).is_dir()}
"""Folders of the games in this repository, by name; games of other packages have their own documents."""


LAST = "9f1bee96"
"""The last commit with the scripts that measured once and were then removed."""


def command_of(result: Mapping[str, Any]) -> str:
    """The command of a result, in Markdown; where its script is no longer here, with the commit that has it."""
    command = str(result["command"]).removeprefix("python ")
    if (ROOT / command.split()[0]).exists():
        return f"`{result['command']}`"
    return f"`{command}` at commit `{LAST}`"


class Part(NamedTuple):
    """A generated part of a document."""

    page: Path
    name: str
    """The part is between ``<!-- NAME:begin -->`` and ``<!-- NAME:end -->``; empty: the whole file."""
    content: str
