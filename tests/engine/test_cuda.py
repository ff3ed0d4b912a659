"""The kernels for GPUs compile and assemble as they are, for compute capability 9.0, without a GPU.

That they say the same as on a CPU, `test_cuda_batch` shows in a simulator, and ``scripts/speed/benchmark_gpu.py`` on a
GPU.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from blackjacky_env.engine.batch import make_seat_arrays
from blackjacky_env.engine.compiling import PLAIN, compiled
from blackjacky_env.engine.game import Game
from blackjacky_env.games import get_game
from tests.every_game import NAMES, with_tiny

pytest.importorskip("numba_cuda", reason="numba-cuda is not installed")
pytest.importorskip("nvidia", reason="nvidia-cuda-nvcc is not installed")
pytestmark = pytest.mark.skipif(PLAIN, reason="nothing is compiled in plain mode")

if not PLAIN:
    import assemble_kernels
    from numba import cuda
    from numba.core.errors import TypingError

    from blackjacky_env.engine.backend_cuda import make_kernel, make_kernels, make_padded_board


@pytest.fixture(params=NAMES)
def game(request: pytest.FixtureRequest) -> Iterator[Game]:
    with with_tiny():
        yield get_game(request.param)


def test_random_games_of_a_batch_compile(game: Game) -> None:
    """Begin, legal, apply, settle, returns, encode, random numbers, and what is kept for each seat."""
    kernel = make_kernels(game, pays_result=True, per_seat=True).run_random
    arguments = make_padded_board(game, 1), make_seat_arrays(game, 1, 1.0, 1.0), 0, 1
    assert ".visible .entry" in assemble_kernels.ptx_of(kernel, arguments)


def test_imagined_positions_are_played_out_by_compiled_bots_and_round_like_a_cpu(game: Game) -> None:
    """Sample and score a position, and playouts: assembled too."""
    bots = assemble_kernels.bots_of(game)[:2]
    try:
        ptx = ptx_of_imagined_games(game, bots)
    except TypingError as error:
        if "built-in function empty" not in str(error):  # the second bot allocates arrays
            raise
        ptx = ptx_of_imagined_games(game, bots[:1])
    assert "fma." not in ptx  # a product and a sum in one, rounded once
    assert assemble_kernels.assemble(ptx, level=0).instructions > 100


def test_the_page_on_speed_has_the_bounds_of_these_records() -> None:
    assert assemble_kernels.roofline() in assemble_kernels.PAGE.read_text(encoding="utf-8")


def ptx_of_imagined_games(game: Game, bots: list[str]) -> str:
    playouts, arguments = assemble_kernels.playouts_and_arguments(game, bots)
    sample, score, play = game.rules.sample, game.rules.score, compiled(playouts.py_func)

    def imagine_and_play(board, bits, states, seating, cast, seed, copies, results, first):
        i = cuda.grid(1)
        sample(board.observations[i], bits[i], states[i])
        board.rewards[i, 0] = score(states[i], 0)
        play(states, seating, cast, seed, copies, results, first)

    bits = np.zeros(1, np.uint64)
    return assemble_kernels.ptx_of(make_kernel(imagine_and_play), (make_padded_board(game, 1), bits, *arguments))
