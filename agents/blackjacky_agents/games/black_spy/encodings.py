"""Network inputs for Black Spy: `cards`, and `advice`, which adds the action values of the bot `counter`.

`cards` unpacks the observation without any knowledge of good play. Seats are relative to the observer (0 = me). Unseen
cards are those in other hands, or in the mole's pile.
"""

from __future__ import annotations

import numpy as np

from blackjacky_agents.bots.trick_readers import NOTHING, lead_over_others
from blackjacky_agents.games.black_spy.bots import counter, seen
from blackjacky_agents.kit.encoding import Encoding
from blackjacky_agents.kit.features import Features, divided, one_hot, with_advice
from blackjacky_env.compiled import compiled, scratch
from blackjacky_env.declare import Part
from blackjacky_env.games.black_spy import state
from blackjacky_env.games.black_spy.rules import LIMITS

AT = seen.AT
KINDS, SEATS = state.KINDS, state.SEATS  # a GPU takes names of constants as sizes

VERSION = 1
"""Incremented when the features or `counter` change, since agents trained on older features cannot use the new ones."""

_HAND = 20  # divisor: cards of a hand
_TRICK_POINTS, _POINTS, _DEALS = 20, 100, 10  # divisors: points of a trick, of a deal or game, deals
_FAR = 3.0  # the most by which a cost counts, in divisors

FEATURES = Features(
    state.RECORD.layout,
    [
        one_hot("num_players"),
        "no_good_spies moon_choice rank_follow rank_follow_strict exact_limit",
        Part("phase", (state.OVER,), 0, 1, "one-hot: take, call, pass, play, choose"),
        divided("picks", state.PICKS),
        one_hot("pass_to called"),
        Part("deals_left", (), 0, 1, "deals after this one at most / 10, up to 1"),
        Part("tricks_left", (), 0, 1, "tricks to come, this one included / 20"),
        Part("hand", (KINDS,), 0, 1, "my hand; number of black 7s / 6"),
        Part("unseen", (KINDS,), 0, 1, "cards in other hands; number of black 7s / 6"),
        Part("passed", (KINDS,), 0, 1, "cards that I have chosen to pass, or that pass_to must still have"),
        Part("on_table", (KINDS,), 0, 1, "cards of this trick; number of black 7s / 6"),
        Part("highest", (KINDS,), 0, 1, "one-hot: the card that takes the trick so far"),
        Part("led_colour", (state.COLOURS,), 0, 1, "one-hot: colour that was led"),
        Part("led_rank", (state.RANKS,), 0, 1, "one-hot: rank that was led"),
        Part("colours", (state.COLOURS,), 0, 1, "cards of each colour in my hand / 16"),
        Part("table_points", (), -1, 3, "points on the table / 20"),
        Part("to_come", (state.SEATS,), 0, 1, "seats that play to this trick after me"),
        Part("taking", (state.SEATS,), 0, 1, "one-hot: seat that takes the trick so far"),
        "red_star colour_voids rank_voids",
        Part("hand_counts", (state.SEATS,), 0, 1, "cards in hand / 20"),
        divided("black_taken", state.BLACK_CARDS),
        divided("good_spies_taken", state.BLACK),
        divided("points", _POINTS),
        Part("to_limit", (state.SEATS,), -1, 80, "points to the limit / 100"),
        Part("behind", (state.SEATS,), -80, 80, "total of the seat less the lowest of the others / 100"),
    ],
)
TO = FEATURES.at
_write_repeated = FEATURES.write


@compiled
def cards(observation, mask, out):
    """Write the features of `cards` into ``out`` (float32)."""
    _write_repeated(observation, out)
    for phase in range(state.OVER):
        out[TO.phase + phase] = observation[AT.phase + phase]
    out[TO.deals_left] = min(1.0, (observation[AT.max_deals] - observation[AT.deal] - 1) / _DEALS)
    sizes = scratch(SEATS, np.int64)
    seen.write_hand_sizes(observation, sizes)
    out[TO.tricks_left] = sizes[0] / _HAND
    n = int(observation[AT.num_players])
    write_cards(observation, out)
    write_trick(observation, n, out)
    for seat in range(n):
        out[TO.hand_counts + seat] = sizes[seat] / _HAND
        out[TO.to_limit + seat] = (LIMITS[n] - int(observation[AT.totals + seat])) / _POINTS
        out[TO.behind + seat] = lead_over_others(observation[AT.totals :], n, seat) / _POINTS


@compiled
def write_cards(observation, out):
    """My hand and what is known of the other cards."""
    unseen = scratch(KINDS, np.int64)
    seen.count_unseen(observation, unseen)
    for card in range(KINDS):
        mine, passed, is_black_7 = observation[AT.my_hand + card], observation[AT.passed + card], card == state.BLACK_7
        out[TO.hand + card] = mine / (state.BLACK_7S if is_black_7 else 1)
        out[TO.unseen + card] = unseen[card] / (state.BLACK_7S if is_black_7 else 1)
        out[TO.passed + card] = passed / (state.PICKS if is_black_7 else 1)
        out[TO.colours + card // state.RANKS] += mine / state.BLACK_CARDS


@compiled
def write_trick(observation, n, out):
    """The trick on the table."""
    led = seen.led_card(observation)
    highest = seen.highest_on_table(observation, led)
    if led != NOTHING:
        out[TO.led_colour + led // state.RANKS] = 1.0
        out[TO.led_rank + led % state.RANKS] = 1.0
        out[TO.highest + highest] = 1.0
    out[TO.table_points] = seen.points_on_table(observation) / _TRICK_POINTS
    taken = False  # of equal black 7s the one played first takes the trick (B6)
    for seat in range(1, n):
        card = int(observation[AT.table + seat]) - 1
        if card < 0:
            out[TO.to_come + seat] = 1.0
        else:
            out[TO.on_table + card] += 1.0 / state.BLACK_7S if card == state.BLACK_7 else 1.0
            out[TO.taking + seat] = card == highest and not taken
            taken |= card == highest


_CARDS = Encoding("cards", VERSION, cards, FEATURES.layout)
ENCODINGS = (_CARDS, with_advice(_CARDS, counter.estimate, counter.PARAMETERS, state.NUM_ACTIONS, _TRICK_POINTS, _FAR))
