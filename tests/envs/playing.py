"""Random play and fingerprints, importable by worker processes."""

import hashlib
import json

import numpy as np

import blackjacky_env
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import DEFAULT
from tests.every_game import TINY, with_tiny


def play_randomly(env, seed, actions=None):
    """Play up to `actions` random legal actions (all: until the game is over) and return the environment."""
    rng = np.random.default_rng(seed)
    while actions != 0 and not env.terminations[env.agent_selection]:
        env.step(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])))
        actions = None if actions is None else actions - 1
    return env


def fresh(seed=0, game=DEFAULT, **options):
    env = TableEnv(game, **options)
    env.reset(seed=seed)
    return env


def legal(env):
    return np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()


def random_legal(masks, rng):
    """A random legal action for each mask, 0 where nothing is legal."""
    return np.argmax(masks * rng.random(masks.shape), axis=-1)


def assert_same(one, other):
    """The same arrays, dtypes included, and other values in dicts and sequences."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        one, other = list(one.values()), [other[key] for key in one]
    if isinstance(one, np.ndarray) and one.dtype != object:
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    elif isinstance(one, list | tuple | np.ndarray):
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)
    else:
        assert one == other


def fingerprint(env):
    raw = env.unwrapped
    said = [raw.snapshot(), raw.record(), env.agents, env.agent_selection]
    said += [env.rewards, env._cumulative_rewards, env.terminations, env.truncations]
    digest = hashlib.sha256(json.dumps(said, default=float).encode())
    for agent in env.agents:
        observation = env.observe(agent)
        digest.update(observation["observation"].tobytes() + observation["action_mask"].tobytes())
    return digest.hexdigest()


def one_tiny_game():
    with with_tiny():
        return fingerprint(play_randomly(fresh(5, TINY), 5))


if __name__ == "__main__":
    print(one_tiny_game(), blackjacky_env.__file__)
