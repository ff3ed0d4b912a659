"""Network inputs for Schwarze Katze: `cards`, and `advice`, which adds the action values of the bot `counter`.

`cards` unpacks the observation without any knowledge of good play. Seats are relative to the observer (0 = me). Unseen
cards are those in other hands.
"""

from __future__ import annotations

import numpy as np

from blackjacky_agents.bots.trick_readers import NOTHING, lead_over_others
from blackjacky_agents.games.schwarze_katze.bots import counter, seen
from blackjacky_agents.kit.encoding import Encoding
from blackjacky_agents.kit.features import Features, divided, one_hot, with_advice
from blackjacky_env.compiled import compiled, scratch
from blackjacky_env.declare import Part
from blackjacky_env.games.schwarze_katze import state

AT = seen.AT
SEATS = state.SEATS  # a GPU takes names of constants as sizes

VERSION = 1
"""Incremented when the features or `counter` change, since agents trained on older features cannot use the new ones."""

_TRICKS, _CARD_POINTS, _POINTS = 13, 40, 100  # divisors

FEATURES = Features(
    state.RECORD.layout,
    [
        one_hot("num_players"),
        "piatnik_heart_lead",
        Part("deals_left", (), 0, 5, "deals after this one / 10"),
        Part("tricks_left", (), 0, 2, "tricks to come, this one included / 13"),
        "hand=my_hand",
        Part("unseen", (state.CARDS,), 0, 1, "cards that others hold"),
        Part("on_table", (state.CARDS,), 0, 1, "cards of this trick"),
        Part("highest", (state.CARDS,), 0, 1, "one-hot: the card that takes the trick so far"),
        Part("led", (state.SUITS,), 0, 1, "one-hot: suit that was led"),
        Part("suits", (state.SUITS,), 0, 1, "cards of each suit in my hand / 13"),
        Part("table_points", (), 0, 4, "penalty on the table / 40"),
        Part("to_come", (state.SEATS,), 0, 1, "seats that play to this trick after me"),
        Part("taking", (state.SEATS,), 0, 1, "one-hot: seat that takes the trick so far"),
        "voids",
        Part("hand_counts", (state.SEATS,), 0, 2, "cards in hand / 13"),
        Part("no_trick", (state.SEATS,), 0, 1, "1: has taken no trick in this deal"),
        divided("penalties", _POINTS),
        Part("behind", (state.SEATS,), -90, 90, "total of the seat less the lowest of the others / 100"),
    ],
)
TO = FEATURES.at
_write_repeated = FEATURES.write


@compiled
def cards(observation, mask, out):
    """Write the features of `cards` into ``out`` (float32)."""
    _write_repeated(observation, out)
    out[TO.deals_left] = (observation[AT.deals] - observation[AT.deal] - 1) / 10
    sizes = scratch(SEATS, np.int64)
    seen.write_hand_sizes(observation, sizes)
    out[TO.tricks_left] = sizes[0] / _TRICKS
    for card in range(state.CARDS):
        out[TO.suits + card // state.RANKS] += observation[AT.my_hand + card] / state.RANKS
        out[TO.unseen + card] = seen.is_unseen(observation, card)
    n = int(observation[AT.num_players])
    write_trick(observation, n, out)
    for seat in range(n):
        out[TO.hand_counts + seat] = sizes[seat] / _TRICKS
        out[TO.no_trick + seat] = observation[AT.tricks_taken + seat] == 0
        out[TO.behind + seat] = lead_over_others(observation[AT.totals :], n, seat) / _POINTS


@compiled
def write_trick(observation, n, out):
    """The trick on the table."""
    led = seen.led_card(observation)
    highest = seen.highest_on_table(observation, led)
    if led != NOTHING:
        out[TO.led + led // state.RANKS] = 1.0
        out[TO.highest + highest] = 1.0
    for seat in range(n):
        card = int(observation[AT.table + seat]) - 1
        if card >= 0:
            out[TO.on_table + card] = 1.0
            out[TO.table_points] += seen.penalty_of(observation, card) / _CARD_POINTS
            out[TO.taking + seat] = card == highest
        else:
            out[TO.to_come + seat] = seat > 0


_CARDS = Encoding("cards", VERSION, cards, FEATURES.layout)
ENCODINGS = (_CARDS, with_advice(_CARDS, counter.estimate, counter.PARAMETERS, state.CARDS, _CARD_POINTS))
