"""`low`: leads low, ducks, passes and discards the costliest black cards, takes harmless ones; it does not count."""

from __future__ import annotations

from blackjacky_agents.bots.trick_readers import NOTHING
from blackjacky_agents.games.black_spy.bots import seen
from blackjacky_env.compiled import compiled
from blackjacky_env.games.black_spy import state

AT = seen.AT


@compiled
def choose(observation, mask, random_state, parameters):
    """The legal action that it prefers; of equal ones the first."""
    phase = seen.phase_of(observation)
    if phase == state.CHOOSE:
        return state.MOON_OTHERS
    if phase == state.CALLING:
        return state.CALL + shortest_colour(observation)
    led = seen.led_card(observation)
    highest = seen.highest_on_table(observation, led)
    harmless = seen.players_to_come(observation) == 0 and seen.points_on_table(observation) <= 0
    best, most_preferred = NOTHING, -1000
    for card in range(state.KINDS):
        if mask[card]:
            if phase in (state.PASS, state.TAKE):
                preference = danger_of(card) if phase == state.PASS else -danger_of(card)
            else:
                preference = preference_for(card, led, highest, harmless)
            if preference > most_preferred:
                best, most_preferred = card, preference
    return best


@compiled
def shortest_colour(observation):
    """The colour other than black of which it has the fewest cards."""
    best, fewest = 0, state.KINDS
    for colour in range(state.COLOURS - 1):
        count = 0
        for card in range(state.RANKS * colour, state.RANKS * colour + state.RANKS):
            count += observation[AT.my_hand + card]
        if count < fewest:
            best, fewest = colour, count
    return best


@compiled
def preference_for(card, led, highest, harmless):
    """How much it prefers a card: the most dangerous if it does not take the trick, else the lowest.

    A trick that costs nothing is taken with a high card, unless that is a black one.
    """
    if led != NOTHING and not seen.beats(card, highest, led):
        return 100 + danger_of(card)
    return card % state.RANKS if harmless and card < state.BLACK_1 else -danger_of(card)


@compiled
def danger_of(card):
    """How much it wants to get rid of a card: black 7s, those that may catch them, black cards, high cards."""
    if card == state.BLACK_7:
        return 60
    if card >= state.BLACK_1:
        return (40 if card > state.BLACK_7 else 10) + card % state.RANKS
    return -1 if card % state.RANKS == state.SPY_RANK else card % state.RANKS
