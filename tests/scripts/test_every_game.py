"""Subcommands and scripts that take ``--game``, with the tiny game that none of them knows."""

import re

import pytest

from tests.every_game import TINY

pytestmark = pytest.mark.usefixtures("tiny", "empty_folder")


def test_evaluate_plays_it(typed):
    evaluate = f"evaluate --game {TINY} --agents"
    assert "| random x3, each |" in typed(f"{evaluate} random*3 --games 30").out
    assert "num_players=4 is out of range; allowed are 2 .. 3" in typed(f"{evaluate} random*4", status=2).err


def test_a_person_plays_it(typed, monkeypatch):
    answers = iter(["help", "? 1", "hint", *["1"] * 20])
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    told = typed(f"play --game {TINY} --seed 3").out
    assert told.startswith("Tiny: Guest (you), random 1, random 2; seed 3.")
    assert "Your turn: bid." in told
    odds = r"\d+ % \(\d+ % \.\. \d+ %\)"
    assert re.search(r"\nrandom would choose: bid \d\..*\n +wins the game +in this round\n", told)
    assert re.search(rf"\n +bid \d +{odds} +[+-]\d+\.\d points", told)
    assert "random 1: bid " in told
    assert "won the game" in told
