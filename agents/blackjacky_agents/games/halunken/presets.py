"""Training presets for Halunken & Spelunken."""

from __future__ import annotations

from blackjacky_agents.learning.settings import PPOSettings, SelfPlaySettings, TrainingSettings, full_preset

_QUICK = PPOSettings(
    game="halunken",
    players=(4, 4, 3, 2),
    bots=("greedy", "planner"),
    encoding="cards",
    score_weight=0.01,
    eval_games=400,
)

PRESETS: dict[str, TrainingSettings] = {
    "quick": _QUICK,
    "scratch": SelfPlaySettings(game="halunken", bots=("planner", "greedy"), encoding="cards", score_shaping=0.01),
    "full": full_preset(
        _QUICK,
        players=(4, 2, 4, 3),
        steps=20_000_000,
        minutes=40,
        bots=("planner",),
        past_self_fraction=0.3,
        snapshot_every=250_000,
    ),
}
"""Presets by name."""
