"""A walk through all that can happen at a table, depth first, in compiled code that stops whenever Python has to act.

A node is what all seats together have heard and seen: the worlds that nobody can tell apart are one, with their
probabilities added, so that chance makes a difference only where somebody learns of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.solving.chance import FINE, make_expand, make_open
from blackjacky_env.compiled import compiled, entry, zeros
from blackjacky_env.declare import NOBODY, Game
from blackjacky_env.play import Ear, absorb, make_listen, make_phase, new_ear

# Why the walk has stopped; `chance` has more reasons, below 0.
DONE, PAUSED, WORLDS_FULL, STACK_FULL, STATES_FULL, ENDS_FULL, SHOWN_FULL, OTHER_ACTIONS, NO_RECALL = range(1, 10)


class Worlds(NamedTuple):
    """Worlds of the nodes on the way to the present one, W places, used as a stack."""

    records: npt.NDArray[Any]
    data: npt.NDArray[np.uint64]  # the memory of the records, (W, words)
    chances: npt.NDArray[np.float64]  # probability that chance makes it this one, (W,)
    keys: npt.NDArray[np.uint64]  # what each seat recalls, (W, P, 2)
    joint: npt.NDArray[np.uint64]  # a hash of all seats' keys, (W,)
    content: npt.NDArray[np.uint64]  # a hash of the record and of all seats' keys, (W,)
    order: npt.NDArray[np.int64]  # the worlds after an action, those of one node together, (W,)
    table: npt.NDArray[np.int64]  # worlds after the present action by content, and the number of that action, (2 W, 2)


class Path(NamedTuple):
    """The nodes on the way to the present one, D places; a node's worlds are ``order[first:last]``."""

    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    next_node: npt.NDArray[np.int64]  # where the next node after the last action begins in ``order``, (D,)
    end: npt.NDArray[np.int64]  # where the last of them ends, (D,)
    state: npt.NDArray[np.int64]  # number of the information state, (D,)
    tried: npt.NDArray[np.int64]  # number of actions tried, (D,)
    sequences: npt.NDArray[np.int64]  # by seat: its last sequence before this node, (D, P)


class States(NamedTuple):
    """Information states in the order in which they were met, I places, and sequences, S places.

    A sequence is an action in an information state; the first P are the empty ones.
    """

    keys: npt.NDArray[np.uint64]  # (I, 2)
    seats: npt.NDArray[np.int8]
    parents: npt.NDArray[np.int32]  # the seat's last sequence before, (I,)
    first: npt.NDArray[np.int32]  # the first of its sequences, (I + 1,)
    actions: npt.NDArray[np.int16]  # the action of each sequence, (S,)
    table: npt.NDArray[np.int32]
    """Information states by key, see `look_up`; 2 I places."""


class Ends(NamedTuple):
    """Ends of the game, E places: one for each node and action after which some world is over."""

    sequences: npt.NDArray[np.int32]  # the last sequence of each seat, (E, P)
    payoffs: npt.NDArray[np.float64]  # results of the seats, each times its probability, added up, (E, P)


class Shown(NamedTuple):
    """What information states show to their seat when they are first met, in order; no places: it is not kept."""

    observations: npt.NDArray[Any]
    masks: npt.NDArray[np.int8]


class Walk(NamedTuple):
    """Everything that a walk reads and writes, beside its `Desk`."""

    worlds: Worlds
    path: Path
    states: States
    ends: Ends
    shown: Shown
    ear: Ear
    counts: npt.NDArray[np.int64]  # (`COUNTS`,)
    payoffs: npt.NDArray[np.float64]  # results after the present action, each times its probability, (max_players,)
    rewards: npt.NDArray[np.float64]  # for `Rules.returns`, (max_players,)


DEPTH, NUM_WORLDS, ACTION_NUMBER, ENDED, NUM_STATES, NUM_SEQUENCES, NUM_ENDS, NUM_SHOWN, NUM_NODES = range(9)
"""Places in the counts of a walk: nodes on the path, worlds in use, actions tried, worlds that are over
after the last one; information states, sequences, ends and shown states kept; decisions and ends passed."""
COUNTS = 9


# ---------------------------------------------------------------- worlds


