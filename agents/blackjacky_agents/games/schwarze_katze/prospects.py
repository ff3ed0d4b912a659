"""The value of each seat at the beginning of a deal, from the totals and the number of remaining deals.

A Luce choice model ("Individual Choice Behavior", 1959): the chance of winning is a player's fraction of all weights,
and a weight is exp(-penalties / (`SPREAD` x sqrt(remaining deals))), since the standard deviation of the penalties
still to come grows with that root. The spreads were fitted to games between copies of `counter`.
"""

from __future__ import annotations

import numpy as np

from blackjacky_agents.kit.search import to_rewards
from blackjacky_env.compiled import compiled

SPREAD = np.array([0.0, 0.0, 0.0, 40.0, 35.0, 34.0, 33.0, 31.0, 29.0, 26.0, 25.0])
"""In penalty points, by number of players, 3 .. 10 (fitted with `--games 60000 --seed 0`)."""


@compiled
def spread_of(s):
    """The spread of the penalties still to come, this deal's included."""
    return SPREAD[int(s.num_players)] * np.sqrt(np.float64(int(s.game_deals) - int(s.deal_number)))


@compiled
def value(s, result):
    """Fill ``result`` (float64, (10,)) with the expected "win" rewards when a deal has just begun."""
    n, lowest, total = int(s.num_players), int(s.totals[0]), 0.0
    for p in range(n):
        lowest = min(lowest, int(s.totals[p]))
    spread = spread_of(s)
    for p in range(n):
        result[p] = np.exp((lowest - int(s.totals[p])) / spread)
        total += result[p]
    to_rewards(result, n, total)
