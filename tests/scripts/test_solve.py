"""blackjacky solve and exploit --exact: sizes, solutions that play, runs that go on, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blackjacky_agents import cli

SIX = ["--players=2", "--max-card=3", "--hand-size=1", "--hearts=1", "--bust-at=5", "--max-turns-per-round=3"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_table_is_solved_and_its_solution_plays(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run("solve", [*SIX, "--name", "six", "--threads", "1"]) == 0
    told = capsys.readouterr().out
    assert "About 1.2e+04 nodes" in told
    assert "11,989 nodes, 2,401 information states, 6,312 different ends" in told
    assert "| player_0 | +0.29" in told
    assert "it plays as `solved:six`" in told
    card = json.loads(Path("runs/solved/black_jacky/six/solution.json").read_text("utf-8"))
    assert card["exploitability"] <= 1e-4
    assert card["command"].startswith("blackjacky solve --players=2")
    rules = SIX[1:]
    assert cli.run("evaluate", ["--players", "solved:six,counter", "--games", "50", *rules]) == 0
    assert cli.run("watch", ["--players", "solved:six,counter", "--seed", "1", "--out", "game.html", *rules]) == 0
    assert Path("game.html").is_file()
    capsys.readouterr()
    assert cli.run("evaluate", ["--players", "solved:six,counter", "--games", "5"]) == 2
    assert "error: solved:six does not know this position: it is for 2 players" in capsys.readouterr().err
    pytest.importorskip("sb3_contrib")
    assert cli.run("exploit", ["--exact", "--agent", "solved:six", *SIX]) == 0
    assert "Exploitability of solved:six: 0.0000" in capsys.readouterr().out


def test_a_run_goes_on_to_new_limits_and_is_not_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    first = [*SIX, "--name", "six", "--exploitability", "0", "--threads", "1"]
    assert cli.run("solve", [*first, "--iterations", "5"]) == 0
    assert "after 5 iterations" in capsys.readouterr().out
    assert cli.run("solve", [*first, "--iterations", "5"]) == 2
    assert "continue it with --resume, or choose another --name" in capsys.readouterr().err
    folder = "runs/solved/black_jacky/six"
    assert cli.run("solve", ["--resume", folder, "--exploitability", "0", "--iterations", "9"]) == 0
    assert "after 9 iterations" in capsys.readouterr().out
    assert cli.run("solve", [*SIX, "--iterations", "2", "--exploitability", "0"]) == 0
    assert Path("runs/solved/black_jacky/1/solution.safetensors").is_file()


def test_games_are_sampled_without_a_tree(capsys: pytest.CaptureFixture[str]) -> None:
    sampled = ["--algorithm", "mccfr", "--no-measure", "--iterations", "64", "--memory", "0.01", "--name", "few"]
    assert cli.run("solve", [*SIX, *sampled]) == 0
    told = capsys.readouterr().out
    assert "Sampling games without a tree" in told
    assert "information states" in told.splitlines()[-1]
    assert cli.run("evaluate", ["--players", "solved:few,random", "--games", "20", *SIX[1:]]) == 0


def test_games_are_sampled_in_parts_and_the_run_goes_on_with_as_many(capsys: pytest.CaptureFixture[str]) -> None:
    sampled = ["--algorithm", "mccfr", "--no-measure", "--memory", "0.01", "--parts", "2", "--name", "parts"]
    assert cli.run("solve", [*SIX, *sampled, "--iterations", "128"]) == 0
    resumed = ["--resume", "runs/solved/black_jacky/parts"]
    assert cli.run("solve", [*resumed, "--parts", "3"]) == 2
    assert "--resume goes on with --parts 2, as the run was started" in capsys.readouterr().err
    assert cli.run("solve", [*resumed, "--iterations", "256"]) == 0
    assert "256 iterations in" in capsys.readouterr().out
    assert cli.run("solve", [*SIX, *sampled[:-4], "--iterations", "64", "--name", "whole"]) == 0
    assert cli.run("solve", ["--resume", "runs/solved/black_jacky/whole", "--cluster", "auto"]) == 2
    assert "this run was started without --parts" in capsys.readouterr().err


def test_a_size_is_told_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run("solve", [*SIX, "--estimate"]) == 0
    assert capsys.readouterr().out.startswith("About 1.2e+04 nodes (± 1%), for which about ")
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--players", "4"], "orders at this table; allowed are 4,000,000: choose rule options with fewer cards"),
        (["--players", "2", "--max-card", "5"], "far more than --memory 4; choose rule options with fewer cards"),
        ([*SIX, "--memory", "0"], "--memory 0.0 is out of range; allowed are numbers above 0"),
        ([*SIX, "--minutes", "-1"], "--minutes -1.0 is out of range"),
        ([*SIX, "--exploitability", "-1"], "--exploitability -1.0 is out of range; allowed are numbers from 0 on"),
        ([*SIX, "--iterations", "0"], "--iterations=0 is out of range"),
        ([*SIX, "--parts", "2"], "--parts and --cluster are for --algorithm mccfr"),
        ([*SIX, "--cluster", "auto"], "--parts and --cluster are for --algorithm mccfr"),
        ([*SIX, "--algorithm", "mccfr", "--parts", "-1"], "--parts=-1 is out of range"),
        ([*SIX, "--threads", "0"], "--threads=0 is out of range"),
        (["--resume", "runs/nothing", "--preset", "mini-1"], "--resume goes on at the table of its run: leave out"),
        (["--resume", "runs/nothing", "--max-card", "3"], "--resume goes on at the table of its run: leave out"),
        (["--resume", "runs/nothing"], "there is no run of a solver in 'runs/nothing'"),
    ],
    ids=str,
)
def test_what_cannot_be_solved_is_refused_with_what_can(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run("solve", arguments) == 2
    assert said in capsys.readouterr().err
    assert not Path("runs/solved").exists()


def test_an_exact_best_response_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sb3_contrib")
    assert cli.run("exploit", ["--exact", "--agent", "threshold", *SIX]) == 0
    told = capsys.readouterr().out
    assert told.startswith("About 1.2e+04 nodes")
    assert "| player_0 | +0.166667 | 0.733333 |" in told
    assert "Exploitability of threshold: 0.541667: a player who plays perfectly against it" in told
    assert cli.run("exploit", ["--exact", "--agent", "threshold", *SIX, "--results", "some.json"]) == 2
    assert "--exact has neither --results nor --resume" in capsys.readouterr().err
    assert cli.run("exploit", ["--exact", "--agent", "threshold", "--players", "2", "--max-card", "5"]) == 2
    assert "far more than --memory 4" in capsys.readouterr().err
    assert cli.run("exploit", ["--exact", "--agent", "threshold", *SIX, "--memory", "0"]) == 2
    assert "--memory 0.0 is out of range; allowed are numbers above 0" in capsys.readouterr().err
