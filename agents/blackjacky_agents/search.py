"""Search over what may be hidden, for any game: flat Monte Carlo and information-set Monte Carlo tree search.

Both are compiled policies (`blackjacky_env.engine.play`), so they play wherever bots play, and see what bots see: each
simulation draws a full position that looks like the observation (`Rules.sample`) and plays it on. In the positions drawn
the searcher has seat 0.

The tree follows Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", IEEE Transactions on
Computational Intelligence and AI in Games 4 (2012), with a node for each information set (what a player observes) and
a position drawn anew for each simulation, and Silver and Veness, "Monte-Carlo Planning in Large POMDPs", NIPS 2010:
only the searcher's own decisions are nodes, the others act by a policy.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.guides import Value
from blackjacky_env.engine.compiling import compiled, record_maker
from blackjacky_env.engine.game import Game
from blackjacky_env.engine.play import Policy
from blackjacky_env.engine.random import below, draw, stream

FOR_POSITIONS, FOR_MOVES, FOR_TREE = 110, 111, 112  # purposes of random numbers
NONE = -1


class Steps(NamedTuple):
    """The rules as search needs them, each compiled once, whoever calls it."""

    draw_position: Callable[..., None]
    """(observation, bits, s): a position that looks like the observation to seat 0."""
    look: Callable[..., None]
    """(s, seen, may): the observation and the mask of the player to act."""
    advance: Callable[..., bool]
    """(s, action, result): make a move, settle if due; whether ``result`` (zeros before) is there."""
    play_on: Callable[..., int]
    """(s, parameters, seen, may, result) -> actions: the policy plays all seats until ``result`` is there."""
    new_record: Callable[[], Any]
    """(): an array of one state record."""


@cache
def steps_of(game: Game, policy: Policy, value: Value | None) -> Steps:
    """The compiled functions of one game, one policy for simulated players and one way to cut simulations short."""
    sample, encode, legal = game.rules.sample, game.rules.encode, game.rules.legal

    def draw_position(observation, bits, s):
        sample(observation, bits, s)

    def look(s, seen, may):
        encode(s, s.player, seen)
        legal(s, may)

    look = compiled(look)
    advance = _advancer(game, value)

    def play_on(s, parameters, seen, may, result):
        actions, done = 0, False
        while not done:
            look(s, seen, may)
            done = advance(s, policy(seen, may, stream(s.key, FOR_MOVES, actions, 0), parameters), result)
            actions += 1
        return actions

    return Steps(compiled(draw_position), look, advance, compiled(play_on), record_maker(game.state_dtype))


def _advancer(game: Game, value: Value | None) -> Callable[..., bool]:
    """Compiled (s, action, result); the result is that of the game or, with ``value``, what the next round promises."""
    apply, is_settled, settle = game.rules.apply, game.rules.is_settled, game.rules.settle
    is_over, returns = game.rules.is_over, game.rules.returns

    if value is None:

        def advance(s, action, result):
            apply(s, action)
            if not is_settled(s):
                return False
            settle(s)
            if is_over(s):
                returns(s, result)
                return True
            return False

    else:

        def advance(s, action, result):
            apply(s, action)
            if not is_settled(s):
                return False
            settle(s)
            if is_over(s):
                returns(s, result)
            else:
                value(s, result)
            return True

    return compiled(advance)


# ---------------------------------------------------------------- flat Monte Carlo

PLAYOUTS = 0
ROLLOUT_HEAD = 1  # parameters before those of the roll-out policy


@cache
def rollout_policy(game: Game, policy: Policy, value: Value | None) -> Policy:
    """Flat Monte Carlo: the action that does best on average when ``policy`` plays on.

    Every action is tried from the same positions with the same luck. Parameters: play-outs for each action, then those
    of ``policy``.
    """
    steps, weigh = steps_of(game, policy, value), weigher(game, policy, value)
    draw_position, new_record = steps.draw_position, steps.new_record

    def choose(observation, mask, random_state, parameters):
        action = only_legal(mask)
        if action != NONE:
            return action
        totals, position = np.zeros(len(mask)), new_record()
        seen, may = np.empty_like(observation), np.empty_like(mask)
        for number in range(int(parameters[PLAYOUTS])):
            draw_position(observation, stream(random_state, FOR_POSITIONS, number, 0), position[0])
            weigh(position, mask, parameters[ROLLOUT_HEAD:], seen, may, totals)
        return best_legal(totals, mask)

    return compiled(choose)


@cache
def weigher(game: Game, policy: Policy, value: Value | None) -> Callable[..., int]:
    """Compiled (position record array (1,), mask, parameters, seen, may, totals) -> actions played.

    Adds to ``totals`` (float64, (A,)) what the player to act gets from the position after each legal action when
    ``policy`` plays on; ``seen`` and ``may`` are written over.
    """
    steps, max_players = steps_of(game, policy, value), game.max_players
    advance, play_on, new_record = steps.advance, steps.play_on, steps.new_record

    def weigh(position, mask, parameters, seen, may, totals):
        copy, result, actions = new_record(), np.zeros(max_players), 0
        me = int(position[0].player)
        for action in range(len(mask)):
            if mask[action]:
                copy[0] = position[0]
                s = copy[0]
                result[:] = 0.0
                actions += 1
                if not advance(s, action, result):
                    actions += play_on(s, parameters, seen, may, result)
                totals[action] += result[me]
        return actions

    return compiled(weigh)


@compiled
def only_legal(mask):
    """The legal action if there is just one, else `NONE`."""
    found = NONE
    for action in range(len(mask)):
        if mask[action]:
            if found != NONE:
                return NONE
            found = action
    return found


@compiled
def best_legal(values, mask):
    """The legal action with the highest value, the first of equals."""
    best = NONE
    for action in range(len(mask)):
        if mask[action] and (best == NONE or values[action] > values[best]):
            best = action
    return best


# ---------------------------------------------------------------- tree search

SIMULATIONS, EXPLORATION, PRIOR, EVERYBODY = range(4)
TREE_HEAD = 4  # parameters before those of the roll-out policy
_DEEPEST = 64  # decisions of one simulation that are kept in the tree
EMPTY = -1
_BYTES, _HASH_MULTIPLIER = 8, np.uint64(0xFF51AFD7ED558CCD)


class Tree(NamedTuple):
    """Information sets and what has come of their actions; number 0 is the root."""

    slots: npt.NDArray[np.int32]
    """Open addressing: the node in each slot or `EMPTY`, length a power of two."""
    hashes: npt.NDArray[np.uint64]
    """Hash of what the player of each node observes, (M,)."""
    favourites: npt.NDArray[np.int16]
    """The policy's move in each node, (M,)."""
    counts: npt.NDArray[np.int32]
    """Visits of each node, (M,)."""
    visits: npt.NDArray[np.int32]
    """Visits of each action, (M, A)."""
    totals: npt.NDArray[np.float32]
    """Sum of the results of each action for its player, (M, A)."""
    size: npt.NDArray[np.int64]
    """Nodes in use, (1,)."""


