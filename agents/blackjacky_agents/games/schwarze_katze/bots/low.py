"""`low`: leads low, ducks, and discards dangerous cards; it does not count cards."""

from __future__ import annotations

from blackjacky_agents.bots.trick_readers import NOTHING
from blackjacky_agents.games.schwarze_katze.bots.seen import beats, highest_on_table, led_card, players_to_come
from blackjacky_env.compiled import compiled
from blackjacky_env.games.schwarze_katze import state


@compiled
def choose(observation, mask, random_state, parameters):
    """The legal card that it prefers; of equal ones the first."""
    led = led_card(observation)
    highest = highest_on_table(observation, led)
    last = players_to_come(observation) == 0
    best, most_preferred = NOTHING, -1000
    for card in range(state.CARDS):
        if mask[card]:
            preference = preference_for(card, led, highest, last)
            if preference > most_preferred:
                best, most_preferred = card, preference
    return best


@compiled
def preference_for(card, led, highest, last):
    """How much it prefers a card: the most dangerous if it does not take the trick, else the lowest.

    A last player who has to take the trick takes it with the highest card, which can do no more harm.
    """
    rank = card % state.RANKS
    if led != NOTHING and not beats(card, highest, led):
        return 100 + danger_of(card)
    if card == state.QUEEN_OF_SPADES:
        return -100
    return rank if last else -danger_of(card)


@compiled
def danger_of(card):
    """How much it wants to get rid of a card: the queen of spades, those that may catch her, hearts, high cards."""
    if card == state.QUEEN_OF_SPADES:
        return 60
    if card > state.QUEEN_OF_SPADES:
        return 40 + card % state.RANKS
    return card % state.RANKS + (20 if card // state.RANKS == state.HEARTS else 0)
