"""Batches and playouts on a GPU, by numba-cuda: the compiled functions of the CPU, unchanged, one thread per game.

What the CPU calls by address, the policies of compiled agents, is chosen here when a kernel is compiled. Importing this
module raises `ImportError` where numba-cuda is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.compiled.callbacks import Cast, join_cast, make_guarded
from blackjacky_env.compiled.compiling import compiled, zeros
from blackjacky_env.compiled.policies import CompiledOpponent, Policy
from blackjacky_env.declare.game import Game
from blackjacky_env.play.batch import Batch
from blackjacky_env.play.kernels import WARP, Rows, launch, make_kernel, make_kernels
from blackjacky_env.play.many_games import BatchArrays, BatchFunctions, new_batch_arrays
from blackjacky_env.play.playouts import make_play_copy, raise_illegal
from blackjacky_env.play.step import NONE, STUCK, checked

_MAX_COPIES = 2**18  # playouts per launch; about as many threads as the largest GPUs hold

from numba import cuda  # noqa: E402 - after `kernels`, which says so if numba-cuda is missing
from numba.core.errors import NumbaError  # noqa: E402

DeviceArray = Any
"""An array in the GPU's memory, with ``__cuda_array_interface__``; ``copy_to_host()`` copies it to NumPy."""


def check_gpu() -> None:
    """Raise a `RuntimeError` that says why if no GPU can be used."""
    try:
        cuda.current_context()
    except Exception as error:  # noqa: BLE001 - what is missing decides its type, which may be private
        reason = " ".join(str(error).split()).strip(" :") or type(error).__name__
        raise RuntimeError(f"backend='cuda' needs an NVIDIA GPU and its driver: {reason}") from None


@make_kernel
def _note_illegal(masks, actions, found):
    """Kernel: lower ``found`` (int64, (1,)) to the first game whose action is illegal."""
    i = cuda.grid(1)
    if i < len(actions) and checked(actions[i], masks[i]) == STUCK:
        cuda.atomic.min(found, 0, i)


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
    fields: Any = states.dtype.fields
    layout: Any = {
        "names": [*fields],
        "formats": [field[0] for field in fields.values()],
        "offsets": [field[1] for field in fields.values()],
        "titles": ["of a GPU", *[None] * (len(fields) - 1)],  # or Numba would take one record for the other
        "itemsize": rows.state,
    }
    padded = zeros(count, np.dtype(layout, align=True))
    padded[: len(states)] = states
    return padded


def to_device(arrays: Any) -> Any:
    """A named tuple with its arrays copied to the GPU; masks and their words share memory there too."""
    moved = arrays._replace(
        **{name: cuda.to_device(value) for name, value in arrays._asdict().items() if isinstance(value, np.ndarray)}
    )
    return moved._replace(action_masks=moved.mask_words.view(np.int8)) if isinstance(arrays, BatchArrays) else moved


def to_host(cast: Cast) -> Cast:
    """A cast on the GPU with what its agents have chosen illegally, once the GPU has done all that is queued."""
    return cast._replace(illegal=cast.illegal.copy_to_host())  # type: ignore[attr-defined]  # an array on the GPU


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
        self._arrays = to_device(new_padded_arrays(self.game, states))
        if self._seat_arrays is not None:
            self._seat_arrays = to_device(self._seat_arrays)

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
    agents: Sequence[CompiledOpponent],
    seed: int,
) -> DeviceArray:
    """`blackjacky_env.play.playouts.play_copies` on a GPU: the same results, in its memory.

    Exponentials and logarithms are those of a GPU, so agents that use them may decide close calls differently. Raises
    `TypeError` for agents that do not compile for a GPU, `ValueError` for networks that are too large for one.
    """
    check_gpu()
    policies = tuple(dict.fromkeys(agent.policy for agent in agents))
    kernel, cast = make_playouts(game, policies), to_device(make_numbered_cast(game, policies, agents))
    count = len(states) * games
    copies = cuda.to_device(zeros(min(count, _MAX_COPIES), game.state_dtype))
    results = cuda.to_device(np.zeros((len(states), games, game.max_players)))
    given, seats = cuda.to_device(states), cuda.to_device(seating)
    for first in range(0, count, _MAX_COPIES):
        launch_agents(kernel, min(_MAX_COPIES, count - first), given, seats, cast, seed, copies, results, first)
    raise_illegal(agents, to_host(cast))
    return results


def launch_agents(kernel: Any, threads: int, *arguments: Any) -> None:
    """`launch` a kernel that agents are compiled into; `TypeError` if they do not compile for a GPU."""
    try:
        launch(kernel, threads, *arguments)
    except NumbaError as error:
        raise TypeError(
            "these agents do not compile for a GPU, where compiled code cannot allocate arrays; "
            "blackjacky_env.compiled.compiling.scratch gives it some of a constant size"
        ) from error


@cache
def make_playouts(game: Game, policies: tuple[Policy, ...]) -> Any:
    """The kernel (states, seating, cast, seed, copies, results, first) of `play_copies`.

    Thread j plays number ``first + j`` of all playouts, in ``copies[j]``.
    """
    size, dtype, num_actions = game.layout.size, game.layout.dtype, game.num_actions
    play_copy = make_play_copy(game, make_ask(game, policies))

    def play(states, seating, cast, seed, copies, results, first):
        j = cuda.grid(1)
        if j < len(copies) and first + j < results.shape[0] * results.shape[1]:
            observation, mask = cuda.local.array(size, dtype), cuda.local.array(num_actions, np.int8)
            play_copy(states, seating, cast, seed, copies, j, observation, mask, results, first + j)

    return make_kernel(play)


def make_ask(game: Game, policies: Sequence[Policy]) -> Policy:
    """Compiled (number, observation, mask, random_state, parameters) -> action: ask the policy with that number."""
    policy, own = make_guarded(policies[-1], game), len(policies) - 1
    others = make_ask(game, policies[:-1]) if own else policy

    def ask_only(number, observation, mask, random_state, parameters):
        return policy(observation, mask, random_state, parameters)

    def ask_or(number, observation, mask, random_state, parameters):
        if number == own:
            return policy(observation, mask, random_state, parameters)
        return others(number, observation, mask, random_state, parameters)

    return compiled(ask_or if own else ask_only)


def make_numbered_cast(game: Game, policies: tuple[Policy, ...], agents: Sequence[CompiledOpponent]) -> Cast:
    """`make_cast` with the number of a policy for `make_ask` in place of its address.

    Raises `ValueError` for networks that are too large for a GPU.
    """
    cast = join_cast(game, agents, [policies.index(agent.policy) for agent in agents])
    for agent in agents:
        if check := getattr(agent.policy, "check_gpu", None):
            check(agent.parameters)
    return cast
