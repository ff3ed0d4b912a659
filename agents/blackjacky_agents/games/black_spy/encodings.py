"""Network inputs for Black Spy: `cards`, and `advice`, which adds the action values of the bot `counter`.

`cards` unpacks the observation without any knowledge of good play. Seats are relative to the observer (0 = me). Unseen
cards are those in other hands, or in the mole's pile.
"""

from __future__ import annotations

import numpy as np

from blackjacky_agents.games.black_spy.bots.cards import (
    AT,
    NOTHING,
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
from blackjacky_env.games.black_spy.rules import LIMITS
from blackjacky_env.games.black_spy.state import (
    BLACK_7,
    BLACK_CARDS,
    COLOURS,
    KINDS,
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
TO = ADVICE_LAYOUT.at


@compiled
def cards(observation, mask, out):
    """Write `LAYOUT` into ``out`` (float32)."""
    for i in range(len(out)):
        out[i] = 0.0
    n = int(observation[AT.num_players])
    out[TO.num_players + n - 3] = 1.0
    write_deal(observation, out)
    write_cards(observation, out)
    write_trick(observation, n, out)
    for seat in range(n):
        write_seat(observation, n, seat, out)


@compiled
def write_deal(observation, out):
    """Options, and the state of the deal."""
    out[TO.options] = observation[AT.no_good_spies]
    out[TO.options + 1] = observation[AT.moon_choice]
    out[TO.options + 2] = observation[AT.rank_follow]
    out[TO.options + 3] = observation[AT.rank_follow_strict]
    out[TO.options + 4] = observation[AT.exact_limit]
    for phase in range(OVER):
        out[TO.phase + phase] = observation[AT.phase + phase]
    out[TO.picks] = observation[AT.picks] / PICKS
    out[TO.pass_to + int(observation[AT.pass_to])] = 1.0
    out[TO.called + int(observation[AT.called])] = 1.0
    out[TO.deals_left] = min(1.0, (observation[AT.max_deals] - observation[AT.deal] - 1) / _DEALS)
    out[TO.tricks_left] = hand_size_of(observation, 0) / _HAND


@compiled
def write_cards(observation, out):
    """My hand and what is known of the other cards."""
    unseen = scratch(KINDS, np.int64)
    count_unseen(observation, unseen)
    for card in range(KINDS):
        number = _SPIES if card == BLACK_7 else 1
        out[TO.hand + card] = observation[AT.my_hand + card] / number
        out[TO.unseen + card] = unseen[card] / number
        out[TO.passed + card] = (
            observation[AT.passed + card] / PICKS if card == BLACK_7 else observation[AT.passed + card]
        )
        out[TO.colours + card // RANKS] += observation[AT.my_hand + card] / BLACK_CARDS


@compiled
def write_trick(observation, n, out):
    """The trick on the table."""
    led = led_card(observation)
    highest = highest_on_table(observation, led)
    if led != NOTHING:
        out[TO.led_colour + led // RANKS] = 1.0
        out[TO.led_rank + led % RANKS] = 1.0
        out[TO.highest + highest] = 1.0
    out[TO.table_points] = points_on_table(observation) / _TRICK_POINTS
    taken = False  # of equal black 7s the one played first takes the trick (B6)
    for seat in range(1, n):
        card = int(observation[AT.table + seat]) - 1
        if card < 0:
            out[TO.to_come + seat] = 1.0
        else:
            out[TO.on_table + card] += 1.0 / _SPIES if card == BLACK_7 else 1.0
            out[TO.taking + seat] = card == highest and not taken
            taken |= card == highest


@compiled
def write_seat(observation, n, seat, out):
    """How one player stands."""
    for colour in range(COLOURS):
        out[TO.colour_voids + COLOURS * seat + colour] = observation[AT.colour_voids + COLOURS * seat + colour]
    for rank in range(RANKS):
        out[TO.rank_voids + RANKS * seat + rank] = observation[AT.rank_voids + RANKS * seat + rank]
    out[TO.red_star + seat] = observation[AT.red_star + seat]
    out[TO.hand_counts + seat] = hand_size_of(observation, seat) / _HAND
    out[TO.black_taken + seat] = observation[AT.black_taken + seat] / BLACK_CARDS
    out[TO.good_spies_taken + seat] = observation[AT.good_spies_taken + seat] / _SPIES_COLOURED
    out[TO.points + seat] = observation[AT.points + seat] / _POINTS
    total, lowest = int(observation[AT.totals + seat]), 30000
    for other in range(n):
        if other != seat:
            lowest = min(lowest, int(observation[AT.totals + other]))
    out[TO.to_limit + seat] = (LIMITS[n] - total) / _POINTS
    out[TO.behind + seat] = (total - lowest) / _POINTS


@compiled
def advice(observation, mask, out):
    """Write `ADVICE_LAYOUT` into ``out`` (float32)."""
    cards(observation, mask, out)
    if not mask.any():
        return
    costs = scratch(NUM_ACTIONS, np.float64)
    estimate(observation, mask, costs, PARAMETERS)
    best = np.argmin(costs)
    out[TO.advice + best] = 1.0
    for action in range(NUM_ACTIONS):
        if mask[action]:
            out[TO.costs + action] = min(_FAR, (costs[action] - costs[best]) / _TRICK_POINTS)


ENCODINGS = (
    Encoding("cards", VERSION, cards, LAYOUT.size),
    Encoding("advice", VERSION, advice, ADVICE_LAYOUT.size, TO.advice),
)
