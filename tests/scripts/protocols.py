"""A small protocol in place of a game's published one."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from blackjacky_agents.arena import protocol as protocols
from blackjacky_agents.arena.protocol import Protocol, Rate, ScoreTable, custom_protocol
from blackjacky_agents.files import write_json
from blackjacky_agents.games import get_kit

GAME = "black_jacky"


def small_protocol() -> Protocol:
    """A protocol of two small tables, version 7."""
    tables = (ScoreTable(2, "classic", ("threshold",)), ScoreTable(3, "classic", ("random", "threshold")))
    rates = {"random": (Rate(0.03, 0.001), Rate(0.1, 0.001)), "champion": (Rate(0.96, 0.001), Rate(0.8, 0.001))}
    return replace(custom_protocol(GAME), name=f"{GAME}/7", tables=tables, references=rates)


def publish_in(folder: Path, monkeypatch: pytest.MonkeyPatch, current: Protocol, *older: Protocol) -> None:
    """Make these the published protocols of the game."""
    write_json(folder / "score.json", asdict(current))
    for protocol in older:
        write_json(folder / f"score-{protocol.name.partition('/')[2]}.json", asdict(protocol))
    kit = replace(get_kit(GAME), score=folder / "score.json")
    monkeypatch.setattr(protocols, "get_kit", lambda game: kit)
