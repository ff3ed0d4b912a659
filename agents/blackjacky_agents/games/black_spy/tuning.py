"""Tunable parts of Black Spy: the parameters of `counter`."""

from __future__ import annotations

from blackjacky_agents.games.black_spy.bots import counter
from blackjacky_agents.learning.tuning import BotTuning, Tuning, TuningTable

TUNING = Tuning(
    bots={
        "counter": BotTuning(
            tables=(
                TuningTable(4, "best", 0.5),
                TuningTable(4, "low", 0.2),
                TuningTable(3, "best", 0.15),
                TuningTable(6, "best", 0.15),
            ),
            probabilities=(
                counter.PROTECTION,
                counter.ALONE,
                counter.WILLING,
                counter.EAGER,
                counter.VOIDS,
                counter.RELIEF,
                counter.CATCH,
            ),
        )
    },
)
