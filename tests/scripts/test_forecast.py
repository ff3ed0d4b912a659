"""blackjacky forecast, and the script that measures forecasts for the documents."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

FEW = "--games 6 --truth-playouts 20 --players 3 --hearts 1 --threads"


def test_an_agents_forecasts_are_scored_as_typed(typed: Any, empty_folder: Path) -> None:
    told = typed(f"forecast champion --playouts 30 {FEW} 1 --output scores.json").out
    assert told.count("| champion | ") == 2
    assert "Who loses a heart?" in told
    assert "6 positions of 3 players, one from each game. Truth: 20 playouts of each by champion." in told
    written = json.loads(Path("scores.json").read_text("utf-8"))
    assert list(written["results"]) == ["truth", "par", "champion"]
    assert written["command"].startswith("blackjacky forecast champion --playouts 30")
    assert typed(f"forecast champion --playouts 30 {FEW} 2").out == told
    assert typed(f"forecast search:10 {FEW} 1").out.count("| search:10 | ") == 1
    assert "agent 'rollout:1' does not say who wins" in typed(f"forecast rollout:1 {FEW} 1", status=2).err
    assert "num_players=9 is out of range" in typed("forecast champion --players 9", status=2).err


def test_forecasts_are_measured_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    measuring, showing = (importlib.import_module(name) for name in ("measure_forecasts", "make_forecasts"))
    for module in (measuring, showing):
        monkeypatch.setattr(module, "RESULTS", tmp_path)
    (tmp_path / "black_jacky").mkdir()
    few = {"positions": 5, "truth_playouts": 10, "playouts": (5, 10), "search": "search:5"}
    measuring.main(measuring.Args(games=("black_jacky",), **few))
    pages, again = ({part.name or part.page.name: part.content for part in showing.parts()} for _ in range(2))
    assert pages["forecasts"].count("| 10 playouts by champion |") == 2
    assert pages["forecasts"].count("| `search:5` |") == 1
    assert "learning/forecasts.svg" in pages["reliability"]
    assert pages["forecasts.svg"] == again["forecasts.svg"]
