"""What a game's examples are: games and tables for proofs and documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Position:
    """A position reached by random moves."""

    seed: int
    """Seed of the game and of the random moves."""
    moves: int


class Rare(NamedTuple):
    """How to reach a phase that random games hardly ever reach."""

    options: Mapping[str, Any]
    """Constructor options, ``num_players`` among them."""
    reset: Mapping[str, Any]
    """Options of `reset`, which rig the deal; the phase is reached when player_0 acts."""
    prefers: Sequence[str]
    """Names of actions: everybody takes the first legal one of these, else the first legal action."""


@dataclass(frozen=True)
class Examples:
    """Games and tables of a game; every field has a default that works with any game."""

    seeds: Mapping[tuple[str, int], int] = field(default_factory=dict)
    """By (variant, table size): seed of an eventful game of random moves, for the playthroughs; 0 if not given."""
    short: Mapping[str, Any] = field(default_factory=dict)
    """Rule options that keep playthroughs short."""
    tables: Sequence[Mapping[str, Any]] = ()
    """Constructor options of further tables to check, besides those of every variant and table size."""
    rare: Mapping[str, Rare] = field(default_factory=dict)
    """Phases that random games hardly ever reach, by name."""
    counted: Mapping[str, Callable[[dict[str, Any]], bool]] = field(default_factory=dict)
    """By name: predicates on a spectator's view, for situations that a proof should meet; the report counts them."""
    picture: Position = Position(seed=0, moves=20)
    """The position drawn in the game's table.svg, at the default table."""
