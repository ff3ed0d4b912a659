"""Observations show nothing hidden.

The kit knows no game: a game supplies `vary_hidden`, which makes positions that an agent cannot tell apart.
`blackjacky_env.testing.tables` has it for the environments of this package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain, count, islice
from typing import Any, NamedTuple

import numpy as np

from blackjacky_env.testing.readouts import Env, first_difference, readout_of
from blackjacky_env.testing.trial import ConformanceError, Look, Skipped, Trial

LOOKS: Mapping[str, Look] = {
    "observe": lambda env, agent: env.observe(agent),
    "infos": lambda env, agent: env.infos[agent],
    "reward": lambda env, agent: env._cumulative_rewards[agent],
    "end": lambda env, agent: [env.terminations[agent], env.truncations[agent]],
}
"""Functions (env, agent) of everything that agents are shown in every environment."""


class Examined(NamedTuple):
    """A position in which every agent's view was examined."""

    env: Env
    """The position; the environment moves on with the next item."""
    varied: int
    """Number of agents from whom something was hidden."""
    leaks: list[ConformanceError]


def check_no_leaks(trial: Trial) -> None:
    """What an agent is shown stays the same, byte for byte, when everything that it cannot know changes."""
    if trial.vary_hidden is None:
        raise Skipped("vary_hidden is needed: what an agent cannot know depends on the game")
    varied = 0
    for examined in _examine(trial):
        varied += examined.varied
        if examined.leaks:
            raise examined.leaks[0]
    if not varied:
        raise Skipped("vary_hidden found nothing hidden in any position")


def examine(make_env: Callable[[], Env] | str, **settings: Any) -> Iterator[Examined]:
    """Examine positions one after the other, for long proofs; ``settings`` of `Trial` must include ``vary_hidden``."""
    trial = Trial(make_env, **settings)
    with trial.naming("no_leaks"):
        yield from _examine(trial)


def _examine(trial: Trial) -> Iterator[Examined]:
    """The positions of random games, before every action."""
    assert trial.vary_hidden is not None
    for env, rng in islice(_positions(trial), trial.positions):
        varied, leaks = 0, list[ConformanceError]()
        for agent in [*env.agents, *([None] if trial.spectator else [])]:
            found = [
                _leaks(trial, agent, happened, one, another)
                for happened, one, another in trial.vary_hidden(env, agent, rng)
            ]
            varied += bool(found)
            leaks += chain.from_iterable(found)
        yield Examined(env, varied, leaks)


def _positions(trial: Trial) -> Iterator[tuple[Env, np.random.Generator]]:
    for seed in count(trial.seed):
        game, rng = trial.record(seed), np.random.default_rng([seed, 1])
        env = trial.begin(seed)
        for _ in trial.play(game, env):
            if env.agents:
                yield env, rng


def _leaks(trial: Trial, agent: Any, happened: str, one: Env, another: Env) -> list[ConformanceError]:
    leaks = []
    for name, look in (trial.looks if agent is None else {**LOOKS, **trial.looks}).items():
        seen, other = readout_of(name, look(one, agent)), readout_of(name, look(another, agent))
        if list(seen.items()) != list(other.items()):
            shown = first_difference(seen, other, "in one case", "in the other") or f"{name} has another order"
            who = "a spectator" if agent is None else agent
            leaks.append(trial.error(f"what is hidden is shown to {who}{happened}: {shown}"))
    return leaks
