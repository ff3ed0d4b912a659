"""Training presets for Black Spy."""

from __future__ import annotations

from dataclasses import replace

from blackjacky_agents.kit.settings import (
    TrainingSettings,
    quick_preset,
    sb3_preset,
    scratch_preset,
    search_preset,
)

_SCRATCH = scratch_preset("black_spy", bots=("low", "counter"))

_LEAGUE = search_preset("black_spy", players=(4, 4, 3, 4, 5, 4, 6), bots=("counter", "low"), hidden_sizes=(128, 128))

_QUICK = quick_preset(_SCRATCH, bots=("counter",))

PRESETS: dict[str, TrainingSettings] = {
    "quick": _QUICK,
    "scratch": _SCRATCH,
    "sb3": sb3_preset(_SCRATCH, score_weight=0.03),
    "league": _LEAGUE,
    "champion": replace(
        _LEAGUE,
        preset="champion",
        init_from="",
        advice_logit=3,
        positions=1,
        bot_playouts=0.2,
        min_action_prob=0.0005,
        replay_ratio=2,
        self_play_fraction=0.4,
        snapshot_every=2_000_000,
        iterations=15,
        minutes=240,
    ),
}
"""Presets by name."""
