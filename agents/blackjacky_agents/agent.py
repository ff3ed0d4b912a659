"""The protocol of agents, and agents that are compiled policies."""

from __future__ import annotations

import contextlib
import copy
import importlib
import pickle
import sys
from operator import attrgetter
from typing import Any, Literal, NamedTuple, Protocol, Self

import numpy as np
import numpy.typing as npt

from blackjacky_env.engine.backend_cpu import address_of, ask
from blackjacky_env.engine.compiling import entry
from blackjacky_env.engine.layout import Vector
from blackjacky_env.engine.policies import Policy
from blackjacky_env.engine.purposes import FOR_DECISIONS
from blackjacky_env.engine.random import stream
from blackjacky_env.games import get_game

_NO_PARAMETERS = np.zeros(0, np.float32)


class Agent(Protocol):
    """Anything that chooses actions from observations alone.

    It may have a method ``explain(observation) -> Thoughts | None`` as well: what it thinks of its moves, for those who
    watch (`blackjacky_agents.thoughts`).
    """

    name: str

    def reset(self, seed: int | None = None) -> None:
        """Start over; the same seed makes the same choices (None: a seed from the system)."""

    def act(self, observation: dict[str, npt.NDArray[Any]]) -> int:
        """A legal action for ``observation`` (vector) and ``action_mask``, both as the environment gives them."""

    def act_batch(self, observations: npt.NDArray[Any], masks: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Actions (N,) for many games at once: observations (N, K) int8 or int16, masks (N, A) int8."""


class CompiledAgent:
    """An agent that is a compiled policy with its parameters; it can also play inside batches.

    Args:
        name: how tables call it.
        game: the game that it plays.
        policy: the compiled function, see `blackjacky_env.engine.policies`.
        parameters: float32 numbers for the policy.
    """

    def __init__(
        self, name: str, game: str, policy: Policy, parameters: npt.NDArray[np.float32] = _NO_PARAMETERS
    ) -> None:
        self.name = name
        self.game = game
        self.policy = policy
        self.parameters = np.ascontiguousarray(parameters, np.float32)
        self.reset()

    def reset(self, seed: int | None = None) -> None:
        """Start over; the same seed makes the same choices (None: a seed from the system)."""
        bits = np.random.default_rng(seed).integers(2**64, dtype=np.uint64)
        self._key, self._decisions = bits, 0

    def act(self, observation: dict[str, npt.NDArray[Any]]) -> int:
        """A legal action; `ValueError` if nothing is legal (off turn or game over)."""
        vector, mask = observation["observation"], observation["action_mask"]
        return int(self.act_batch(vector[None], mask[None])[0])

    def act_batch(self, observations: npt.NDArray[Any], masks: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Actions (N,) int64 for observations (N, K) and masks (N, A), integers as the environment gives them.

        Integers of other dtypes will do if what they hold fits into the game's.

        `ValueError` if they have other shapes, are no integers (scaled observations), or if a mask allows nothing.
        """
        observations, masks = check_asked(self.name, self.game, observations, masks)
        actions = np.empty(len(masks), np.int64)
        address = address_of(self.policy, get_game(self.game))
        _act_batch(observations, masks, self._key, self._decisions, address, self.parameters, actions)
        self._decisions += len(masks)
        return actions

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: all but the policy, which is named by where it comes from, as functions are.

        Raises `pickle.PicklingError` for a policy that no other process can find.
        """
        return {**vars(self), "policy": _origin_of(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, policy=_find_policy(state["policy"]))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A copy with the same policy, which nobody can change."""
        twin = type(self).__new__(type(self))
        for name, value in vars(self).items():
            setattr(twin, name, value if name == "policy" else copy.deepcopy(value, memo))
        return twin


class _Origin(NamedTuple):
    """Where another process finds a policy: by itself, behind an encoding, or as that of an agent known by name."""

    kind: Literal["function", "network", "agent"]
    place: str
    """Module, or game."""
    name: str
    """Of the function, the encoding or the agent."""


def _origin_of(agent: CompiledAgent) -> _Origin:
    function = getattr(agent.policy, "py_func", agent.policy)
    by_itself = [_Origin("function", function.__module__, function.__qualname__)]
    if function.__module__ == "__main__" and not hasattr(sys.modules["__main__"], "__file__"):
        by_itself = []  # typed into a notebook or console, which other processes do not see
    origins = (
        *by_itself,
        *(_Origin("network", agent.game, encoding) for encoding in _encodings(agent.game)),
        _Origin("agent", agent.game, agent.name),
    )
    for origin in origins:
        with contextlib.suppress(ImportError, AttributeError, ValueError):
            if _find_policy(origin) is agent.policy:
                return origin
    raise pickle.PicklingError(
        f"the policy of the agent {agent.name!r}, {function.__module__}.{function.__qualname__}, cannot be sent to "
        "other processes; define it at the top level of a module that they can import"
    )


def _find_policy(origin: _Origin) -> Policy:
    from blackjacky_agents.learning.encoding import find_encoding
    from blackjacky_agents.learning.network import network_policy
    from blackjacky_agents.registry import make_agent

    kind, place, name = origin
    if kind == "function":
        return attrgetter(name)(importlib.import_module(place))  # type: ignore[no-any-return]
    if kind == "network":
        return network_policy(find_encoding(name, place))
    return make_agent(name, place).policy  # type: ignore[attr-defined,no-any-return]  # AttributeError: none of ours


def _encodings(game: str) -> tuple[str, ...]:
    from blackjacky_agents.learning.encoding import encodings_of

    return tuple(encodings_of(game))


def check_asked(
    name: str, game: str, observations: npt.NDArray[Any], masks: npt.NDArray[Any]
) -> tuple[Vector, npt.NDArray[np.int8]]:
    """What an agent called ``name`` is asked, as `CompiledAgent.act_batch`, or its `ValueError`."""
    declared = get_game(game)
    observations = _integers("observations", observations, (len(masks), declared.layout.size), declared.layout.dtype)
    masks = _integers("action masks", masks, (len(masks), declared.num_actions), np.dtype(np.int8))
    if not masks.any(axis=1).all():
        raise ValueError(f"{name} was asked to act where no action is legal: it is not this player's turn")
    return observations, masks


def _integers(what: str, array: npt.NDArray[Any], shape: tuple[int, int], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """The array as compiled code reads it, which checks no bounds."""
    if array.shape != shape or array.dtype.kind not in "biu":
        raise ValueError(f"{what} must be integers of shape {shape}, not {array.dtype} of shape {array.shape}")
    array = np.ascontiguousarray(array, dtype)
    return array if array.flags.writeable else array.copy()  # Numba would compile anew for read-only arrays


def _ask_for_each(observations, masks, key, decisions, address, parameters, actions):
    for i in range(len(actions)):
        actions[i] = ask(address, observations[i], masks[i], stream(key, FOR_DECISIONS, decisions + i, 0), parameters)


_act_batch = entry(_ask_for_each)
