"""What each seat may expect of a game in which a deal begins, from the totals and the deals to come.

A model of contests after Luce ("Individual Choice Behavior", 1959): the chance to win is a player's share of all
weights, and a weight falls as exp(-penalties / (`SPREAD` x root of the deals to come)), since the penalties of so many
deals spread in proportion to that root. `scripts/tuning/fit_prospects.py` has fitted the spreads to games between copies of
`counter`.
"""

from __future__ import annotations

import numpy as np

from blackjacky_env.engine.compiling import compiled

SPREAD = np.array([0.0, 0.0, 0.0, 40.0, 35.0, 34.0, 33.0, 31.0, 29.0, 26.0, 25.0])
"""In points of penalty, by number of players, 3 .. 10 (`--games 60000 --seed 0`)."""


@compiled
def value(s, result):
    """Fill ``result`` (float64, (10,)) with the "win" rewards to expect when a deal has just begun."""
    n, lowest, total = int(s.num_players), int(s.totals[0]), 0.0
    for p in range(n):
        lowest = min(lowest, int(s.totals[p]))
    spread = SPREAD[n] * np.sqrt(np.float64(int(s.game_deals) - int(s.deal_number)))
    for p in range(n):
        result[p] = np.exp((lowest - int(s.totals[p])) / spread)
        total += result[p]
    for p in range(n):
        chance = result[p] / total
        result[p] = chance - (1.0 - chance) / (n - 1)
