"""blackjacky forecast, and the script that measures forecasts for the documents."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from blackjacky_agents import cli

FEW = ["--games", "6", "--truth-playouts", "20", "--players", "3", "--hearts", "1", "--threads", "1"]


def test_an_agents_forecasts_are_scored_as_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["forecast", "champion", "--playouts", "30", *FEW, "--output", "scores.json"]) == 0
    told = capsys.readouterr().out
    assert told.count("| champion | ") == 2
    assert "Who loses a heart?" in told
    assert "6 positions of 3 players, one from each game. Truth: 20 playouts of each by champion." in told
    written = json.loads(Path("scores.json").read_text("utf-8"))
    assert list(written["results"]) == ["truth", "par", "champion"]
    assert written["command"].startswith("blackjacky forecast champion --playouts 30")
    assert cli.main(["forecast", "champion", "--playouts", "30", *FEW[:-1], "2"]) == 0
    assert capsys.readouterr().out == told
    assert cli.main(["forecast", "search:10", *FEW]) == 0
    assert capsys.readouterr().out.count("| search:10 | ") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nobody"], "unknown agent 'nobody'"),
        (["champion", "--games", "1"], "--games=1 is out of range"),
        (["champion", "--playouts", "0"], "--playouts=0 is out of range"),
        (["search:0.1s", "--playouts", "5"], "agent 'search:0.1s' is not compiled; leave the option out"),
        (["rollout:1", *FEW], "agent 'rollout:1' does not say who wins"),
        (["champion", "--players", "9"], "num_players=9 is out of range"),
        (["champion", "--output", "missing/scores.json"], "must be a file in an existing folder"),
    ],
)
def test_wrong_input_is_refused(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["forecast", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_forecasts_are_measured_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend("scripts/documents")
    measuring, showing = (importlib.import_module(name) for name in ("measure_forecasts", "make_forecasts"))
    for module in (measuring, showing):
        monkeypatch.setattr(module, "RESULTS", tmp_path)
    (tmp_path / "black_jacky").mkdir()
    few = {"positions": 5, "truth_playouts": 10, "playouts": (5, 10), "search": "search:5"}
    measuring.main(measuring.Args(games=("black_jacky",), **few))
    pages = {part.name or part.page.name: part.content for part in showing.parts()}
    assert pages["forecasts"].count("| 10 playouts by champion |") == 2
    assert pages["forecasts"].count("| `search:5` |") == 1
    assert "learning/forecasts.svg" in pages["reliability"]
    assert (
        pages["forecasts.svg"]
        == {part.name or part.page.name: part.content for part in showing.parts()}["forecasts.svg"]
    )
