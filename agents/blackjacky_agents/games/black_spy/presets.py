"""Training presets for Black Spy."""

from __future__ import annotations

from blackjacky_agents.kit.settings import (
    PPOSettings,
    TrainingSettings,
    quick_preset,
    scratch_preset,
    search_preset,
    staged_preset,
)

_SCRATCH = scratch_preset("black_spy", bots=("low", "counter"))
_SB3 = PPOSettings(
    game="black_spy",
    preset="sb3",
    players=(4, 4, 3, 4, 5, 6),
    bots=("low", "counter"),
    encoding="cards",
    score_weight=0.03,
    eval_games=400,
)

_LEAGUE = search_preset("black_spy", players=(4, 4, 3, 4, 5, 4, 6), bots=("counter", "low"), hidden_sizes=(128, 128))

PRESETS: dict[str, TrainingSettings] = {
    "quick": quick_preset(_SCRATCH, bots=("counter",)),
    "scratch": _SCRATCH,
    "sb3": _SB3,
    "league": _LEAGUE,
    "champion": staged_preset(_LEAGUE, first="quick", minutes=360.0),
}
"""Presets by name."""