@cache
def _make_emit(game: Game) -> Callable[..., int]:
    """Compiled (desk, place, chance, is_over, walk, w, actor, action, phase) -> status: keep what follows world w."""
    listen, returns, size = make_listen(game), game.rules.returns, game.max_players

    def emit(desk, place, chance, is_over, walk, w, actor, action, phase):
        worlds, counts = walk.worlds, walk.counts
        chance *= worlds.chances[w]
        if is_over:
            walk.rewards[:] = 0.0
            returns(desk.records[place], walk.rewards)
            for seat in range(size):
                walk.payoffs[seat] += chance * walk.rewards[seat]
            counts[ENDED] += 1
            return FINE
        i = counts[NUM_WORLDS]
        if i == len(worlds.chances):
            return WORLDS_FULL
        worlds.records[i] = desk.records[place]
        worlds.keys[i] = worlds.keys[w]
        listen(worlds.records[i], actor, action, phase, worlds.keys[i], walk.ear)
        worlds.chances[i] = chance
        low, high = np.uint64(0), np.uint64(0)
        for seat in range(worlds.keys.shape[1]):
            low, high = absorb(low, high, worlds.keys[i, seat, 0])
            low, high = absorb(low, high, worlds.keys[i, seat, 1])
        worlds.joint[i] = low ^ high
        for word in range(worlds.data.shape[1]):
            low, high = absorb(low, high, worlds.data[i, word])
        worlds.content[i] = low ^ high
        counts[NUM_WORLDS] += is_new(worlds, i, counts[ACTION_NUMBER])
        return FINE

    return compiled(emit)


@compiled
def is_new(worlds, i, number):
    """Whether no world after the action with this number equals world i; one that does gets its probability."""
    table, last = worlds.table, len(worlds.table) - 1
    place = np.int64(worlds.content[i] >> np.uint64(1)) & last
    while table[place, 1] == number:
        j = table[place, 0]
        if worlds.content[j] == worlds.content[i] and worlds.joint[j] == worlds.joint[i]:
            worlds.chances[j] += worlds.chances[i]
            return False
        place = (place + 1) & last
    table[place, 0], table[place, 1] = i, number
    return True


@compiled
def sort_worlds(worlds, first, last):
    """Order the worlds first .. last - 1 so that those of one node lie together."""
    if last - first > 16:
        worlds.order[first:last] = first + np.argsort(worlds.joint[first:last])
        return
    for i in range(first, last):
        place = i
        while place > first and worlds.joint[worlds.order[place - 1]] > worlds.joint[i]:
            worlds.order[place] = worlds.order[place - 1]
            place -= 1
        worlds.order[place] = i


# ---------------------------------------------------------------- nodes


@cache
def make_try_action(game: Game) -> Callable[..., int]:
    """Compiled (desk, walk, depth, actor, action) -> status: all worlds that follow an action at the node ``depth``."""
    expand, phase = make_expand(game, _make_emit(game)), make_phase(game)

    def try_action(desk, walk, depth, actor, action):
        worlds, path, counts = walk.worlds, walk.path, walk.counts
        top = path.end[depth - 1]
        counts[NUM_WORLDS], counts[ENDED] = top, 0
        counts[ACTION_NUMBER] += 1
        walk.payoffs[:] = 0.0
        for i in range(path.first[depth], path.last[depth]):
            w = worlds.order[i]
            before = phase(worlds.records[w])
            is_first = i == path.first[depth]
            status = expand(desk, worlds.records, w, action, is_first, walk, w, actor, action, before)
            if status != FINE:
                counts[NUM_WORLDS] = top
                return status
        sort_worlds(worlds, top, counts[NUM_WORLDS])
        path.next_node[depth], path.end[depth] = top, counts[NUM_WORLDS]
        return FINE

    return compiled(try_action)


@compiled
def next_node(walk, depth):
    """Put the next node after the last action at ``depth`` on the path."""
    worlds, path = walk.worlds, walk.path
    first = path.next_node[depth]
    last = first + 1
    joint = worlds.joint[worlds.order[first]]
    while last < path.end[depth] and worlds.joint[worlds.order[last]] == joint:
        last += 1
    path.first[depth + 1], path.last[depth + 1], path.tried[depth + 1] = first, last, 0
    path.next_node[depth] = last
    path.next_node[depth + 1] = path.end[depth + 1] = path.end[depth]


