"""Subcommands and scripts that take ``--game``, with the tiny game that none of them knows."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path

import pytest

from blackjacky_agents import cli
from blackjacky_agents.cli.runs import run_identity
from blackjacky_agents.cli.train import read_arguments
from tests.every_game import TINY

pytestmark = pytest.mark.usefixtures("tiny")


def test_evaluate_plays_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run("evaluate", ["--game", TINY, "--players", "random*3", "--games", "30"]) == 0
    assert "| random x3, each |" in capsys.readouterr().out
    assert cli.run("evaluate", ["--game", TINY, "--players", "random*4"]) == 2
    assert "num_players=4 is out of range; allowed are 2 .. 3" in capsys.readouterr().err
    assert cli.run("evaluate", ["--game", TINY, "--variant", "schnell_duell", "--players", "random*3"]) == 2
    assert "variant='schnell_duell' is unknown; allowed are 'classic'" in capsys.readouterr().err


def test_a_tournament_shows_its_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["--game", TINY, "--agents", "random,rollout:2", "--games", "24", "--output", str(tmp_path)]
    assert cli.run("tournament", command) == 0
    assert "| points |" in capsys.readouterr().out
    line = json.loads((tmp_path / "3_players.jsonl").read_text("utf-8").splitlines()[0])
    assert len(line["points"]) == 3


def test_playthroughs_tell_it() -> None:
    script = importlib.import_module("make_playthroughs")
    told = dict(script.playthroughs(TINY))
    names = ["classic_2p", "classic_3p", "duel_2p"]
    assert list(told) == [f"tiny/playthroughs/{name}.txt" for name in names]
    assert "rewards, points: [" in told["tiny/playthroughs/duel_2p.txt"]


def test_a_person_plays_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    answers = iter(["help", "? 1", "hint", *["1"] * 20])
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    assert cli.run("play", ["--game", TINY, "--seed", "3"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("Tiny: Guest (you), random 1, random 2; seed 3.")
    assert "Your turn: bid." in told
    odds = r"\d+% \(\d+% \.\. \d+%\)"
    assert re.search(r"\nrandom would choose: bid \d\..*\n +wins the game +in this round\n", told)
    assert re.search(rf"\n +bid \d +{odds} +[+-]\d+\.\d points", told)
    assert "random 1: bid " in told
    assert "won the game" in told


def test_training_names_the_presets_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run("train", ["--game", TINY, "--preset", "full"]) == 2
    assert "there is no preset 'full' for tiny; allowed are 'quick', 'scratch'" in capsys.readouterr().err
    settings, *_ = read_arguments(["--game", TINY, "--steps", "5"], "blackjacky train")
    assert (settings.game, settings.encoding, settings.steps) == (TINY, "raw", 5)
    assert run_identity(settings)["game"] == TINY


def test_its_agents_are_exploited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    small = ["--minutes=0.02", "--games-per-update=8", "--eval-games=4", "--final-eval-games=6", "--threads=1"]
    assert cli.run("exploit", ["--game", TINY, "--agent", "random", "--players", "3", *small]) == 0
    assert "| `random` | 3 | **" in capsys.readouterr().out
