"""The tables at which a training plays: their sizes, variants and rule options."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.kit.settings import MixedTableSettings, TrainingSettings
from blackjacky_env.compiled import zeros
from blackjacky_env.games import get_game
from blackjacky_env.play import LEARNER


def new_states(settings: MixedTableSettings, rng: np.random.Generator, count: int) -> npt.NDArray[Any]:
    """Records of games with their options, (N,); game i has the i-th table size of the settings, again and again."""
    game, sizes = get_game(settings.game), sizes_of_tables(settings, count).tolist()
    tables = list(zip(sizes, draw_variants(settings, rng, count), strict=True))
    records = {
        (size, variant): game.new_state(size, variant, game.check_options(size, variant, settings.rule_options))[0]
        for size, variant in set(tables)
    }
    states = zeros(count, game.state_dtype)
    for i, table in enumerate(tables):
        states[i] = records[table]
    return states


def sizes_of_tables(settings: MixedTableSettings, count: int) -> npt.NDArray[np.int64]:
    """The table size of each game of a batch, (N,)."""
    return np.resize(np.array(settings.table_sizes, np.int64), count)


def possible_variants(settings: TrainingSettings, size: int) -> list[str]:
    """The variants played at one table size, the usual one first."""
    game = get_game(settings.game)
    usual = game.choose_table(size, settings.variant)[1]
    others = [variant.name for variant in game.variants if size in variant.sizes and variant.name != usual]
    return [usual, *others] if getattr(settings, "variant_fraction", 0) else [usual]


def draw_variants(settings: MixedTableSettings, rng: np.random.Generator, count: int) -> list[str]:
    """The variant of each game of a batch: a fraction `variant_fraction` has another than the usual one."""
    names, draws = [], rng.random(count) if settings.variant_fraction else np.ones(count)
    for size, drawn in zip(sizes_of_tables(settings, count).tolist(), draws.tolist(), strict=True):
        usual, *others = possible_variants(settings, size)
        names.append(str(rng.choice(others)) if others and drawn < settings.variant_fraction else usual)
    return names


def draw_tables(
    settings: MixedTableSettings,
    probabilities: npt.NDArray[np.float64],
    count: int,
    seats: int,
    rng: np.random.Generator,
) -> npt.NDArray[np.int64]:
    """Who has the seats of random tables, (count, seats): `LEARNER` alone, copies of one opponent, or anybody.

    ``probabilities``: those of the opponents, (M,). Fractions of the kinds of tables are those of the settings.
    """
    tables = rng.choice(len(probabilities), (count, seats), p=probabilities)
    kind = rng.random((count, 1))
    mixed = kind >= settings.self_play_fraction + settings.single_opponent_fraction
    tables = np.where(mixed, tables, tables[:, :1])
    tables[mixed & (rng.random((count, seats)) < settings.self_play_fraction)] = LEARNER
    tables[kind[:, 0] < settings.self_play_fraction] = LEARNER
    return tables.astype(np.int64)
