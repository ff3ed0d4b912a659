"""What a game declares so that the parameters of its bots, and of its value for search, can be tuned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Numbers = tuple[int, ...]


@dataclass(frozen=True)
class TuningTable:
    """A table at which a bot has to be good."""

    num_players: int
    opponent: str | Literal["best"]
    """A bot, whose copies take all other seats; "best": the bot itself with the best parameters so far."""
    weight: float
    """Weight of this table in comparisons (of win rates as multiples of par), and its fraction of the games."""


@dataclass(frozen=True)
class BotTuning:
    """How random changes of a bot's parameters are made and compared."""

    tables: tuple[TuningTable, ...]
    integers: tuple[int, ...] = ()
    """Indices of the parameters that are whole numbers."""
    probabilities: tuple[int, ...] = ()
    """Indices of the parameters that are 0 .. 1."""


@dataclass(frozen=True)
class BotSweep:
    """Whole-numbered parameters of a bot of which those are sought that are a best response to themselves."""

    num_players: int
    grid: tuple[Numbers, ...]
    """The first candidates."""
    refine: Callable[[Numbers], Sequence[Numbers]]
    """Candidates near one of them, compared in a second stage."""


@dataclass(frozen=True)
class ValueFit:
    """How the value of a position between rounds is fitted to who won."""

    round_part: str
    """The part of the observation that tells rounds apart."""
    read: Callable[[dict[str, Any], int], list[int]]
    """(observation as `Layout.decode` gives it, the seat that sees it) -> how everybody stands."""
    fit: Callable[[Integers, Floats], str]
    """(standings (E, ..), shares of the win by seat and of nobody (E, P + 1)) -> the fitted tables in print."""


@dataclass(frozen=True)
class Tuning:
    """Everything that can be tuned in one game."""

    bots: Mapping[str, BotTuning] = field(default_factory=dict)
    """By the bot's name."""
    sweeps: Mapping[str, BotSweep] = field(default_factory=dict)
    """By the bot's name."""
    value: ValueFit | None = None
