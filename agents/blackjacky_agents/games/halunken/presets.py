"""Training presets for Halunken & Spelunken."""

from __future__ import annotations

from blackjacky_agents.kit.settings import (
    TrainingSettings,
    champion_preset,
    quick_preset,
    sb3_preset,
    scratch_preset,
    search_preset,
)

_SCRATCH = scratch_preset("halunken", bots=("greedy", "planner"))

_SHORT = {"num_envs": 256, "batch_size": 4096, "n_epochs": 3, "learning_rate": 1.4e-3}  # few decisions in five minutes
_LEAGUE = search_preset(
    "halunken",
    players=(4, 2, 4, 3),
    encoding="foresight",
    bots=("planner",),
    hidden_sizes=(256, 256),
    iterations=1,
    positions=8,
    min_action_prob=0.03,
    games_per_update=16,
    snapshot_every=20_000,
)

_QUICK = quick_preset(_SCRATCH, bots=("planner",), encoding="foresight", **_SHORT)

PRESETS: dict[str, TrainingSettings] = {
    "quick": _QUICK,
    "scratch": _SCRATCH,
    "sb3": sb3_preset(_SCRATCH, score_weight=0.01, players=(4, 4, 3)),
    "league": _LEAGUE,
    "champion": champion_preset(
        _QUICK,
        players=_LEAGUE.players,
        play_encoding="foresight_256",
        hidden_sizes=_LEAGUE.hidden_sizes,
        snapshot_every=2_000_000,
        eval_games=2000,
        minutes=60.0,
    ),
}
"""Presets by name."""
