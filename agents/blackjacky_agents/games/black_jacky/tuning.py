"""Tunable parts of Black Jacky: the parameters of `counter`, the value of hearts."""

from __future__ import annotations

from typing import Any

import numpy as np

from blackjacky_agents.games.black_jacky.bots import counter
from blackjacky_agents.games.black_jacky.prospects import WEIGHTS
from blackjacky_agents.learning.tuning import (
    BotTuning,
    Floats,
    Integers,
    Tuning,
    TuningTable,
    ValueFit,
)

SEATS, KINDS = 6, WEIGHTS.shape[1]
ABSENT = KINDS  # an eliminated player or an empty seat
STEPS = 400  # gradient ascent


def kinds_of(parts: dict[str, Any], seat: int) -> list[int]:
    """The status of each seat, as a column of `WEIGHTS` or `ABSENT`."""
    players = int(parts["num_players"])
    hearts, black, wanted = (np.roll(parts[name][:players], seat) for name in ("hearts", "black_hearts", "wanted"))
    kinds = np.where(hearts > 0, np.where(black > 0, 1, 1 + np.minimum(hearts, 3)), np.where(wanted > 0, 0, ABSENT))
    return [*map(int, kinds), *[ABSENT] * (SEATS - len(kinds))]


def fit_weights(kinds: Integers, shares: Floats) -> str:
    """Fit the weights of players and of "nobody wins" by gradient ascent; one heart has weight 1 in each row."""
    in_saloon = ((kinds >= 1) & (kinds < ABSENT)).sum(axis=1)
    ones = ((kinds == 1) | (kinds == 2)).sum(axis=1)
    logs = [np.zeros((SEATS + 1, KINDS + 1)), np.zeros((SEATS + 1, SEATS + 1))]
    means, squares = ([np.zeros_like(table) for table in logs] for _ in range(2))
    for step in range(1, STEPS + 1):
        players = np.where(kinds == ABSENT, -np.inf, logs[0][in_saloon[:, None], kinds])
        scores = np.exp(np.column_stack([players, logs[1][in_saloon, ones]]))
        errors = shares - scores / scores.sum(axis=1, keepdims=True)
        slopes = [np.zeros_like(table) for table in logs]
        np.add.at(slopes[0], (in_saloon[:, None], kinds), errors[:, :SEATS])
        np.add.at(slopes[1], (in_saloon, ones), errors[:, SEATS])
        for table, slope, mean, square in zip(logs, slopes, means, squares, strict=True):  # Adam (Kingma, Ba 2015)
            mean[:] = 0.9 * mean + 0.1 * slope
            square[:] = 0.99 * square + 0.01 * slope**2
            table[:] += 0.05 * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
    base = logs[0][:, 2:3]
    return f"WEIGHTS\n{np.exp(logs[0][:, :KINDS] - base)}\nNOBODY\n{np.exp(logs[1] - base)}"


TUNING = Tuning(
    bots={
        "counter": BotTuning(
            tables=(
                TuningTable(4, "best", 0.5),
                TuningTable(4, "threshold", 0.2),
                TuningTable(2, "best", 0.2),
                TuningTable(3, "best", 0.1),
            ),
            integers=(counter.DRAW_BELOW, counter.SWAPPED),
            probabilities=(counter.CUT_OFF, counter.SECOND_TURN),
        )
    },
    value=ValueFit("round", kinds_of, fit_weights),
)
