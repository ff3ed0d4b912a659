"""The kernels for GPUs compile and assemble as they are, for compute capability 9.0, without a GPU.

That they say the same as on a CPU, `test_cuda_batch` shows in a simulator, and ``scripts/speed/benchmark_gpu.py`` on a
GPU.
"""

import gc
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numba
import numpy as np
import pytest

from blackjacky_env.compiled.compiling import PLAIN, compiled, zeros
from blackjacky_env.compiled.fingerprints import fingerprint
from blackjacky_env.envs.opponents import compiled_names, find_compiled
from blackjacky_env.games import DEFAULT, get_game
from blackjacky_env.play.many_games import new_seat_arrays
from tests.every_game import with_tiny

pytest.importorskip("numba_cuda", reason="numba-cuda is not installed")
nvidia = pytest.importorskip("nvidia", reason="nvidia-cuda-nvcc is not installed")
pytestmark = [pytest.mark.prove, pytest.mark.skipif(PLAIN, reason="nothing is compiled in plain mode")]

if not PLAIN:
    import numba_cuda
    from numba import cuda, typeof
    from numba.core.errors import TypingError
    from numba.cuda import dispatcher

    from blackjacky_env.play import gpu, kernels
    from blackjacky_env.play.gpu import make_numbered_cast, make_playouts, new_padded_arrays
    from blackjacky_env.play.kernels import Rows, make_kernel, make_kernels, no_contraction, no_wraparound

CAPABILITY = (9, 0)  # H100, H200


def ptx_of(kernel, arguments, optimized=False):
    """A kernel in NVIDIA's assembly language, by numba-cuda, which spends most of its time on optimising it."""
    with a_device(), no_contraction():
        ptx, _ = cuda.compile_ptx(kernel.py_func, tuple(map(typeof, arguments)), cc=CAPABILITY, opt=optimized)
    return str(ptx)


def a_device():
    """numba-cuda asks the current device what to compile for; this one answers where there is none."""
    device = SimpleNamespace(compute_capability=CAPABILITY)
    return mock.patch.object(dispatcher, "get_current_device", return_value=device)


def playouts_and_arguments(game, bots):
    """The kernel of playouts of these bots, and arguments."""
    agents = [find_compiled(game.name, bot) for bot in bots]
    policies = tuple(agent.policy for agent in agents)
    states, seating = zeros(1, game.state_dtype), np.zeros((1, game.max_players), np.int64)
    results = np.zeros((1, 1, game.max_players))
    cast = make_numbered_cast(game, policies, agents)
    return make_playouts(game, policies), (states, seating, cast, 0, states, results, 0)


@pytest.fixture
def _no_collection():
    gc.disable()  # a fifth of the time of compiling
    yield
    gc.enable()


@pytest.mark.usefixtures("_no_collection")
def test_a_step_a_sample_and_all_bots_compile(game, pytestconfig):
    """Begin, legal, apply, settle, returns, encode, random numbers, what is kept for each seat, imagined positions.

    It takes many seconds, so what has compiled before is not compiled again.
    """
    bots = [name for name in compiled_names(game.name) if ":" not in name]
    playouts, cast = playouts_and_arguments(game, bots)
    run = compiled(make_kernels(game, pays_result=True, per_seat=True).run_random.py_func)
    sample, score, play = game.rules.sample, game.rules.score, compiled(playouts.py_func)

    def everything(arrays, seat_arrays, bits, states, seating, cast, seed, copies, results, first):
        i = cuda.grid(1)
        run(arrays, seat_arrays, seed, 1)
        sample(arrays.observations[i], bits[i], states[i])
        arrays.rewards[i, 0] = score(states[i], 0)
        play(states, seating, cast, seed, copies, results, first)

    cache, place = getattr(pytestconfig, "cache", None), f"blackjacky/compiled for a GPU/{game.name}"
    content = fingerprint(everything, game.state_dtype, numba.__version__, numba_cuda.__version__, on_gpu())
    if cache and cache.get(place, "") == content:
        return
    arrays, seat_arrays = new_padded_arrays(game, zeros(1, game.state_dtype)), new_seat_arrays(game, 1, 1.0, 1.0)
    ptx = ptx_of(make_kernel(everything), (arrays, seat_arrays, np.zeros(1, np.uint64), *cast))
    assert ".visible .entry" in ptx
    if cache:
        cache.set(place, content)


