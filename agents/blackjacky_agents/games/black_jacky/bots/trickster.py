"""`trickster`: plays by its own sum like `threshold`, and uses tricks where they help."""

from __future__ import annotations

import numpy as np

from blackjacky_agents.games.black_jacky.bots import seen
from blackjacky_agents.games.black_jacky.bots.threshold import PARAMETERS as LIMITS
from blackjacky_agents.games.black_jacky.bots.threshold import choose as choose_by_sum
from blackjacky_env.compiled import compiled
from blackjacky_env.games.black_jacky.state import LAY_3, LAY_6, NO_TRICK

AT = seen.AT

AVERAGE_CARD = 5.67  # of the whole deck: 204 / 36
PARAMETERS = np.append(LIMITS, [1, 4, 3]).astype(np.float32)
"""The limits of `threshold`, then for tricks, as distances below bust_at: good sums, bad sums, and the sums at
which a player is endangered by another card or "+1"."""


@compiled
def choose(observation, mask, random_state, parameters):
    """An action of ``trickster``; parameters as `PARAMETERS`."""
    if observation[seen.TRICKING]:
        return trick(observation, mask, parameters)
    return choose_by_sum(observation, mask, random_state, parameters)


@compiled
def trick(observation, mask, parameters):
    """The first trick that helps, else none."""
    total, bust = seen.my_sum(observation), 10 * int(observation[AT.bust_at])
    ahead = bust - 10 * (parameters[4] + 1) <= total < bust
    behind = total >= bust or total < bust - 10 * parameters[5]
    if mask[5] and total >= bust > total - 50:  # turned over it saves me
        return 5
    if mask[1] and ahead and not seen.somebody_knocked(observation) and others_look_behind(observation, total):
        return 1  # cut off the others
    if mask[2] and behind and seen.somebody_knocked(observation):
        return 2
    if total >= bust:
        action = exchange(observation, mask)
        if action != NO_TRICK:
            return action
    if mask[8] and bust - 30 <= total < bust:  # a tenth more wins ties
        return 8
    action = plus_one(observation, mask, total, bust, parameters)
    if action != NO_TRICK:
        return action
    if mask[4] and endangers_next(observation, bust, parameters):
        return 4
    if mask[7] and behind and total < bust and not top_helps(observation, total, bust):
        return 7  # perhaps the discard pile shows something better
    return NO_TRICK


@compiled
def likely_sum(observation, seat):
    """What a player's sum is when his hand is average."""
    return seen.laid_out(observation, seat) + 10 * AVERAGE_CARD * observation[AT.hand_counts + seat]


@compiled
def others_look_behind(observation, total):
    """Somebody is likely to have less than I, so I lose nothing when the round ends now."""
    for seat in range(1, observation[AT.num_players]):
        if observation[AT.hearts + seat] > 0 and likely_sum(observation, seat) < total - 20:
            return True
    return False


@compiled
def exchange(observation, mask):
    """T3 between me and the other player with the most cards in hand; NO_TRICK: not possible."""
    best, most = NO_TRICK, 0
    for seat in range(1, seen.SEATS):
        if mask[LAY_3 + seat - 1] and observation[AT.hand_counts + seat] > most:
            best, most = LAY_3 + seat - 1, observation[AT.hand_counts + seat]
    return best


@compiled
def plus_one(observation, mask, total, bust, parameters):
    """T6: to me if it makes a good sum better, else to an endangered player; NO_TRICK: neither."""
    if mask[LAY_6] and not observation[AT.plus_one] and bust - 40 <= total < bust - 10:
        return LAY_6
    if total >= bust:
        return NO_TRICK
    for seat in range(1, seen.SEATS):
        if mask[LAY_6 + seat] and is_endangered(observation, seat, bust, parameters):
            return LAY_6 + seat
    return NO_TRICK


@compiled
def is_endangered(observation, seat, bust, parameters):
    """A player without a turn to come who is likely to stand just below bust_at."""
    done = seen.somebody_knocked(observation) and not observation[AT.last_turns + seat]
    return done and bust - 10 * parameters[6] <= likely_sum(observation, seat) < bust + 10


@compiled
def endangers_next(observation, bust, parameters):
    """T4 hits a player who is likely to be bust with one more card and can do nothing about it."""
    for seat in range(1, observation[AT.num_players]):
        if observation[AT.hearts + seat] > 0 and not observation[AT.knocked + seat]:
            done = seen.somebody_knocked(observation) and not observation[AT.last_turns + seat]
            return done and likely_sum(observation, seat) + 10 * AVERAGE_CARD >= bust
    return False


@compiled
def top_helps(observation, total, bust):
    """A swap with the discard pile already gives a good sum."""
    top = seen.top_of_discards(observation)
    for v in range(1, 9):
        if observation[seen.HAND + v] and bust - 30 <= total + 10 * (top - v) < bust:
            return True
    return False
