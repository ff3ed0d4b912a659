"""What bots and encodings of trick-taking games read from an observation.

The observation has the parts ``num_players``, ``leader`` (one-hot) and ``table`` (by seat: 1 + the card played to this
trick, 0 = none). The cards of a suit are consecutive, the highest last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from blackjacky_env.compiled import compiled
from blackjacky_env.declare import Fields

NOTHING = -1  # no card


def readers(record: Fields, suit: int) -> tuple[Callable[..., Any], ...]:
    """Compiled functions of an observation, for a game of which ``suit`` cards make a suit."""
    at, seats = record.at, record.seats

    @compiled
    def led_card(observation):
        """The card that was led, `NOTHING` if it is mine to lead."""
        for seat in range(1, seats):
            if observation[at.leader + seat]:
                return int(observation[at.table + seat]) - 1
        return NOTHING

    @compiled
    def highest_on_table(observation, led):
        """The card that wins the trick so far, `NOTHING` if none is led."""
        highest = led
        for seat in range(1, seats):
            card = int(observation[at.table + seat]) - 1
            if card // suit == led // suit and card > highest:
                highest = card
        return highest

    @compiled
    def beats(card, highest, led):
        """Whether a card takes over the trick; the card that is led always does."""
        return led == NOTHING or (card // suit == led // suit and card > highest)

    @compiled
    def players_to_come(observation):
        """Number of players who play to this trick after me."""
        count = -1
        for seat in range(int(observation[at.num_players])):
            count += observation[at.table + seat] == 0
        return count

    @compiled
    def write_hand_sizes(observation, own, sizes):
        """Write into ``sizes`` how many cards each player holds, when I hold ``own``; all are dealt equally many."""
        sizes[:] = 0
        for seat in range(int(observation[at.num_players])):
            sizes[seat] = own + (observation[at.table] > 0) - (observation[at.table + seat] > 0)

    return led_card, highest_on_table, beats, players_to_come, write_hand_sizes


@compiled
def lead_over_others(totals, n, seat):
    """How far the total of a seat lies above the lowest of the others; ``totals``: (n,) or more."""
    lowest = 30000
    for other in range(n):
        if other != seat:
            lowest = min(lowest, int(totals[other]))
    return int(totals[seat]) - lowest
