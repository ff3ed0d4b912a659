"""Training presets for Schwarze Katze."""

from __future__ import annotations

from blackjacky_agents.learning.settings import PPOSettings, SelfPlaySettings, TrainingSettings, full_preset

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
    "scratch": SelfPlaySettings(game="schwarze_katze", bots=("counter", "low"), encoding="cards", score_shaping=0.01),
    "full": full_preset(_QUICK, players=(4, 4, 3, 4, 5, 4, 6, 4, 8), bots=("counter", "counter", "low")),
}
"""Presets by name."""
