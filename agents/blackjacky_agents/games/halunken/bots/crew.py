"""What cards are worth to players, and where their captains can go, in a position of Halunken & Spelunken.

Bots see observations only: `imagine` turns one into a position with the observer in seat 0, on which the rules run.
"""

from __future__ import annotations

import numpy as np

from blackjacky_env.compiled import compiled, inlined, scratch
from blackjacky_env.declare import NOBODY
from blackjacky_env.games.halunken import state
from blackjacky_env.games.halunken.observation import encode, sample
from blackjacky_env.games.halunken.rules import ahead, apply, legal, top_of

WORK = np.dtype([("gains", np.float64, (state.MOVES,)), ("choices", np.int8, (state.SEATS,))], align=True)
"""Working memory: what each movement card gains, and choices. A record, as Numba counts references to arrays."""

_SIZE, _DTYPE = state.RECORD.layout.size, state.RECORD.layout.dtype
_CARD = 1024  # more than all cards of a colour are worth: ranks colours by number of cards, then by value
_FIRST = np.searchsorted(state.COLOURS, np.arange(state.NUM_COLOURS + 1))  # the first card of each colour


@compiled
def imagine(observation, bits, s):
    """`observation.sample`, compiled once for all bots."""
    sample(observation, bits, s)


@compiled
def play(s, action):
    """`rules.apply`, compiled once for all bots."""
    apply(s, action)


@compiled
def shows(s, observation, mask):
    """Whether seat 0 sees this observation in a position, whose legal actions are written into ``mask``."""
    seen = scratch(_SIZE, _DTYPE)
    encode(s, 0, seen)
    legal(s, mask)
    for i in range(len(seen)):
        if seen[i] != observation[i]:
            return False
    return True


# ---------------------------------------------------------------- cards


@inlined
def rank_of(s, p, colour):
    """Orders p's colours by the number of cards, then by their value, which is the rank modulo `_CARD`."""
    return _CARD * int(s.colours[p, colour]) + int(s.values[p, colour])


@inlined
def leaders(s, p):
    """(the colour that counts double for p (C1), its rank, the highest rank of the others)."""
    first, best, second = 0, 0, 0
    for colour in range(state.NUM_COLOURS):
        rank = rank_of(s, p, colour)
        if rank > best:
            first, best, second = colour, rank, best
        else:
            second = max(second, rank)
    return first, best, second


@inlined
def change(s, p, card, sign):
    """By how much p's present score (C1) changes with the card (sign 1) or without it (-1)."""
    return change_from(s, p, leaders(s, p), card, sign)


@inlined
def change_from(s, p, lead, card, sign):
    """`change` for the `leaders` of p."""
    first, best, second = lead
    colour, value = int(state.COLOURS[card]), int(state.VALUES[card])
    others = second if colour == first else best
    best_then = max(others, rank_of(s, p, colour) + sign * (_CARD + value))
    return sign * value + best_then % _CARD - best % _CARD


@compiled
def best_from(s, place, p):
    """(the card of a seat or the HARBOUR that is worth most to p, how much); (NO_CARD, 0.0) if there is none.

    What a rival loses with it counts as well, as a fraction.
    """
    best, most = state.NO_CARD, 0.0
    if s.counts[place] == 0:
        return best, most
    rob, rivals = place < state.HARBOUR and place != p, int(s.num_players) - 1
    owner = place if rob else p
    mine, theirs = leaders(s, p), leaders(s, owner)
    for colour in range(state.NUM_COLOURS):  # the highest card of a colour is worth most
        card = int(_FIRST[colour + 1]) - 1
        while card >= _FIRST[colour] and s.where[card] != place:
            card -= 1
        if card >= _FIRST[colour]:
            gain = float(change_from(s, p, mine, card, 1))
            if rob:
                gain -= change_from(s, owner, theirs, card, -1) / rivals
            if best == state.NO_CARD or gain > most:
                best, most = card, gain
    return best, most


@compiled
def cheapest(s, p, above):
    """(p's card of a value above ``above`` that p would miss least, by how many points); (NO_CARD, 0.0) if none."""
    best, least, lead = state.NO_CARD, 0.0, leaders(s, p)
    for colour in range(state.NUM_COLOURS):  # of a colour, the lowest card
        card = int(_FIRST[colour])
        while card < _FIRST[colour + 1] and (s.where[card] != p or state.VALUES[card] <= above):
            card += 1
        if card < _FIRST[colour + 1]:
            loss = -float(change_from(s, p, lead, card, -1))
            if best == state.NO_CARD or loss < least:
                best, least = card, loss
    return best, least


# ---------------------------------------------------------------- landing


@inlined
def steps_to(field, at):
    """How many fields clockwise from ``at`` the field lies, 0 .. 13."""
    return field - at + state.FIELDS * (field < at)


@inlined
def add_landings(s, figure, owner, work):
    """Add what ``owner``, a seat or the HARBOUR, gains if the figure now moves 1 .. 7 fields (H6, H7, J3, D4, D6).

    ``work.gains`` are those by movement card; minus infinity: not asked for.
    """
    at = int(s.jack) if figure == state.JACK else int(s.captains[figure])
    if owner != state.HARBOUR:
        lead = leaders(s, owner)
        for number in range(1, state.MOVES):
            field = ahead(at, number)
            if s.heights[field] > 0:
                work.gains[number - 1] += change_from(s, owner, lead, top_of(s, field), 1)
    if figure != state.JACK and s.jack != NOBODY:
        number = steps_to(int(s.jack), at)
        if 0 < number < state.MOVES and work.gains[number - 1] > -np.inf:
            work.gains[number - 1] += best_from(s, state.HARBOUR, owner)[1]
    for q in range(s.num_players):
        number = steps_to(int(s.captains[q]), at)
        if 0 < number < state.MOVES and work.gains[number - 1] > -np.inf:
            work.gains[number - 1] += gain_from(s, owner, q)


@inlined
def gain_from(s, owner, q):
    """What ``owner`` gains if the figure lands on q's captain."""
    if owner == state.HARBOUR:
        return gain_given(s, q)
    strength = int(s.counts[owner])
    if s.rob_before_pick == 0:
        strength += s.heights[s.captains[q]] > 0
    if q != owner and 0 < s.counts[q] >= strength:
        return best_from(s, q, owner)[1]
    return 0.0


@compiled
def gain_given(s, q):
    """D6: what the player who names Black Jack's number gains if q has to give a card."""
    loss = cheapest(s, q, 0)[1]
    return -loss if q == s.player else loss
