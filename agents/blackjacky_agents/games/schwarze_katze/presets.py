"""Training presets for Schwarze Katze."""

from __future__ import annotations

from blackjacky_agents.kit.settings import (
    PPOSettings,
    TrainingSettings,
    champion_preset,
    quick_preset,
    scratch_preset,
    search_preset,
)

_SCRATCH = scratch_preset("schwarze_katze", bots=("low", "counter"), gamma=1.0)
_SB3 = PPOSettings(
    game="schwarze_katze",
    preset="sb3",
    players=(4, 4, 3, 4, 5, 6),
    bots=("low", "counter"),
    encoding="cards",
    score_weight=0.01,
    eval_games=400,
)

PRESETS: dict[str, TrainingSettings] = {
    "quick": quick_preset(_SCRATCH, bots=("counter",), score_weight=0.01),
    "scratch": _SCRATCH,
    "sb3": _SB3,
    "champion": champion_preset(
        search_preset("schwarze_katze", players=(4, 4, 3, 4, 5, 4, 6), bots=("counter",), hidden_sizes=(128, 128)),
        first="quick",
    ),
}
"""Presets by name."""
