"""Training presets for Black Jacky."""

from __future__ import annotations

from pathlib import Path

from blackjacky_agents.learning.settings import (
    LeagueSettings,
    PPOSettings,
    SelfPlaySettings,
    TrainingSettings,
    full_preset,
)

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
    "scratch": SelfPlaySettings(
        game="black_jacky", bots=("counter", "threshold", "trickster"), encoding="cards", score_shaping=0.3
    ),
    "full": full_preset(
        _QUICK, bots=("counter", "counter", "threshold", "trickster"), eval_games=4000, final_eval_games=20_000
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