@cache
def _make_find_state(game: Game) -> Callable[..., int]:
    """Compiled (walk, depth) -> status: the information state of the node at ``depth``, a new one if need be."""
    legal, encode = game.rules.legal, game.rules.encode

    def find_state(walk, depth):
        worlds, path, states, counts = walk.worlds, walk.path, walk.states, walk.counts
        w = worlds.order[path.first[depth]]
        s = worlds.records[w]
        seat = int(s.player)
        legal(s, walk.ear.mask)
        state, place = look_up(states.table, states.keys, worlds.keys[w, seat])
        path.state[depth] = state
        if state != NOBODY:
            return check_state(states, state, path.sequences[depth, seat], walk.ear.mask)
        if counts[NUM_STATES] == len(states.seats) or counts[NUM_SEQUENCES] + len(walk.ear.mask) > len(states.actions):
            return STATES_FULL
        if len(walk.shown.masks) > 0:
            if counts[NUM_SHOWN] == len(walk.shown.masks):
                return SHOWN_FULL
            encode(s, seat, walk.shown.observations[counts[NUM_SHOWN]])
            walk.shown.masks[counts[NUM_SHOWN]] = walk.ear.mask
            counts[NUM_SHOWN] += 1
        path.state[depth] = add_state(walk, worlds.keys[w, seat], seat, path.sequences[depth, seat], place)
        return FINE

    return compiled(find_state)


@compiled
def look_up(table, keys, key):
    """The number of the information state with this key, or `NOBODY`, and its place in the table.

    ``table``: numbers by key, `NOBODY` where there is none; its length is a power of 2.
    """
    last = len(table) - 1
    place = np.int64(key[0] >> np.uint64(1)) & last
    while table[place] != NOBODY:
        state = np.int64(table[place])
        if keys[state, 0] == key[0] and keys[state, 1] == key[1]:
            return state, place
        place = (place + 1) & last
    return np.int64(NOBODY), place


@compiled
def check_state(states, state, parent, mask):
    """Whether the information state was met before with the same past of its seat and the same legal actions."""
    if states.parents[state] != parent:
        return NO_RECALL
    sequence = states.first[state]
    for action in range(len(mask)):
        if mask[action]:
            if sequence == states.first[state + 1] or states.actions[sequence] != action:
                return OTHER_ACTIONS
            sequence += 1
    return FINE if sequence == states.first[state + 1] else OTHER_ACTIONS


@compiled
def add_state(walk, key, seat, parent, place):
    """Add an information state whose legal actions are those of ``walk.ear.mask``; returns its number."""
    states, counts = walk.states, walk.counts
    state, sequence = counts[NUM_STATES], counts[NUM_SEQUENCES]
    states.keys[state, 0], states.keys[state, 1] = key[0], key[1]
    states.seats[state], states.parents[state], states.first[state] = seat, parent, sequence
    states.table[place] = state
    for action in range(len(walk.ear.mask)):
        if walk.ear.mask[action]:
            states.actions[sequence] = action
            sequence += 1
    states.first[state + 1] = sequence
    counts[NUM_STATES], counts[NUM_SEQUENCES] = state + 1, sequence
    return state


@compiled
def add_end(walk, depth, seat, sequence):
    """Add the end of the game after the last action of ``seat``, if some world has ended."""
    ends, counts = walk.ends, walk.counts
    if counts[ENDED] == 0:
        return
    i = counts[NUM_ENDS]
    counts[NUM_NODES] += 1
    counts[NUM_ENDS] += 1
    for q in range(ends.sequences.shape[1]):
        ends.sequences[i, q] = sequence if q == seat else walk.path.sequences[depth, q]
        ends.payoffs[i, q] = walk.payoffs[q]


# ---------------------------------------------------------------- the walk


@cache
def opening(game: Game) -> Callable[..., int]:
    """Entry (desk, blank, walk) -> status: put the start of a game on the path, with its deals as the first nodes.

    ``blank``: one record with options written. The walk must be new, as by `new_walk`.
    """
    open_game = make_open(game, _make_emit(game))

    def begin_walk(desk, blank, walk):
        counts, path = walk.counts, walk.path
        counts[NUM_WORLDS], counts[DEPTH] = 1, 0
        counts[ACTION_NUMBER] += 1
        status = open_game(desk, blank, walk, 0, NOBODY, 0, 0)
        if status != FINE:
            return status
        sort_worlds(walk.worlds, 1, counts[NUM_WORLDS])
        path.next_node[0], path.end[0] = 1, counts[NUM_WORLDS]
        for seat in range(path.sequences.shape[1]):
            path.sequences[1, seat] = seat
        return FINE

    return entry(begin_walk)


