"""How large a tree is, estimated by random walks (Knuth, "Estimating the Efficiency of Backtrack Programs", 1975)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from blackjacky_agents.solving.chance import FINE
from blackjacky_agents.solving.table import Table
from blackjacky_agents.solving.tree import BYTES_OF_SEQUENCE, Walker, bytes_of_end
from blackjacky_agents.solving.walk import ALL_WORLDS, ENDED, STACK_FULL, make_try_action, next_node
from blackjacky_env.compiled import below, draw, entry, game_key, stream
from blackjacky_env.compiled.purposes import FOR_SAMPLED
from blackjacky_env.declare import Game

_WALKS, _CHUNK = 20_000, 20
_MOST_WORLDS = 300_000  # after which no more walks begin
_ACTIONS_PER_STATE = 3


class Size(NamedTuple):
    """The estimated size of a tree."""

    nodes: float
    """Decisions and ends."""
    error: float
    """Standard error, as a fraction of it."""
    bytes: float
    """Memory for building and solving it, if no two ends have the same sequences, which no walk can see, and every ten
    decisions share an information state with three actions."""


@cache
def _probing(game: Game) -> Callable[..., int]:
    """Entry (desk, walk, seed, first, last, found) -> status: walk down at random from the start.

    Walk i adds decisions and ends that it stands for to ``found`` (N, 2).
    """
    try_action = make_try_action(game)
    legal = game.rules.legal

    def probe(desk, walk, seed, first, last, found):
        path, worlds = walk.path, walk.worlds
        starts = path.next_node[0]
        for i in range(first, last):
            draws, drawn, depth, weight = stream(game_key(seed), FOR_SAMPLED, i, 0), 0, 0, 1.0
            found[i] = 0.0
            path.next_node[0] = starts
            while path.next_node[depth] < path.end[depth]:
                if depth + 2 == len(path.first):
                    path.next_node[0] = starts
                    return STACK_FULL
                nodes, begin = 0, path.next_node[depth]
                while path.next_node[depth] < path.end[depth]:
                    next_node(walk, depth)
                    nodes += 1
                path.next_node[depth] = begin
                for _ in range(1 + below(draw(draws, drawn), nodes)):
                    next_node(walk, depth)
                path.next_node[depth + 1] = path.end[depth + 1] = path.end[depth]
                weight *= nodes
                found[i, 0] += weight
                depth += 1
                s = worlds.records[worlds.order[path.first[depth]]]
                legal(s, walk.ear.mask)
                actions, seat = int(walk.ear.mask.sum()), int(s.player)
                left, action = below(draw(draws, drawn + 1), actions), -1
                while left >= 0:
                    action += 1
                    left -= walk.ear.mask[action]
                drawn += 2
                weight *= actions
                status = try_action(desk, walk, depth, seat, action)
                if status != FINE:
                    path.next_node[0] = starts
                    return status
                found[i, 1] += weight * (walk.counts[ENDED] > 0)
        path.next_node[0] = starts
        return FINE

    return entry(probe)


def estimate(table: Table, seed: int = 0, progress: Callable[[float], object] = lambda done: None) -> Size:
    """The size of a table's tree; `ValueError` if chance cannot be enumerated there.

    ``progress`` is called with the fraction done.
    """
    walker = Walker(table, math.inf, keeps=False)
    found, done = np.zeros((_WALKS, 2)), 0
    probe = _probing(table.game)
    while done < _WALKS and walker.walk.counts[ALL_WORLDS] < _MOST_WORLDS:
        while (status := probe(walker.desk, walker.walk, seed, done, done + _CHUNK, found)) != FINE:
            walker.make_room(status)
        done += _CHUNK
        progress(max(done / _WALKS, min(1.0, walker.walk.counts[ALL_WORLDS] / _MOST_WORLDS)))
    found = found[:done]
    nodes = found.sum(axis=1)
    decisions, ends = found.mean(axis=0)
    needed = bytes_of_end(table.num_players) * ends + BYTES_OF_SEQUENCE * _ACTIONS_PER_STATE * decisions / 10
    return Size(decisions + ends, float(nodes.std() / math.sqrt(done) / nodes.mean()), needed)
