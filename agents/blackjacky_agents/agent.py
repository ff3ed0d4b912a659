"""The protocol of agents, and agents that are compiled policies."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from blackjacky_env.engine.compiling import entry
from blackjacky_env.engine.layout import Vector
from blackjacky_env.engine.policies import Policy, address_of, ask
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

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled without the policy, which `make_agent` finds again by the name; deepcopy does the same."""
        from blackjacky_agents import make_agent

        return make_agent, (self.name, self.game), (self.parameters, self._key, self._decisions)

    def __setstate__(self, state: tuple[npt.NDArray[np.float32], np.uint64, int]) -> None:
        self.parameters, self._key, self._decisions = state


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
        actions[i] = ask(address, observations[i], masks[i], stream(key, 0, decisions + i, 0), parameters)


_act_batch = entry(_ask_for_each)
