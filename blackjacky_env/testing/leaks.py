"""Observations show nothing hidden, and everything public.

The kit knows no game: a game supplies `vary_hidden`, which changes everything that an agent cannot know, `vary_unseen`,
which lets others act unseen, and `vary_public`, which changes something that it can see.
`blackjacky_env.testing.tables` has all of them for the environments of this package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from blackjacky_env.testing.readouts import Env, first_difference, readout_of
from blackjacky_env.testing.trial import ConformanceError, Look, Skipped, Trial, check

LOOKS: Mapping[str, Look] = {
    "observe": lambda env, agent: env.observe(agent),
    "infos": lambda env, agent: env.infos[agent],
    "reward": lambda env, agent: env._cumulative_rewards[agent],
    "end": lambda env, agent: [env.terminations[agent], env.truncations[agent]],
}
"""Functions (env, agent) of everything that agents are shown in every environment."""
_NEEDED = "is needed: what an agent {} depends on the game"


class Examined(NamedTuple):
    """A position in which every agent's view was examined."""

    env: Env
    """The position; the environment moves on with the next item."""
    varied: int
    """Number of agents from whom something was hidden."""
    leaks: list[ConformanceError]


@check
def check_no_leaks(trial: Trial) -> None:
    """What an agent is shown stays the same, byte for byte, when everything that it cannot know changes.

    With ``vary_unseen`` also when others do different things that it cannot tell apart.
    """
    if trial.vary_hidden is None:
        raise Skipped(f"vary_hidden {_NEEDED.format('cannot know')}")
    varied = 0
    for examined in _examine(trial):
        varied += examined.varied
        if examined.leaks:
            raise examined.leaks[0]
    if not varied:
        raise Skipped("vary_hidden found nothing hidden in any position")


@check
def check_public_shows(trial: Trial) -> None:
    """An agent's observation changes when something changes that is public or that the agent knows."""
    if trial.vary_public is None:
        raise Skipped(f"vary_public {_NEEDED.format('can see')}")
    tried = 0
    for rng, env in _positions(trial):
        agent = env.agents[int(rng.integers(len(env.agents)))]
        seen = readout_of("", env.observe(agent))
        for what, other in trial.vary_public(env, agent, rng):
            tried += 1
            if seen == readout_of("", other.observe(agent)):
                trial.fail(f"{what} differs, but the observation of {agent} does not")
    if not tried:
        raise Skipped("vary_public found nothing in any position")


def examine(make_env: Callable[[], Env] | str, **settings: Any) -> Iterator[Examined]:
    """Examine positions one after the other, for long proofs; ``settings`` of `Trial` must include ``vary_hidden``."""
    trial = Trial(make_env, **settings)
    with trial.naming("no_leaks"):
        yield from _examine(trial)


def _examine(trial: Trial) -> Iterator[Examined]:
    if trial.vary_hidden is None:
        raise ValueError(f"vary_hidden {_NEEDED.format('cannot know')}")
    for rng, env in _positions(trial):
        varied = 0
        leaks: list[ConformanceError] = []
        observers = [*env.agents, *([None] if trial.spectator else [])]
        for agent in observers:
            other = trial.vary_hidden(env, agent, rng)
            if other is not None:
                varied += 1
                leaks += _leaks(trial, trial.looks, agent, env, other)
        if trial.vary_unseen is not None:
            agent = observers[int(rng.integers(len(observers)))]
            for happened, one, another in trial.vary_unseen(env, agent, rng):
                leaks += _leaks(trial, {**trial.looks, **trial.recalls}, agent, one, another, f" after {happened}")
        yield Examined(env, varied, leaks)


def _leaks(
    trial: Trial, looks: Mapping[str, Look], agent: Any, one: Env, another: Env, when: str = ""
) -> Iterator[ConformanceError]:
    for name, look in (looks if agent is None else {**LOOKS, **looks}).items():
        seen, other = readout_of(name, look(one, agent)), readout_of(name, look(another, agent))
        if list(seen.items()) != list(other.items()):
            shown = first_difference(seen, other, "in one case", "in the other") or f"{name} has another order"
            who = "a spectator" if agent is None else agent
            yield trial.error(f"what is hidden is shown to {who}{when}: {shown}")


def _positions(trial: Trial) -> Iterator[tuple[np.random.Generator, Env]]:
    """The positions of random games, before every action and at the end, each with its game's generator."""
    seed, left = trial.seed, trial.positions
    while left > 0:
        env = trial.begin(seed)
        rng = np.random.default_rng([seed, 1])
        for action in trial.moves(env, seed):
            yield rng, env
            left -= 1
            if left == 0 or action is None:
                break
            env.step(action)
        seed += 1
