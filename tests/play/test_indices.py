"""No index that a game computes is negative or too large, so kernels for GPUs need not look for either.

A process of its own, whose script is this file, compiles the games with Numba's check of bounds, but without its
wraparound of negative indices, and plays random games on many tables.
"""

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.prove,
    pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled in plain mode"),
]


def test_no_game_computes_an_index_out_of_bounds(game, tmp_path):
    checking = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    script = [sys.executable, "-W", "error", __file__, game.name]
    subprocess.run(script, env={**os.environ, **checking}, check=True, timeout=1200)


def without_wraparound(context, builder, kind, index, size):
    return context.cast(builder, index, kind, numba.types.intp)


def play(name):
    """Every variant, table size and example of a game, both rewards, all that the seats see."""
    from blackjacky_env import make_batch
    from blackjacky_env.games import get_game
    from tests.every_game import with_tiny
    from tests.games.fixtures import examples_of

    with with_tiny():
        game, rewards = get_game(name), {"win", get_game(name).score_reward}
        tables = [{"variant": v.name, "num_players": size} for v in game.variants for size in v.sizes]
        for options in tables + list(examples_of(name).tables):
            for reward in rewards:
                setup = {"seed": 1, "score_shaping": 0.5, **options, "reward": reward, "per_seat": True}
                batch = make_batch(name, 64, **setup)
                for _ in range(10):
                    batch.run_random(200)
                    batch.observe(np.arange(64)[:, None], np.arange(batch.num_players[0]))


def check_the_check():
    from blackjacky_env.compiled.compiling import entry

    @entry
    def read(numbers, index):
        return numbers[index]

    for index in (-1, 3):
        with pytest.raises(IndexError):
            read(np.zeros(3), index)


if __name__ == "__main__":
    from numba.np import arrayobj

    arrayobj.fix_integer_index = without_wraparound
    check_the_check()
    play(sys.argv[1])
