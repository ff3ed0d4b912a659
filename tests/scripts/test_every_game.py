"""Subcommands and scripts that take ``--game``, with the tiny game that none of them knows."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.every_game import TINY

pytestmark = pytest.mark.usefixtures("tiny", "empty_folder")


def test_evaluate_plays_it(typed: Any) -> None:
    evaluate = f"evaluate --game {TINY} --players"
    assert "| random x3, each |" in typed(f"{evaluate} random*3 --games 30").out
    assert "num_players=4 is out of range; allowed are 2 .. 3" in typed(f"{evaluate} random*4", status=2).err
    refused = typed(f"{evaluate} random*3 --variant schnell_duell", status=2).err
    assert "variant='schnell_duell' is unknown; allowed are 'classic'" in refused


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


@pytest.mark.prove
def test_its_agents_are_exploited(typed: Any) -> None:
    small = "--minutes=0.02 --games-per-update=8 --eval-games=4 --final-eval-games=6 --threads=1"
    assert "| `random` | 3 | **" in typed(f"exploit --game {TINY} --agent random --players 3 {small}").out
