"""Observation readers for the bots of Black Jacky; seats are relative, sums in tenths unless stated otherwise."""

from __future__ import annotations

from blackjacky_env.compiled import compiled
from blackjacky_env.games.black_jacky.rules import laid_tenths
from blackjacky_env.games.black_jacky.state import RECORD

AT = RECORD.at
HAND = AT.my_hand - 1  # + v
DISPLAYS = AT.displays - 1  # + 8 * seat + v
KNOWN = AT.known - 9  # + 8 * seat + v, seat 1 .. 5
SEATS = 6
TIPPING, TRICKING, EXCHANGING, ZOCKING = AT.phase, AT.phase + 1, AT.phase + 2, AT.phase + 3


@compiled
def laid_out(observation, seat):
    """What lies before a seat, "+1" included, as it counts (S1)."""
    total = 10 * int(observation[AT.plus_one + seat])
    for v in range(1, 9):
        total += laid_tenths(v) * int(observation[DISPLAYS + 8 * seat + v])
    return total


@compiled
def my_sum(observation):
    """My hand and what lies before me (S1)."""
    total = laid_out(observation, 0)
    for v in range(1, 9):
        total += 10 * v * int(observation[HAND + v])
    return total


@compiled
def top_of_discards(observation):
    """The value on top of the discard pile."""
    for v in range(1, 9):
        if observation[AT.discard_top + v - 1]:
            return v
    return 0


@compiled
def lowest_card(observation):
    """The lowest card in my hand, 0 if it is empty."""
    for v in range(1, 9):
        if observation[HAND + v]:
            return v
    return 0


@compiled
def highest_card(observation):
    """The highest card in my hand, 0 if it is empty."""
    for v in range(8, 0, -1):
        if observation[HAND + v]:
            return v
    return 0


@compiled
def somebody_knocked(observation):
    """The end of the round has been announced."""
    for seat in range(SEATS):
        if observation[AT.first_knocker + seat]:
            return True
    return False