@cache
def walking(game: Game) -> Callable[..., int]:
    """Entry (desk, walk, stop) -> why it stopped: walk on, until so many nodes have been passed in all."""
    try_action, find_state = make_try_action(game), _make_find_state(game)

    def walk_on(desk, walk, stop):
        path, states, counts = walk.path, walk.states, walk.counts
        while counts[DEPTH] >= 0:
            depth = counts[DEPTH]
            if path.next_node[depth] < path.end[depth]:
                if depth + 2 == len(path.first):
                    return STACK_FULL
                begun = path.next_node[depth]
                next_node(walk, depth)
                status = find_state(walk, depth + 1)
                if status != FINE:
                    path.next_node[depth] = begun
                    return status
                counts[DEPTH] = depth + 1
                counts[NUM_NODES] += 1
                continue
            state, tried = path.state[depth], path.tried[depth]
            if depth == 0 or states.first[state] + tried == states.first[state + 1]:
                counts[DEPTH] = depth - 1
                continue
            if counts[NUM_NODES] >= stop:
                return PAUSED
            if counts[NUM_ENDS] == len(walk.ends.payoffs):
                return ENDS_FULL
            seat, sequence = np.int64(states.seats[state]), np.int64(states.first[state]) + tried
            status = try_action(desk, walk, depth, seat, np.int64(states.actions[sequence]))
            if status != FINE:
                return status
            path.tried[depth] = tried + 1
            add_end(walk, depth, seat, sequence)
            for q in range(path.sequences.shape[1]):
                path.sequences[depth + 1, q] = sequence if q == seat else path.sequences[depth, q]
        return DONE

    return entry(walk_on)


# ---------------------------------------------------------------- its arrays


def new_walk(game: Game, num_players: int, shows: bool) -> Walk:
    """Arrays for a walk, small at first; without ``shows``, what information states show is lost."""
    layout, places, players = game.layout, 64, num_players
    records = zeros(places, game.state_dtype)
    joint, content, keys = *np.zeros((2, places), np.uint64), np.zeros((places, players, 2), np.uint64)
    order, table = np.zeros(places, np.int64), np.zeros((2 * places, 2), np.int64)
    path = Path._make([*np.zeros((6, places), np.int64), np.zeros((places, players), np.int64)])
    met, sequences = 1 << 10, 1 << 13
    states = States(
        np.zeros((met, 2), np.uint64),
        np.zeros(met, np.int8),
        np.zeros(met, np.int32),
        np.full(met + 1, players, np.int32),
        np.zeros(sequences + game.num_actions, np.int16),
        np.full(2 * met, NOBODY, np.int32),
    )
    shown, counts = met if shows else 0, np.zeros(COUNTS, np.int64)
    counts[NUM_SEQUENCES] = players
    return Walk(
        Worlds(records, _words_of(records), np.ones(places), keys, joint, content, order, table),
        path,
        states,
        Ends(np.zeros((1 << 16, players), np.int32), np.zeros((1 << 16, players))),
        Shown(np.zeros((shown, layout.size), layout.dtype), np.zeros((shown, game.num_actions), np.int8)),
        new_ear(game),
        counts,
        np.zeros(game.max_players),
        np.zeros(game.max_players),
    )


def _words_of(records: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    return records.view(np.ndarray).view(np.uint64).reshape(len(records), -1)


def bytes_of(arrays: Any) -> int:
    """Memory of arrays and of named tuples of them; views of others count as well."""
    return arrays.nbytes if isinstance(arrays, np.ndarray) else sum(map(bytes_of, arrays))


def widened(walk: Walk, status: int) -> Walk:
    """The walk with twice the places of what was full."""
    part = {STACK_FULL: "path", WORLDS_FULL: "worlds", ENDS_FULL: "ends", SHOWN_FULL: "shown"}.get(status, "states")
    arrays = getattr(walk, part)
    wider = type(arrays)._make(map(_doubled, arrays))
    if part == "worlds":
        wider = wider._replace(data=_words_of(wider.records))
    if part == "states":
        fill_table(wider.table, wider.keys[: int(walk.counts[NUM_STATES])])
    return walk._replace(**{part: wider})


def _doubled(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    wider = np.zeros((2 * len(array), *array.shape[1:]), array.dtype).view(type(array))
    wider[: len(array)] = array
    return wider


def _fill_table(table, keys):
    table[:] = NOBODY
    for state in range(len(keys)):
        _, place = look_up(table, keys, keys[state])
        table[place] = state


fill_table = entry(_fill_table)
