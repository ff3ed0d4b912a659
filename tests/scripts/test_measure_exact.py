"""scripts/documents/measure_exact.py: what is missing is measured once, and shown in the document."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[Any, Any]:
    """The script that measures and the one that shows, with their results in a folder of the test."""
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend("scripts/documents")
    measuring, showing = (importlib.import_module(name) for name in ("measure_exact", "make_exact"))
    monkeypatch.setattr(measuring, "RUNS", tmp_path / "runs")
    for script in (measuring, showing):
        monkeypatch.setattr(script, "RESULTS", tmp_path / "results")
    return measuring, showing


def test_a_table_is_measured_once_and_shown(scripts: tuple[Any, Any], tmp_path: Path) -> None:
    measuring, showing = scripts
    args = measuring.Args(games=("black_jacky",), tables=("mini-1",), agents=(), curves=("cfr+", "dcfr"), minutes=0.01)
    measuring.main(args)
    file = tmp_path / "results" / "black_jacky" / "exact.json"
    row = json.loads(file.read_text("utf-8"))["mini-1"]
    assert row["solution"]["exploitability"] <= 1e-5
    assert row["solution"]["values"][0] == pytest.approx(-1 / 6, abs=1e-4)
    assert row["agents"]["random"]["exploitability"] > row["agents"]["counter"]["exploitability"] > 0.1
    assert row["agents"]["counter"]["habits"][0]["cost"] > 0.1
    before = file.read_bytes()
    measuring.main(args)
    assert file.read_bytes() == before
    pages = {part.name or part.page.name: part.content for part in showing.parts()}
    assert "| `mini-1`: Four cards" in pages["exact"]
    assert "learning/exact-black_jacky.svg" in pages["exact"]
    assert "| `counter` | draw |" in pages["habits"]
    assert "<svg" in pages["exact-black_jacky.svg"]


def test_a_table_that_has_changed_is_measured_anew(
    scripts: tuple[Any, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    args = scripts[0].Args(games=("black_jacky",), tables=("mini-1",), agents=(), curves=(), minutes=0.01)
    scripts[0].main(args)
    file = tmp_path / "results" / "black_jacky" / "exact.json"
    rows = json.loads(file.read_text("utf-8"))
    rows["mini-1"]["size"]["options"]["bust_at"] = 20
    rows["mini-1"]["solution"]["values"] = [1.0, -1.0]
    file.write_text(json.dumps(rows), "utf-8")
    scripts[0].main(args)
    assert "black_jacky mini-1 is another table than it was" in capsys.readouterr().out
    assert json.loads(file.read_text("utf-8"))["mini-1"]["solution"]["values"][0] == pytest.approx(-1 / 6, abs=1e-4)
