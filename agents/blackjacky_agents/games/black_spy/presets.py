"""Training presets for Black Spy."""

from __future__ import annotations

from dataclasses import replace

from blackjacky_agents.learning.settings import PPOSettings, TrainingSettings

_QUICK = PPOSettings(
    game="black_spy",
    players=(4, 4, 3, 4, 5, 6),
    bots=("low", "counter"),
    encoding="cards",
    score_weight=0.03,
    eval_games=400,
)

PRESETS: dict[str, TrainingSettings] = {
    "quick": _QUICK,
    "full": replace(
        _QUICK,
        preset="full",
        players=(4, 4, 3, 4, 5, 4, 6),
        steps=60_000_000,
        minutes=40,
        encoding="advice",
        advice_logit=4,
        hidden_sizes=(128, 128),
        bots=("counter",),
        past_self_fraction=0.3,
        num_envs=512,
        score_weight=0.03,
        snapshot_every=500_000,
        batch_size=4096,
        n_epochs=2,
        learning_rate=5e-4,
        ent_coef=0.003,
        eval_games=1000,
        final_eval_games=10_000,
    ),
}
"""Presets by name."""
