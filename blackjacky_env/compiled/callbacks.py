"""Calling machine code by its address, which only CPUs can.

The rules of the games, the step protocol and batches also compile for CUDA, as ``tests/play/test_cuda.py`` shows.
Each policy is compiled once and called by its address.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import from_dtype, types
from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature
from numba.extending import intrinsic
from numba.np.numpy_support import carray

from blackjacky_env.compiled.caching import OPTIONS, DiskCache
from blackjacky_env.compiled.compiling import PLAIN, ContentCompiler, compiled
from blackjacky_env.compiled.policies import CompiledPolicy, Policy, PythonPolicy

if TYPE_CHECKING:
    from blackjacky_env.declare.game import Game


class Cast(NamedTuple):
    """Agents as arrays.

    Agent a has its policy at ``addresses[a]``, 0 for one that is not compiled, and its parameters in
    ``parameters[offsets[a]:offsets[a + 1]]``.
    """

    addresses: npt.NDArray[np.int64]
    offsets: npt.NDArray[np.int64]
    parameters: npt.NDArray[np.float32]


def make_cast(game: Game, agents: Sequence[CompiledPolicy | PythonPolicy]) -> Cast:
    """Agents as arrays; policies not yet used in this process are compiled or loaded from the cache."""
    absent = (0, np.zeros(0, np.float32))
    found = [absent if isinstance(each, PythonPolicy) else (address_of(each[0], game), each[1]) for each in agents]
    return join_cast([address for address, _ in found], [parameters for _, parameters in found])


def join_cast(addresses: Sequence[int], parts: Sequence[npt.NDArray[np.float32]]) -> Cast:
    """Agents from the address and the parameters of each."""
    offsets = np.cumsum([0, *map(len, parts)]).astype(np.int64)
    parameters = np.concatenate([np.zeros(0, np.float32), *parts]).astype(np.float32)
    return Cast(np.array(addresses, np.int64), offsets, parameters)


def address_of(policy: Policy, game: Game) -> int:
    """Address of the policy's machine code for this game, to be passed to `ask`; valid until the process ends."""
    if PLAIN:
        if policy not in _PLAIN_POLICIES:
            _PLAIN_POLICIES.append(policy)
        return 1 + _PLAIN_POLICIES.index(policy)
    return int(_callback(policy, game).address)


_PLAIN_POLICIES: list[Policy] = []


@cache
def _callback(policy: Policy, game: Game) -> Any:
    """A policy as a C callback, cached on disk like an `entry`."""
    size, num_actions = game.layout.size, game.num_actions

    def act(observation, mask, random_state, parameters, count):
        seen, allowed = carray(observation, (size,)), carray(mask, (num_actions,))
        return np.int64(policy(seen, allowed, random_state, carray(parameters, (count,))))

    observation, mask, parameters = map(types.CPointer, (from_dtype(game.layout.dtype), types.int8, types.float32))
    signature = types.int64(observation, mask, types.uint64, parameters, types.int64)
    made: Any = CFunc(act, normalize_signature(signature), {}, OPTIONS, pipeline_class=ContentCompiler)
    made._cache = DiskCache(act)
    with made._cache.compiled_once(signature):
        made.compile()
    return made


@intrinsic
def _call(typing_context, address, observation, mask, random_state, parameters):
    """Generate a call by address in C's convention; arrays are passed as pointers, the last one with its length."""

    def generate(context, builder, signature, arguments):
        arrays = (context.make_array(signature.args[k])(context, builder, arguments[k]) for k in (1, 2, 4))
        seen, allowed, numbers = arrays
        given = [seen.data, allowed.data, arguments[3], numbers.data, numbers.nitems]
        function = ir.FunctionType(ir.IntType(64), [value.type for value in given])
        return builder.call(builder.inttoptr(arguments[0], ir.PointerType(function)), given)

    return types.int64(address, observation, mask, random_state, parameters), generate


def _ask(address, observation, mask, random_state, parameters):
    return _call(address, observation, mask, random_state, parameters)  # type: ignore[call-arg]  # Numba gives the first


def _ask_plainly(address, observation, mask, random_state, parameters):
    return _PLAIN_POLICIES[address - 1](observation, mask, random_state, parameters)


ask: Policy = _ask_plainly if PLAIN else compiled(_ask)
"""Compiled (address, observation, mask, random_state, parameters) -> action: ask the policy at `address_of`.

The arrays must be contiguous, of the dtypes that a policy is asked with; nothing checks them.
"""
