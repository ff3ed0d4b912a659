"""Batches and playouts with ``backend="cuda"`` say the same as on the CPU, bit for bit, in numba-cuda's simulator.

The simulator runs kernels as plain Python, in a process of its own: this file is also the script that it runs. That
real kernels compile is shown in `test_cuda`; that a GPU says the same, by ``scripts/speed/benchmark_gpu.py`` on one.
"""

import hashlib
import importlib
import os
import sys

import numba
import numpy as np
import pytest

from blackjacky_env import IllegalActionError, make_batch, playout
from blackjacky_env.games import DEFAULT, get_game
from tests.envs.playing import fresh
from tests.every_game import NAMES, with_tiny
from tests.games.fixtures import examples_of
from tests.plain_mode import printed_in_plain_mode

pytestmark = pytest.mark.prove

SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
SHOWN = ("observations", "action_masks", "current_player", "seeds", "rewards", "terminated")


def tables():
    """Each game, with every variant and table size; odd ones pay scores, and keep what their seats receive."""
    return [
        {
            **examples_of(game.name).short,
            "game": game.name,
            "variant": variant.name,
            "num_players": size,
            "reward": game.score_reward if size % 2 else "win",
            "per_seat": size % 2 == 1,
        }
        for game in map(get_game, NAMES)
        for variant in game.variants
        for size in variant.sizes
    ]


def on_cpu(array):
    return array.copy_to_host() if SIMULATED else array


def digest_of(batch, *names):
    arrays = [np.ascontiguousarray(on_cpu(getattr(batch, name))) for name in (*SHOWN, *names)]
    return hashlib.sha256(b"".join(array.tobytes() + str(array.dtype).encode() for array in arrays)).hexdigest()


def whole_games(options, backend):
    """A hash of all arrays at the start, after one step, and after the first game has ended."""
    batch = make_batch(num_games=1, seed=5, backend=backend, **options)
    more = ["cumulative_rewards"] * options["per_seat"]
    digests = [digest_of(batch, *more)]
    batch.step(batch.random_actions())
    digests.append(digest_of(batch, *more))
    while digests and on_cpu(batch._arrays.played)[0] == 1:
        batch.run_random(100)
    return " ".join([*digests, digest_of(batch, *more)])


def seats_and_errors(backend):
    """A hash of what a batch of several blocks with ``per_seat=True`` keeps and shows, and what it refuses."""
    game = get_game(DEFAULT)
    options = {"reward": game.score_reward, "per_seat": True, "gamma": 0.9, "score_shaping": 0.3}
    batch = make_batch(DEFAULT, 5, [2, 4], 3, backend, **examples_of(game.name).short, **options)
    digests, ended = [], False
    while not ended:
        batch.step(batch.random_actions())
        digests.append(digest_of(batch, "cumulative_rewards"))
        ended = bool(on_cpu(batch.terminated).any())
    seen = batch.observe(np.arange(5)[:, None], [0, 1])
    digests += [hashlib.sha256(on_cpu(array).tobytes()).hexdigest() for array in seen]
    refused = [
        lambda: batch.step(np.full(5, game.num_actions)),
        lambda: batch.step(on_cpu(batch.action_masks).argmin(axis=1)),
        lambda: batch.step([0]),
        lambda: batch.observe(np.arange(6), 0),
    ]
    for call in refused:
        with pytest.raises((IllegalActionError, ValueError)) as error:
            call()
        digests.append(str(error.value))
    return " ".join([*digests, digest_of(batch)])


def played_out(backend):
    env = fresh(1, DEFAULT, num_players=3)
    states = [env.get_state(), env.get_state()]
    results = playout(states, ["random", "threshold", "random"], games=2, seed=4, backend=backend)
    return repr(on_cpu(results).tolist())


def everything(backend):
    with with_tiny():
        games = [whole_games(options, backend) for options in tables()]
    return [*games, seats_and_errors(backend), played_out(backend)]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="this process is in plain mode itself")
def test_the_simulated_gpu_plays_the_same_games_as_the_cpu(monkeypatch):
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed")
    monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "1")
    assert printed_in_plain_mode(__file__).splitlines() == everything("cpu")


def test_without_a_gpu_an_error_says_what_is_missing():
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed")
    if importlib.import_module("numba.cuda").is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(RuntimeError, match="backend='cuda' needs an NVIDIA GPU and its driver"):
        make_batch(DEFAULT, 2, backend="cuda")


def test_without_numba_cuda_an_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba_cuda", None)
    for module in ("gpu", "kernels"):
        monkeypatch.delitem(sys.modules, f"blackjacky_env.play.{module}", raising=False)
    with pytest.raises(ImportError, match=r"needs numba-cuda: pip install 'blackjacky\[cuda\]'"):
        make_batch(DEFAULT, 2, backend="cuda")


if __name__ == "__main__":
    from blackjacky_env.play import kernels

    kernels.THREADS = kernels.WARP = 2  # several blocks; a simulated thread is a thread of Python
    print("\n".join(everything("cuda")))
