"""`threshold`: draws, swaps and knocks by thresholds on its own sum; uses no tricks."""

from __future__ import annotations

import numpy as np

from blackjacky_agents.bots.random_bot import choose as choose_at_random
from blackjacky_agents.games.black_jacky.bots import seen
from blackjacky_env.compiled import compiled
from blackjacky_env.games.black_jacky import state

AT = seen.AT

PARAMETERS = np.array([1, 3, 2, 8], np.float32)
"""Distances below ``bust_at``: knock from, draw below; in a last turn, keep from, draw below. A best response to
themselves: copies with other limits win no more against them."""


@compiled
def choose(observation, mask, random_state, parameters):
    """An action of ``threshold``; parameters: the four `PARAMETERS`."""
    if observation[seen.ZOCKING]:
        return zock(observation, mask, parameters)
    if mask[state.NO_TRICK]:
        return state.NO_TRICK
    if observation[seen.EXCHANGING]:
        return give(observation)
    return choose_at_random(observation, mask, random_state, parameters)  # a tip: no card is seen yet


@compiled
def give(observation):
    """The highest card if the hand is bust, else the lowest."""
    if seen.my_sum(observation) >= 10 * int(observation[AT.bust_at]):
        return state.GIVE + seen.highest_card(observation)
    return state.GIVE + seen.lowest_card(observation)


@compiled
def zock(observation, mask, parameters):
    """Knock when the sum is good, make it good with the discard pile, else draw or swap blindly."""
    total = seen.my_sum(observation)
    bust = 10 * int(observation[AT.bust_at])
    limits = parameters[2:4] if seen.somebody_knocked(observation) else parameters[0:2]
    good = bust - 10 * limits[0]
    if good <= total < bust:
        return state.KNOCK
    swapped = best_swap(observation, mask, total, good, bust)
    if swapped > 0:
        return state.SWAP_DISCARD + swapped
    if total < bust - 10 * limits[1] and mask[state.DRAW]:
        return state.DRAW
    given = seen.highest_card(observation) if total >= bust else seen.lowest_card(observation)
    if given and mask[state.SWAP_DRAW + given]:
        return state.SWAP_DRAW + given
    return state.KNOCK


@compiled
def best_swap(observation, mask, total, good, bust):
    """The card whose swap with the discard pile gives the highest good sum; 0: none does."""
    top = seen.top_of_discards(observation)
    best, given = 0, 0
    for v in range(1, 9):
        after = total + 10 * (top - v)
        if mask[state.SWAP_DISCARD + v] and good <= after < bust and after > best:
            best, given = after, v
    return given
