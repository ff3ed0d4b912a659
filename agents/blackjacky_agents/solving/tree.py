"""The tree of a table in sequence form: for each seat its information states and sequences, and the terminal nodes.

A seat's *sequence* is its last action with the information state in which it was taken, and so, with perfect recall,
everything that it has done. The value of a strategy depends only on the terminal nodes, each given by the last sequence
of every seat (Koller, Megiddo and von Stengel 1996), so decisions of others and chance need not be stored. Terminal
nodes with the same sequences are merged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.solving import walk as walks
from blackjacky_agents.solving.chance import FINE, HIDDEN_CHANCE, STUCK_RESHUFFLE, new_desk
from blackjacky_agents.solving.table import Table
from blackjacky_env.compiled import zeros
from blackjacky_env.play import count_orders, game_functions

_NODES = 200_000  # between two reports of progress: about a third of a second
SHOWN = 4096  # information states whose observations are handed out together
MOST_ORDERS = 4_000_000  # of the cards that a deal decides
_SORTING = 3.5  # memory for sorting ends, as a multiple of their own
_KEPT = 1.5  # the same for ends as the seats keep them
BYTES_OF_SEQUENCE = 128  # in the tree, a solver and an evaluation, with its part of an information state
_REASONS = {
    HIDDEN_CHANCE: "something beside the deck and declared reshuffles is drawn from the key, so that chance has no "
    "list of outcomes; allowed are games whose `deck`, `pile` and `reshuffle` are all their chance",
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
class Tree:
    """Everything that can happen at a table."""

    table: Table
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


class Walker:
    """A walk through a table's tree that grows its arrays within ``memory`` bytes.

    Raises `ValueError` for a table that cannot be enumerated, `MemoryNeededError` for one that is too large.
    """

    def __init__(self, table: Table, memory: float, shown: int = 0, keeps: bool = True) -> None:
        check_orders(table)
        self.table, self.memory, self.keeps = table, memory, keeps
        self.walk = walks.new_walk(table.game, table.num_players, shown)
        self.desk = new_desk(table.game, table.num_players, table.options)
        self.ends: list[walks.Ends] = []
        self._kept = 0  # bytes of ends
        self._open()

    def _open(self) -> None:
        blank = zeros(1, self.table.game.state_dtype)
        blank[:] = self.table.game.new_state(self.table.num_players, self.table.variant, self.table.options)
        begin = walks.opening(self.table.game)
        while (status := begin(self.desk, blank, self.walk)) != FINE:
            self.make_room(status)

    def run(self, progress: Progress = lambda nodes: None) -> Iterator[int]:
        """Walk on; yields `walks.SHOWN_FULL` whenever ``walk.shown`` is full, and `walks.DONE` at the end."""
        walk_on = walks.walking(self.table.game)
        while True:
            status = walk_on(self.desk, self.walk, _NODES, self.keeps)
            progress(int(self.walk.counts[walks.NUM_NODES]))
            if status in (walks.SHOWN_FULL, walks.DONE):
                yield status
                self.walk.counts[walks.NUM_SHOWN] = 0
                if status == walks.DONE:
                    return
            elif status == walks.ENDS_FULL:
                self.take_ends()
            elif status != walks.PAUSED:
                self.make_room(status)

    def make_room(self, status: int) -> None:
        """Widen what is full; `ValueError` if the walk has stopped for another reason."""
        if status in _REASONS:
            raise ValueError(f"{self.table.game.title} cannot be enumerated at this table: {_REASONS[status]}")
        self.walk = walks.widened(self.table.game, self.walk, status)
        self._check_memory()

    def take_ends(self) -> None:
        """Put the ends found so far aside."""
        count = int(self.walk.counts[walks.NUM_ENDS])
        if abs(self.walk.ends.payoffs[:count].sum(axis=1)).max(initial=0) > 1e-9:
            raise ValueError(
                f"the results of {self.table.game.title} do not sum to 0, so that they cannot be solved for"
            )
        found = self.walk.ends
        part = merged([walks.Ends(found.sequences[:count], found.payoffs[:count])])
        part = part._replace(payoffs=part.payoffs[:, :-1].copy())
        self.ends.append(part)
        self._kept += walks.bytes_of(part)
        self.walk.counts[walks.NUM_ENDS] = 0
        self._check_memory()

    def _check_memory(self) -> None:
        building = _SORTING * self._kept + walks.bytes_of(self.walk)
        solving = _KEPT * self._kept + BYTES_OF_SEQUENCE * int(self.walk.counts[walks.NUM_SEQUENCES])
        if (used := max(building, solving)) > self.memory:
            nodes = int(self.walk.counts[walks.NUM_NODES])
            raise MemoryNeededError(
                f"the tree does not fit into {_gigabytes(self.memory)}: {nodes:,} nodes of it take {_gigabytes(used)}; "
                "allow more memory, choose rule options with fewer cards or turns, or sample the tree"
            )


def _gigabytes(size: float) -> str:
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.0f} MiB"


def check_orders(table: Table) -> None:
    """Refuse a table whose deals are too many, with a `ValueError`."""
    game = table.game
    deck = np.array(game.whole_deck(table.num_players, table.options), np.int8)
    dealt, names = _cards_dealt(table, deck), [game.card_names[card] for card in deck]
    if (orders := count_orders(list(Counter(names).values()), dealt)) > MOST_ORDERS:
        raise ValueError(
            f"the {dealt} of {len(deck)} cards of {game.title} that a deal decides can lie in {orders:.2g} orders at "
            f"this table; allowed are {MOST_ORDERS:,}: choose rule options with fewer cards, or sample the tree"
        )


def _cards_dealt(table: Table, deck: npt.NDArray[np.int8]) -> int:
    """How many cards from the top a deal decides: those that are not in the pile afterwards."""
    game, functions = table.game, game_functions(table.game)
    if game.pile is None:
        return len(deck)
    states = zeros(2, game.state_dtype)
    states[:1] = game.new_state(table.num_players, table.variant, table.options)
    functions.begin(states, functions.game_key(0), 0)
    functions.redeal["deck"](states, deck)
    return len(deck) - int(states[game.pile.count][0])


def build_tree(table: Table, memory: float = 4 * 2**30, progress: Progress = lambda nodes: None) -> Tree:
    """The tree of a table in sequence form.

    Args:
        table: the table; seat 0 starts.
        memory: the most bytes that building it, and then solving it, may take.
        progress: called with the number of nodes.

    Raises:
        ValueError: chance cannot be enumerated at this table.
        MemoryNeededError: the tree does not fit.
    """
    walker = Walker(table, memory)
    for _ in walker.run(progress):
        walker.take_ends()
    states, counts = walker.walk.states, walker.walk.counts
    numbered = [number_states(states, int(counts[walks.NUM_STATES]), seat) for seat in range(table.num_players)]
    new_numbers = np.zeros(int(counts[walks.NUM_SEQUENCES]), np.int32)
    for seat, each in enumerate(numbered):
        new_numbers[seat] = 0
        new_numbers[each.old] = np.arange(1, len(each.old) + 1)
    parts = [part._replace(sequences=new_numbers[part.sequences]) for part in walker.ends]
    del walker, states
    ends = merged(parts)
    seats = tuple(_seat_tree(each, seat, ends) for seat, each in enumerate(numbered))
    shown = tuple(each.states for each in numbered)
    return Tree(table, seats, shown, int(counts[walks.NUM_NODES]), len(ends.payoffs))


class _Numbered(NamedTuple):
    """A seat's information states in order."""

    states: SeatStates
    first: npt.NDArray[np.int32]
    after: npt.NDArray[np.int32]
    levels: npt.NDArray[np.int64]
    old: npt.NDArray[np.int64]
    """The number that the walk gave each sequence but the empty one."""


