"""Observation readers for the bots of Schwarze Katze: the trick on the table and the unseen cards."""

from __future__ import annotations

from blackjacky_env.engine.compiling import compiled
from blackjacky_env.games.schwarze_katze.rules import is_taken_out
from blackjacky_env.games.schwarze_katze.state import CARDS, HEARTS, QUEEN_OF_SPADES, RANKS, RECORD, SEATS, SUITS

AT = RECORD.at
NOTHING = -1


@compiled
def led_card(observation):
    """The card that was led, NOTHING if it is mine to lead."""
    for seat in range(1, SEATS):
        if observation[AT.leader + seat]:
            return int(observation[AT.table + seat]) - 1
    return NOTHING


@compiled
def highest_on_table(observation, led):
    """The card that wins the trick so far, NOTHING if none is led."""
    highest = led
    for seat in range(1, SEATS):
        card = int(observation[AT.table + seat]) - 1
        if card // RANKS == led // RANKS and card > highest:
            highest = card
    return highest


@compiled
def penalty_of(observation, card):
    """K6."""
    if card == QUEEN_OF_SPADES:
        return 40
    if card // RANKS != HEARTS:
        return 0
    rank = card % RANKS
    return int(observation[AT.heart_ace]) if rank == RANKS - 1 else min(rank + 2, 10)


@compiled
def beats(card, highest, led):
    """Whether a card takes over the trick; the card that is led always does."""
    return led == NOTHING or (card // RANKS == led // RANKS and card > highest)


@compiled
def is_unseen(observation, card):
    """Whether somebody else holds the card."""
    if observation[AT.my_hand + card] or observation[AT.played + card]:
        return False
    return not is_taken_out(card, int(observation[AT.num_players]))


@compiled
def hand_size_of(observation, seat):
    """How many cards a player holds."""
    return CARDS // int(observation[AT.num_players]) - int(observation[AT.trick]) - (observation[AT.table + seat] > 0)


@compiled
def is_void(observation, seat, suit):
    """Whether everybody knows that the seat has no card of the suit."""
    return observation[AT.voids + SUITS * seat + suit] > 0
