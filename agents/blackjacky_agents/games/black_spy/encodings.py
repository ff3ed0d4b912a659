"""Network inputs for Black Spy: `cards`, and `advice`, which adds the action values of the bot `counter`.

`cards` unpacks the observation without any knowledge of good play. Seats are relative to the observer (0 = me). Unseen
cards are those in other hands, or in the mole's pile.
"""

from __future__ import annotations

import numpy as np

from blackjacky_agents.games.black_spy.bots.cards import (
    COLOUR_VOIDS,
    MY_HAND,
    NOTHING,
    NUM_PLAYERS,
    PASS_TO,
    PASSED,
    PHASE,
    POINTS,
    RANK_VOIDS,
    RED_STAR,
    TABLE,
    TOTALS,
    count_unseen,
    hand_size_of,
    highest_on_table,
    led_card,
    points_on_table,
)
from blackjacky_agents.games.black_spy.bots.counter import PARAMETERS, estimate
from blackjacky_agents.learning.encoding import Encoding
from blackjacky_env.engine.compiling import compiled, scratch
from blackjacky_env.engine.layout import Layout, Part
from blackjacky_env.games.black_spy.observation import LAYOUT as OBSERVATION
from blackjacky_env.games.black_spy.rules import (
    BLACK_7,
    BLACK_CARDS,
    COLOURS,
    KINDS,
    LIMITS,
    NUM_ACTIONS,
    OVER,
    PICKS,
    RANKS,
    SEATS,
)

VERSION = 1
"""Incremented when the features or `counter` change, since agents trained on older features cannot use the new ones."""

_SPIES, _HAND, _SPIES_COLOURED = 6, 20, 4  # divisors: black 7s, cards of a hand, coloured 7s
_TRICK_POINTS, _POINTS, _DEALS = 20, 100, 10  # divisors: points of a trick, of a deal or game, deals
_FAR = 3.0  # the most by which a cost counts, in divisors

LAYOUT = Layout(
    [
        Part("num_players", (4,), 0, 1, "one-hot: 3 .. 6 players"),
        Part("options", (5,), 0, 1, "no_good_spies, moon_choice, rank_follow, rank_follow_strict, exact_limit"),
        Part("phase", (OVER,), 0, 1, "one-hot: take, call, pass, play, choose"),
        Part("picks", (), 0, 1, "cards taken or chosen so far / 3"),
        Part("pass_to", (SEATS,), 0, 1, "one-hot: seat to which I pass in this deal, me = nothing is passed"),
        Part("called", (COLOURS,), 0, 1, "one-hot: none, the colour called"),
        Part("deals_left", (), 0, 1, "deals after this one at most / 10, up to 1"),
        Part("tricks_left", (), 0, 1, "tricks to come, this one included / 20"),
        Part("hand", (KINDS,), 0, 1, "my hand; number of black 7s / 6"),
        Part("unseen", (KINDS,), 0, 1, "cards in other hands; number of black 7s / 6"),
        Part("passed", (KINDS,), 0, 1, "cards that I have chosen to pass, or that pass_to must still have"),
        Part("on_table", (KINDS,), 0, 1, "cards of this trick; number of black 7s / 6"),
        Part("highest", (KINDS,), 0, 1, "one-hot: the card that takes the trick so far"),
        Part("led_colour", (COLOURS,), 0, 1, "one-hot: colour that was led"),
        Part("led_rank", (RANKS,), 0, 1, "one-hot: rank that was led"),
        Part("colours", (COLOURS,), 0, 1, "cards of each colour in my hand / 16"),
        Part("table_points", (), -1, 3, "points on the table / 20"),
        Part("to_come", (SEATS,), 0, 1, "seats that play to this trick after me"),
        Part("taking", (SEATS,), 0, 1, "one-hot: seat that takes the trick so far"),
        Part("red_star", (SEATS,), 0, 1, "one-hot: seat known to hold the red 1"),
        Part("colour_voids", (SEATS, COLOURS), 0, 1, "known voids"),
        Part("rank_voids", (SEATS, RANKS), 0, 1, "known voids"),
        Part("hand_counts", (SEATS,), 0, 1, "cards in hand / 20"),
        Part("black_taken", (SEATS,), 0, 1, "black cards taken in this deal / 16"),
        Part("good_spies_taken", (SEATS,), 0, 1, "coloured 7s taken in this deal / 4"),
        Part("points", (SEATS,), -1, 1, "points taken in this deal / 100"),
        Part("to_limit", (SEATS,), -1, 80, "points to the limit / 100"),
        Part("behind", (SEATS,), -80, 80, "total of the seat less the lowest of the others / 100"),
    ]
)
"""Features of `cards`."""

