"""scripts/documents/measure_distillation.py: what search gains, and what a network learns from it."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from blackjacky_agents.learning.encoding import find_encoding
from blackjacky_env.games import get_game

COUNT, IN_GAME = 300, 3
FIRST_HALF, SECOND_HALF = 0.2, 0.1  # what the second action wins more


@pytest.fixture
def measuring(monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend("scripts/documents")
    script = importlib.import_module("measure_distillation")
    monkeypatch.setattr(script, "_EPOCHS", 300)
    return script


def decisions(measuring: Any) -> Any:
    """Decisions between the actions 0 and 1, in all of which search prefers the second."""
    game, most = get_game("black_jacky"), measuring.MOST_ACTIONS
    rng = np.random.default_rng(0)
    actions, gains = np.full((COUNT, most), -1), np.zeros((COUNT, 2, most))
    worth = np.full((COUNT, 2, most), -np.inf)
    actions[:, :2] = 0, 1
    gains[:, 0, 1], gains[:, 1, 1] = FIRST_HALF, SECOND_HALF
    worth[:, :, :2] = 0.0, 0.1
    observations = rng.integers(0, 2, (COUNT, game.layout.size)).astype(game.layout.dtype)
    masks = np.ones((COUNT, game.num_actions), np.int8)
    return measuring.Decisions(1 + np.arange(COUNT) // IN_GAME, observations, masks, actions, gains, worth)


def measured(measuring: Any, found: Any) -> list[dict[str, Any]]:
    encoding = find_encoding("raw", "black_jacky")
    rng, size = np.random.default_rng(1), get_game("black_jacky").num_actions
    layers = [
        (rng.normal(0, 0.1, (encoding.size, 8)).astype(np.float32), np.zeros(8, np.float32)),
        (np.zeros((8, size), np.float32), np.array([1, *[0] * (size - 1)], np.float32)),
    ]
    rows: list[dict[str, Any]] = measuring.measure(found, layers, encoding, 0.01, 0)
    return rows


def test_search_is_tested_in_the_second_half_and_a_network_in_games_that_it_has_not_seen(measuring: Any) -> None:
    search, *networks = measured(measuring, decisions(measuring))
    assert search["mean"] == pytest.approx(SECOND_HALF)
    assert [row["learned"] for row in networks] == [IN_GAME * games for games in (20, 40, 80)]
    assert all(row["tested"] == COUNT // 5 for row in (search, *networks))
    assert networks[-1]["changed"] == 1.0
    assert networks[-1]["mean"] == pytest.approx((FIRST_HALF + SECOND_HALF) / 2)
    assert networks[-1]["low"] == pytest.approx(networks[-1]["high"])


def test_what_the_second_half_does_not_confirm_is_no_gain(measuring: Any) -> None:
    found = decisions(measuring)
    found.gains[:, 1, 1] *= np.where(found.games % 2, -1, 1)
    search = measured(measuring, found)[0]
    assert search["low"] < search["mean"] < search["high"]
    assert search["mean"] == pytest.approx(0.0, abs=1e-9)
    found.worth[:, 0, 1] = -0.1
    search = measured(measuring, found)[0]
    assert (search["changed"], search["mean"]) == (0.0, 0.0)
