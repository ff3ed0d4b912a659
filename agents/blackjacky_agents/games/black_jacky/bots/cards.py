"""Observation readers for the bots of Black Jacky; seats are relative, sums in tenths unless stated otherwise."""

from __future__ import annotations

from blackjacky_env.engine.compiling import compiled
from blackjacky_env.games.black_jacky.observation import LAYOUT

SEATS = 6
NUM_PLAYERS = LAYOUT.offset("num_players")
MAX_CARD = LAYOUT.offset("max_card")
BUST_AT = LAYOUT.offset("bust_at")
PHASE = LAYOUT.offset("phase")
TIPPING, TRICKING, EXCHANGING, ZOCKING = PHASE, PHASE + 1, PHASE + 2, PHASE + 3
ENDS_AFTER_TURN = LAYOUT.offset("ends_after_turn")
START_PLAYER = LAYOUT.offset("start_player")
HEARTS = LAYOUT.offset("hearts")
KNOCKED = LAYOUT.offset("knocked")
FIRST_KNOCKER = LAYOUT.offset("first_knocker")
LAST_TURNS = LAYOUT.offset("last_turns")
PLUS_ONE = LAYOUT.offset("plus_one")
PAIR = LAYOUT.offset("exchange_pair")
TRICKSTER = LAYOUT.offset("trickster")
DISCARD_TOP = LAYOUT.offset("discard_top")
DISCARDS = LAYOUT.offset("discards")
DRAW_COUNT = LAYOUT.offset("draw_count")
HAND_COUNTS = LAYOUT.offset("hand_counts")
HAND = LAYOUT.offset("my_hand") - 1  # + v
DISPLAYS = LAYOUT.offset("displays") - 1  # + 8 * seat + v
KNOWN = LAYOUT.offset("known") - 9  # + 8 * seat + v, seat 1 .. 5


@compiled
def laid_out(observation, seat):
    """What lies before a seat, "+1" included, as it counts (S1)."""
    total = 10 * int(observation[PLUS_ONE + seat]) + int(observation[DISPLAYS + 8 * seat + 8])
    for v in range(1, 9):
        if v != 5:
            total += 10 * v * int(observation[DISPLAYS + 8 * seat + v])
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
        if observation[DISCARD_TOP + v - 1]:
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
        if observation[FIRST_KNOCKER + seat]:
            return True
    return False
