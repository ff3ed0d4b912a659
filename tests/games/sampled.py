"""Positions imagined by a player: how likely they are, and observations that no position shows."""

from collections import Counter
from collections.abc import Callable, Sequence
from math import ceil
from typing import NamedTuple

import numpy as np

from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.play.states import sample_state
from tests.chances import UNLIKELY, fit_outcomes, independence
from tests.envs.playing import play_randomly
from tests.games.rigged import RiggedTable


def vector(env, seat):
    return env.observe(f"player_{seat}")["observation"]


def imagined(env, seat, count, seed=0):
    """The same other environment in so many positions imagined by a seat, which is player_0 there."""
    other, rng, seen = TableEnv(env.game.name, **env.config_dict()), np.random.default_rng(seed), vector(env, seat)
    for _ in range(count):
        other.set_state(sample_state(env.game, seen, rng))
        yield other


def check_distribution(chances, sample, most):
    """Assert that so many samples have the outcomes that they may have, each with its chance."""
    count = max(300, ceil(6 / min(chances.values())))
    assert count <= most, f"{len(chances)} outcomes, {count} samples: too many"
    assert fit_outcomes(Counter(sample(count)), chances) > UNLIKELY


OUT_OF_RANGE = r"entries outside the ranges that describe_observation\(\) states"
CONTRADICTORY = r"no legal position matches this observation: (\w+ is .*, and .* )?in the one from `Rules.sample`"


class Changes(NamedTuple):
    """Changes of what a seat sees: lists of (part, index, value or values from there on), each made together."""

    position: Callable[[], RiggedTable]
    seat: int
    refused: Sequence = ()
    """After which no position shows it."""
    shown: Sequence = ()
    """After which a position shows it, though no game does."""


def changed(env, seat, changes):
    seen, parts = vector(env, seat), env.game.layout.parts
    for part, index, value in changes:
        first = parts[part].offset + index
        seen[first : first + np.size(value)] = value
    return seen


def check_shown(env, seen):
    """Assert that a sampled position shows this observation, and is played to an end."""
    other = TableEnv(env.game.name, **env.config_dict())
    other.set_state(sample_state(env.game, seen, np.random.default_rng(0)))
    np.testing.assert_array_equal(vector(other, 0), seen)
    play_randomly(other, 0, 20_000)
    assert other.terminations[other.agent_selection]


def independent(one, other):
    """The p-value of two sequences of values if they are independent."""
    return independence(np.histogram2d(one, other, bins=(len({*one}), len({*other})))[0])


def orders(decks, kinds):
    """How often each kind, a number from 0 on, lies in each place (places, kinds), over decks of the same length."""
    return np.array([np.bincount(place, minlength=kinds) for place in np.transpose(decks)])