def on_gpu():
    """The code by which kernels are made: no function of a kernel refers to it."""
    return "".join(Path(module.__file__).read_text(encoding="utf-8") for module in (gpu, kernels))


def test_a_step_is_assembled(tmp_path):
    """NVIDIA's assembler, from the package nvidia-cuda-nvcc, takes what numba-cuda writes."""
    game, games = get_game(DEFAULT), np.zeros(1, np.int64)
    arrays, kernels = new_padded_arrays(game, zeros(1, game.state_dtype)), make_kernels(game, pays_result=True)
    ptx = ptx_of(kernels.observe, (arrays.states, games, games, arrays.observations, arrays.action_masks))
    (tmp_path / "kernel.ptx").write_text(ptx, encoding="utf-8")
    [ptxas] = (path for folder in nvidia.__path__ for path in Path(folder).glob("*/bin/ptxas"))
    subprocess.run([ptxas, "-O0", "-arch=sm_90", "kernel.ptx", "-o", "kernel.cubin"], cwd=tmp_path, check=True)


def test_kernels_round_like_a_cpu():
    """A product and a sum are not made one operation, which would be rounded once."""

    def multiply_and_add(numbers):
        numbers[0] = numbers[1] * numbers[2] + numbers[3]

    numbers = (np.zeros(4),)
    assert "fma." not in ptx_of(make_kernel(multiply_and_add), numbers, optimized=True)
    with a_device():
        contracted, _ = cuda.compile_ptx(multiply_and_add, tuple(map(typeof, numbers)), cc=CAPABILITY)
    assert "fma." in contracted


def test_games_are_played_in_shared_memory():
    """Every access says which memory it is to; what a step reads and writes byte by byte is in shared memory."""
    with with_tiny():
        game = get_game("tiny")
    arrays, kernels = new_padded_arrays(game, zeros(1, game.state_dtype)), make_kernels(game, pays_result=True)
    for kernel, given in ((kernels.start, 0), (kernels.step, np.zeros(1, np.int64)), (kernels.run_random, 1)):
        ptx = ptx_of(kernel, (arrays, (), 0, given), optimized=True)
        assert "bar.warp.sync" in ptx
        assert re.search(r"\b(ld|st)\.[bsu]\d", ptx) is None
        assert len(re.findall(r"\bst\.global\.[bsu](8|16)\b", ptx)) == 1  # whether the game has ended


def test_a_warp_of_every_game_fits_into_a_block(each_game):
    """Rows are odd numbers of words; of larger records a block plays fewer games."""
    rows = Rows.of(each_game)
    assert rows.block == 32
    assert (rows.state % 16, rows.mask % 16, rows.observation % 8) == (8, 8, 4)
    assert Rows(state=2008, mask=8, observation=4).block == 16


def test_only_constant_indices_wrap_around():
    """In kernels of batches."""

    def read(numbers, index):
        numbers[0] = numbers[index]

    def read_last(numbers, index):
        numbers[0] = numbers[-1]

    def compiled_without(function):
        with no_wraparound():
            return ptx_of(make_kernel(function), (np.zeros(4), 1), optimized=True)

    kernels = [make_kernel(function) for function in (read, read_last)]
    wrapping = [ptx_of(kernel, (np.zeros(4), 1), optimized=True) for kernel in kernels]
    assert "shr.s64" in wrapping[0]
    assert "shr.s64" not in compiled_without(read)
    assert compiled_without(read_last).count("\n") == wrapping[1].count("\n")


def test_an_agent_that_allocates_arrays_is_refused():
    """`scratch` has to be used instead."""

    def choose(observation, mask, random_state, parameters):
        return np.argmax(np.empty(len(mask)))

    with with_tiny():
        tiny = get_game("tiny")
        _, arguments = playouts_and_arguments(tiny, ["random"])
    playouts = make_playouts(tiny, (compiled(choose),))
    with pytest.raises(TypingError, match="empty"):
        ptx_of(playouts, arguments)
