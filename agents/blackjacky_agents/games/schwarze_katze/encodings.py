"""Network inputs for Schwarze Katze: `cards`, and `advice`, which adds the action values of the bot `counter`.

`cards` unpacks the observation without any knowledge of good play. Seats are relative to the observer (0 = me). Unseen
cards are those in other hands.
"""

from __future__ import annotations

import numpy as np

from blackjacky_agents.games.schwarze_katze.bots.cards import (
    NOTHING,
    NUM_PLAYERS,
    TABLE,
    hand_size_of,
    highest_on_table,
    is_unseen,
    led_card,
    penalty_of,
)
from blackjacky_agents.games.schwarze_katze.bots.counter import PARAMETERS, estimate
from blackjacky_agents.learning.encoding import Encoding
from blackjacky_env.engine.compiling import compiled, scratch
from blackjacky_env.engine.layout import Layout, Part
from blackjacky_env.games.schwarze_katze.observation import LAYOUT as OBSERVATION
from blackjacky_env.games.schwarze_katze.rules import CARDS, RANKS, SEATS, SUITS

VERSION = 1
"""Incremented when the features or `counter` change, since agents trained on older features cannot use the new ones."""

_TRICKS, _CARD_POINTS, _POINTS = 13, 40, 100  # divisor of card counts

LAYOUT = Layout(
    [
        Part("num_players", (8,), 0, 1, "one-hot: 3 .. 10 players"),
        Part("piatnik_heart_lead", (), 0, 1, "option"),
        Part("deals_left", (), 0, 5, "deals after this one / 10"),
        Part("tricks_left", (), 0, 2, "tricks to come, this one included / 13"),
        Part("hand", (CARDS,), 0, 1, "my hand"),
        Part("unseen", (CARDS,), 0, 1, "cards that others hold"),
        Part("on_table", (CARDS,), 0, 1, "cards of this trick"),
        Part("highest", (CARDS,), 0, 1, "one-hot: the card that takes the trick so far"),
        Part("led", (SUITS,), 0, 1, "one-hot: suit that was led"),
        Part("suits", (SUITS,), 0, 1, "cards of each suit in my hand / 13"),
        Part("table_points", (), 0, 4, "penalty on the table / 40"),
        Part("to_come", (SEATS,), 0, 1, "seats that play to this trick after me"),
        Part("taking", (SEATS,), 0, 1, "one-hot: seat that takes the trick so far"),
        Part("voids", (SEATS, SUITS), 0, 1, "known voids"),
        Part("hand_counts", (SEATS,), 0, 2, "cards in hand / 13"),
        Part("no_trick", (SEATS,), 0, 1, "1: has taken no trick in this deal"),
        Part("penalties", (SEATS,), 0, 2, "penalties of this deal / 100"),
        Part("behind", (SEATS,), -90, 90, "total of the seat less the lowest of the others / 100"),
    ]
)
"""Features of `cards`."""

ADVICE_LAYOUT = Layout(
    [
        *LAYOUT.parts.values(),
        Part(
            "costs", (CARDS,), -50, 50, "by card: the penalty that `counter` expects of it less that of the best / 40"
        ),
        Part("advice", (CARDS,), 0, 1, "one-hot: the card with the lowest of these"),
    ]
)
"""Features of `advice`."""

_PLAYERS = LAYOUT.offset("num_players")
_PIATNIK = LAYOUT.offset("piatnik_heart_lead")
_DEALS_LEFT = LAYOUT.offset("deals_left")
_TRICKS_LEFT = LAYOUT.offset("tricks_left")
_HAND = LAYOUT.offset("hand")
_UNSEEN = LAYOUT.offset("unseen")
_ON_TABLE = LAYOUT.offset("on_table")
_HIGHEST = LAYOUT.offset("highest")
_LED = LAYOUT.offset("led")
_SUITS = LAYOUT.offset("suits")
_TABLE_POINTS = LAYOUT.offset("table_points")
_TO_COME = LAYOUT.offset("to_come")
_TAKING = LAYOUT.offset("taking")
_VOIDS = LAYOUT.offset("voids")
_HAND_COUNTS = LAYOUT.offset("hand_counts")
_NO_TRICK = LAYOUT.offset("no_trick")
_PENALTIES = LAYOUT.offset("penalties")
_BEHIND = LAYOUT.offset("behind")
_COSTS = ADVICE_LAYOUT.offset("costs")
_ADVICE = ADVICE_LAYOUT.offset("advice")