@compiled
def new_tree(nodes, num_actions):
    """An empty tree with room for so many nodes."""
    length = 4
    while length < 2 * nodes:
        length *= 2
    return Tree(
        np.full(length, EMPTY, np.int32),
        np.empty(nodes, np.uint64),
        np.empty(nodes, np.int16),
        np.empty(nodes, np.int32),
        np.empty((nodes, num_actions), np.int32),
        np.empty((nodes, num_actions), np.float32),
        np.zeros(1, np.int64),
    )


@compiled
def hash_of(observation, seat):
    """A hash (uint64) of what a seat observes."""
    value = draw(np.uint64(seat), 0)
    for place in range(len(observation)):
        value = (value ^ np.uint64(np.uint8(observation[place]))) * _HASH_MULTIPLIER
        value ^= value >> np.uint64(29)
    return value


@compiled
def find(tree, code):
    """The node with this hash, or `NONE`; and the slot where it is or would be."""
    last = np.int64(len(tree.slots) - 1)
    slot = np.int64(code & np.uint64(0x7FFFFFFF)) & last
    while tree.slots[slot] != EMPTY:
        node = np.int64(tree.slots[slot])
        if tree.hashes[node] == code:
            return node, slot
        slot = (slot + 1) & last
    return NONE, slot


@compiled
def add(tree, code, slot, favourite):
    """A new node in a free slot; `NONE` if the tree is full."""
    node = tree.size[0]
    if node == len(tree.counts):
        return NONE
    tree.size[0] += 1
    tree.slots[slot] = node
    tree.hashes[node] = code
    tree.favourites[node] = favourite
    tree.counts[node] = 0
    tree.visits[node] = 0
    tree.totals[node] = 0.0
    return node


