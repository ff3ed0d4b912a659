"""Search in games with hidden information: flat Monte Carlo and information-set Monte Carlo tree search.

Both are compiled policies (`blackjacky_env.compiled.policies`), so they can be used wherever bots can, and they have
the same information: each simulation samples a full position consistent with the observation (`Rules.sample`) and
plays it out. In sampled positions the searcher has seat 0.

The tree follows Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", IEEE Transactions on
Computational Intelligence and AI in Games 4 (2012): each simulation samples a new position, and nodes are information
sets, looked up by a hash of the player's observation. All positions of a node have the same legal actions, so the
availability count of an action equals the visit count of its node. As in Silver and Veness, "Monte-Carlo Planning in
Large POMDPs", NIPS 2010, only the searcher's own decisions are nodes; the other players follow a policy.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.kit.search import PROPOSALS, SearchConfig
from blackjacky_agents.search.playing_on import (
    LONGEST,
    WIN,
    Course,
    Scratch,
    make_finish,
    make_new_scratch,
    make_play_on,
    make_sample,
    make_see,
    one_policy,
    searched,
)
from blackjacky_env.compiled import Policy, compiled, draw, make_guarded, stream, takes
from blackjacky_env.compiled.purposes import FOR_TREE
from blackjacky_env.declare import Game
from blackjacky_env.play import NONE, checked, only_legal


@compiled
def best_legal(values, mask):
    """The legal action with the highest value, the first of equals."""
    best = NONE
    for action in range(len(mask)):
        if mask[action] and (best == NONE or values[action] > values[best]):
            best = action
    return best


def _course(game: Game, config: SearchConfig) -> Course:
    return searched(game, config, one_policy(game, config.playout_policy))


def _searching(choose: Policy, config: SearchConfig) -> Policy:
    """A search policy, compiled: a budget, then the parameters of the playout policy."""
    policy = compiled(choose)
    count = HEAD + len(config.playout_parameters)

    def check(parameters: npt.NDArray[np.float32], game: Game) -> None:
        takes(count)(parameters, game)
        check_budget(parameters[BUDGET])

    policy.check_parameters = check  # type: ignore[attr-defined]
    return policy


def check_budget(number: np.float32) -> None:
    """Raise `ValueError` unless this can be a number of simulations or playouts."""
    if not 1 <= number <= MOST:
        raise ValueError(f"its budget is {number}; allowed are 1 .. {MOST}")


MOST = 1_000_000  # simulations, playouts
BUDGET = 0  # the first parameter: playouts per action, or simulations
HEAD = 1  # parameters before those of the playout policy


# ---------------------------------------------------------------- flat Monte Carlo


@cache
def rollout_policy(game: Game, config: SearchConfig) -> Policy:
    """Flat Monte Carlo: the action with the best mean result over playouts.

    All actions are tried from the same positions with the same random numbers. Parameters: `BUDGET`, then those of the
    playout policy.
    """
    play_on, new_scratch = make_play_on(game, _course(game, config)), make_new_scratch(game)
    max_players = game.max_players

    def choose(observation, mask, random_state, parameters):
        only = only_legal(mask)
        if only != NONE:
            return only
        actions, totals, scratch = np.flatnonzero(mask), np.zeros(len(mask)), new_scratch()
        results = np.empty((1, len(actions), 1, max_players))
        for number in range(int(parameters[BUDGET])):
            play_on(scratch, observation, random_state, number, 1, actions, parameters[HEAD:], None, results)
            for i in range(len(actions)):
                totals[actions[i]] += results[0, i, WIN, 0]
        return best_legal(totals, mask)

    return _searching(choose, config)


# ---------------------------------------------------------------- tree search

EXPLORATION, PRIOR = 1.0, 0.6499999761581421  # by hand; strength is not sensitive to them; 0.65 as float32
MOST_NODES = 1 << 17  # maximum per tree, about 70 MB; a full tree stops growing
_DEEPEST = 64  # maximum length of a simulation's path through the tree
_EMPTY = -1
_SLOT_BITS = np.uint64(0x7FFFFFFF)


class SearchTree(NamedTuple):
    """The searcher's information sets with their statistics, and scratch space of simulations.

    M is the capacity in nodes, K the size of an observation, A the number of actions. Node 0 is the root.
    """

    slots: npt.NDArray[np.int32]
    """Hash table with open addressing: the node in each slot or `_EMPTY`; the length is a power of two."""
    hashes: npt.NDArray[np.uint64]  # hash of the observation of each node, (M,)
    favourites: npt.NDArray[np.int16]
    """The move tried first in each node: the prior policy's at the root, elsewhere the playout policy's, (M,)."""
    visits: npt.NDArray[np.int32]  # visits of each action, (M, A)
    totals: npt.NDArray[np.float32]  # sum of the results of each action, (M, A)
    size: npt.NDArray[np.int64]  # number of nodes, (1,)
    scratch: Scratch  # with the position of the current simulation
    path: npt.NDArray[np.int64]  # nodes and actions of the current simulation, (2, `_DEEPEST`)
    result: npt.NDArray[np.float64]  # result of the current simulation by seat, (1, max_players)


@cache
def make_new_tree(game: Game) -> Callable[..., SearchTree]:
    """Compiled (nodes) -> an empty tree with that capacity."""
    num_actions, max_players, new_scratch = game.num_actions, game.max_players, make_new_scratch(game)

    def make(nodes):
        length = 4
        while length < 2 * nodes:
            length *= 2
        return SearchTree(
            np.full(length, _EMPTY, np.int32),
            np.empty(nodes, np.uint64),
            np.empty(nodes, np.int16),
            np.empty((nodes, num_actions), np.int32),
            np.empty((nodes, num_actions), np.float32),
            np.zeros(1, np.int64),
            new_scratch(),
            np.empty((2, _DEEPEST), np.int64),
            np.empty((1, max_players)),
        )

    return compiled(make)


@cache
def tree_policy(game: Game, config: SearchConfig) -> Policy:
    """Information-set MCTS; parameters: `BUDGET`, then those of the playout policy."""
    search = make_tree_search(game, config)

    def choose(observation, mask, random_state, parameters):
        action = only_legal(mask)
        if action != NONE:
            return action
        return best_legal(search(observation, mask, random_state, parameters).visits[0], mask)

    return _searching(choose, config)


@cache
def make_tree_search(game: Game, config: SearchConfig) -> Callable[..., SearchTree]:
    """Compiled (observation, mask, random_state, parameters) -> the tree after as many simulations as they say.

    ``observation`` is the searcher's, at a decision with at least two legal actions.
    """
    new_tree, simulate = make_new_tree(game), _make_simulate(game, config)
    prior_policy = make_guarded(config.prior_policy, game)
    course = _course(game, config)
    sample, finish = make_sample(course), make_finish(course)

    def search(observation, mask, random_state, parameters):
        simulations, who = np.int64(parameters[BUDGET]), parameters[HEAD:]
        tree = new_tree(min(simulations + 1, MOST_NODES))
        scratch = tree.scratch
        scratch.seen[:] = observation
        code = hash_of(scratch.words)
        _, slot = find(tree, code)
        add(tree, code, slot, prior_policy(scratch.seen, mask, random_state, who))
        for number in range(simulations):
            sample(scratch, observation, random_state, number, PROPOSALS)
            scratch.copy[0] = scratch.chain[0]
            tree.result[:] = 0.0
            depth, done = simulate(tree, parameters)
            if not done:
                finish(scratch.copy[0], NONE, who, None, scratch.seen, scratch.may, tree.result)
            learn(tree, depth)
        return tree

    return compiled(search)


def _make_simulate(game: Game, config: SearchConfig) -> Callable[..., tuple[int, bool]]:
    """Compiled (tree, parameters) -> (length of the path, done): play until the simulation leaves the tree."""
    see, advance = make_see(game), _course(game, config).advance
    policy = make_guarded(config.playout_policy, game)

    def simulate(tree, parameters):
        s, seen, may = tree.scratch.copy[0], tree.scratch.seen, tree.scratch.may
        depth, moves, inside, done = 0, 0, True, False
        while inside and not done and moves < LONGEST:
            action = see(s, seen, may)
            if action == NONE:
                node, slot, code = NONE, NONE, np.uint64(0)
                own = s.player == 0 and depth < _DEEPEST
                inside = inside and depth < _DEEPEST
                if own:
                    code = hash_of(tree.scratch.words)
                    node, slot = find(tree, code)
                if node != NONE:
                    action = select(tree, node, may)
                else:
                    bits = stream(s.key, FOR_TREE, moves, 0)
                    action = checked(policy(seen, may, bits, parameters[HEAD:]), may)
                    if own:
                        node = add(tree, code, slot, action)
                        inside = False
                if node != NONE:
                    tree.path[0, depth], tree.path[1, depth] = node, action
                    depth += 1
            done = advance(s, action, None, tree.result)
            moves += 1
        return depth, done

    return compiled(simulate)


@compiled
def learn(tree, depth):
    """The result of a simulation into the nodes on its path."""
    for i in range(depth):
        node, action = tree.path[0, i], tree.path[1, i]
        tree.visits[node, action] += 1
        tree.totals[node, action] += tree.result[WIN, 0]


@compiled
def hash_of(words):
    """A hash (uint64) of what is observed."""
    value = np.uint64(len(words))
    for i in range(len(words)):
        value = draw(value ^ words[i], i)
    return value


@compiled
def find(tree, code):
    """The node with this hash, or `NONE`; and the slot where it is or would be."""
    last = np.int64(len(tree.slots) - 1)
    slot = np.int64(code & _SLOT_BITS) & last
    while tree.slots[slot] != _EMPTY:
        node = np.int64(tree.slots[slot])
        if tree.hashes[node] == code:
            return node, slot
        slot = (slot + 1) & last
    return NONE, slot


@compiled
def add(tree, code, slot, favourite):
    """A new node in a free slot; `NONE` if the tree is full."""
    node = tree.size[0]
    if node == len(tree.hashes):
        return NONE
    tree.size[0] += 1
    tree.slots[slot] = node
    tree.hashes[node] = code
    tree.favourites[node] = favourite
    tree.visits[node] = 0
    tree.totals[node] = 0.0
    return node


@compiled
def select(tree, node, mask):
    """The action to try next: the best mean, plus more for what was tried seldom, and for the node's favourite.

    PUCT (Rosin, "Multi-armed bandits with episode context", 2011, as in Silver et al. 2017): the favourite has
    the chance `PRIOR` and all actions share the rest; an action not tried yet counts as the mean of the node.
    """
    legal, count, total = 0, 0.0, 0.0
    for action in range(len(mask)):
        legal += mask[action]
        count += tree.visits[node, action]
        total += np.float64(tree.totals[node, action])
    unknown, root, favourite = total / max(count, 1.0), np.sqrt(count), tree.favourites[node]
    best, best_score = NONE, 0.0
    for action in range(len(mask)):
        if mask[action]:
            visits = tree.visits[node, action]
            mean = np.float64(tree.totals[node, action]) / visits if visits > 0 else unknown
            chance = (1.0 - PRIOR) / legal + PRIOR * (action == favourite)
            score = mean + EXPLORATION * chance * root / (1 + visits)
            if best == NONE or score > best_score:
                best, best_score = action, score
    return best
