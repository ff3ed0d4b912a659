"""The tree of a table in sequence form: for each seat its information states and sequences, and the terminal nodes.

A seat's *sequence* is its last action with the information state in which it was taken, and so, with perfect recall,
everything that it has done. The value of a strategy depends only on the terminal nodes, each given by the last sequence
of every seat (Koller, Megiddo and von Stengel 1996), so decisions of others and chance need not be stored. Terminal
nodes with the same sequences are merged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.solving import walk as walks
from blackjacky_agents.solving.chance import FINE, HIDDEN_CHANCE, STUCK_RESHUFFLE, Desk, new_desk, told_by_key
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_env.compiled import zeros
from blackjacky_env.play import game_functions, make_deck

_NODES = 200_000  # between two reports of progress: about a third of a second
MOST_ORDERS = 4_000_000  # of the cards that a deal decides
_SORTING = 2.5  # more memory for sorting ends, as a multiple of their own
_KEPT = 1.5  # the same for ends as the seats keep them
BYTES_OF_SEQUENCE = 128  # in the tree, a solver and an evaluation, with its part of an information state
_REASONS = {
    HIDDEN_CHANCE: "something beside the deck and declared reshuffles or draws is drawn from the key, so that chance "
    "has no list of outcomes; allowed are games whose `deck`, `pile` and `reshuffle`, or `draws`, are all their chance",
    STUCK_RESHUFFLE: "cards are reshuffled while others lie in the pile, or without a declared `pile`, so that chance "
    "has no list of outcomes; try rule options with fewer turns",
    walks.OTHER_ACTIONS: "the legal actions of a seat do not follow from what it has seen and heard",
    walks.NO_RECALL: "a seat cannot recall what it has done",
}


class MemoryNeededError(ValueError):
    """The tree is larger than the memory allowed for it."""


class SeatTree(NamedTuple):
    """What one seat can do: I information states in the order of its own decisions before them, S sequences.

    Sequence 0 is the empty one. Arrays for compiled code.
    """

    first: npt.NDArray[np.int32]
    """State i has the sequences ``first[i]`` .. ``first[i + 1] - 1``, (I + 1,)."""
    after: npt.NDArray[np.int32]
    """After sequence s come the states ``after[s]`` .. ``after[s + 1] - 1``, (S + 1,)."""
    levels: npt.NDArray[np.int64]
    """States with k own decisions before them are ``levels[k]`` .. ``levels[k + 1] - 1``, (K + 1,)."""
    rows: npt.NDArray[np.int64]
    """Ends after sequence s, by this seat's last sequence, are ``rows[s]`` .. ``rows[s + 1] - 1``, (S + 1,)."""
    others: npt.NDArray[np.int32]
    """The last sequences of the other seats, clockwise from the next, (E, P - 1)."""
    payoffs: npt.NDArray[np.float64]
    """This seat's result times the probability that chance leads there, (E,)."""


class SeatStates(NamedTuple):
    """Which information states a seat has, in the order of `SeatTree`."""

    keys: npt.NDArray[np.uint64]
    """`blackjacky_env.play.recall` identifies them, (I, 2)."""
    met: npt.NDArray[np.int64]
    """Their numbers in the order in which a walk meets the states of all seats, (I,)."""
    actions: npt.NDArray[np.int16]
    """The action of each sequence, (S,); -1 for the empty one."""


@dataclass(frozen=True)
class GameTree:
    """Everything that can happen at a table."""

    table: SmallTable
    seats: tuple[SeatTree, ...]
    states: tuple[SeatStates, ...]
    num_nodes: int
    """Decisions and ends, as all seats together can tell them apart."""
    num_ends: int
    """Those of different sequences."""

    @property
    def num_states(self) -> int:
        """Information states of all seats."""
        return sum(len(each.met) for each in self.states)

    @property
    def nbytes(self) -> int:
        """Memory of all arrays."""
        return walks.bytes_of((self.seats, self.states))


Progress = Callable[[int], object]
"""Called with the number of nodes passed."""


