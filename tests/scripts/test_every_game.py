"""Subcommands and scripts that take ``--game``, with the tiny game that none of them knows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from blackjacky_agents.cli.runs import run_identity
from blackjacky_agents.cli.train import read_arguments
from tests.every_game import TINY

pytestmark = pytest.mark.usefixtures("tiny", "empty_folder")


def test_evaluate_plays_it(typed: Any) -> None:
    evaluate = f"evaluate --game {TINY} --players"
    assert "| random x3, each |" in typed(f"{evaluate} random*3 --games 30").out
    assert "num_players=4 is out of range; allowed are 2 .. 3" in typed(f"{evaluate} random*4", status=2).err
    refused = typed(f"{evaluate} random*3 --variant schnell_duell", status=2).err
    assert "variant='schnell_duell' is unknown; allowed are 'classic'" in refused


def test_a_tournament_shows_its_score(typed: Any) -> None:
    told = typed(f"tournament --game {TINY} --agents random,rollout:2 --games 24 --output here")
    assert "| points |" in told.out
    line = json.loads(Path("here", "3_players.jsonl").read_text("utf-8").splitlines()[0])
    assert len(line["points"]) == 3


def test_a_person_plays_it(typed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["help", "? 1", "hint", *["1"] * 20])
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    told = typed(f"play --game {TINY} --seed 3").out
    assert told.startswith("Tiny: Guest (you), random 1, random 2; seed 3.")
    assert "Your turn: bid." in told
    odds = r"\d+% \(\d+% \.\. \d+%\)"
    assert re.search(r"\nrandom would choose: bid \d\..*\n +wins the game +in this round\n", told)
    assert re.search(rf"\n +bid \d +{odds} +[+-]\d+\.\d points", told)
    assert "random 1: bid " in told
    assert "won the game" in told


def test_training_names_the_presets_that_there_are(typed: Any) -> None:
    refused = typed(f"train --game {TINY} --preset full", status=2).err
    assert "there is no preset 'full' for tiny; allowed are 'quick', 'scratch'" in refused
    settings, *_ = read_arguments(["--game", TINY, "--steps", "5"], "blackjacky train")
    assert (settings.game, settings.encoding, settings.steps) == (TINY, "raw", 5)
    assert run_identity(settings)["game"] == TINY


def test_its_agents_are_exploited(typed: Any) -> None:
    small = "--minutes=0.02 --games-per-update=8 --eval-games=4 --final-eval-games=6 --threads=1"
    assert "| `random` | 3 | **" in typed(f"exploit --game {TINY} --agent random --players 3 {small}").out
