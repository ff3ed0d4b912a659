"""The rules run as plain Python too (NUMBA_DISABLE_JIT=1), for debuggers and coverage, and say the same.

This file is also the script that the other process runs.
"""

import hashlib

import numba
import numpy as np
import pytest

from tests.envs.playing import fingerprint, fresh, legal
from tests.every_game import NAMES, with_tiny
from tests.plain_mode import printed_in_plain_mode

pytestmark = pytest.mark.prove

TABLES = (
    {"game": "black_jacky", "num_players": 2, "reward": "hearts"},
    {"game": "black_jacky", "num_players": 6, "max_turns_per_round": 12},
    {"game": "black_jacky", "num_players": 3, "variant": "schnell_duell", "hand_size": 4, "bust_at": 30},
    *({"game": name} for name in NAMES),
)


def digest_of_game(seed, options):
    """A hash of all that a random game shows: positions, what every player sees, rewards, names of actions."""
    env, rng, digest = fresh(seed, **options), np.random.default_rng(seed), hashlib.sha256()
    while not all(env.terminations.values()):
        digest.update(fingerprint(env).encode() + env.state().tobytes())
        env.step(int(rng.choice(legal(env))))
    digest.update(fingerprint(env).encode() + env.get_state())
    return digest.hexdigest()


def all_digests():
    with with_tiny():
        return [digest_of_game(seed, options) for seed, options in enumerate(TABLES)]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="this process is in plain mode itself")
def test_plain_python_and_compiled_code_play_the_same_games():
    assert printed_in_plain_mode(__file__).split() == all_digests()


if __name__ == "__main__":
    print("\n".join(all_digests()))