_O_PIATNIK = OBSERVATION.offset("piatnik_heart_lead")
_O_DEALS = OBSERVATION.offset("deals")
_O_DEAL = OBSERVATION.offset("deal")
_O_HAND = OBSERVATION.offset("my_hand")
_O_VOIDS = OBSERVATION.offset("voids")
_O_TRICKS_TAKEN = OBSERVATION.offset("tricks_taken")
_O_PENALTIES = OBSERVATION.offset("penalties")
_O_TOTALS = OBSERVATION.offset("totals")


@compiled
def cards(observation, mask, out):
    """Write `LAYOUT` into ``out`` (float32)."""
    for i in range(len(out)):
        out[i] = 0.0
    n = int(observation[NUM_PLAYERS])
    out[_PLAYERS + n - 3] = 1.0
    out[_PIATNIK] = observation[_O_PIATNIK]
    out[_DEALS_LEFT] = (observation[_O_DEALS] - observation[_O_DEAL] - 1) / 10
    out[_TRICKS_LEFT] = hand_size_of(observation, 0) / _TRICKS
    for card in range(CARDS):
        out[_HAND + card] = observation[_O_HAND + card]
        out[_SUITS + card // RANKS] += observation[_O_HAND + card] / RANKS
        out[_UNSEEN + card] = is_unseen(observation, card)
    write_trick(observation, n, out)
    for seat in range(n):
        write_seat(observation, n, seat, out)


@compiled
def write_trick(observation, n, out):
    """The trick on the table."""
    led = led_card(observation)
    highest = highest_on_table(observation, led)
    if led != NOTHING:
        out[_LED + led // RANKS] = 1.0
        out[_HIGHEST + highest] = 1.0
    for seat in range(n):
        card = int(observation[TABLE + seat]) - 1
        if card >= 0:
            out[_ON_TABLE + card] = 1.0
            out[_TABLE_POINTS] += penalty_of(observation, card) / _CARD_POINTS
            out[_TAKING + seat] = card == highest
        else:
            out[_TO_COME + seat] = seat > 0


@compiled
def write_seat(observation, n, seat, out):
    """How one player stands."""
    for suit in range(SUITS):
        out[_VOIDS + SUITS * seat + suit] = observation[_O_VOIDS + SUITS * seat + suit]
    out[_HAND_COUNTS + seat] = hand_size_of(observation, seat) / _TRICKS
    out[_NO_TRICK + seat] = observation[_O_TRICKS_TAKEN + seat] == 0
    out[_PENALTIES + seat] = observation[_O_PENALTIES + seat] / _POINTS
    lowest = 30000
    for other in range(n):
        if other != seat:
            lowest = min(lowest, int(observation[_O_TOTALS + other]))
    out[_BEHIND + seat] = (int(observation[_O_TOTALS + seat]) - lowest) / _POINTS


@compiled
def advice(observation, mask, out):
    """Write `ADVICE_LAYOUT` into ``out`` (float32)."""
    cards(observation, mask, out)
    if not mask.any():
        return
    costs = scratch(CARDS, np.float64)
    estimate(observation, mask, costs, PARAMETERS)
    best = np.argmin(costs)
    out[_ADVICE + best] = 1.0
    for card in range(CARDS):
        if mask[card]:
            out[_COSTS + card] = (costs[card] - costs[best]) / _CARD_POINTS


ENCODINGS = (
    Encoding("cards", VERSION, cards, LAYOUT.size),
    Encoding("advice", VERSION, advice, ADVICE_LAYOUT.size, _ADVICE),
)
