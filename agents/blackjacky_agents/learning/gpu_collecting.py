"""Collecting decisions on a GPU: the compiled functions of the CPU, one thread per game, the network included.

Importing this module raises `ImportError` where numba-cuda is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import cuda

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.kit.encoding import Encoding
from blackjacky_agents.learning.collecting import Collector, Stretch, go_on, make_collect
from blackjacky_agents.networks.network import HEADER, forward, network_policy
from blackjacky_env.compiled import Policy, compiled, scratch
from blackjacky_env.declare import Game
from blackjacky_env.play import raise_illegal
from blackjacky_env.play.gpu import check_gpu, launch_agents, make_ask, make_numbered_cast, to_device, to_host
from blackjacky_env.play.kernels import SIMULATED, make_kernel, sync_warp

_AT_ONCE = 8  # sums that a thread keeps in registers


class CudaCollector(Collector):
    """A `Collector` on a GPU: the same games, whose stretches stay in its memory; the next one overwrites the last.

    Neighbouring threads play neighbouring games, so in memory the game is the last axis of every array. Those of a warp
    wait for each other before each choice, or they would evaluate networks one after the other. ``bots``: all
    opponents but networks with this encoding. Raises `RuntimeError` if no GPU can be used.
    """

    def __init__(self, *arguments: Any, bots: Sequence[CompiledAgent]) -> None:
        super().__init__(*arguments)
        check_gpu()
        self._policies = tuple(dict.fromkeys([*(bot.policy for bot in bots), network_policy(self.encoding)]))
        self.tables, self.links = to_device(in_columns(self.tables)), to_device(in_columns(self.links))
        self._stretch = self._new_stretch(partial(cuda.device_array, order="F"))
        self._opponents: Sequence[CompiledAgent] = ()
        self._cast = to_device(make_numbered_cast(self.game, self._policies, ()))

    def collect(
        self, network: npt.NDArray[np.float32], opponents: Sequence[CompiledAgent], lineups: npt.NDArray[np.int64]
    ) -> Stretch:
        """As `Collector.collect`, on arrays in the GPU's memory, without waiting for the GPU.

        Raises `TypeError` for opponents that do not compile for a GPU, `ValueError` for networks too large for one,
        `IllegalActionError` if an opponent has chosen an illegal action in the stretch before.
        """
        raise_illegal(self._opponents, to_host(self._cast))
        self._opponents = opponents
        self._cast = to_device(make_numbered_cast(self.game, self._policies, opponents))
        units = network[HEADER : HEADER + 1 + int(network[1])]
        kernel = collect_kernel(self.game, self.encoding, self._policies, forward if units.min() < _AT_ONCE else dense)
        given = (self.tables, self._stretch, self.links, network, self._cast, lineups, self.returns, self.seed)
        launch_agents(kernel, len(self.tables.states), *given)
        return self._stretch


def in_columns(arrays: Any) -> Any:
    """A named tuple with the games as the last axis of its arrays in memory."""
    return type(arrays)(*map(np.asfortranarray, arrays))


@cache
def collect_kernel(game: Game, encoding: Encoding, policies: tuple[Policy, ...], forward: Callable[..., int]) -> Any:
    """The kernel (tables, stretch, links, network, cast, lineups, returns, seed) of `CudaCollector.collect`."""
    collect = make_collect(game, encoding, make_ask(game, policies), forward, go_on if SIMULATED else sync_warp)

    def collect_games(tables, stretch, links, network, cast, lineups, returns, seed):  # type: ignore[no-untyped-def]  # compiled
        i = cuda.grid(1)
        if i < len(tables.states):
            collect(i, tables, stretch, links, network, cast, lineups, returns, seed)

    return make_kernel(collect_games, contracts=True)


@compiled
def dense(values, rows, parameters):  # type: ignore[no-untyped-def]  # compiled
    """`forward` for neighbouring threads that evaluate the same network, of layers with `_AT_ONCE` units or more.

    All take the same weight at the same time, which the GPU then reads once; that skips no inputs, as the CPU does.
    Indices are unsigned, so that none is looked at for being negative.
    """
    layers = int(parameters[1])
    start = HEADER + layers + 1
    for layer in range(layers):
        inputs, outputs = int(parameters[HEADER + layer]), int(parameters[HEADER + layer + 1])
        bias = start + inputs * outputs
        shown, told = values[layer % 2], values[(layer + 1) % 2]
        for begin in range(0, outputs, _AT_ONCE):
            first = min(begin, outputs - _AT_ONCE)  # the last ones overlap
            sums = scratch(_AT_ONCE, np.float32)
            for k in range(_AT_ONCE):
                sums[k] = parameters[np.uint64(bias + first + k)]
            for i in range(inputs):
                value, place = shown[np.uint64(i)], start + i * outputs + first
                for k in range(_AT_ONCE):
                    sums[k] += value * parameters[np.uint64(place + k)]
            for k in range(_AT_ONCE):
                told[first + k] = max(sums[k], np.float32(0)) if layer + 1 < layers else sums[k]
        start = bias + outputs
    return layers % 2