def walk_through(
    table: SmallTable, memory: float, look: Callable[[walks.Walk], object], shows: bool = False
) -> walks.Walk:
    """Walk through a table's tree within ``memory`` bytes, and return all that was met.

    ``look`` is called now and then, and at the end; with ``shows``, `Walk.shown` then has what the information states
    met since the last call show. Raises `ValueError` for a table that cannot be
    enumerated, `MemoryNeededError` for one that is too large.
    """
    check_orders(table)
    game, walk_on = table.game, walks.walking(table.game)
    walk, desk = walks.new_walk(game, table.num_players, shows), new_desk(game, table.num_players, table.options)
    blank = zeros(1, game.state_dtype)
    blank[:] = game.new_state(table.num_players, table.variant, table.options)
    while (status := walks.opening(game)(desk, blank, walk)) != FINE:
        walk = _with_room(table, desk, walk, status)
    stop = _NODES
    while status != walks.DONE:
        status = walk_on(desk, walk, stop)
        if status in (walks.PAUSED, walks.DONE):
            stop += _NODES
            look(walk)
            walk.counts[walks.NUM_SHOWN] = 0
        else:
            walk = _with_room(table, desk, walk, status)
        check_memory(walk, memory)
    return walk


def _with_room(table: SmallTable, desk: Desk, walk: walks.Walk, status: int) -> walks.Walk:
    """The walk with more places for what is full; `ValueError` if it has stopped for another reason."""
    if status in _REASONS:
        why = _REASONS[status] + (f"; {told_by_key(desk)}" if status == HIDDEN_CHANCE else "")
        raise ValueError(f"{table.game.title} cannot be enumerated at this table: {why}")
    return walks.widened(walk, status)


def check_memory(walk: walks.Walk, memory: float, beside: int = 0) -> None:
    """`MemoryNeededError` if a walk, and what is kept ``beside`` it, or solving what it met takes more bytes."""
    ends = int(walk.counts[walks.NUM_ENDS]) * walks.bytes_of(walk.ends) // len(walk.ends.payoffs)
    building = walks.bytes_of(walk) + beside + _SORTING * ends
    solving = _KEPT * ends + BYTES_OF_SEQUENCE * int(walk.counts[walks.NUM_SEQUENCES])
    if (used := max(building, solving)) > memory:
        nodes = int(walk.counts[walks.NUM_NODES])
        raise MemoryNeededError(
            f"the tree does not fit into {_gigabytes(memory)}: {nodes:,} nodes of it take {_gigabytes(used)}; "
            "allow more memory, choose rule options with fewer cards or turns, or sample the tree"
        )


def _gigabytes(size: float) -> str:
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.0f} MiB"


def check_orders(table: SmallTable) -> None:
    """Refuse a table whose deals are too many, with a `ValueError`."""
    game, functions = table.game, game_functions(table.game)
    dealt = make_deck(game, table.num_players, table.options)
    length = len(dealt.laid)
    if game.pile is not None:  # what lies in it is decided when it is drawn
        states = zeros(2, game.state_dtype)
        states[:1] = game.new_state(table.num_players, table.variant, table.options)
        functions.begin(states, functions.game_key(0), 0)
        functions.redeal["deck"](states, dealt.laid)
        length -= int(states[game.pile.count][0])
    count, told = dealt.ways(length)
    if count > MOST_ORDERS:
        piled = "" if game.pile or game.draws else ", declare `Game.pile` if most cards lie in one until they are drawn"
        raise ValueError(
            f"in a deal of {game.title}, {told} at this table; allowed are {MOST_ORDERS:,}: choose rule options with "
            f"fewer of them{piled}, or sample the tree"
        )


def build_tree(table: SmallTable, memory: float = 4 * 2**30, progress: Progress = lambda nodes: None) -> GameTree:
    """The tree of a table in sequence form.

    Args:
        table: the table; seat 0 starts.
        memory: the most bytes that building it, and then solving it, may take.
        progress: called with the number of nodes.

    Raises:
        ValueError: chance cannot be enumerated at this table.
        MemoryNeededError: the tree does not fit.
    """
    return tree_of(table, walk_through(table, memory, lambda walk: progress(int(walk.counts[walks.NUM_NODES]))))