def number_states(states: walks.States, count: int, seat: int) -> _Numbered:
    """Order a seat's information states by their own decisions before, those after one sequence together."""
    left = np.flatnonzero(states.seats[:count] == seat)
    number = np.full(int(states.first[count]), -1, np.int64)  # of sequences met so far
    number[seat], total = 0, 1
    order, levels, old = [np.zeros(0, np.int64)], [0], [np.zeros(0, np.int64)]
    while len(left):
        parents = number[states.parents[left]]
        level = left[parents >= 0]
        level = level[np.argsort(number[states.parents[level]], kind="stable")]
        sizes = states.first[level + 1] - states.first[level]
        sequences = _spans(states.first[level], sizes)
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


def _spans(starts: npt.NDArray[Any], sizes: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The numbers starts[0] .. starts[0] + sizes[0] - 1, then those of the next start, and so on."""
    ends = np.cumsum(sizes)
    numbers: npt.NDArray[np.int64] = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + sizes, sizes)
    return numbers


def merged(parts: list[walks.Ends]) -> walks.Ends:
    """Ends in the order of their sequences, those of the same sequences added up; ``parts`` is emptied."""
    sequences = np.concatenate([part.sequences for part in parts])
    payoffs = np.concatenate([part.payoffs for part in parts])
    parts.clear()
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
    own = payoffs[order, seat] if seat < players - 1 else -payoffs[order].sum(axis=1)
    return SeatTree(each.first, each.after, each.levels, rows, others, own)
