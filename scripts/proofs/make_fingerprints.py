"""Fingerprints: hashes of all behaviour that a refactoring must preserve, such as agents' decisions and games by seed.

    python scripts/proofs/make_fingerprints.py           write tests/games/NAME/fingerprints.json
    python scripts/proofs/make_fingerprints.py --check   write nothing; show changes, and fail if there are any

Only values visible to users are hashed, as int64, so that dtypes and memory layout may change. A hash shows that
something has changed; the playthroughs often show what. A commit that changes fingerprints states the reason, such as a
new seed, rule or agent.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import random
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import tyro
from golden import Args, write_or_check
from gymnasium.vector import AutoresetMode

from blackjacky_agents import agent_names, make_agent
from blackjacky_env import make_batch, playout
from blackjacky_env.games import get_game

SEARCHERS = ("ismcts:50", "rollout:16")
DECISIONS, DECISIONS_OF_SEARCHERS = 10_000, 300
DECISIONS_ALONE = 60  # decisions by `act`, after those by `act_batch`
BATCH, BATCH_STEPS = 64, 200
ENVS, ENV_STEPS = 64, 100
GAMES_BY_SEED = 20
SAMPLED_GAMES, SAMPLE_EVERY = 4, 12  # actions
PLAYOUTS, STATES_PLAYED_OUT = 16, 4  # games per state
MICRO = 10**6  # fractions, such as shares of a win, are hashed as millionths

Array = npt.NDArray[Any]


def fingerprints(game: str) -> Iterator[tuple[str, str]]:
    """Path and text of the file of a game's fingerprints."""
    made = {name: make() for name, make in makers(game).items()}
    yield f"{game}/fingerprints.json", json.dumps(made, indent=2) + "\n"


def makers(game: str) -> dict[str, Callable[[], str]]:
    """The functions that compute the fingerprints of a game, by name."""
    made: dict[str, Callable[[], str]] = {
        f"decisions of {name}": partial(decisions, game, name) for name in (*agent_names(game), *SEARCHERS)
    }
    for what in (games_by_seed, batch, vector_env, playouts, sampled):
        for variant, players in tables(game):
            made[f"{what.__name__}, {variant}, {players} players"] = partial(what, game, variant, players)
    return made


def tables(game: str) -> list[tuple[str, int]]:
    """Every variant with every table size."""
    return [(variant.name, players) for variant in get_game(game).variants for players in variant.sizes]


