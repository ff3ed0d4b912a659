"""Changed observations and masks: with array bounds checked in compiled code, agents must refuse them or choose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from scripts.proofs.attacks.common import REFUSED, SURVIVED, Task, tasks_for_games
from blackjacky_agents import agent_names, make_agent
from blackjacky_env import make_batch
from blackjacky_env.games import get_game

TRIES = 1_000_000
_CHUNK = 20_000  # observations for each process
_GAMES = 64  # in a batch
_REPORT_EVERY = 1000  # observations between two reports
_SEARCH = "ismcts:20"


def tasks(tries: int, seed: int) -> list[Task]:
    """The work of all processes."""
    what = "changed observations of {}, shown to every agent"
    return tasks_for_games(what, "attacks.observations:attack_agents", tries, seed, _CHUNK)


def attack_agents(name: str, tries: int, seed: int) -> Iterator[Counter[str]]:
    """Show changed observations of random games to every agent of a game in turn, each as a batch of one."""
    rng, counts = np.random.default_rng(seed), Counter[str]()
    agents = [make_agent(each, name) for each in (*agent_names(name), _SEARCH)]
    shown = changed(name, rng)
    for number in range(tries):
        observation, mask = next(shown)
        counts[ask(agents[number % len(agents)], observation, mask)] += 1
        if counts.total() == _REPORT_EVERY:
            yield counts
            counts = Counter()
    yield counts


def ask(agent: Any, observation: Any, mask: Any) -> str:
    """`REFUSED` for a `ValueError`, `SURVIVED` for an action; raises `AssertionError` for anything else."""
    try:
        actions = agent.act_batch(observation[None], mask[None])
    except ValueError:
        return REFUSED
    if actions.shape != (1,) or not 0 <= actions[0] < len(mask):
        raise AssertionError(f"{agent.name} chose {actions} from {observation.tolist()} and {mask.tolist()}")
    return SURVIVED


def changed(name: str, rng: np.random.Generator) -> Iterator[tuple[Any, Any]]:
    """Observations and masks from random games of all table sizes, with entries changed within their ranges."""
    game = get_game(name)
    low, high = game.layout.low.astype(int), game.layout.high.astype(int)
    tables = [(variant.name, size) for variant in game.variants for size in variant.sizes]
    batches = [make_batch(name, _GAMES, num_players=n, variant=v, seed=int(rng.integers(2**31))) for v, n in tables]
    while True:
        batch = batches[rng.integers(len(batches))]
        for _ in range(rng.integers(1, 6)):
            batch.step(batch.random_actions())
        observations, masks = batch.observations.copy(), batch.action_masks.copy()
        for observation, mask in zip(observations, masks, strict=True):
            _change(observation, mask, low, high, rng)
            yield observation, mask


def _change(observation: Any, mask: Any, low: Any, high: Any, rng: np.random.Generator) -> None:
    """Change one to four entries or nearly all of them, and half the time the mask, too."""
    places = rng.choice(len(low), rng.integers(1, 5), replace=False)
    if rng.random() < 0.02:
        places = np.flatnonzero(rng.random(len(low)) < 0.9)
    observation[places] = rng.integers(low[places], high[places] + 1)
    if rng.random() < 0.05:
        observation[places] = rng.integers(np.iinfo(observation.dtype).min, np.iinfo(observation.dtype).max)
    if rng.random() < 0.5:
        mask[:] = rng.random(len(mask)) < rng.random()
