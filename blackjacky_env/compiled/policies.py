"""The interface of compiled policies.

A policy is a compiled function ``(observation int8 or int16 (K,), mask int8 (A,), random_state uint64, parameters
float32 (L,)) -> action``. The observation holds all that the player may know, in the game's `Layout.dtype`; parameters
(thresholds of a heuristic, weights of a network) can change without recompiling. Random number i of a decision is
``random.draw(random_state, i)``. In games that compiled policies play, the only legal action is taken without asking.
The policy may overwrite observation and mask, which are its own; the parameters belong to the agent.

A policy reads as many parameters as it likes, and nothing would stop it at their end. So one that needs some has an
attribute ``check_parameters``: a Python function (parameters, game) that raises `ValueError` for what it cannot play
with, such as `takes(6)`. On a GPU a policy gets its arrays from `compiling.scratch`; one that works there with some
parameters only has such an attribute ``check_gpu``, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from blackjacky_env.declare.game import Game

Policy = Callable[..., int]


class PythonPolicy(NamedTuple):
    """The decisions of an agent that is not compiled."""

    name: str
    act_batch: Callable[..., npt.NDArray[np.int64]]
    """(observations (M, K), masks (M, A)) -> actions (M,)."""
    hear: Callable[[int, npt.NDArray[np.int16]], object] | None = None
    """(index of a game, its actions so far): called before ``act_batch``, which is then asked for that game alone.
    None: it is asked for many games at once."""
    recalls: bool = False
    """Whether ``act_batch`` takes a third argument: what the players recall, `recall.Keys` (M, 2)."""


@runtime_checkable
class CompiledOpponent(Protocol):
    """An agent that can play inside a batch: a policy and its parameters; it may have a ``name``."""

    policy: Policy
    parameters: npt.NDArray[np.float32]


def name_of(agent: object) -> str:
    """The name of an agent, or that of its policy."""
    policy = getattr(agent, "policy", agent)
    return str(getattr(agent, "name", None) or getattr(policy, "__qualname__", policy))


def takes(number: int) -> Callable[[npt.NDArray[np.float32], Game], None]:
    """``check_parameters`` of a policy with so many parameters."""

    def check(parameters: npt.NDArray[np.float32], game: Game) -> None:
        if len(parameters) != number:
            raise ValueError(f"it has {len(parameters)} parameters; its policy takes {number}")

    return check


def checked_parameters(agent: CompiledOpponent, game: Game) -> npt.NDArray[np.float32]:
    """A copy of an agent's parameters, float32 (L,), with which compiled code may be called.

    Raises `TypeError` or `ValueError`, with the agent's name, unless they are finite numbers that its policy takes.
    """
    given = np.asarray(agent.parameters)
    if given.ndim != 1 or given.dtype.kind not in "biuf":
        found = f"{given.dtype} of shape {given.shape}"
        raise TypeError(f"agent {name_of(agent)!r}: its parameters are {found}; allowed is a vector of numbers")
    with np.errstate(over="ignore"):  # infinity is refused
        parameters = given.astype(np.float32)
    if not np.isfinite(parameters).all():
        wrong = int(np.argmin(np.isfinite(parameters)))
        raise ValueError(f"agent {name_of(agent)!r}: parameter {wrong} is {given[wrong]}; allowed are finite numbers")
    check_own(agent, parameters, game)
    return parameters


def check_own(agent: CompiledOpponent, parameters: npt.NDArray[np.float32], game: Game) -> None:
    """Raise `ValueError`, with the agent's name, unless its policy takes these parameters."""
    check: Any = getattr(agent.policy, "check_parameters", None)
    try:
        if check is not None:
            check(parameters, game)
    except ValueError as error:
        raise ValueError(f"agent {name_of(agent)!r}: {error}") from None
