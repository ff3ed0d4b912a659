"""Self-play on a GPU, without one: its kernel collects what the CPU collects, in numba-cuda's simulator.

The simulator runs kernels as plain Python, in a process of its own: this file is also the script that it runs.
"""

from __future__ import annotations

import os
from itertools import pairwise
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import pytest

from blackjacky_agents.games import find_encoding
from blackjacky_agents.learning.collecting import LEARNER, Collector, Returns
from blackjacky_agents.networks.network import network_agent, pack
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_env.compiled.compiling import zeros
from blackjacky_env.games import DEFAULT, get_game
from tests.plain_mode import printed_in_plain_mode

SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
GAMES, LENGTH, PLAYERS = 3, 4, 3


def layers(outputs: int) -> Any:
    rng = np.random.default_rng(0)
    sizes = [find_encoding("cards", DEFAULT).size, 11, outputs]
    return [
        (rng.normal(0, 0.5, pair).astype(np.float32), rng.normal(0, 0.1, pair[1]).astype(np.float32))
        for pair in pairwise(sizes)
    ]


def make_collector() -> Collector:
    game, encoding = get_game(DEFAULT), find_encoding("cards", DEFAULT)
    states = zeros(GAMES, game.state_dtype)
    players, variant = game.choose_table(PLAYERS, None)
    for i in range(GAMES):
        states[i] = game.new_state(players, variant, game.check_options(players, variant, {}))[0]
    given = (game, encoding, states, LENGTH, Returns(0.9, 0.8, 0.5), 7, 1)
    if not SIMULATED:
        return Collector(*given)
    from blackjacky_agents.learning.gpu import CudaCollector

    return CudaCollector(*given, bots=[make_compiled_agent("threshold", DEFAULT)])


def collected() -> list[str]:
    """What two stretches hold, rounded: against a bot, against the learner as it was, and in all seats."""
    collector, actions = make_collector(), get_game(DEFAULT).num_actions
    past = network_agent(DEFAULT, collector.encoding, pack(layers(actions), False))
    opponents = [make_compiled_agent("threshold", DEFAULT), past]
    lineups = np.array([[1, 2, 1, 2, 1], [2, 1, 2, 1, 2], [LEARNER] * 5])
    lines = []
    for _ in range(2):
        for array in collector.collect(pack(layers(actions + 1), False), opponents, lineups):
            on_cpu: npt.NDArray[Any] = array.copy_to_host() if SIMULATED else array  # type: ignore[attr-defined]
            lines.append(repr(np.round(on_cpu.astype(np.float64), 3).tolist()))
    return lines


@pytest.mark.prove
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="this process is in plain mode itself")
def test_the_simulated_gpu_collects_the_same_decisions_as_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed")
    monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "1")
    assert printed_in_plain_mode(__file__).splitlines() == collected()


if __name__ == "__main__":
    print("\n".join(collected()))
