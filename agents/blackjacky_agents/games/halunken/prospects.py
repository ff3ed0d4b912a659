"""The value of each seat in any position, from the scores, the colours and the number of remaining rounds.

Two softmax functions. A player's final score is predicted as the sum of the cards, with the values of each colour
counted a second time in proportion to the chance that it becomes the most frequent one; that chance is a softmax of the
numbers of cards, which sharpens with every round. The chance of winning is a softmax of these scores (a Luce choice
model, "Individual Choice Behavior", 1959), whose spread grows with the root of the number of rounds still to be played.
At the end of the game both are as sharp as the rules. The constants did best in games of `planner` against copies with
other values.
"""

from __future__ import annotations

import math

import numpy as np

from blackjacky_agents.kit.search import to_rewards
from blackjacky_env.compiled import compiled, inlined
from blackjacky_env.games.halunken import state

SPREAD = 9.0
"""In points, for one remaining round."""
MAJORITY = 1.0
"""In cards, for each remaining round: the lead with which a colour is e times as likely to stay the most frequent."""
RUM_LEFT = 6.0
"""In points: what Rum is worth while it has not been played."""
_SHARP = 0.05  # keeps both softmax functions finite at the end, where a single card or point decides
_VALUE = 0.01  # of two equally frequent colours the one of higher value counts double (C1)


@inlined
def value(s, result):
    """Fill ``result`` (float64, (4,)) with the expected "win" rewards."""
    n = int(s.num_players)
    rounds = rounds_left(s)
    later = state.ROUNDS * (state.GAMES - 1 - int(s.game_number)) if s.three_games else 0
    spread = SPREAD * math.sqrt(rounds + later) + _SHARP
    highest, total = -np.inf, 0.0
    for p in range(n):
        result[p] = (int(s.totals[p]) + expected_score(s, p, rounds)) / spread
        highest = max(highest, result[p])
    for p in range(n):
        result[p] = math.exp(result[p] - highest)
        total += result[p]
    to_rewards(result, n, total)


@inlined
def stage(s):
    """Changes with every round, so that the search and `planner` evaluate at the end of the current one."""
    return state.ROUNDS * int(s.game_number) + int(s.round_number)


@inlined
def rounds_left(s):
    """Rounds of this game still to be played, the present one included."""
    if s.decision in (state.SETTLEMENT, state.OVER):
        return 0
    return state.ROUNDS - int(s.round_number)


@compiled
def expected_score(s, p, rounds):
    """The expected final score of p's cards, with what Rum is still good for."""
    softness = MAJORITY * rounds + _SHARP
    most = 0.0
    for colour in range(state.NUM_COLOURS):
        most = max(most, int(s.colours[p, colour]) + _VALUE * int(s.values[p, colour]))
    total, doubled, weights = 0.0, 0.0, 0.0
    for colour in range(state.NUM_COLOURS):
        worth = np.float64(int(s.values[p, colour]))
        weight = math.exp((int(s.colours[p, colour]) + _VALUE * worth - most) / softness)
        total += worth
        doubled += weight * worth
        weights += weight
    return total + doubled / weights + RUM_LEFT * (s.spent[p, state.RUM - 1] == 0)