def tree_of(table: SmallTable, walk: walks.Walk) -> GameTree:
    """The tree of a table from a walk that has kept the ends; `ValueError` if results do not sum to 0."""
    nodes, count = (int(walk.counts[each]) for each in (walks.NUM_NODES, walks.NUM_ENDS))
    numbered = [number_states(walk, seat) for seat in range(table.num_players)]
    if abs(walk.ends.payoffs[:count].sum(axis=1)).max(initial=0) > 1e-9:
        raise ValueError(f"the results of {table.game.title} do not sum to 0, so that they cannot be solved for")
    new_numbers = np.zeros(int(walk.counts[walks.NUM_SEQUENCES]), np.int32)
    for each in numbered:
        new_numbers[each.old] = np.arange(1, len(each.old) + 1)
    ends = _merged(new_numbers[walk.ends.sequences[:count]], walk.ends.payoffs[:count])
    seats = tuple(_seat_tree(each, seat, ends) for seat, each in enumerate(numbered))
    return GameTree(table, seats, tuple(each.states for each in numbered), nodes, len(ends.payoffs))


class _Numbered(NamedTuple):
    """A seat's information states in order."""

    states: SeatStates
    first: npt.NDArray[np.int32]
    after: npt.NDArray[np.int32]
    levels: npt.NDArray[np.int64]
    old: npt.NDArray[np.int64]
    """The number that the walk gave each sequence but the empty one."""


def number_states(walk: walks.Walk, seat: int) -> _Numbered:
    """Order a seat's information states by their own decisions before, those after one sequence together."""
    states, count = walk.states, int(walk.counts[walks.NUM_STATES])
    left = np.flatnonzero(states.seats[:count] == seat)
    number = np.full(int(states.first[count]), -1, np.int64)  # of sequences met so far
    number[seat], total = 0, 1
    order, levels, old = [np.zeros(0, np.int64)], [0], [np.zeros(0, np.int64)]
    while len(left):
        parents = number[states.parents[left]]
        level = left[parents >= 0]
        level = level[np.argsort(number[states.parents[level]], kind="stable")]
        sizes = states.first[level + 1] - states.first[level]
        sequences = spans(states.first[level], sizes)
        number[sequences] = np.arange(total, total + len(sequences))
        total += len(sequences)
        order.append(level)
        old.append(sequences)
        levels.append(levels[-1] + len(level))
        left = left[parents < 0]
    met, sequences = np.concatenate(order), np.concatenate(old)
    first = np.cumsum([1, *(states.first[met + 1] - states.first[met])]).astype(np.int32)
    parents = number[states.parents[met]]
    after = np.searchsorted(parents, np.arange(total + 1)).astype(np.int32)
    actions = np.concatenate([[-1], states.actions[sequences]]).astype(np.int16)
    return _Numbered(SeatStates(states.keys[met], met, actions), first, after, np.array(levels), sequences)


def spans(starts: npt.NDArray[Any], sizes: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The numbers starts[0] .. starts[0] + sizes[0] - 1, then those of the next start, and so on."""
    ends = np.cumsum(sizes)
    numbers: npt.NDArray[np.int64] = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + sizes, sizes)
    return numbers


def _merged(sequences: npt.NDArray[np.int32], payoffs: npt.NDArray[np.float64]) -> walks.Ends:
    """Ends in the order of their sequences, those of the same sequences added up."""
    order = np.lexsort(sequences.T[::-1])
    sequences, payoffs = sequences[order], payoffs[order]
    starts = np.flatnonzero(np.append(True, (sequences[1:] != sequences[:-1]).any(axis=1)))
    return walks.Ends(sequences[starts], np.add.reduceat(payoffs, starts, axis=0))


def _seat_tree(each: _Numbered, seat: int, ends: walks.Ends) -> SeatTree:
    """The tree of one seat, with the ends ordered by its own sequences."""
    sequences, payoffs = ends
    order = np.argsort(sequences[:, seat], kind="stable")
    players = sequences.shape[1]
    others = sequences[np.ix_(order, [(seat + k) % players for k in range(1, players)])]
    rows = np.searchsorted(sequences[order, seat], np.arange(len(each.states.actions) + 1)).astype(np.int64)
    return SeatTree(each.first, each.after, each.levels, rows, others, payoffs[order, seat])
