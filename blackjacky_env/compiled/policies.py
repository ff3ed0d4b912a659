"""The interface of compiled policies.

A policy is a compiled function ``(observation int8 or int16 (K,), mask int8 (A,), random_state uint64, parameters
float32 (L,)) -> action``. The observation holds all that the player may know, in the game's `Layout.dtype`; parameters
(thresholds of a heuristic, weights of a network) can change without recompiling. Random number i of a decision is
``random.draw(random_state, i)``. In games that compiled policies play, the only legal action is taken without asking.

On a GPU a policy gets its arrays from `compiling.scratch`. A policy that works there with some parameters only has an
attribute ``check_gpu``: a Python function (parameters) that raises `ValueError` for all others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

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


CompiledPolicy = tuple[Policy, npt.NDArray[np.float32]]
"""A compiled agent: its policy and its parameters."""
