"""The value of each seat at the beginning of a round, from hearts alone.

A Luce choice model ("Individual Choice Behavior", 1959): every player, and the outcome "nobody wins", has a weight, and
the chance of winning is a player's fraction of the total. The weights were fitted to 60,000 games between copies of
`counter`; entries that hardly occur repeat their neighbour.
"""

from __future__ import annotations

import numpy as np

from blackjacky_agents.kit.search import to_rewards
from blackjacky_env.compiled import compiled
from blackjacky_env.games.black_jacky.state import SALOON, WANTED

IS_WANTED, BLACK_HEART, ONE_HEART, TWO_HEARTS, THREE_HEARTS = range(5)

# Rows: players in the saloon, 0 .. 6.
WEIGHTS = np.array(
    [
        [0.0, 0.0, 1.0, 1.0, 1.0],
        [0.0, 0.0, 1.0, 1.0, 1.0],
        [0.0, 0.99, 1.0, 3.3, 7.46],
        [0.48, 0.88, 1.0, 3.1, 7.54],
        [0.62, 0.7, 1.0, 2.55, 7.54],
        [0.61, 0.57, 1.0, 2.25, 7.54],
        [0.61, 0.57, 1.0, 2.09, 7.54],
    ]
)
"""Weight of a player by status; columns `IS_WANTED` .. `THREE_HEARTS`."""

# Columns: players with one heart, 0 .. 6.
NOBODY = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.13, 0.07, 0.07, 0.07, 0.07, 0.07, 0.07],
        [0.22, 0.17, 0.13, 0.11, 0.11, 0.11, 0.11],
        [0.21, 0.21, 0.18, 0.15, 0.12, 0.12, 0.12],
        [0.34, 0.26, 0.28, 0.24, 0.18, 0.15, 0.15],
        [0.34, 0.34, 0.32, 0.29, 0.23, 0.2, 0.16],
    ]
)
"""Weight of the outcome that nobody wins, by the number of players with one heart."""


@compiled
def value(s, result):
    """Fill ``result`` (float64, (6,)) with the expected "win" rewards when a round has just begun."""
    n, in_saloon, ones = int(s.num_players), 0, 0
    for p in range(n):
        in_saloon += s.status[p] == SALOON
        ones += s.hearts[p] == 1
    total = NOBODY[in_saloon, ones]
    for p in range(n):
        result[p] = weight(s, p, in_saloon)
        total += result[p]
    to_rewards(result, n, total, NOBODY[in_saloon, ones] / total)


@compiled
def weight(s, p, in_saloon):
    """The weight of player p with ``in_saloon`` players in the saloon."""
    if s.status[p] == WANTED:
        return WEIGHTS[in_saloon, IS_WANTED]
    if s.status[p] != SALOON:
        return 0.0
    if s.black_hearts[p]:
        return WEIGHTS[in_saloon, BLACK_HEART]
    hearts = int(s.hearts[p])
    if hearts <= 3:
        return WEIGHTS[in_saloon, ONE_HEART + hearts - 1]
    return WEIGHTS[in_saloon, THREE_HEARTS] * (hearts / 3.0) ** 2
