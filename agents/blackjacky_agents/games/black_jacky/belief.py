"""How likely the other players' knocks are, given their cards in a position.

The model is that of `counter`: the likelihood decreases with the distance of a player's sum from the best one, at a
rate that depends on whether the player has knocked.
"""

from __future__ import annotations

import numpy as np

from blackjacky_agents.games.black_jacky.bots.odds import DONE, FIRST, LATE, OPEN, PARAMETERS
from blackjacky_env.compiled import compiled
from blackjacky_env.declare import NOBODY
from blackjacky_env.games.black_jacky.rules import left_of, tenths
from blackjacky_env.games.black_jacky.state import SALOON

_POINT = 10  # tenths


@compiled
def likelihood(s):
    """The likelihood (0 .. 1) that the players other than seat 0 have knocked, or not, with their sums."""
    if s.first_knocker == NOBODY:
        return likelihood_before_knocks(s)
    chance, p, to_come = 1.0, int(s.turn_player), True
    for _ in range(s.num_players):
        to_come = to_come and p != s.first_knocker
        if p != 0 and s.status[p] == SALOON:
            conduct = DONE
            if p == s.first_knocker:
                conduct = FIRST
            elif s.knocked[p]:
                conduct = LATE
            elif to_come:
                conduct = OPEN
            chance *= likelihood_of_sum(s, p, conduct)
        p = left_of(s, p)
    return chance


@compiled
def likelihood_before_knocks(s):
    """The likelihood while nobody has knocked."""
    chance = 1.0
    for p in range(1, int(s.num_players)):
        if s.status[p] == SALOON:
            chance *= likelihood_of_sum(s, p, OPEN)
    return chance


@compiled
def likelihood_of_sum(s, p, conduct):
    """The likelihood of p's conduct with his sum, relative to the best sum."""
    missing = int(s.bust_at) - 1 - tenths(s, p) // _POINT
    if missing < 0:
        return np.float64(PARAMETERS[conduct + 2])
    return max(np.exp(-np.float64(PARAMETERS[conduct]) * missing), np.float64(PARAMETERS[conduct + 1]))