class Digest:
    """A hash of numbers and JSON values."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, *numbers: npt.ArrayLike) -> None:
        """Add numbers or arrays, independent of their dtype."""
        for number in numbers:
            array = np.asarray(number)
            if array.dtype.kind == "f":
                array = np.rint(array * MICRO)
            self._hash.update(np.array(array.shape, "<i8").tobytes() + array.astype("<i8").tobytes())

    def add_json(self, value: Any) -> None:
        """Add a JSON value."""
        self._hash.update(json.dumps(value, sort_keys=True).encode())

    def text(self) -> str:
        """The hash as hexadecimal text."""
        return self._hash.hexdigest()


def random_legal(rng: random.Random, masks: Array) -> npt.NDArray[np.int64]:
    """A random legal action for each row of masks (N, A), 0 where there is none.

    Uses Python's generator, whose numbers are the same in every version.
    """
    counted = np.cumsum(masks, axis=1, dtype=np.int64)
    drawn = np.array([rng.random() for _ in masks]) * counted[:, -1]
    return np.argmax(counted > drawn.astype(np.int64)[:, None], axis=1)


# ------------------------------------------------------------ decisions


def decisions(game: str, name: str) -> str:
    """An agent's actions in positions of random play and, for a search, its thoughts.

    A short search often follows its prior policy whatever it finds; the thoughts contain its visit counts.
    """
    digest, agent = Digest(), make_agent(name, game)
    seen, masks = positions(game)
    every = DECISIONS // DECISIONS_OF_SEARCHERS if name in SEARCHERS else 1
    seen, masks = seen[::every], masks[::every]
    agent.reset(0)
    digest.add(agent.act_batch(seen, masks))
    explain = getattr(agent, "explain", lambda _: None)
    for observation, mask in list(zip(seen, masks, strict=True))[:: len(seen) // DECISIONS_ALONE]:
        asked = {"observation": observation, "action_mask": mask}
        if (thoughts := explain(asked)) is not None:
            digest.add(thoughts.probabilities)
        digest.add(agent.act(asked))
    return digest.text()


@cache
def positions(game: str) -> tuple[Array, Array]:
    """Observations and masks with at least two legal actions, equally many from each table, from random play."""
    sizes = tables(game)
    parts = [positions_at(game, variant, players, -(-DECISIONS // len(sizes))) for variant, players in sizes]
    seen, masks = (np.concatenate(arrays)[:DECISIONS] for arrays in zip(*parts, strict=True))
    return seen, masks


def positions_at(game: str, variant: str, players: int, count: int) -> tuple[Array, Array]:
    """Positions at one table: every seventh position of as many games as necessary."""
    rng, many = random.Random(players), make_batch(game, BATCH, players, seed=1, variant=variant)
    seen, masks, found = [], [], 0
    while found < count:
        choice = many.action_masks.sum(axis=1) > 1
        seen.append(many.observations[choice].copy())
        masks.append(many.action_masks[choice].copy())
        found += int(choice.sum())
        for _ in range(7):
            many.step(random_legal(rng, many.action_masks))
    return np.concatenate(seen)[:count], np.concatenate(masks)[:count]


# ------------------------------------------------------------ whole games


def make_env(game: str, variant: str, players: int, reward: str = "win") -> Any:
    """A PettingZoo environment."""
    module = importlib.import_module(f"blackjacky_env.{game}_v0")
    return module.env(num_players=players, variant=variant, reward=reward)


def play(env: Any, rng: random.Random) -> Iterator[tuple[str, Array, Array, int]]:
    """Play a running game at random; yields agent, observation, mask and action before each move."""
    while not env.terminations[env.agent_selection]:
        agent = env.agent_selection
        seen = env.observe(agent)
        action = int(random_legal(rng, seen["action_mask"][None])[0])
        yield agent, seen["observation"], seen["action_mask"], action
        env.step(action)


def add_game(digest: Digest, env: Any, rng: random.Random) -> None:
    """Add the rest of a running game: observations, masks, actions and rewards."""
    for agent, observation, mask, action in play(env, rng):
        digest.add(*env.rewards.values(), env.possible_agents.index(agent), observation, mask, action)
    digest.add(*env.rewards.values())
    for agent in env.agents:
        digest.add(env.observe(agent)["observation"])
    digest.add_json(env.snapshot())


def games_by_seed(game: str, variant: str, players: int) -> str:
    """Whole games in the PettingZoo environment, with each reward in turn."""
    digest = Digest()
    envs = [make_env(game, variant, players, reward) for reward in ("win", get_game(game).score_reward)]
    for seed in range(GAMES_BY_SEED):
        env = envs[seed % 2]
        env.reset(seed=seed)
        digest.add_json(env.snapshot())
        add_game(digest, env, random.Random(seed))
        digest.add_json(env.record()["key"])
    return digest.text()


def batch(game: str, variant: str, players: int) -> str:
    """A batch of games, with moves chosen first here and then by the batch."""
    digest, rng = Digest(), random.Random(0)
    many = make_batch(game, BATCH, players, seed=0, variant=variant, reward=get_game(game).score_reward)

    def add() -> None:
        digest.add(many.current_player, many.seeds, many.observations, many.action_masks, many.rewards, many.terminated)

    for _ in range(BATCH_STEPS):
        add()
        many.step(random_legal(rng, many.action_masks))
    digest.add(many.random_actions())
    many.run_random(BATCH_STEPS)
    add()
    return digest.text()


def vector_env(game: str, variant: str, players: int) -> str:
    """A vector environment with all agents as opponents, in both autoreset modes (next step and same step)."""
    digest = Digest()
    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
        envs = gymnasium.make_vec(
            f"blackjacky/{game.title().replace('_', '')}Seat-v0",
            num_envs=ENVS,
            opponents=agent_names(game),
            num_players=players,
            variant=variant,
            autoreset_mode=mode,
            score_weight=0.25,
        )
        add_steps(digest, envs)
        envs.close()
    return digest.text()


def add_steps(digest: Digest, envs: gymnasium.vector.VectorEnv[Array, Array, Array]) -> None:
    """Add random moves of the learner in a vector environment."""
    rng = random.Random(0)
    seen, info = envs.reset(seed=0)
    digest.add(seen, info["skipped_games"])
    for _ in range(ENV_STEPS):
        mask = info["action_mask"]
        actions = random_legal(rng, mask)
        seen, rewards, ended, _, info = envs.step(actions)
        digest.add(mask, actions, seen, rewards, ended, info.get("skipped_games", 0))
        digest.add(*(last for last in info.get("final_obs", ()) if last is not None))


# ------------------------------------------------------------ from the middle of games


def playouts(game: str, variant: str, players: int) -> str:
    """Results of playouts from some positions of a game, with all agents at the table and with copies of one."""
    digest, env, names = Digest(), make_env(game, variant, players), agent_names(game)
    env.reset(seed=0)
    states = [env.get_state() for _ in play(env, random.Random(0))]
    states = states[:: -(-len(states) // STATES_PLAYED_OUT)]
    for members in ([names[seat % len(names)] for seat in range(players)], names[-1], names[0]):
        digest.add(playout(states, members, PLAYOUTS, seed=1))
    return digest.text()


def sampled(game: str, variant: str, players: int) -> str:
    """Positions sampled from observations: their snapshots and observations and, for some, the rest of the game.

    The rest of the game covers the game key, which determines later deals.
    """
    digest, env, other = Digest(), make_env(game, variant, players), make_env(game, variant, players)
    module = importlib.import_module(f"blackjacky_env.{game}_v0")
    for seed in range(SAMPLED_GAMES):
        env.reset(seed=100 + seed)
        rng = np.random.default_rng(seed)
        for i, (_, observation, _, _) in enumerate(play(env, random.Random(seed))):
            if i % SAMPLE_EVERY:
                continue
            other.set_state(module.sample_state(observation, rng))
            digest.add_json(other.snapshot())
            digest.add(*(other.observe(agent)["observation"] for agent in other.agents))
            if not i % (4 * SAMPLE_EVERY):
                add_game(digest, other, random.Random(i))
    return digest.text()


if __name__ == "__main__":
    write_or_check(tyro.cli(Args), fingerprints, "make_fingerprints.py")
