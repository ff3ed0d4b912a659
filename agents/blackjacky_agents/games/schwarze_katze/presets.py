"""Training presets for Schwarze Katze."""

from __future__ import annotations

from blackjacky_agents.kit.settings import (
    TrainingSettings,
    champion_preset,
    quick_preset,
    sb3_preset,
    scratch_preset,
)

_SCRATCH = scratch_preset("schwarze_katze", bots=("low", "counter"), gamma=1.0)

_QUICK = quick_preset(_SCRATCH, bots=("counter",), score_weight=0.01)

PRESETS: dict[str, TrainingSettings] = {
    "quick": _QUICK,
    "scratch": _SCRATCH,
    "sb3": sb3_preset(_SCRATCH, score_weight=0.01),
    "champion": champion_preset(_QUICK, minutes=60.0),
}
"""Presets by name."""
