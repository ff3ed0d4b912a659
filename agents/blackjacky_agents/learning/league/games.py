"""The games of a league: table sizes, variants, seating, and playing them with rollouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.learning.league.learner import Learner
from blackjacky_agents.learning.lookahead import Studies, study
from blackjacky_agents.learning.settings import LeagueSettings
from blackjacky_env.engine.compiling import zeros
from blackjacky_env.games import get_game

LEARNER = 0
"""The learner's index in a seating; 1 + i is opponent i of the pool."""
NO_SEAT = -1


class Played(NamedTuple):
    """The results of a batch of N games with up to P seats."""

    seating: npt.NDArray[np.int64]
    """Index of the agent in each seat, (N, P); `NO_SEAT` beyond the table size."""
    shares: npt.NDArray[np.float64]
    """1 / number of winners for a winner, else 0, (N, P)."""
    studies: Studies


def play_games(
    learner: Learner,
    agents: Sequence[CompiledAgent],
    seating: npt.NDArray[np.int64],
    first_seed: int,
    study_fraction: float | None = None,
) -> Played:
    """Play whole games and roll out actions at decisions of agent 0.

    Game i has seed ``first_seed + i``, the i-th table size of the settings, and agents ``seating[i]`` (N, P).
    ``study_fraction`` overrides the setting.
    """
    settings, game, count = learner.settings, get_game(learner.settings.game), len(seating)
    sizes, variants = sizes_of_tables(settings, count), draw_variants(settings, first_seed, count)
    records = {table: _new_record(settings, *table) for table in set(zip(sizes.tolist(), variants, strict=True))}
    states = zeros(count, game.state_dtype)
    for i, table in enumerate(zip(sizes.tolist(), variants, strict=True)):
        states[i] = records[table]
    studies = study(
        game,
        states,
        np.arange(first_seed, first_seed + count),
        seating,
        [(agent.policy, agent.parameters) for agent in agents],
        np.arange(len(agents)) == LEARNER,
        settings.study_fraction if study_fraction is None else study_fraction,
        settings.max_studies_per_game,
        learner.value_network(),
        (learner.encoding, settings.min_action_prob) if settings.min_action_prob else None,
        settings.threads,
    )
    winners = states["winners"].astype(float)
    shares = winners / np.maximum(winners.sum(axis=1, keepdims=True), 1)
    return Played(np.where(np.arange(game.max_players) < sizes[:, None], seating, NO_SEAT), shares, studies)


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
    """A state record with options written and no game started."""
    game = get_game(settings.game)
    options = game.check_options(num_players, variant, settings.rule_options)
    return game.new_state(num_players, variant, options)[0]


def draw_seating(
    settings: LeagueSettings, probabilities: npt.NDArray[np.float64], rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Random seating of a batch of games, (N, P), with opponents drawn by their probabilities (M,).

    The learner has all seats, or one seat among copies of one opponent, or some seats at a mixed table.
    """
    count, seats = settings.games_per_update, get_game(settings.game).max_players
    rows = np.arange(count)
    own = rng.integers(sizes_of_tables(settings, count))
    seating = 1 + rng.choice(len(probabilities), (count, seats), p=probabilities)
    kind = rng.random((count, 1))
    mixed = kind >= settings.self_play_fraction + settings.single_opponent_fraction
    seating = np.where(mixed, seating, seating[:, :1])
    seating[mixed & (rng.random((count, seats)) < settings.self_play_fraction)] = LEARNER
    seating[kind[:, 0] < settings.self_play_fraction] = LEARNER
    seating[rows, own] = LEARNER
    return seating