@compiled
def select(tree, node, mask, exploration, prior):
    """The action to try next."""
    legal = 0
    for action in range(len(mask)):
        legal += mask[action]
    visits, totals = tree.visits[node], tree.totals[node]
    total = 0.0
    for action in range(len(mask)):
        total += totals[action]
    count = tree.counts[node]
    unseen = total / max(count, 1)
    root, best, best_score = np.sqrt(np.float64(count)), NONE, 0.0
    for action in range(len(mask)):
        if mask[action]:
            chance = (1.0 - prior) / legal
            if action == tree.favourites[node]:
                chance += prior
            n = visits[action]
            mean = totals[action] / n if n > 0 else unseen
            score = mean + exploration * chance * root / (1 + n)
            if best == NONE or score > best_score:
                best, best_score = action, score
    return best


@compiled
def select_ucb(tree, node, mask, exploration, bits):
    """The action to try next by UCB1."""
    visits, totals = tree.visits[node], tree.totals[node]
    new = 0
    for action in range(len(mask)):
        new += mask[action] and visits[action] == 0
    if new > 0:
        left = np.int64(below(bits, new))
        for action in range(len(mask)):
            if mask[action] and visits[action] == 0:
                if left == 0:
                    return action
                left -= 1
    log, best, best_score = np.log(np.float64(tree.counts[node])), NONE, 0.0
    for action in range(len(mask)):
        if mask[action]:
            score = totals[action] / visits[action] + exploration * np.sqrt(log / visits[action])
            if best == NONE or score > best_score:
                best, best_score = action, score
    return best


@cache
def tree_policy(game: Game, policy: Policy, value: Value | None) -> Policy:
    """Information-set Monte Carlo tree search; parameters: `SIMULATIONS` .. `EVERYBODY`, then those of ``policy``."""
    grow, num_actions = grower(game, policy, value), game.num_actions

    def choose(observation, mask, random_state, parameters):
        action = only_legal(mask)
        if action != NONE:
            return action
        simulations = int(parameters[SIMULATIONS])
        tree = new_tree(simulations + 1, num_actions)
        grow(tree, observation, mask, random_state, parameters, 0, simulations)
        return best_legal(tree.visits[0], mask)

    return compiled(choose)


@cache
def grower(game: Game, policy: Policy, value: Value | None) -> Callable[..., int]:
    """Compiled (tree, observation, mask, random_state, parameters, first, last) -> actions played."""
    steps, max_players = steps_of(game, policy, value), game.max_players
    draw_position, look, advance, play_on, new_record = steps

    def grow(tree, observation, mask, random_state, parameters, first, last):
        position, result = new_record(), np.zeros(max_players)
        seen, may = np.empty_like(observation), np.empty_like(mask)
        nodes, actions = np.empty(_DEEPEST, np.int64), np.empty(_DEEPEST, np.int64)
        seats = np.empty(_DEEPEST, np.int64)
        own = parameters[TREE_HEAD:]
        played = 0
        exploration, prior, everybody = parameters[EXPLORATION], parameters[PRIOR], parameters[EVERYBODY] > 0
        s = position[0]
        if tree.size[0] == 0:
            code = hash_of(observation, 0)
            _, slot = find(tree, code)
            add(tree, code, slot, policy(observation, mask, stream(random_state, FOR_TREE, 0, 0), own))
        for number in range(first, last):
            bits = stream(random_state, FOR_POSITIONS, number, 0)
            draw_position(observation, bits, s)
            depth, moves = 0, 0
            inside, done = True, False
            result[:] = 0.0
            while inside and not done:
                look(s, seen, may)
                action = only_legal(may)
                moves += 1
                if action != NONE:
                    pass
                elif (everybody or s.player == 0) and depth < _DEEPEST:
                    code = hash_of(seen, s.player)
                    node, slot = find(tree, code)
                    if node == NONE:
                        action = policy(seen, may, stream(s.key, FOR_TREE, moves, 0), own)
                        node = add(tree, code, slot, action)
                        inside = False
                    elif prior >= 0:
                        action = select(tree, node, may, exploration, prior)
                    else:
                        action = select_ucb(tree, node, may, exploration, stream(s.key, FOR_TREE, moves, 0))
                    if node != NONE:
                        nodes[depth], actions[depth], seats[depth] = node, action, s.player
                        depth += 1
                else:
                    action = policy(seen, may, stream(s.key, FOR_TREE, moves, 0), own)
                done = advance(s, action, result)
            played += moves
            if not done:
                played += play_on(s, own, seen, may, result)
            for i in range(depth):
                tree.counts[nodes[i]] += 1
                tree.visits[nodes[i], actions[i]] += 1
                tree.totals[nodes[i], actions[i]] += result[seats[i]]
        return played

    return compiled(grow)


