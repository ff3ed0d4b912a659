"""What cards are worth to players, and where their captains can go, in a position of Halunken & Spelunken.

Bots see observations only: `imagine` turns one into a position with the observer in seat 0, on which the rules run.
"""

from __future__ import annotations

from blackjacky_env.engine.compiling import compiled, scratch
from blackjacky_env.games.halunken.observation import encode, sample
from blackjacky_env.games.halunken.rules import ahead, apply, captain_on, legal, top_of
from blackjacky_env.games.halunken.state import (
    CARDS,
    COLOURS,
    HARBOUR,
    JACK,
    NO_CARD,
    NOBODY,
    NUM_COLOURS,
    RECORD,
    VALUES,
)

_SIZE, _DTYPE = RECORD.layout.size, RECORD.layout.dtype


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


@compiled
def change(s, p, card, sign):
    """By how much p's present score (C1) changes with the card (sign 1) or without it (-1)."""
    mine, most, best, most_then, best_then = int(COLOURS[card]), 0, 0, 0, 0
    value = sign * int(VALUES[card])
    for colour in range(NUM_COLOURS):
        worth, count = int(s.values[p, colour]), int(s.colours[p, colour])
        if count > most or (count == most and worth > best):
            most, best = count, worth
        if colour == mine:
            worth, count = worth + value, count + sign
        if count > most_then or (count == most_then and worth > best_then):
            most_then, best_then = count, worth
    return value + best_then - best


@compiled
def gain_of(s, p, card):
    """What p gains with the card, and a fraction of what its owner loses, if it is a rival."""
    owner, rivals = int(s.where[card]), int(s.num_players) - 1
    gain = float(change(s, p, card, 1))
    if owner < HARBOUR and owner != p:
        gain -= change(s, owner, card, -1) / rivals
    return gain


@compiled
def best_from(s, place, p):
    """(the card of a seat or the HARBOUR that is worth most to p, how much); (NO_CARD, 0.0) if there is none."""
    best, most = NO_CARD, 0.0
    if s.counts[place] == 0:
        return best, most
    for card in range(CARDS):
        if s.where[card] == place:
            gain = gain_of(s, p, card)
            if best == NO_CARD or gain > most:
                best, most = card, gain
    return best, most


@compiled
def cheapest(s, p, above):
    """(p's card of a value above ``above`` that p would miss least, by how many points); (NO_CARD, 0.0) if none."""
    best, least = NO_CARD, 0.0
    for card in range(CARDS):
        if s.where[card] == p and VALUES[card] > above:
            loss = -float(change(s, p, card, -1))
            if best == NO_CARD or loss < least:
                best, least = card, loss
    return best, least


# ---------------------------------------------------------------- landing


@compiled
def landing(s, figure, owner, number):
    """What ``owner``, a seat or the HARBOUR, gains if the figure now moves so many fields (H6, H7, J3, D4, D6)."""
    field = ahead(int(s.jack) if figure == JACK else int(s.captains[figure]), number)
    gain, strength = 0.0, 0 if owner == HARBOUR else int(s.counts[owner])
    if s.heights[field] > 0 and owner != HARBOUR:
        gain = float(change(s, owner, top_of(s, field), 1))
        strength += s.rob_before_pick == 0
    if figure != JACK and s.jack == field:
        return gain + best_from(s, HARBOUR, owner)[1]
    met = captain_on(s, field)
    if owner == HARBOUR:
        return gain_given(s, met)
    if NOBODY != met != owner and 0 < s.counts[met] >= strength:
        gain += best_from(s, met, owner)[1]
    return gain


@compiled
def gain_given(s, q):
    """D6: what the player who names Black Jack's number gains if q, or NOBODY, has to give a card."""
    if q == NOBODY:
        return 0.0
    loss = cheapest(s, q, 0)[1]
    return -loss if q == s.player else loss
