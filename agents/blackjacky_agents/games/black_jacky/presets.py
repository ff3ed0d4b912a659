"""Training presets for Black Jacky."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from blackjacky_agents.learning.settings import LeagueSettings, PPOSettings, TrainingSettings

FULL = f"ppo:{Path(__file__).parent / 'trained' / 'full.safetensors'}"
"""The shipped agent of the preset full."""

_QUICK = PPOSettings(
    game="black_jacky",
    players=(4, 4, 2, 4, 3, 4, 6, 4, 5, 4),
    bots=("threshold", "trickster", "counter"),
    encoding="cards",
    score_weight=0.3,
)

PRESETS: dict[str, TrainingSettings] = {
    "quick": _QUICK,
    "full": replace(
        _QUICK,
        preset="full",
        steps=60_000_000,
        minutes=50,
        encoding="advice",
        advice_logit=4,
        bots=("counter", "counter", "threshold", "trickster"),
        snapshot_every=1_000_000,
        batch_size=4096,
        n_epochs=2,
        learning_rate=5e-4,
        ent_coef=0.003,
        eval_games=4000,
        final_eval_games=20_000,
    ),
    "league": LeagueSettings(
        game="black_jacky",
        players=(4, 2, 4, 3, 4, 6, 4, 2, 5, 4),
        bots=("counter", "trickster", "threshold", "random"),
        encoding="cards",
        teacher=FULL,
        variant_fraction=0.12,
    ),
}
"""Presets by name."""
