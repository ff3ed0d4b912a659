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
from numba.core import cgutils
from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature
from numba.extending import intrinsic
from numba.np.numpy_support import carray

from blackjacky_env.compiled.caching import OPTIONS, DiskCache
from blackjacky_env.compiled.compiling import PLAIN, ContentCompiler, compiled, inlined, scratch
from blackjacky_env.compiled.policies import CompiledOpponent, Policy, PythonPolicy, checked_parameters

if TYPE_CHECKING:
    from blackjacky_env.declare.game import Game


class Cast(NamedTuple):
    """Agents as arrays.

    Agent a has its policy at ``addresses[a]``, 0 for one that is not compiled, and its parameters in
    ``parameters[offsets[a]:offsets[a + 1]]``. An illegal action that it chose is noted in ``illegal[a]``, which is else
    `LEGAL`.
    """

    addresses: npt.NDArray[np.int64]
    offsets: npt.NDArray[np.int64]
    parameters: npt.NDArray[np.float32]
    illegal: npt.NDArray[np.int64]


LEGAL = np.iinfo(np.int64).min


def make_cast(game: Game, agents: Sequence[CompiledOpponent | PythonPolicy]) -> Cast:
    """Agents as arrays; policies not yet used in this process are compiled or loaded from the cache.

    Raises `TypeError` or `ValueError` for parameters that an agent's policy does not take.
    """
    addresses = [0 if isinstance(each, PythonPolicy) else address_of(each.policy, game) for each in agents]
    return join_cast(game, agents, addresses)


def join_cast(game: Game, agents: Sequence[CompiledOpponent | PythonPolicy], addresses: Sequence[int]) -> Cast:
    """As `make_cast`, from the addresses of the agents, too."""
    absent = np.zeros(0, np.float32)
    parts = [absent if isinstance(each, PythonPolicy) else checked_parameters(each, game) for each in agents]
    offsets = np.cumsum([0, *map(len, parts)]).astype(np.int64)
    return Cast(np.array(addresses, np.int64), offsets, np.concatenate([absent, *parts]), np.full(len(agents), LEGAL))


def address_of(policy: Policy, game: Game) -> int:
    """Address of the policy's machine code for this game, to be passed to `ask`; valid until the process ends."""
    if PLAIN:
        if policy not in _PLAIN_POLICIES:
            _PLAIN_POLICIES.append(policy)
        return 1 + _PLAIN_POLICIES.index(policy)
    return int(_callback(policy, game).address)


_PLAIN_POLICIES: list[Policy] = []
_MOST_ACTIONS = 2048  # of a game; the copy of a mask lies on the stack, below the size of a page


@cache
def make_guarded(policy: Policy, game: Game) -> Policy:
    """Inlined: the policy with a copy of the mask, as `ask` asks it.

    It may overwrite both that and the observation, which whoever asks has written for it alone.
    """
    num_actions, flag = game.num_actions, np.int8

    def guarded(observation, mask, random_state, parameters):
        allowed = scratch(num_actions, flag)
        for action in range(num_actions):
            allowed[action] = mask[action]
        return np.int64(policy(observation, allowed, random_state, parameters))

    return inlined(guarded)


@cache
def _callback(policy: Policy, game: Game) -> Any:
    """A policy as a C callback, cached on disk like an `entry`."""
    size, num_actions = game.layout.size, game.num_actions
    if num_actions > _MOST_ACTIONS:
        raise ValueError(f"{game.name} has {num_actions} actions; policies take {_MOST_ACTIONS} at most")

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
    """Generate a call by address in C's convention; arrays are passed as pointers, the last one with its length.

    The mask is copied: the policy may write into it, and what it chooses is looked up in one that it never had.
    """

    def generate(context, builder, signature, arguments):
        arrays = (context.make_array(signature.args[k])(context, builder, arguments[k]) for k in (1, 2, 4))
        seen, allowed, numbers = arrays
        mask = cgutils.alloca_once(builder, ir.IntType(8), _MOST_ACTIONS)
        cgutils.raw_memcpy(builder, mask, allowed.data, allowed.nitems, context.get_constant(types.intp, 1))
        given = [seen.data, mask, arguments[3], numbers.data, numbers.nitems]
        function = ir.FunctionType(ir.IntType(64), [value.type for value in given])
        return builder.call(builder.inttoptr(arguments[0], ir.PointerType(function)), given)

    return types.int64(address, observation, mask, random_state, parameters), generate


def _ask(address, observation, mask, random_state, parameters):
    return _call(address, observation, mask, random_state, parameters)  # type: ignore[call-arg]  # Numba gives the first


def _ask_plainly(address, observation, mask, random_state, parameters):
    return _PLAIN_POLICIES[address - 1](observation, mask.copy(), random_state, parameters)


ask: Policy = _ask_plainly if PLAIN else compiled(_ask)
"""Compiled (address, observation, mask, random_state, parameters) -> action: ask the policy at `address_of`.

The arrays must be contiguous, of the dtypes that a policy is asked with; nothing checks them.
"""
