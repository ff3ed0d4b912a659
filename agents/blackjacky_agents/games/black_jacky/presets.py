"""Training presets for Black Jacky."""

from __future__ import annotations

from blackjacky_agents.kit.settings import (
    LeagueSettings,
    TrainingSettings,
    champion_preset,
    quick_preset,
    sb3_preset,
    scratch_preset,
)

_LEAGUE = LeagueSettings(
    game="black_jacky",
    players=(4, 2, 4, 3, 4, 6, 4, 2, 5, 4),
    bots=("counter", "trickster", "threshold", "random"),
    encoding="advice",
    init_from="champion",
    hidden_sizes=(128, 128),
    variant_fraction=0.12,
)

_SCRATCH = scratch_preset("black_jacky", bots=("threshold", "trickster", "counter"))
_QUICK = quick_preset(_SCRATCH, bots=("trickster", "counter"))

PRESETS: dict[str, TrainingSettings] = {
    "quick": _QUICK,
    "scratch": _SCRATCH,
    "sb3": sb3_preset(_SCRATCH, score_weight=0.3, players=(4, 4, 2, 4, 3, 4, 6, 4, 5, 4), eval_games=1000),
    "league": _LEAGUE,
    "champion": champion_preset(_QUICK, players=_LEAGUE.players, variant_fraction=_LEAGUE.variant_fraction),
}
"""Presets by name."""
