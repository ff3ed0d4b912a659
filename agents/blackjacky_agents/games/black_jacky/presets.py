"""Training presets for Black Jacky."""

from __future__ import annotations

from pathlib import Path

from blackjacky_agents.kit.settings import (
    LeagueSettings,
    PPOSettings,
    TrainingSettings,
    scratch_preset,
    search_preset,
    staged_preset,
)

FULL = f"ppo:{Path(__file__).parent / 'trained' / 'full.safetensors'}"
"""The shipped agent from which the champion learned first."""

_SB3 = PPOSettings(
    game="black_jacky",
    preset="sb3",
    players=(4, 4, 2, 4, 3, 4, 6, 4, 5, 4),
    bots=("threshold", "trickster", "counter"),
    encoding="cards",
    score_weight=0.3,
)
_LEAGUE = LeagueSettings(
    game="black_jacky",
    players=(4, 2, 4, 3, 4, 6, 4, 2, 5, 4),
    bots=("counter", "trickster", "threshold", "random"),
    encoding="cards",
    teacher=FULL,
    variant_fraction=0.12,
)

PRESETS: dict[str, TrainingSettings] = {
    "quick": LeagueSettings(
        game="black_jacky",
        preset="quick",
        minutes=5,
        bots=_LEAGUE.bots,
        encoding="cards",
        hidden_sizes=(128, 128),
        teacher="counter",
        imitation_steps=1_000_000,
        pool_size=0,  # bots and itself
        replay_ratio=4,
        snapshot_every=500_000,
        eval_games=2000,
        final_eval_games=4000,
    ),
    "scratch": scratch_preset("black_jacky", bots=("threshold", "trickster", "counter")),
    "sb3": _SB3,
    "league": _LEAGUE,
    "champion": staged_preset(
        search_preset(
            "black_jacky", players=_LEAGUE.players, bots=("counter", "trickster"), encoding="cards", positions=16
        )
    ),
}
"""Presets by name."""
