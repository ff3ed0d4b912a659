"""Batches and playouts on a GPU, by numba-cuda: the compiled functions of the CPU, unchanged, one thread per game.

What the CPU calls by address, the policies of compiled agents, is chosen here when a kernel is compiled. Importing this
module raises `ImportError` where numba-cuda is missing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_env.compiled.callbacks import Cast, join_cast
from blackjacky_env.compiled.compiling import compiled, inlined, scratch, set_zero, zeros
from blackjacky_env.compiled.policies import CompiledPolicy, Policy
from blackjacky_env.compiled.purposes import FOR_ACTIONS
from blackjacky_env.compiled.random import game_key, stream
from blackjacky_env.declare.game import Game
from blackjacky_env.play.batch import Batch
from blackjacky_env.play.many_games import BatchArrays, BatchFunctions, make_moves, new_batch_arrays
from blackjacky_env.play.playouts import make_play_copy
from blackjacky_env.play.step import NONE, STUCK, checked, make_look

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


def overlay(like, memory, start):
    """An array as ``like``, but in the memory of another array, from byte ``start`` of it on."""
    like, memory = getattr(like, "_ary", like), getattr(memory, "_ary", memory)
    lying = memory.reshape(-1).view(np.uint8)[start:]
    return np.ndarray((len(lying) // like.strides[0], *like.shape[1:]), like.dtype, lying).view(type(like))


def sync_warp():
    """Wait for the other threads of the warp; the simulator waits for the block, which is a warp here."""
    cuda.syncthreads()


_SIMULATED = bool(config.ENABLE_CUDASIM)  # type: ignore[attr-defined]  # its kernels are Python
if not _SIMULATED:
    from llvmlite.ir import Constant
    from numba.cuda import cgutils, types
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

        def clear(array, count):  # `range` takes twice as many instructions
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

    @overload(sync_warp, inline="always")
    def _sync_warp():
        def wait():
            cuda.syncwarp()

        return wait


_WORD = np.dtype(np.uint64)
WARP = 32  # threads that run together, a block where they share memory
THREADS = 128  # per block where they do not
_SHARED = 48 * 1024  # bytes that a block may have on every GPU
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
        with no_contraction(), nullcontext() if self.wraps else no_wraparound():
            return super().compile(sig)

    @lru_cache(maxsize=128)  # noqa: B019 - as what it replaces
    def configure(self, *arguments: Any) -> Any:
        with warnings.catch_warnings():  # few games are no error
            warnings.simplefilter("ignore", NumbaPerformanceWarning)
            return super().configure(*arguments)


def make_kernel(function: Any, wraps: bool = True, carveout: str = "default") -> Any:
    """A kernel that calculates as a CPU does; without ``wraps`` none of its computed indices may be negative.

    ``carveout``: "maxshared" for as much shared memory as there is, at the expense of the cache.
    """
    kernel = cuda.jit(function, shared_memory_carveout=carveout)
    if isinstance(kernel, CUDADispatcher):  # not in the simulator
        kernel.__class__, kernel.wraps = _Kernel, wraps
        kernel.targetoptions["lto"] = False  # code linked later would be contracted then
    return kernel


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


@make_kernel
def _note_illegal(masks, actions, found):
    """Kernel: lower ``found`` (int64, (1,)) to the first game whose action is illegal."""
    i = cuda.grid(1)
    if i < len(actions) and checked(actions[i], masks[i]) == STUCK:
        cuda.atomic.min(found, 0, i)


def launch(kernel: Any, threads: int, *arguments: Any, block: int | None = None, shared: int = 0) -> None:
    """Start a kernel with at least ``threads`` (1 or more) threads, without waiting for its end.

    Arrays of the CPU are copied; None becomes an empty tuple. ``block``: threads per block, by default `THREADS`;
    ``shared``: bytes of shared memory for each of them.
    """
    given = [() if value is None else value for value in arguments]
    given = [cuda.to_device(value) if isinstance(value, np.ndarray) else value for value in given]
    block = block or THREADS
    kernel[-(-threads // block), block, 0, block * shared](*given)


def new_padded_arrays(game: Game, states: npt.NDArray[Any]) -> BatchArrays:
    """`new_batch_arrays` in a GPU's layout, still in the CPU's memory.

    The arrays that lie in shared memory while games are played have the `Rows` of the game, for full warps.
    """
    rows, count = Rows.of(game), -(-len(states) // WARP) * WARP
    words = np.zeros((count, rows.mask // 8), np.uint64)
    return new_batch_arrays(game, states)._replace(
        states=_padded(states, rows, count),
        observations=np.zeros((count, rows.observation), np.int8).view(game.layout.dtype),
        action_masks=words.view(np.int8),
        mask_words=words,
    )


def _padded(states: npt.NDArray[Any], rows: Rows, count: int) -> npt.NDArray[Any]:
    """The states in the rows of a GPU, and as many more as make ``count``."""
    size, own = states.dtype.itemsize, dict(states.dtype.fields or {})
    fields = [(name, place[0], place[1]) for name, place in own.items()]
    if size < rows.state:  # the first field, though the last in memory, or Numba would take one record for the other
        fields.insert(0, ("padding", np.dtype((np.int8, rows.state - size)), size))
    names, formats, offsets = zip(*fields, strict=True)
    padded = zeros(count, np.dtype({"names": names, "formats": formats, "offsets": offsets}, align=True))
    for name in own:
        padded[name][: len(states)] = states[name]
    return padded


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
    stay in place, so a tensor made once shows every later step. The rows of observations and masks have gaps between
    them. Work is queued in CUDA's default stream, as PyTorch's and CuPy's.
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
        count = len(self.seeds)  # without the padding
        self.observations = self._arrays.observations[:count, : self.game.layout.size]
        self.action_masks = self._arrays.action_masks[:count, : self.game.num_actions]

    def _move(self, function: Any, *arguments: Any, moves: int = 1) -> None:
        rows, given = Rows.of(self.game), arguments or (0,)  # a kernel takes something
        everything = self._arrays, self._seat_arrays, self.seed, *given
        launch(function, len(self.seeds), *everything, block=rows.block, shared=sum(rows))

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
