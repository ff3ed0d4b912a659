"""The games of a league: seating, and playing them with rollouts, perhaps on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.arena.cluster import ClusterExecutor
from blackjacky_agents.kit.settings import LeagueSettings
from blackjacky_agents.learning.league.learner import Learner
from blackjacky_agents.learning.lookahead import Studies, study
from blackjacky_agents.learning.tables import draw_tables, new_states, sizes_of_tables
from blackjacky_agents.networks.network import layers_of, pack
from blackjacky_env.games import get_game
from blackjacky_env.play import LEARNER, NO_AGENT

_PARTS = 2  # of a batch, for each core of a cluster, so that cores with short games are not idle for long


def start_games(
    learner: Learner,
    agents: Sequence[CompiledAgent],
    seating: npt.NDArray[np.int64],
    rng: np.random.Generator,
    cluster: ClusterExecutor | None = None,
    **changes: Any,
) -> Callable[[], Studies]:
    """Begin to play whole games with the present weights; the function that is returned waits for the results.

    Game i has the i-th table size of the settings. ``agents``: the learner's, then the opponents; ``seating``, (N, P):
    the number of an opponent, or `LEARNER`, who is studied. ``changes`` are made to the settings. A cluster plays
    them on all its cores, with the same results; without one, threads do when the results are asked for.
    """
    settings, value = replace(learner.settings, **changes), pack(layers_of(learner.value), True)
    states = new_states(settings, rng, len(seating))
    seeds = rng.integers(2**62, size=len(seating))
    if cluster is None:
        return partial(study, settings, states, seeds, seating, value, *agents)
    single_threaded, sent = replace(settings, threads=1), [cluster.store(agent) for agent in agents]
    parts = np.array_split(np.arange(len(seating)), min(len(seating), _PARTS * cluster.cores))
    played = [cluster.submit(study, single_threaded, states[i], seeds[i], seating[i], value, *sent) for i in parts]
    return lambda: Studies(*map(np.concatenate, zip(*(part.result() for part in played), strict=True)))


def draw_seating(
    settings: LeagueSettings, probabilities: npt.NDArray[np.float64], rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Random seating of a batch of games, (N, P), with opponents drawn by their probabilities (M,); else `NO_AGENT`.

    The learner has all seats, or one seat among copies of one opponent, or some seats at a mixed table.
    """
    count, players = settings.games_per_update, get_game(settings.game).max_players
    sizes = sizes_of_tables(settings, count)
    seating = draw_tables(settings, probabilities, count, players, rng)
    seating[np.arange(count), rng.integers(sizes)] = LEARNER
    return np.where(np.arange(players) < sizes[:, None], seating, NO_AGENT)