ADVICE_LAYOUT = Layout(
    [
        *LAYOUT.parts.values(),
        Part(
            "costs",
            (NUM_ACTIONS,),
            0,
            3,
            "by action: the points that `counter` expects of it less those of the best / 20, up to 3",
        ),
        Part("advice", (NUM_ACTIONS,), 0, 1, "one-hot: the action with the lowest of these"),
    ]
)
"""Features of `advice`."""

_PLAYERS = LAYOUT.offset("num_players")
_OPTIONS = LAYOUT.offset("options")
_PHASE = LAYOUT.offset("phase")
_PICKS = LAYOUT.offset("picks")
_PASS_TO = LAYOUT.offset("pass_to")
_CALLED = LAYOUT.offset("called")
_DEALS_LEFT = LAYOUT.offset("deals_left")
_TRICKS_LEFT = LAYOUT.offset("tricks_left")
_MY_HAND = LAYOUT.offset("hand")
_UNSEEN = LAYOUT.offset("unseen")
_PASSED = LAYOUT.offset("passed")
_ON_TABLE = LAYOUT.offset("on_table")
_HIGHEST = LAYOUT.offset("highest")
_LED_COLOUR = LAYOUT.offset("led_colour")
_LED_RANK = LAYOUT.offset("led_rank")
_COLOURS = LAYOUT.offset("colours")
_TABLE_POINTS = LAYOUT.offset("table_points")
_TO_COME = LAYOUT.offset("to_come")
_TAKING = LAYOUT.offset("taking")
_RED_STAR = LAYOUT.offset("red_star")
_COLOUR_VOIDS = LAYOUT.offset("colour_voids")
_RANK_VOIDS = LAYOUT.offset("rank_voids")
_HAND_COUNTS = LAYOUT.offset("hand_counts")
_BLACK_TAKEN = LAYOUT.offset("black_taken")
_GOOD_SPIES_TAKEN = LAYOUT.offset("good_spies_taken")
_DEAL_POINTS = LAYOUT.offset("points")
_TO_LIMIT = LAYOUT.offset("to_limit")
_BEHIND = LAYOUT.offset("behind")
_COSTS = ADVICE_LAYOUT.offset("costs")
_ADVICE = ADVICE_LAYOUT.offset("advice")

_O_NO_GOOD_SPIES = OBSERVATION.offset("no_good_spies")
_O_MOON_CHOICE = OBSERVATION.offset("moon_choice")
_O_RANK_FOLLOW = OBSERVATION.offset("rank_follow")
_O_RANK_FOLLOW_STRICT = OBSERVATION.offset("rank_follow_strict")
_O_EXACT_LIMIT = OBSERVATION.offset("exact_limit")
_O_MAX_DEALS = OBSERVATION.offset("max_deals")
_O_DEAL = OBSERVATION.offset("deal")
_O_PICKS = OBSERVATION.offset("picks")
_O_CALLED = OBSERVATION.offset("called")
_O_BLACK_TAKEN = OBSERVATION.offset("black_taken")
_O_GOOD_SPIES_TAKEN = OBSERVATION.offset("good_spies_taken")


@compiled
def cards(observation, mask, out):
    """Write `LAYOUT` into ``out`` (float32)."""
    for i in range(len(out)):
        out[i] = 0.0
    n = int(observation[NUM_PLAYERS])
    out[_PLAYERS + n - 3] = 1.0
    write_deal(observation, out)
    write_cards(observation, out)
    write_trick(observation, n, out)
    for seat in range(n):
        write_seat(observation, n, seat, out)


