"""The games of a league: table sizes, variants, seating, and playing them with rollouts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.arena.cluster import ClusterExecutor
from blackjacky_agents.games import find_encoding, standing_encoding
from blackjacky_agents.intervals import shares_of
from blackjacky_agents.kit.settings import LeagueSettings
from blackjacky_agents.learning.collecting import LEARNER, draw_tables
from blackjacky_agents.learning.league.learner import Learner
from blackjacky_agents.learning.lookahead import Studies, study
from blackjacky_env.compiled import zeros
from blackjacky_env.games import get_game

NO_SEAT = -1

_CERTAIN_FRACTION = 0.3  # of decisions with one likely action, which expert iteration must not forget
_PARTS = 2  # of a batch, for each core of a cluster, so that cores with short games are not idle for long


class Games(NamedTuple):
    """N games to be played, with up to P seats."""

    seeds: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]  # table sizes, (N,)
    variants: npt.NDArray[np.str_]  # names of the variants, (N,)
    seating: npt.NDArray[np.int64]  # index of the agent in each seat, (N, P)

    def part(self, first: int, last: int) -> Games:
        """Games first .. last - 1, in memory of their own."""
        return Games._make(array[first:last].copy() for array in self)


class Played(NamedTuple):
    """The results of a batch of N games with up to P seats."""

    seating: npt.NDArray[np.int64]  # index of the agent in each seat, (N, P); `NO_SEAT` beyond the table size
    shares: npt.NDArray[np.float64]  # 1 / number of winners for a winner, else 0, (N, P)
    studies: Studies


def start_games(
    learner: Learner,
    agents: Sequence[CompiledAgent],
    seating: npt.NDArray[np.int64],
    first_seed: int,
    study_fraction: float | None = None,
    cluster: ClusterExecutor | None = None,
) -> Callable[[], Played]:
    """Begin to play whole games with the present weights; the function that is returned waits for the results.

    Game i has seed ``first_seed + i``, the i-th table size of the settings, and agents ``seating[i]`` (N, P), of which
    agent 0 is studied. ``study_fraction`` overrides the setting. A cluster plays them on all its cores, with the same
    results; without one, they are played on threads when the results are asked for.
    """
    settings, count = learner.settings, len(seating)
    if study_fraction is not None:
        settings = replace(settings, study_fraction=study_fraction)
    seeds, variants = np.arange(first_seed, first_seed + count), draw_variants(settings, first_seed, count)
    games = Games(seeds, sizes_of_tables(settings, count), np.array(variants), seating)
    value = learner.value_network()[1]
    if cluster is None:
        return partial(_play, settings, games, value, *agents)
    alone, sent = replace(settings, threads=1), [cluster.store(agent) for agent in agents]
    parts = [cluster.submit(_play, alone, part, value, *sent) for part in _cut(games, _PARTS * cluster.cores)]
    return lambda: _join([part.result() for part in parts])


def _play(settings: LeagueSettings, games: Games, value: npt.NDArray[np.float32], *agents: CompiledAgent) -> Played:
    """The results of games; each depends on its own row of ``games`` and on the weights alone."""
    games = games.part(0, len(games.seeds))  # writable, which what comes from other machines is not
    game, encoding = get_game(settings.game), find_encoding(settings.encoding, settings.game)
    tables = list(zip(games.sizes.tolist(), games.variants.tolist(), strict=True))
    records = {table: _new_record(settings, *table) for table in set(tables)}
    states = zeros(len(tables), game.state_dtype)
    for i, table in enumerate(tables):
        states[i] = records[table]
    studies = study(
        game,
        states,
        games.seeds,
        games.seating,
        [(agent.policy, agent.parameters) for agent in agents],
        np.arange(len(agents)) == LEARNER,
        settings.study_fraction,
        settings.max_studies_per_game,
        (standing_encoding(settings.game), value.copy()),
        (encoding, settings.min_action_prob),
        settings.threads,
        _CERTAIN_FRACTION if settings.iterations else 0.0,
        settings.positions,
    )
    seated = np.arange(game.max_players) < games.sizes[:, None]
    return Played(np.where(seated, games.seating, NO_SEAT), shares_of(states["winners"]), studies)


def _cut(games: Games, parts: int) -> list[Games]:
    """Games in parts of about the same size, in order, none of which is empty."""
    bounds = np.linspace(0, len(games.seeds), min(parts, len(games.seeds)) + 1).astype(int).tolist()
    return [games.part(first, last) for first, last in pairwise(bounds)]


def _join(parts: Sequence[Played]) -> Played:
    seating, shares, studies = zip(*parts, strict=True)
    joined = Studies(*(np.concatenate(arrays) for arrays in zip(*studies, strict=True)))
    return Played(np.concatenate(seating), np.concatenate(shares), joined)


def sizes_of_tables(settings: LeagueSettings, count: int) -> npt.NDArray[np.int64]:
    """The table size of each game of a batch, (N,)."""
    return np.resize(np.array(settings.table_sizes, np.int64), count)


def possible_variants(settings: LeagueSettings, size: int) -> list[str]:
    """The variants played at one table size, the usual one first."""
    game = get_game(settings.game)
    usual = game.choose_table(size, settings.variant)[1]
    others = [variant.name for variant in game.variants if size in variant.sizes and variant.name != usual]
    return [usual, *others] if settings.variant_fraction else [usual]


def draw_variants(settings: LeagueSettings, first_seed: int, count: int) -> list[str]:
    """The variant of each game of a batch: a fraction `variant_fraction` has another than the usual one."""
    fraction, names = settings.variant_fraction, []
    drawn = np.random.default_rng([first_seed, 3]).random(count)
    for size, number in zip(sizes_of_tables(settings, count).tolist(), drawn.tolist(), strict=True):
        usual, *others = possible_variants(settings, size)
        if others and number < fraction:
            names.append(others[min(int(number / fraction * len(others)), len(others) - 1)])
        else:
            names.append(usual)
    return names


def _new_record(settings: LeagueSettings, num_players: int, variant: str) -> Any:
    game = get_game(settings.game)
    options = game.check_options(num_players, variant, settings.rule_options)
    return game.new_state(num_players, variant, options)[0]


def draw_seating(
    settings: LeagueSettings, probabilities: npt.NDArray[np.float64], rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Random seating of a batch of games, (N, P), with opponents drawn by their probabilities (M,).

    The learner has all seats, or one seat among copies of one opponent, or some seats at a mixed table.
    """
    count = settings.games_per_update
    own = rng.integers(sizes_of_tables(settings, count))
    seating = draw_tables(settings, probabilities, count, get_game(settings.game).max_players, rng)
    seating[np.arange(count), own] = LEARNER
    return seating
