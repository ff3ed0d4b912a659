"""Batches and playouts on a GPU, by numba-cuda: the compiled functions of the CPU, unchanged, one thread per game.

What the CPU calls by address, the policies of compiled agents, is chosen here when a kernel is compiled. Importing this
module raises `ImportError` where numba-cuda is missing.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.compiled.callbacks import Cast, join_cast
from blackjacky_env.compiled.compiling import compiled, scratch, zeros
from blackjacky_env.compiled.policies import CompiledPolicy, Policy
from blackjacky_env.declare.game import Game
from blackjacky_env.play.batch import Batch
from blackjacky_env.play.many_games import BatchArrays, BatchFunctions, batch_functions, new_batch_arrays
from blackjacky_env.play.playouts import make_play_copy
from blackjacky_env.play.step import NONE, STUCK, checked

try:
    import numba_cuda  # noqa: F401 - numba.cuda without it is another, older one, or none
except ImportError as error:
    raise ImportError("backend='cuda' needs numba-cuda: pip install 'blackjacky[cuda]'") from error
from numba import config, cuda
from numba.core.errors import TypingError
from numba.cuda.core.compiler_lock import global_compiler_lock
from numba.cuda.core.errors import NumbaPerformanceWarning
from numba.cuda.cudadrv import nvvm
from numba.cuda.dispatcher import CUDADispatcher

_SIMULATED = bool(config.ENABLE_CUDASIM)  # type: ignore[attr-defined]  # its kernels are Python
if not _SIMULATED:
    from numba.cuda import types
    from numba.cuda.extending import overload

    @overload(scratch, inline="always", prefer_literal=True)
    def _on_stack(shape, dtype, max_shape=None):
        """`scratch` in a kernel; inlined, since what lies on a function's stack ends with the function."""
        if max_shape in (None, types.none) or isinstance(max_shape, types.Omitted):
            return lambda shape, dtype, max_shape=None: cuda.local.array(shape, dtype)
        if isinstance(max_shape, types.BaseTuple):
            return lambda shape, dtype, max_shape=None: cuda.local.array(max_shape, dtype)[: shape[0], : shape[1]]
        return lambda shape, dtype, max_shape=None: cuda.local.array(max_shape, dtype)[:shape]


THREADS = 128  # per block
_MAX_COPIES = 2**18  # playouts per launch; about as many threads as the largest GPUs hold

DeviceArray = Any
"""An array in the GPU's memory, with ``__cuda_array_interface__``; ``copy_to_host()`` copies it to NumPy."""


def check_gpu() -> None:
    """Raise a `RuntimeError` that says why if no GPU can be used."""
    try:
        cuda.current_context()
    except Exception as error:  # noqa: BLE001 - what is missing decides its type, which may be private
        reason = " ".join(str(error).split()).strip(" :") or type(error).__name__
        raise RuntimeError(f"backend='cuda' needs an NVIDIA GPU and its driver: {reason}") from None


@contextmanager
def no_contraction() -> Iterator[None]:
    """Context for compiling: a product and a sum are rounded one after the other, as on a CPU.

    numba-cuda has no option for it, though its compiler, NVVM, has.
    """
    with global_compiler_lock:
        compile_ir = nvvm.compile_ir
        nvvm.compile_ir = partial(compile_ir, fma=False)
        try:
            yield
        finally:
            nvvm.compile_ir = compile_ir


class _Kernel(CUDADispatcher):  # type: ignore[misc]
    def compile(self, sig: Any) -> Any:
        with no_contraction():
            return super().compile(sig)

    @lru_cache(maxsize=128)  # noqa: B019 - as what it replaces
    def configure(self, *arguments: Any) -> Any:
        with warnings.catch_warnings():  # few games are no error
            warnings.simplefilter("ignore", NumbaPerformanceWarning)
            return super().configure(*arguments)


def make_kernel(function: Any) -> Any:
    """A kernel that calculates as a CPU does."""
    kernel = cuda.jit(function)
    if isinstance(kernel, CUDADispatcher):  # not in the simulator
        kernel.__class__ = _Kernel
        kernel.targetoptions["lto"] = False  # code linked later would be contracted then
    return kernel


@cache
def make_kernels(game: Game, pays_result: bool, per_seat: bool = False) -> BatchFunctions:
    """`batch_functions` as kernels, one thread per game."""
    functions = batch_functions(game, pays_result, per_seat)
    start_games, look = functions.start, functions.observe

    def start(arrays, seat_arrays, seed):
        i = cuda.grid(1)
        if i < len(arrays.seeds):
            start_games(arrays, seat_arrays, seed, i, i + 1)

    def move_with(function):
        def move(arrays, seat_arrays, seed, given):
            i = cuda.grid(1)
            if i < len(arrays.seeds):
                function(arrays, seat_arrays, seed, given, i, i + 1)

        return move

    def observe(states, games, seats, observations, masks):
        j = cuda.grid(1)
        if j < len(games):
            look(states, games, seats, observations, masks, j, j + 1)

    moves = map(move_with, (functions.step, functions.draw_actions, functions.run_random))
    return BatchFunctions(*map(make_kernel, (start, *moves, observe)))


