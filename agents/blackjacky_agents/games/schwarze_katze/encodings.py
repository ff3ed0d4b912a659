"""Network inputs for Schwarze Katze: `cards`, and `advice`, which adds the action values of the bot `counter`.

`cards` unpacks the observation without any knowledge of good play. Seats are relative to the observer (0 = me). Unseen
cards are those in other hands.
"""

from __future__ import annotations

import numpy as np

from blackjacky_agents.games.schwarze_katze.bots.cards import (
    AT,
    NOTHING,
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
from blackjacky_env.games.schwarze_katze.state import CARDS, RANKS, SEATS, SUITS

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

TO = ADVICE_LAYOUT.at


@compiled
def cards(observation, mask, out):
    """Write `LAYOUT` into ``out`` (float32)."""
    for i in range(len(out)):
        out[i] = 0.0
    n = int(observation[AT.num_players])
    out[TO.num_players + n - 3] = 1.0
    out[TO.piatnik_heart_lead] = observation[AT.piatnik_heart_lead]
    out[TO.deals_left] = (observation[AT.deals] - observation[AT.deal] - 1) / 10
    out[TO.tricks_left] = hand_size_of(observation, 0) / _TRICKS
    for card in range(CARDS):
        out[TO.hand + card] = observation[AT.my_hand + card]
        out[TO.suits + card // RANKS] += observation[AT.my_hand + card] / RANKS
        out[TO.unseen + card] = is_unseen(observation, card)
    write_trick(observation, n, out)
    for seat in range(n):
        write_seat(observation, n, seat, out)


@compiled
def write_trick(observation, n, out):
    """The trick on the table."""
    led = led_card(observation)
    highest = highest_on_table(observation, led)
    if led != NOTHING:
        out[TO.led + led // RANKS] = 1.0
        out[TO.highest + highest] = 1.0
    for seat in range(n):
        card = int(observation[AT.table + seat]) - 1
        if card >= 0:
            out[TO.on_table + card] = 1.0
            out[TO.table_points] += penalty_of(observation, card) / _CARD_POINTS
            out[TO.taking + seat] = card == highest
        else:
            out[TO.to_come + seat] = seat > 0


@compiled
def write_seat(observation, n, seat, out):
    """How one player stands."""
    for suit in range(SUITS):
        out[TO.voids + SUITS * seat + suit] = observation[AT.voids + SUITS * seat + suit]
    out[TO.hand_counts + seat] = hand_size_of(observation, seat) / _TRICKS
    out[TO.no_trick + seat] = observation[AT.tricks_taken + seat] == 0
    out[TO.penalties + seat] = observation[AT.penalties + seat] / _POINTS
    lowest = 30000
    for other in range(n):
        if other != seat:
            lowest = min(lowest, int(observation[AT.totals + other]))
    out[TO.behind + seat] = (int(observation[AT.totals + seat]) - lowest) / _POINTS


@compiled
def advice(observation, mask, out):
    """Write `ADVICE_LAYOUT` into ``out`` (float32)."""
    cards(observation, mask, out)
    if not mask.any():
        return
    costs = scratch(CARDS, np.float64)
    estimate(observation, mask, costs, PARAMETERS)
    best = np.argmin(costs)
    out[TO.advice + best] = 1.0
    for card in range(CARDS):
        if mask[card]:
            out[TO.costs + card] = (costs[card] - costs[best]) / _CARD_POINTS


ENCODINGS = (
    Encoding("cards", VERSION, cards, LAYOUT.size),
    Encoding("advice", VERSION, advice, ADVICE_LAYOUT.size, TO.advice),
)
