"""Settings with which agents for Schwarze Katze are trained."""

from __future__ import annotations

from blackjacky_agents.learning.settings import Settings

PRESETS = {
    "quick": Settings(
        game="schwarze_katze", players=(4, 4, 3, 4, 5, 6), bots=("low", "counter"), score_weight=0.01, test_games=400
    ),
    "full": Settings(
        preset="full",
        game="schwarze_katze",
        players=(4, 4, 3, 4, 5, 4, 6, 4, 8),
        steps=60_000_000,
        minutes=50,
        encoding="advice",
        advice_logit=4,
        bots=("counter", "counter", "low"),
        refresh=1_000_000,
        batch=4096,
        epochs=2,
        learning_rate=5e-4,
        entropy=0.003,
        score_weight=0.01,
        final_games=10_000,
    ),
}
"""By name."""
