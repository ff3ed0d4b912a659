"""The `Agent` protocol, and agents that wrap a compiled policy."""

from __future__ import annotations

import contextlib
import copy
import importlib
import pickle
import sys
from collections.abc import Callable, Iterable
from hashlib import sha256
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from blackjacky_env.compiled import PLAIN, Policy, address_of, ask, check_own, checked_parameters, entry, stream
from blackjacky_env.compiled.purposes import FOR_DECISIONS
from blackjacky_env.declare import IllegalActionError, Vector
from blackjacky_env.games import get_game, other_game
from blackjacky_env.play import NONE, STUCK, checked, make_find_invalid, own_arrays

if TYPE_CHECKING:
    from blackjacky_env.envs import TableEnv

Origin = tuple[Callable[..., Policy], tuple[Any, ...]]
_NO_PARAMETERS = np.zeros(0, np.float32)


class Agent(Protocol):
    """Anything that chooses actions from observations alone.

    An observation shows the present, not how it came about. Five things are optional:

    - ``explain(observation) -> Thoughts | None`` returns its move probabilities and win estimate for display
      (`blackjacky_agents.search.explaining`).
    - ``probabilities(observations, masks)`` returns the probabilities of all actions in N positions, (N, A), and
      ``forecast(observation)`` each player's chance of winning; they are asked for where these are measured.
    - ``hear(events)`` is called before each `act` with what its seat has heard since the deal, as `TableEnv.events`
      returns it; then it is asked for one game at a time.
    - ``recalls = True`` is for an agent that plays by its information state: ``observation`` then has an entry
      ``information_key``, uint64 (2,), of `TableEnv.information_key`, and ``act_batch`` a third argument, (N, 2).
      Environments do not put it there themselves; `shown_to` does.
    """

    name: str

    def reset(self, seed: int | None = None) -> None:
        """Reseed the agent; the same seed gives the same choices (None: a seed from the operating system)."""

    def act(self, observation: dict[str, npt.NDArray[Any]]) -> int:
        """A legal action, given the environment's ``observation`` (vector) and ``action_mask``."""

    def act_batch(self, observations: npt.NDArray[Any], masks: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Actions (N,) for a batch of games: observations (N, K) int8 or int16, masks (N, A) int8."""


def secret_seed(*key: object) -> int:
    """A seed for an agent, below 2**32, far from the seeds in its ``key``, which may deal cards.

    It is a hash (SHA-256): only who tries many seeds can find those in the key.
    """
    return int.from_bytes(sha256(" ".join(map(str, key)).encode()).digest()[:4])


FAILURES = ("crash", "timeout", "illegal")
"""How an agent may fail: it raises or ends, is late, or answers what is no legal action."""


class AgentError(RuntimeError):
    """An agent cannot go on, for a reason that its user can do something about; the message says why.

    ``kind`` is one of `FAILURES`.
    """

    def __init__(self, message: str, kind: str = "crash") -> None:
        super().__init__(message)
        self.kind = kind


def failure_of(error: Exception) -> str:
    """Which of the `FAILURES` an error of an agent is."""
    if isinstance(error, AgentError):
        return error.kind
    if isinstance(error, IllegalActionError):
        return "illegal"
    return "timeout" if isinstance(error, TimeoutError) else "crash"


def asked(agent: Agent, env: TableEnv) -> Callable[[], int]:
    """A function that returns the agent's action for the player to act, in the position of this moment.

    It may take long and can run in a thread. What the player has heard is told to an agent that can ``hear``, and what
    it recalls to one that ``recalls``.
    """
    player = env.agent_selection
    observation, hear = shown_to([agent], env, player), getattr(agent, "hear", None)
    if hear is None:
        return lambda: int(agent.act(observation))
    events = env.events(player)

    def ask() -> int:
        hear(events)
        return int(agent.act(observation))

    return ask


def warm_up(agents: Iterable[Agent], env: TableEnv) -> None:
    """Compile in advance what the agents need to play at a table, without a change to them or to it."""
    if PLAIN:
        return
    observation = env.observe(env.agent_selection)
    for agent in agents:
        if isinstance(agent, CompiledAgent):
            copy.deepcopy(agent).act(observation)
    copy.deepcopy(env).step(int(observation["action_mask"].argmax()))


class CompiledAgent:
    """A compiled policy with its parameters; batches call it without returning to Python.

    Args:
        name: name in tables and results.
        game: name of the game it plays.
        policy: the compiled function, see `blackjacky_env.compiled.policies`.
        parameters: parameters of the policy, copied as float32.
        origin: an importable function and its arguments by which another process gets the policy; needed only for a
            policy that functions make, and that therefore cannot be imported.

    Raises `TypeError` or `ValueError` for parameters that are no finite numbers, or that the policy does not take.
    """

    def __init__(
        self,
        name: str,
        game: str,
        policy: Policy,
        parameters: npt.NDArray[np.float32] = _NO_PARAMETERS,
        origin: Origin | None = None,
    ) -> None:
        self.name = name
        self.game = game
        self.policy, self.origin = policy, origin
        self.parameters = parameters
        self.parameters = checked_parameters(self, get_game(game))
        self.reset()

    def reset(self, seed: int | None = None) -> None:
        """Reseed the agent; the same seed gives the same choices (None: a seed from the operating system)."""
        bits = np.random.default_rng(seed).integers(2**64, dtype=np.uint64)
        self._key, self._decisions = bits, 0

    def act(self, observation: dict[str, npt.NDArray[Any]]) -> int:
        """A legal action; `ValueError` if nothing is legal (off turn or game over)."""
        vector, mask = observation["observation"], observation["action_mask"]
        return int(self.act_batch(vector[None], mask[None])[0])

    def act_batch(self, observations: npt.NDArray[Any], masks: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Actions (N,) int64 for observations (N, K) and masks (N, A), integers as the environment returns them.

        Other integer dtypes, and float32 that holds integers, are converted to the game's. Raises `ValueError` for
        wrong shapes, for other numbers (such as scaled observations), for entries out of the ranges that the layout
        declares or that contradict each other, for a mask without a legal action, and for a policy that finds none.
        """
        observations, masks = check_asked(self.name, self.game, observations, masks)
        actions, observations = np.empty(len(masks), np.int64), observations.copy()  # the policy may overwrite them
        game = get_game(self.game)
        check_own(self, self.parameters, game)
        address = address_of(self.policy, game)
        wrong = _act_batch(observations, masks, self._key, self._decisions, address, self.parameters, actions)
        if wrong != NONE:
            raise ValueError(
                f"{self.name} chose {actions[wrong]}, which mask {wrong} does not allow: observation and mask "
                "contradict each other, or its policy is wrong"
            )
        self._decisions += len(masks)
        return actions

    def __getstate__(self) -> dict[str, Any]:
        """State for pickle, with where the policy is found instead of itself.

        Raises `pickle.PicklingError` for a policy that another process could not import.
        """
        return {**vars(self), "policy": _origin_of(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        find, arguments = state["policy"]
        vars(self).update(own_arrays(state), policy=find(*arguments))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A copy that shares the policy, which is immutable."""
        twin = type(self).__new__(type(self))
        for name, value in vars(self).items():
            setattr(twin, name, value if name == "policy" else copy.deepcopy(value, memo))
        return twin


def _import(module: str, name: str) -> Policy:
    return attrgetter(name)(importlib.import_module(module))  # type: ignore[no-any-return]


def _origin_of(agent: CompiledAgent) -> Origin:
    """Where another process finds the policy of an agent."""
    if agent.origin is not None:
        return agent.origin
    function = getattr(agent.policy, "py_func", agent.policy)
    module, name = function.__module__, function.__qualname__
    if module != "__main__" or hasattr(sys.modules["__main__"], "__file__"):  # not defined in a notebook or console
        with contextlib.suppress(ImportError, AttributeError):
            if _import(module, name) is agent.policy:
                return _import, (module, name)
    raise pickle.PicklingError(
        f"the policy of the agent {agent.name!r}, {module}.{name}, cannot be sent to other processes; define it at the "
        "top level of a module that they can import"
    )


def one_by_one(
    act: Callable[[dict[str, npt.NDArray[Any]]], int],
    observations: npt.NDArray[Any],
    masks: npt.NDArray[Any],
    *recalled: npt.NDArray[np.uint64],
) -> npt.NDArray[np.int64]:
    """Actions (N,) of an agent that is asked for them one by one; ``recalled``: what it recalls, (N, 2), if it does."""
    names = ("observation", "action_mask", "information_key")[: 2 + len(recalled)]
    rows = zip(observations, masks, *recalled, strict=True)
    return np.array([act(dict(zip(names, row, strict=True))) for row in rows], np.int64)


def recalls(agent: object) -> bool:
    """Whether an agent is given what it recalls, as its attribute ``recalls`` says."""
    return bool(getattr(agent, "recalls", False))


def shown_to(agents: Iterable[object], env: TableEnv, seat: str) -> dict[str, npt.NDArray[Any]]:
    """What a seat observes, with what it recalls if one of the ``agents``, who are shown it, recalls."""
    shown: dict[str, npt.NDArray[Any]] = env.observe(seat)
    return {**shown, "information_key": env.information_key(seat)} if any(map(recalls, agents)) else shown


def check_plays(agent: object, name: str, game: str) -> None:
    """Raise `ValueError` if an agent says that it plays another game."""
    if plays := other_game(agent, game):
        raise ValueError(f"agent {name!r} plays {plays}, not {game}")


def check_asked(
    name: str, game: str, observations: npt.NDArray[Any], masks: npt.NDArray[Any]
) -> tuple[Vector, npt.NDArray[np.int8]]:
    """Observations and masks as C-contiguous arrays of the game's dtypes; `ValueError` as `CompiledAgent.act_batch`."""
    declared = get_game(game)
    dtype = declared.layout.dtype
    observations, masks = np.asarray(observations), np.asarray(masks)
    if masks.ndim != 2:
        raise ValueError(f"action masks must be integers of shape (N, {declared.num_actions}), not {masks.shape}")
    observations = _integers("observations", _whole(observations, dtype), (len(masks), declared.layout.size), dtype)
    masks = _integers("action masks", masks, (len(masks), declared.num_actions), np.dtype(np.int8))
    wrong = make_find_invalid(declared)(observations, masks)
    if wrong == NONE:
        return observations, masks
    if not masks[wrong].any():
        raise ValueError(f"{name} was asked to act where no action is legal: it is not this player's turn")
    if masks[wrong].min() < 0 or masks[wrong].max() > 1:
        raise ValueError(f"action mask {wrong} has other entries than 0 and 1")
    declared.layout.checked(observations[wrong])
    raise AssertionError("unreachable: one of the checks above has raised")


def _whole(observations: npt.NDArray[Any], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """float32 observations as the integers that they hold; all others, including scaled ones, unchanged."""
    if observations.dtype != np.float32:
        return observations
    with np.errstate(invalid="ignore"):
        integers = observations.astype(dtype)
    return integers if np.array_equal(integers, observations) else observations


def _integers(what: str, array: npt.NDArray[Any], shape: tuple[int, int], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """``array`` as a contiguous array of ``dtype``; `ValueError` for a wrong shape, which compiled code would miss."""
    if array.shape != shape or array.dtype.kind not in "biu":
        raise ValueError(f"{what} must be integers of shape {shape}, not {array.dtype} of shape {array.shape}")
    given, array = array, np.ascontiguousarray(array, dtype)
    if given.dtype != dtype and not np.array_equal(given, array):
        raise ValueError(f"{what} have entries that do not fit into {dtype}")
    return array if array.flags.writeable else array.copy()  # Numba would compile again for read-only arrays


def _ask_for_each(observations, masks, key, decisions, address, parameters, actions):
    """Fill ``actions``; returns the last row for which the policy returned no legal action, or `NONE`."""
    wrong = NONE
    for i in range(len(actions)):
        actions[i] = ask(address, observations[i], masks[i], stream(key, FOR_DECISIONS, decisions + i, 0), parameters)
        if checked(actions[i], masks[i]) == STUCK:
            wrong = i
    return wrong


_act_batch = entry(_ask_for_each)
