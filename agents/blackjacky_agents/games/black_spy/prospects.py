"""The value of each seat at the beginning of a deal, from the totals and the points to the limit.

A Luce choice model ("Individual Choice Behavior", 1959): the chance of winning is a player's fraction of all weights,
and a weight is exp(-points / (`SPREAD` x sqrt(remaining deals))), since the standard deviation of the points still to
come grows with that root. The game lasts until the player with the highest total, who gets `PER_DEAL` in each deal,
has reached the limit (B9). Both tables were fitted to games between copies of `counter`.
"""

from __future__ import annotations

import numpy as np

from blackjacky_agents.kit.search import to_rewards
from blackjacky_env.compiled import compiled
from blackjacky_env.games.black_spy.rules import LIMITS

SPREAD = np.array([0.0, 0.0, 0.0, 32.0, 21.0, 16.0, 12.0])
"""In points, by number of players, 3 .. 6 (fitted with `--games 8000 --seed 0`)."""
PER_DEAL = np.array([0.0, 0.0, 0.0, 40.0, 35.0, 37.0, 38.0])
"""Points that the player with the highest total gets in a deal, fitted in the same way."""


@compiled
def deals_left(n, highest, deals_allowed):
    """About how many deals are left, from 1 to ``deals_allowed``."""
    return min(max(1.0, (LIMITS[n] - highest) / PER_DEAL[n]), deals_allowed)


@compiled
def spread_of(s):
    """The spread of the points still to come, this deal's included."""
    n, highest = int(s.num_players), int(s.totals[0])
    for p in range(n):
        highest = max(highest, int(s.totals[p]))
    return SPREAD[n] * np.sqrt(deals_left(n, highest, float(int(s.max_deals) - int(s.deal_number))))


@compiled
def value(s, result):
    """Fill ``result`` (float64, (6,)) with the expected "win" rewards when a deal has just begun."""
    n, lowest, total, spread = int(s.num_players), int(s.totals[0]), 0.0, spread_of(s)
    for p in range(n):
        lowest = min(lowest, int(s.totals[p]))
    for p in range(n):
        result[p] = np.exp((lowest - int(s.totals[p])) / spread)
        total += result[p]
    to_rewards(result, n, total)
