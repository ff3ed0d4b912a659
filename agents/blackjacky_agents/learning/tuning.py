"""Declarations of what can be tuned in a game: parameters of its bots and of its value function for search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class TuningTable:
    """A table at which candidate parameters of a bot are evaluated."""

    num_players: int
    opponent: str | Literal["best"]
    """Bot that takes all other seats; "best": the tuned bot itself with the best parameters so far."""
    weight: float
    """Weight of this table's win rate (as a multiple of par) in the objective, and its fraction of the games."""


LOW_TABLES = (
    TuningTable(4, "best", 0.5),
    TuningTable(4, "low", 0.2),
    TuningTable(3, "best", 0.15),
    TuningTable(6, "best", 0.15),
)
"""Tables of the usual sizes, for games with a bot ``low``."""


@dataclass(frozen=True)
class BotTuning:
    """A random search over the parameters of a bot."""

    tables: tuple[TuningTable, ...]
    integers: tuple[int, ...] = ()
    """Indices of integer parameters."""
    probabilities: tuple[int, ...] = ()
    """Indices of parameters in 0 .. 1."""


@dataclass(frozen=True)
class ValueFit:
    """A fit of the value of positions between rounds to the outcomes of games."""

    round_part: str
    """The observation part that changes from round to round."""
    read: Callable[[dict[str, Any], int], list[int]]
    """(observation as decoded by `Layout.decode`, its seat) -> the standing of all players."""
    fit: Callable[[Integers, Floats], str]
    """(standings (E, ..), shares of the win by seat and of nobody (E, P + 1)) -> the fitted tables as text."""


@dataclass(frozen=True)
class Tuning:
    """Everything that can be tuned for one game."""

    bots: Mapping[str, BotTuning] = field(default_factory=dict)
    """By the bot's name."""
    value: ValueFit | None = None
