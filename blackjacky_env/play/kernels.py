"""Kernels for GPUs, by numba-cuda: how they are compiled and launched, and how those of batches use shared memory.

Importing this module raises `ImportError` where numba-cuda is missing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from blackjacky_env.compiled.compiling import inlined, scratch, set_zero
from blackjacky_env.compiled.purposes import FOR_ACTIONS
from blackjacky_env.compiled.random import game_key, stream
from blackjacky_env.declare.game import Game
from blackjacky_env.play.many_games import BatchArrays, BatchFunctions, make_moves
from blackjacky_env.play.step import make_look

try:
    import numba_cuda  # noqa: F401 - numba.cuda without it is another, older one, or none
except ImportError as error:
    raise ImportError("backend='cuda' needs numba-cuda: pip install 'blackjacky[cuda]'") from error
from numba import config, cuda
from numba.cuda.core.compiler_lock import global_compiler_lock
from numba.cuda.core.errors import NumbaPerformanceWarning
from numba.cuda.cudadrv import nvvm
from numba.cuda.dispatcher import CUDADispatcher


def overlay(like, memory, start):
    """An array as ``like``, but in the memory of another array, from byte ``start`` of it on."""
    like, memory = getattr(like, "_ary", like), getattr(memory, "_ary", memory)
    lying = memory.reshape(-1).view(np.uint8)[start:]
    return np.ndarray((len(lying) // like.strides[0], *like.shape[1:]), like.dtype, lying).view(type(like))


def sync_warp():
    """Wait for the other threads of the warp; the simulator waits for the block, which is a warp here."""
    cuda.syncthreads()


SIMULATED = bool(config.ENABLE_CUDASIM)  # type: ignore[attr-defined]  # its kernels are Python
if not SIMULATED:
    from llvmlite.ir import Constant
    from numba.cuda import cgutils, types
    from numba.cuda.core.imputils import RefType, iternext_impl
    from numba.cuda.cpython import rangeobj
    from numba.cuda.extending import intrinsic, overload
    from numba.cuda.np import arrayobj

    @overload(scratch, inline="always", prefer_literal=True)
    def _on_stack(shape, dtype, max_shape=None):
        """`scratch` in a kernel; inlined, since what lies on a function's stack ends with the function."""
        if max_shape in (None, types.none) or isinstance(max_shape, types.Omitted):
            return lambda shape, dtype, max_shape=None: cuda.local.array(shape, dtype)
        if isinstance(max_shape, types.BaseTuple):
            return lambda shape, dtype, max_shape=None: cuda.local.array(max_shape, dtype)[: shape[0], : shape[1]]
        return lambda shape, dtype, max_shape=None: cuda.local.array(max_shape, dtype)[:shape]

    @overload(overlay, inline="always")
    def _overlay(like, memory, start):
        def place(like, memory, start):
            return _with_data(like, memory, start)

        return place

    @intrinsic
    def _with_data(typing_context, like, memory, start):
        def generate(context, builder, signature, arguments):
            kinds = zip(signature.args[:2], arguments[:2], strict=True)
            placed, lying = (context.make_array(kind)(context, builder, value) for kind, value in kinds)
            data = builder.gep(builder.bitcast(lying.data, cgutils.voidptr_t), [arguments[2]])
            placed.data = builder.bitcast(data, placed.data.type)
            return placed._getvalue()

        return like(like, memory, types.intp), generate

    @overload(set_zero)
    def _by_words(array, count):
        """`set_zero` in a kernel: entries up to a multiple of four bytes, then words, then the rest."""
        size = array.dtype.bitwidth // 8
        per_word = 4 // size

        def clear(array, count):
            place = 0
            while place < min(count, (-_address(array) & 3) // size):
                array[place] = 0
                place += 1
            while place + per_word <= count:
                _set_zero_word(array, place)
                place += per_word
            while place < count:
                array[place] = 0
                place += 1

        def clear_entries(array, count):
            for place in range(count):
                array[place] = 0

        return clear if array.layout == "C" and per_word else clear_entries

    @intrinsic
    def _address(typing_context, array):
        def generate(context, builder, signature, arguments):
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            return builder.ptrtoint(data, cgutils.intp_t)

        return types.intp(array), generate

    @intrinsic
    def _set_zero_word(typing_context, array, place):
        def generate(context, builder, signature, arguments):
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            word = builder.bitcast(builder.gep(data, [arguments[1]]), cgutils.int32_t.as_pointer())
            builder.store(cgutils.int32_t(0), word)
            return context.get_dummy_value()

        return types.void(array, types.intp), generate

    @rangeobj.lower("iternext", types.range_iter64_type)
    @iternext_impl(RefType.BORROWED)
    def _next_of_range(context, builder, signature, arguments, result):
        """The next number of a `range`; as numba-cuda has it, a short loop takes three times as many instructions."""
        numbers = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
        count, number = builder.load(numbers.count), builder.load(numbers.iter)
        result.set_valid(builder.icmp_signed(">", count, count.type(0)))
        result.yield_(number)
        builder.store(builder.sub(count, count.type(1), flags=["nsw"]), numbers.count)
        builder.store(builder.add(number, numbers.step), numbers.iter)

    @overload(sync_warp, inline="always")
    def _sync_warp():
        def wait():
            cuda.syncwarp()

        return wait


_WORD = np.dtype(np.uint64)
WARP = 32  # threads that run together, a block where they share memory
THREADS = 128  # per block where they do not
_SHARED = 48 * 1024  # bytes that a block may have on every GPU


@contextmanager
def _replaced(module: Any, name: str, value: Any) -> Iterator[None]:
    """Context for compiling: something private to numba-cuda is replaced that it has no option for."""
    with global_compiler_lock:
        original = getattr(module, name)
        setattr(module, name, value)
        try:
            yield
        finally:
            setattr(module, name, original)


def no_contraction() -> AbstractContextManager[None]:
    """Context for compiling: a product and a sum are rounded one after the other, as on a CPU."""
    return _replaced(nvvm, "compile_ir", partial(nvvm.compile_ir, fma=False))


def no_wraparound() -> AbstractContextManager[None]:
    """Context for compiling: an index that is computed is not negative, which is then not looked at for each access."""

    def index(context: Any, builder: Any, kind: Any, value: Any, size: Any) -> Any:
        if isinstance(value, Constant):
            return fix(context, builder, kind, value, size)
        return context.cast(builder, value, kind, types.intp)

    fix = arrayobj.fix_integer_index
    return _replaced(arrayobj, "fix_integer_index", index)


class _Kernel(CUDADispatcher):  # type: ignore[misc]
    def compile(self, sig: Any) -> Any:
        with nullcontext() if self.contracts else no_contraction(), nullcontext() if self.wraps else no_wraparound():
            return super().compile(sig)

    @lru_cache(maxsize=128)  # noqa: B019 - as what it replaces
    def configure(self, *arguments: Any) -> Any:
        with warnings.catch_warnings():  # few games are no error
            warnings.simplefilter("ignore", NumbaPerformanceWarning)
            return super().configure(*arguments)


def make_kernel(function: Any, wraps: bool = True, contracts: bool = False, carveout: str | None = None) -> Any:
    """A kernel that calculates as a CPU does; without ``wraps`` none of its computed indices may be negative.

    With ``contracts`` it may round a product and a sum once, so that results differ in the last digits. ``carveout``:
    "maxshared" for as much shared memory as there is, at the expense of the cache.
    """
    kernel = cuda.jit(function, shared_memory_carveout=carveout)
    if isinstance(kernel, CUDADispatcher):  # not in the simulator
        kernel.__class__, kernel.wraps, kernel.contracts = _Kernel, wraps, contracts
        kernel.targetoptions["lto"] = False  # code linked later would be contracted then
    return kernel


def launch(kernel: Any, threads: int, *arguments: Any, block: int | None = None, shared: int = 0) -> None:
    """Start a kernel with at least ``threads`` (1 or more) threads, without waiting for its end.

    Arrays of the CPU are copied; None becomes an empty tuple. ``block``: threads per block, by default `THREADS`;
    ``shared``: bytes of shared memory for each of them.
    """
    given = [() if value is None else value for value in arguments]
    given = [cuda.to_device(value) if isinstance(value, np.ndarray) else value for value in given]
    block = block or THREADS
    kernel[-(-threads // block), block, 0, block * shared](*given)


# ---------------------------------------------------------------- kernels of batches


class Rows(NamedTuple):
    """Bytes from one game to the next in the arrays of a GPU.

    An odd number of words, so that neighbouring threads use different banks of shared memory: of eight bytes where keys
    or flags are read eight bytes at once, or else of four.
    """

    state: int
    mask: int
    observation: int

    @classmethod
    def of(cls, game: Game) -> Rows:
        """The rows of a game."""
        observation = game.layout.size * game.layout.dtype.itemsize
        return cls(_odd(game.state_dtype.itemsize, 8), _odd(game.num_actions, 8), _odd(observation, 4))

    @property
    def block(self) -> int:
        """Threads per block: a warp, or a part of it if the rows of a warp do not fit into shared memory."""
        block = WARP
        while block * sum(self) > _SHARED:
            block //= 2
        return block


def _odd(size: int, word: int) -> int:
    return word * (-(-size // word) | 1)


@cache
def make_kernels(game: Game, pays_result: bool, per_seat: bool = False) -> BatchFunctions:
    """`batch_functions` as kernels, one thread per game; those that change games are made by `make_shared`."""
    start_game, move, random_action = make_moves(game, pays_result, per_seat)
    look, (show, shared) = make_look(game), make_shared(Rows.of(game))

    def start(arrays, own, tile, seat_arrays, key, i, nothing):
        if i < len(arrays.seeds):
            start_game(own, seat_arrays, key, 0, i)
        show(arrays, tile)

    def step(arrays, own, tile, seat_arrays, key, i, actions):
        if i < len(arrays.seeds):
            move(own, seat_arrays, key, 0, i, actions[i])
        show(arrays, tile)

    def draw_actions(arrays, seat_arrays, seed, actions):
        i = cuda.grid(1)
        if i < len(arrays.seeds):
            actions[i] = random_action(arrays, i, i, stream(game_key(seed), FOR_ACTIONS, i, 0))

    def run_random(arrays, own, tile, seat_arrays, key, i, steps):
        draws = stream(key, FOR_ACTIONS, i, 0)
        for _ in range(steps):
            if i < len(arrays.seeds):
                move(own, seat_arrays, key, 0, i, random_action(own, 0, i, draws))
            show(arrays, tile)

    def observe(states, games, seats, observations, masks):
        j = cuda.grid(1)
        if j < len(games):
            look(states[games[j]], seats[j], observations[j], masks[j])

    draw_actions, observe = (make_kernel(each, wraps=False) for each in (draw_actions, observe))
    return BatchFunctions(shared(start), shared(step), draw_actions, shared(run_random), observe)


def make_shared(rows: Rows) -> tuple[Callable[..., None], Callable[[Callable[..., None]], Any]]:
    """How games are played in shared memory: inlined (arrays, tile), and (function) -> kernel.

    A warp loads the records and masks of its games together, word by word, and stores them so: if each thread wrote its
    own row byte by byte, the GPU would move 32 bytes for each. Its tile of shared memory holds records, then masks,
    then observations. The function of the kernel (arrays, seat_arrays, seed, given) is called in every thread with
    (arrays, own, tile, seat_arrays, key, i, given); the rows of game i are those in row 0 of ``own``. The first result
    stores the masks and observations of a warp.
    """
    (of_state, of_mask, of_observation), lanes = rows, rows.block
    to_masks, to_observations = lanes * of_state, lanes * (of_state + of_mask)

    @inlined
    def copy(to, source, row):
        word = cuda.threadIdx.x
        while word < lanes * row // 8:
            to[word] = source[word]
            word += lanes

    @inlined
    def show(arrays, tile):
        first = cuda.grid(1) - cuda.threadIdx.x
        sync_warp()
        copy(overlay(tile, arrays.mask_words, first * of_mask), overlay(tile, tile, to_masks), of_mask)
        to = overlay(tile, arrays.observations, first * of_observation)
        copy(to, overlay(tile, tile, to_observations), of_observation)
        sync_warp()

    def shared(function):
        play = inlined(function)

        def kernel(arrays, seat_arrays, seed, given):
            i, lane, tile = cuda.grid(1), cuda.threadIdx.x, cuda.shared.array(0, _WORD)
            masks, states = overlay(tile, tile, to_masks), overlay(tile, arrays.states, (i - lane) * of_state)
            copy(tile, states, of_state)
            copy(masks, overlay(tile, arrays.mask_words, (i - lane) * of_mask), of_mask)
            sync_warp()
            own = BatchArrays(
                overlay(arrays.states, tile, lane * of_state),
                overlay(arrays.observations, tile, to_observations + lane * of_observation),
                overlay(arrays.action_masks, masks, lane * of_mask),
                overlay(arrays.mask_words, masks, lane * of_mask),
                arrays.current_player,
                arrays.seeds,
                arrays.played,
                arrays.moves,
                arrays.rewards,
                arrays.terminated,
            )
            play(arrays, own, tile, seat_arrays, game_key(seed), i, given)
            copy(states, tile, of_state)

        return make_kernel(kernel, wraps=False, carveout="maxshared")

    return show, shared
