"""Training presets for Schwarze Katze."""

from __future__ import annotations

from dataclasses import replace

from blackjacky_agents.learning.settings import PPOSettings, TrainingSettings

_QUICK = PPOSettings(
    game="schwarze_katze",
    players=(4, 4, 3, 4, 5, 6),
    bots=("low", "counter"),
    encoding="cards",
    score_weight=0.01,
    eval_games=400,
)

PRESETS: dict[str, TrainingSettings] = {
    "quick": _QUICK,
    "full": replace(
        _QUICK,
        preset="full",
        players=(4, 4, 3, 4, 5, 4, 6, 4, 8),
        steps=60_000_000,
        minutes=50,
        encoding="advice",
        advice_logit=4,
        bots=("counter", "counter", "low"),
        snapshot_every=1_000_000,
        batch_size=4096,
        n_epochs=2,
        learning_rate=5e-4,
        ent_coef=0.003,
        eval_games=1000,
        final_eval_games=10_000,
    ),
}
"""Presets by name."""
