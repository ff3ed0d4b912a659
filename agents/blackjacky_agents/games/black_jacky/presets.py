"""Settings with which agents for Black Jacky are trained."""

from __future__ import annotations

from pathlib import Path

from blackjacky_agents.learning.settings import AnySettings, LeagueSettings, Settings

FULL = f"ppo:{Path(__file__).parent / 'trained' / 'full.safetensors'}"
"""The agent of the preset full, which is shipped."""

PRESETS: dict[str, AnySettings] = {
    "quick": Settings(),
    "full": Settings(
        preset="full",
        steps=60_000_000,
        minutes=50,
        encoding="advice",
        advice_logit=4,
        bots=("counter", "counter", "threshold", "trickster"),
        refresh=1_000_000,
        batch=4096,
        epochs=2,
        learning_rate=5e-4,
        entropy=0.003,
        test_games=4000,
        final_games=20_000,
    ),
    "league": LeagueSettings(teacher=FULL),
}
"""By name."""
