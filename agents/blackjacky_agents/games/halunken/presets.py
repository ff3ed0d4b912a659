"""Training presets for Halunken & Spelunken."""

from __future__ import annotations

from dataclasses import replace

from blackjacky_agents.learning.settings import PPOSettings, TrainingSettings

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
    "full": replace(
        _QUICK,
        preset="full",
        players=(4, 2, 4, 3),
        steps=20_000_000,
        minutes=40,
        encoding="advice",
        advice_logit=4,
        bots=("planner",),
        past_self_fraction=0.3,
        snapshot_every=250_000,
        batch_size=4096,
        n_epochs=2,
        learning_rate=5e-4,
        ent_coef=0.003,
        eval_games=1000,
        final_eval_games=10_000,
    ),
}
"""Presets by name."""
