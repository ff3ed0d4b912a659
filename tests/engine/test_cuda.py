"""Everything but `engine.backend_cpu` compiles for a GPU as it is: to PTX, for compute capability 9.0, without a GPU.

That it runs there, and says the same as on a CPU, is for a GPU to show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numba import typeof

from blackjacky_env.engine.batch import batch_functions, make_board, make_seat_arrays
from blackjacky_env.engine.compiling import PLAIN
from blackjacky_env.engine.game import Game
from blackjacky_env.games import get_game
from tests.every_game import NAMES, with_tiny

pytest.importorskip("numba_cuda", reason="numba-cuda is not installed")
pytestmark = pytest.mark.skipif(PLAIN, reason="nothing is compiled in plain mode")

H100 = (9, 0)


@pytest.fixture(autouse=True)
def _a_device_to_compile_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from numba.cuda import dispatcher

    monkeypatch.setattr(dispatcher, "get_current_device", lambda: SimpleNamespace(compute_capability=H100))


@pytest.fixture(params=NAMES)
def game(request: pytest.FixtureRequest) -> Iterator[Game]:
    with with_tiny():
        yield get_game(request.param)


def ptx_of(kernel: Callable[..., None], *arguments: Any) -> str:
    from numba import cuda

    ptx, _ = cuda.compile_ptx(kernel, tuple(typeof(argument) for argument in arguments), cc=H100)
    return str(ptx)


def test_random_games_of_a_batch_compile(game: Game) -> None:
    """Begin, legal, apply, settle, returns, encode, random numbers, and what is kept for each seat."""
    from numba import cuda

    functions, board, seat_arrays = (
        batch_functions(game, True, True),
        make_board(game, 1),
        make_seat_arrays(game, 1, 1, 1),
    )
    run_random, observe = functions.run_random, functions.observe

    def kernel(board, seat_arrays, seed, steps):
        i = cuda.grid(1)
        run_random(board, seat_arrays, seed, steps, i, i + 1)
        observe(
            seat_arrays.final_states,
            board.seeds,
            board.current_player,
            board.observations,
            board.action_masks,
            i,
            i + 1,
        )

    assert ".visible .entry" in ptx_of(kernel, board, seat_arrays, 0, 1)


def test_imagining_a_position_and_its_score_compile(game: Game) -> None:
    from numba import cuda

    sample, score, board = game.rules.sample, game.rules.score, make_board(game, 1)

    def kernel(board, bits):
        i = cuda.grid(1)
        s = board.states[i]
        sample(board.observations[i], bits[i], s)
        board.rewards[i, s.player] = score(s, s.player)

    assert ".visible .entry" in ptx_of(kernel, board, np.zeros(1, np.uint64))
