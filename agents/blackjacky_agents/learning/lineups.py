"""Line-ups of opponents for training: bots and past versions of the learner."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.kit.settings import LeagueSettings, SelfPlaySettings
from blackjacky_env.envs import check_list

LEARNER = 0
"""The learner's number at a table; 1 + i is opponent i."""
Lineup = str | CompiledAgent | Sequence[str | CompiledAgent]
"""Opponents: one agent for all other seats, or several, seated clockwise from the learner and repeated as needed."""


def draw_lineups(
    bots: Sequence[CompiledAgent],
    snapshots: Sequence[CompiledAgent],
    past_self_fraction: float,
    rng: np.random.Generator,
    seats: int,
    count: int = 128,
) -> list[Lineup]:
    """Random opponent line-ups for ``seats`` seats; every second one has a single agent in all seats.

    A fraction ``past_self_fraction`` of the agents is drawn from ``snapshots`` of the learner, if there are any.
    """

    def draw() -> CompiledAgent:
        group = snapshots if snapshots and rng.random() < past_self_fraction else bots
        return group[int(rng.integers(len(group)))]

    return [draw() if i % 2 else [draw() for _ in range(seats)] for i in range(count)]


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


def as_lists(lineups: Sequence[Lineup]) -> list[list[str | CompiledAgent]]:
    """Line-ups as `SeatVectorEnv` takes them, each a list."""
    return [[lineup] if isinstance(lineup, str | CompiledAgent) else list(lineup) for lineup in check_list(lineups)]
