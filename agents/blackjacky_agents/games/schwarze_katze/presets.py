"""Training presets for Schwarze Katze."""

from __future__ import annotations

from blackjacky_agents.kit.settings import (
    PPOSettings,
    TrainingSettings,
    champion_preset,
    quick_preset,
    scratch_preset,
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

_QUICK = quick_preset(_SCRATCH, bots=("counter",), score_weight=0.01)

PRESETS: dict[str, TrainingSettings] = {
    "quick": _QUICK,
    "scratch": _SCRATCH,
    "sb3": _SB3,
    "champion": champion_preset(_QUICK, minutes=60.0),
}
"""Presets by name."""