@make_kernel
def _note_illegal(masks, actions, found):
    """Kernel: lower ``found`` (int64, (1,)) to the first game whose action is illegal."""
    i = cuda.grid(1)
    if i < len(actions) and checked(actions[i], masks[i]) == STUCK:
        cuda.atomic.min(found, 0, i)


def launch(kernel: Any, threads: int, *arguments: Any) -> None:
    """Start a kernel with at least ``threads`` (1 or more) threads, without waiting for its end.

    Arrays of the CPU are copied; None becomes an empty tuple.
    """
    given = [() if value is None else value for value in arguments]
    given = [cuda.to_device(value) if isinstance(value, np.ndarray) else value for value in given]
    kernel[-(-threads // THREADS), THREADS](*given)


def new_padded_arrays(game: Game, states: npt.NDArray[Any]) -> BatchArrays:
    """`new_batch_arrays` in a GPU's layout, still in the CPU's memory.

    Rows of masks are padded to whole words, at (N, 8 * ceil(A / 8)), because GPUs read words at multiples of their
    size only.
    """
    words = np.zeros((len(states), -(-game.num_actions // 8)), np.uint64)
    return new_batch_arrays(game, states)._replace(action_masks=words.view(np.int8), mask_words=words)


def _to_device(arrays: Any) -> Any:
    """A named tuple with its arrays copied to the GPU; masks and their words share memory there too."""
    moved = arrays._replace(
        **{name: cuda.to_device(value) for name, value in arrays._asdict().items() if isinstance(value, np.ndarray)}
    )
    return moved._replace(action_masks=moved.mask_words.view(np.int8)) if isinstance(arrays, BatchArrays) else moved


class CudaBatch(Batch):
    """A `Batch` on a GPU, made by ``make_batch(..., backend="cuda")``: the same games, bit for bit.

    Attributes and results of methods are arrays in the GPU's memory with the dtypes and shapes of a `Batch`. PyTorch
    and CuPy read them without copying (``torch.as_tensor(batch.observations, device="cuda")``,
    ``cupy.asarray(batch.observations)``), by ``__cuda_array_interface__``; ``copy_to_host()`` copies one to NumPy. They
    stay in place, so a tensor made once shows every later step. Work is queued in CUDA's default stream, as PyTorch's
    and CuPy's.
    """

    def _allocate(self, states: npt.NDArray[Any]) -> None:
        check_gpu()
        self._first_illegal = cuda.to_device(np.array([len(states)]))
        self._arrays = _to_device(new_padded_arrays(self.game, states))
        if self._seat_arrays is not None:
            self._seat_arrays = _to_device(self._seat_arrays)

    def _make_functions(self) -> BatchFunctions:
        return make_kernels(self.game, self.reward == "win", self._seat_arrays is not None)

    def __getstate__(self) -> None:
        raise TypeError("a batch on a GPU cannot be copied or pickled")

    def step(self, actions: npt.ArrayLike, check: bool = True) -> None:
        """Take one action in every game and restart the games that end.

        Args:
            actions: legal by ``action_masks``, shape (N,): int64 on the GPU, or integers that are copied there.
            check: look for illegal actions first, which waits for the GPU; with False an illegal action is undefined
                behaviour.

        Raises:
            IllegalActionError, TypeError, ValueError: as `Batch.step`.
        """
        if check:
            super().step(actions)
        else:
            self._move(self._functions.step, self._check_actions(actions))

    def _show(self) -> None:
        super()._show()
        self.action_masks = self._arrays.action_masks[:, : self.game.num_actions]  # without the padding

    def _run(self, function: Any, count: int, *arguments: Any, moves: int = 1) -> None:
        launch(function, count, *arguments)

    def _new_array(self, shape: Any, dtype: Any) -> DeviceArray:
        return cuda.device_array(shape, dtype)

    def _find_illegal(self, actions: DeviceArray) -> int:
        count = len(self.seeds)
        launch(_note_illegal, count, self._arrays.action_masks, actions, self._first_illegal)
        found = int(self._first_illegal.copy_to_host()[0])
        if found == count:
            return NONE
        self._first_illegal.copy_to_device(np.array([count]))
        return found

    def _check_actions(self, actions: Any) -> DeviceArray:
        if not hasattr(actions, "__cuda_array_interface__"):
            return cuda.to_device(super()._check_actions(actions))
        given = cuda.as_cuda_array(actions)
        if given.dtype != np.int64 or not given.is_c_contiguous():
            raise TypeError(f"actions are of dtype {given.dtype}; allowed on the GPU are int64 without gaps")
        if given.shape != self.seeds.shape:
            raise ValueError(f"actions are of shape {given.shape}; allowed is {self.seeds.shape}, one for each game")
        return given

    def _on_cpu(self, array: DeviceArray) -> npt.NDArray[Any]:
        on_cpu: npt.NDArray[Any] = array.copy_to_host()
        return on_cpu


# ---------------------------------------------------------------- inputs of networks


def encode_all(encode: Policy, size: int, observations: DeviceArray, masks: DeviceArray) -> DeviceArray:
    """What ``encode`` (observation, mask, out) writes for each of N observations: float32 (N, size)."""
    out = cuda.device_array((len(observations), size), np.float32)
    launch(make_encode(encode), len(out), observations, masks, out)
    return out


@cache
def make_encode(encode: Policy) -> Any:
    """The kernel (observations, masks, out) of `encode_all`."""

    def encode_one(observations, masks, out):
        i = cuda.grid(1)
        if i < len(out):
            encode(observations[i], masks[i], out[i])

    return make_kernel(encode_one)


# ---------------------------------------------------------------- playouts


def play_copies(
    game: Game,
    states: npt.NDArray[Any],
    games: int,
    seating: npt.NDArray[np.int64],
    agents: Sequence[CompiledPolicy],
    seed: int,
) -> DeviceArray:
    """`blackjacky_env.play.playouts.play_copies` on a GPU: the same results, in its memory.

    Exponentials and logarithms are those of a GPU, so agents that use them may decide close calls differently. Raises
    `TypeError` for agents that do not compile for a GPU, `ValueError` for networks that are too large for one.
    """
    check_gpu()
    for policy, parameters in agents:
        if check := getattr(policy, "check_gpu", None):
            check(parameters)
    policies = tuple(dict.fromkeys(policy for policy, _ in agents))
    kernel, cast = make_playouts(game, policies), _to_device(make_numbered_cast(policies, agents))
    count = len(states) * games
    copies = cuda.to_device(zeros(min(count, _MAX_COPIES), game.state_dtype))
    results = cuda.to_device(np.zeros((len(states), games, game.max_players)))
    given, seats = cuda.to_device(states), cuda.to_device(seating)
    try:
        for first in range(0, count, _MAX_COPIES):
            launch(kernel, min(_MAX_COPIES, count - first), given, seats, cast, seed, copies, results, first)
    except TypingError as error:
        raise TypeError(_NOT_COMPILED) from error
    return results


_NOT_COMPILED = (
    "these agents do not compile for a GPU, where compiled code cannot allocate arrays; "
    "blackjacky_env.compiled.compiling.scratch gives it some of a constant size"
)


@cache
def make_playouts(game: Game, policies: tuple[Policy, ...]) -> Any:
    """The kernel (states, seating, cast, seed, copies, results, first) of `play_copies`.

    Thread j plays number ``first + j`` of all playouts, in ``copies[j]``.
    """
    size, dtype, num_actions = game.layout.size, game.layout.dtype, game.num_actions
    play_copy = make_play_copy(game, make_ask(policies))

    def play(states, seating, cast, seed, copies, results, first):
        j = cuda.grid(1)
        if j < len(copies) and first + j < results.shape[0] * results.shape[1]:
            observation, mask = cuda.local.array(size, dtype), cuda.local.array(num_actions, np.int8)
            play_copy(states, seating, cast, seed, copies, j, observation, mask, results, first + j)

    return make_kernel(play)


def make_ask(policies: Sequence[Policy]) -> Policy:
    """Compiled (number, observation, mask, random_state, parameters) -> action: ask the policy with that number."""
    policy, own = policies[-1], len(policies) - 1
    others = make_ask(policies[:-1]) if own else policy

    def ask_only(number, observation, mask, random_state, parameters):
        return np.int64(policy(observation, mask, random_state, parameters))

    def ask_or(number, observation, mask, random_state, parameters):
        if number == own:
            return np.int64(policy(observation, mask, random_state, parameters))
        return others(number, observation, mask, random_state, parameters)

    return compiled(ask_or if own else ask_only)


def make_numbered_cast(policies: tuple[Policy, ...], agents: Sequence[CompiledPolicy]) -> Cast:
    """`make_cast` with the number of a policy for `make_ask` in place of its address."""
    return join_cast([policies.index(policy) for policy, _ in agents], [parameters for _, parameters in agents])
