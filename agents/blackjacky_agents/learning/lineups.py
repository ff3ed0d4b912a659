"""Line-ups of opponents for training: bots and past versions of the learner."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from blackjacky_agents.kit.settings import LeagueSettings, SelfPlaySettings

LEARNER = 0
"""The learner's number at a table; 1 + i is opponent i."""


def draw_tables(
    settings: SelfPlaySettings | LeagueSettings,
    probabilities: npt.NDArray[np.float64],
    count: int,
    seats: int,
    rng: np.random.Generator,
) -> npt.NDArray[np.int64]:
    """Who has the seats of random tables, (count, seats): the learner alone, copies of one opponent, or anybody.

    ``probabilities``: those of the opponents, (M,). Fractions of the kinds of tables are those of the settings.
    """
    tables = 1 + rng.choice(len(probabilities), (count, seats), p=probabilities)
    kind = rng.random((count, 1))
    mixed = kind >= settings.self_play_fraction + settings.single_opponent_fraction
    tables = np.where(mixed, tables, tables[:, :1])
    tables[mixed & (rng.random((count, seats)) < settings.self_play_fraction)] = LEARNER
    tables[kind[:, 0] < settings.self_play_fraction] = LEARNER
    return tables.astype(np.int64)
