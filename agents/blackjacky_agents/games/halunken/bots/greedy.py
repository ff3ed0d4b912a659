"""`greedy`: takes what gives most points at once.

It moves where the card of the tavern and a robbery add most to its present score, robs and takes the card that is worth
most to it, gives the one that it misses least, and bids its cheapest card if it can expect to rob more than that.
With a temperature above 0 it chooses among movement cards at random, better ones more often: so search and `planner`
imagine the choices of players, which are secret.
"""

from __future__ import annotations

import math

import numpy as np

from blackjacky_agents.games.halunken.bots.crew import WORK, add_landings, best_from, cheapest, imagine, steps_to
from blackjacky_env.compiled import below, compiled, draw, inlined, scratch
from blackjacky_env.games.halunken import state
from blackjacky_env.games.halunken.rules import ahead, highest_offer, is_free, jacks_owner, may_name

STATE = state.STATE  # a GPU takes names of constants as sizes

# Indices of the parameters. TEMPERATURE: of the choice among movement cards, in points; 0: the best one. RUM_KEPT:
# points that Rum must gain beyond the best number. LOOT: fraction of the points that Black Jack may rob, or take as a
# second captain, that is bid for.
TEMPERATURE, RUM_KEPT, LOOT = range(3)

PARAMETERS = np.array([0.0, 4.0, 0.8], np.float32)
"""Chosen by hand."""

_UNIT = 2.0**-53  # scales 53 random bits to a number 0 .. 1


@compiled
def choose(observation, mask, random_state, parameters):
    """The action that gains most at once."""
    position, work = scratch(1, STATE), scratch(1, WORK)
    s = position[0]
    imagine(observation, random_state, s)
    return decide(s, random_state, parameters, work[0])


@inlined
def decide(s, bits, parameters, work):
    """The action of the player to act in a position; it uses nothing that this player cannot see."""
    decision, p = int(s.decision), int(s.player)
    if decision in (state.CHOOSE, state.CHOOSE_FOR_JACK):
        return state.MOVE - 1 + choose_move(s, p if decision == state.CHOOSE else state.JACK, p, bits, parameters, work)
    if decision == state.BID:
        return offer(s, p, parameters, work)
    if decision == state.ROB:
        return state.CARD + best_from(s, int(s.victim), p)[0]
    if decision == state.TAKE:
        return state.CARD + best_from(s, state.HARBOUR, p)[0]
    if decision == state.GIVE:
        return state.CARD + cheapest(s, p, 0)[0]
    if decision == state.NAME:
        return name(s, work)
    if decision <= state.PLACE_JACK:
        return place(s, bits)
    rob = best_from(s, int(s.buyer), p)[1] > best_from(s, state.HARBOUR, p)[1]
    return state.ROB_BUYER if rob else state.TAKE_FROM_HARBOUR


# ---------------------------------------------------------------- placing and bidding


@compiled
def place(s, bits):
    """Any free field."""
    field = np.int64(below(draw(bits, 0), state.FIELDS))
    while not is_free(s, field):
        field = ahead(field, 1)
    return field


@inlined
def offer(s, p, parameters, work):
    """The cheapest card that outbids the others, if Black Jack can be expected to bring more; otherwise pass."""
    card, price = cheapest(s, p, highest_offer(s))
    if card == state.NO_CARD:
        return state.PASS
    return state.CARD + card if loot(s, p, work) * parameters[LOOT] > price else state.PASS


@inlined
def loot(s, p, work):
    """What Black Jack brings whoever controls him: the best landing of a second captain, or the robberies to expect."""
    total = 0.0
    if s.variant == state.DUEL and not s.duel_overtakes:
        for i in range(state.MOVES - 1):
            work.gains[i] = -np.inf if s.jack_spent[i] else 0.0
        add_landings(s, state.JACK, p, work)
        for i in range(state.MOVES - 1):
            total = max(total, work.gains[i])
        return total
    for q in range(s.num_players):
        if q != p and s.counts[q] >= s.counts[p] - 1:  # the card offered is gone
            total += overtaking(s, q) * best_from(s, q, p)[1]
    return total


@compiled
def overtaking(s, q):
    """The chance that Black Jack overtakes q where he stands now (J4)."""
    far, cards, left = 0, state.JACK_MOVES if s.variant != state.DUEL else state.MOVES - 1, 0
    distance = steps_to(int(s.captains[q]), int(s.jack))
    for number in range(1, cards + 1):
        if not s.jack_spent[number - 1]:
            left += 1
            far += number >= distance
    return far / max(left, 1)


# ---------------------------------------------------------------- movement cards


@compiled
def choose_move(s, figure, owner, bits, parameters, work):
    """A movement card for a captain, or for Black Jack: the best one, or one drawn by the temperature."""
    weigh_moves(s, figure, owner, work, parameters)
    if parameters[TEMPERATURE] > 0.0:
        chances_of(work, parameters)
        left = np.float64(draw(bits, 0) >> np.uint64(11)) * _UNIT
        for i in range(state.MOVES):
            left -= work.gains[i]
            if left < 0.0:
                return i + 1
    return np.argmax(work.gains) + 1


@inlined
def weigh_moves(s, figure, owner, work, parameters):
    """Fill ``work.gains`` with what each movement card gains at once; minus infinity: spent."""
    best, may_name = 0.0, not has_spent(s, figure, owner, state.RUM)
    for number in range(1, state.MOVES):
        work.gains[number - 1] = 0.0 if may_name or not has_spent(s, figure, owner, number) else -np.inf
    add_landings(s, figure, owner, work)
    for number in range(1, state.MOVES):
        best = max(best, work.gains[number - 1])
        if has_spent(s, figure, owner, number):
            work.gains[number - 1] = -np.inf
    work.gains[state.RUM - 1] = best - parameters[RUM_KEPT] if may_name else -np.inf


@inlined
def has_spent(s, figure, owner, move):
    """Whether a movement card of a captain, or of Black Jack, has been revealed."""
    return s.jack_spent[move - 1] if figure == state.JACK else s.spent[owner, move - 1]


@inlined
def chances_of(work, parameters):
    """Turn gains into chances, in place: their softmax at the temperature."""
    highest, total = -np.inf, 0.0
    for i in range(state.MOVES):
        highest = max(highest, work.gains[i])
    for i in range(state.MOVES):
        if work.gains[i] > -np.inf:
            work.gains[i] = math.exp((work.gains[i] - highest) / parameters[TEMPERATURE])
            total += work.gains[i]
        else:
            work.gains[i] = 0.0
    for i in range(state.MOVES):
        work.gains[i] /= total


@inlined
def name(s, work):
    """The number for Rum that gains most now (H5)."""
    figure = state.JACK if s.numbers[state.JACK] == state.RUM else int(s.player)
    owner = jacks_owner(s) if figure == state.JACK else figure
    work.gains[state.RUM - 1] = -np.inf
    for number in range(1, state.MOVES):
        work.gains[number - 1] = 0.0 if may_name(s, number) else -np.inf
    add_landings(s, figure, owner, work)
    return state.NUMBER + np.argmax(work.gains)
