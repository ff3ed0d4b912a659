"""`low`: leads low, ducks, passes and discards the costliest black cards, takes harmless ones; it does not count."""

from __future__ import annotations

from blackjacky_agents.bots.trick_taking import NOTHING
from blackjacky_agents.games.black_spy.bots.cards import (
    AT,
    beats,
    highest_on_table,
    led_card,
    phase_of,
    players_to_come,
    points_on_table,
)
from blackjacky_env.compiled import compiled
from blackjacky_env.games.black_spy.state import (
    BLACK_1,
    BLACK_7,
    CALL,
    CALLING,
    CHOOSE,
    COLOURS,
    KINDS,
    MOON_OTHERS,
    PASS,
    RANKS,
    SPY_RANK,
    TAKE,
)


@compiled
def choose(observation, mask, random_state, parameters):
    """The legal action that it prefers; of equal ones the first."""
    phase = phase_of(observation)
    if phase == CHOOSE:
        return MOON_OTHERS
    if phase == CALLING:
        return CALL + shortest_colour(observation)
    led = led_card(observation)
    highest = highest_on_table(observation, led)
    harmless = players_to_come(observation) == 0 and points_on_table(observation) <= 0
    best, most_preferred = NOTHING, -1000
    for card in range(KINDS):
        if mask[card]:
            if phase in (PASS, TAKE):
                preference = danger_of(card) if phase == PASS else -danger_of(card)
            else:
                preference = preference_for(card, led, highest, harmless)
            if preference > most_preferred:
                best, most_preferred = card, preference
    return best


@compiled
def shortest_colour(observation):
    """The colour other than black of which it has the fewest cards."""
    best, fewest = 0, KINDS
    for colour in range(COLOURS - 1):
        count = 0
        for card in range(RANKS * colour, RANKS * colour + RANKS):
            count += observation[AT.my_hand + card]
        if count < fewest:
            best, fewest = colour, count
    return best


@compiled
def preference_for(card, led, highest, harmless):
    """How much it prefers a card: the most dangerous if it does not take the trick, else the lowest.

    A trick that costs nothing is taken with a high card, unless that is a black one.
    """
    if led != NOTHING and not beats(card, highest, led):
        return 100 + danger_of(card)
    return card % RANKS if harmless and card < BLACK_1 else -danger_of(card)


@compiled
def danger_of(card):
    """How much it wants to get rid of a card: black 7s, those that may catch them, black cards, high cards."""
    if card == BLACK_7:
        return 60
    if card >= BLACK_1:
        return (40 if card > BLACK_7 else 10) + card % RANKS
    return -1 if card % RANKS == SPY_RANK else card % RANKS