@compiled
def write_deal(observation, out):
    """Options, and the state of the deal."""
    out[_OPTIONS] = observation[_O_NO_GOOD_SPIES]
    out[_OPTIONS + 1] = observation[_O_MOON_CHOICE]
    out[_OPTIONS + 2] = observation[_O_RANK_FOLLOW]
    out[_OPTIONS + 3] = observation[_O_RANK_FOLLOW_STRICT]
    out[_OPTIONS + 4] = observation[_O_EXACT_LIMIT]
    for phase in range(OVER):
        out[_PHASE + phase] = observation[PHASE + phase]
    out[_PICKS] = observation[_O_PICKS] / PICKS
    out[_PASS_TO + int(observation[PASS_TO])] = 1.0
    out[_CALLED + int(observation[_O_CALLED])] = 1.0
    out[_DEALS_LEFT] = min(1.0, (observation[_O_MAX_DEALS] - observation[_O_DEAL] - 1) / _DEALS)
    out[_TRICKS_LEFT] = hand_size_of(observation, 0) / _HAND


@compiled
def write_cards(observation, out):
    """My hand and what is known of the other cards."""
    unseen = scratch(KINDS, np.int64)
    count_unseen(observation, unseen)
    for card in range(KINDS):
        number = _SPIES if card == BLACK_7 else 1
        out[_MY_HAND + card] = observation[MY_HAND + card] / number
        out[_UNSEEN + card] = unseen[card] / number
        out[_PASSED + card] = observation[PASSED + card] / PICKS if card == BLACK_7 else observation[PASSED + card]
        out[_COLOURS + card // RANKS] += observation[MY_HAND + card] / BLACK_CARDS


@compiled
def write_trick(observation, n, out):
    """The trick on the table."""
    led = led_card(observation)
    highest = highest_on_table(observation, led)
    if led != NOTHING:
        out[_LED_COLOUR + led // RANKS] = 1.0
        out[_LED_RANK + led % RANKS] = 1.0
        out[_HIGHEST + highest] = 1.0
    out[_TABLE_POINTS] = points_on_table(observation) / _TRICK_POINTS
    taken = False  # of equal black 7s the one played first takes the trick (B6)
    for seat in range(1, n):
        card = int(observation[TABLE + seat]) - 1
        if card < 0:
            out[_TO_COME + seat] = 1.0
        else:
            out[_ON_TABLE + card] += 1.0 / _SPIES if card == BLACK_7 else 1.0
            out[_TAKING + seat] = card == highest and not taken
            taken |= card == highest


@compiled
def write_seat(observation, n, seat, out):
    """How one player stands."""
    for colour in range(COLOURS):
        out[_COLOUR_VOIDS + COLOURS * seat + colour] = observation[COLOUR_VOIDS + COLOURS * seat + colour]
    for rank in range(RANKS):
        out[_RANK_VOIDS + RANKS * seat + rank] = observation[RANK_VOIDS + RANKS * seat + rank]
    out[_RED_STAR + seat] = observation[RED_STAR + seat]
    out[_HAND_COUNTS + seat] = hand_size_of(observation, seat) / _HAND
    out[_BLACK_TAKEN + seat] = observation[_O_BLACK_TAKEN + seat] / BLACK_CARDS
    out[_GOOD_SPIES_TAKEN + seat] = observation[_O_GOOD_SPIES_TAKEN + seat] / _SPIES_COLOURED
    out[_DEAL_POINTS + seat] = observation[POINTS + seat] / _POINTS
    total, lowest = int(observation[TOTALS + seat]), 30000
    for other in range(n):
        if other != seat:
            lowest = min(lowest, int(observation[TOTALS + other]))
    out[_TO_LIMIT + seat] = (LIMITS[n] - total) / _POINTS
    out[_BEHIND + seat] = (total - lowest) / _POINTS


@compiled
def advice(observation, mask, out):
    """Write `ADVICE_LAYOUT` into ``out`` (float32)."""
    cards(observation, mask, out)
    if not mask.any():
        return
    costs = scratch(NUM_ACTIONS, np.float64)
    estimate(observation, mask, costs, PARAMETERS)
    best = np.argmin(costs)
    out[_ADVICE + best] = 1.0
    for action in range(NUM_ACTIONS):
        if mask[action]:
            out[_COSTS + action] = min(_FAR, (costs[action] - costs[best]) / _TRICK_POINTS)


ENCODINGS = (
    Encoding("cards", VERSION, cards, LAYOUT.size),
    Encoding("advice", VERSION, advice, ADVICE_LAYOUT.size, _ADVICE),
)
