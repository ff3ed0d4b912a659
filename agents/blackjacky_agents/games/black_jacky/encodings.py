"""Network inputs for Black Jacky: `cards`, and `advice`, which adds the action values of the bot `counter`.

`cards` unpacks the observation and adds the odds of the next card, without any knowledge of good play. Everything is
computed from observation and mask. Seats are relative to the observer (0 = me). Unseen cards are those in the draw pile
and the unknown cards in other hands, each assumed equally likely to be drawn.
"""

from __future__ import annotations

import numpy as np

from blackjacky_agents.games.black_jacky.bots.counter import PARAMETERS, estimate
from blackjacky_agents.learning.encoding import Encoding
from blackjacky_env.engine.compiling import compiled, scratch
from blackjacky_env.engine.layout import Layout, Part
from blackjacky_env.games.black_jacky.observation import LAYOUT as OBSERVATION

VERSION = 1
"""Incremented when the features or `counter` change, since agents trained on older features cannot use the new ones."""

SEATS, VALUES = 6, 8
_ACTIONS = 61
_SUMS, _NEAR, _ODDS = 31, 7, 8
_BUST = 21  # index in the one-hot sum that means exactly bust_at
_UNKNOWN = 8  # maximum number of unknown cards per hand; more are counted as this many
_HANDS, _SUMS_OF_HIDDEN = _UNKNOWN + 1, VALUES * _UNKNOWN + 1  # of unknown cards: numbers, sums
_CARDS = VALUES + 1  # values of cards, 0 included

LAYOUT = Layout(
    [
        Part("num_players", (5,), 0, 1, "one-hot: 2 .. 6 players"),
        Part("schnell_duell", (), 0, 1, "1: variant Schnell-Duell"),
        Part("phase", (5,), 0, 1, "one-hot: tip, trick, exchange, zock, over"),
        Part("ends_after_turn", (), 0, 1, "1: settlement follows this zock"),
        Part("turn", (), 0, 4, "zocks done in this round / 32"),
        Part("start_player", (SEATS,), 0, 1, "one-hot"),
        Part("hearts", (3, SEATS), 0, 1, "at least 1, 2, 3 hearts, by seat"),
        Part("black_hearts", (SEATS,), 0, 1, "holds or has lost one"),
        Part("wanted", (SEATS,), 0, 1, "may tip"),
        Part("tipped", (SEATS,), 0, 5, "tips that name the seat"),
        Part("knocked", (SEATS,), 0, 1, "has knocked"),
        Part("first_knocker", (SEATS,), 0, 1, "one-hot"),
        Part("last_turns", (SEATS,), 0, 1, "last turn not finished"),
        Part("plus_one", (SEATS,), 0, 1, "one-hot"),
        Part("trickster", (SEATS,), 0, 1, "one-hot, in an exchange"),
        Part("exchange_pair", (SEATS,), 0, 1, "the two who exchange"),
        Part("exchange_given", (), 0, 1, "1: the first of the pair has given"),
        Part("discard_top", (VALUES,), 0, 1, "one-hot"),
        Part("unseen", (VALUES,), 0, 1, "chance of each value to be the next card"),
        Part("draw_count", (), 0, 2, "cards in the draw pile / 32"),
        Part("hand", (3, VALUES), 0, 1, "at least 1, 2, 3 of each value in my hand"),
        Part("seen_hand", (VALUES,), 0, 4, "my hand cards that everybody knows / 2"),
        Part("hand_counts", (SEATS,), 0, 9, "cards in hand / 4"),
        Part("displays", (SEATS, VALUES), 0, 4, "laid-out cards / 2"),
        Part("known", (SEATS - 1, VALUES), 0, 4, "cards that I know others to hold / 2"),
        Part("sum", (_SUMS,), 0, 1, "one-hot: my whole points - bust_at + 21, at least 0 and at most 30"),
        Part("tenths", (), 0, 1, "1: my sum has tenths"),
        Part("hand_sum", (), 0, 18, "points in my hand / 16"),
        Part(
            "after_draw", (_NEAR,), 0, 1, "chances of whole points bust_at - 6 .. bust_at - 1 and of bust after drawing"
        ),
        Part(
            "after_swap", (2, VALUES), 0, 1, "by card given for the draw pile: chances of bust and of the best 3 sums"
        ),
        Part(
            "after_take", (3, VALUES), -13, 36, "by card given for the discard pile: points over bust / 8; bust; best 3"
        ),
        Part("others", (SEATS - 1, _ODDS), 0, 18, "mean sum / 16; chances of bust, below me, level, 4 low sums"),
    ]
)
"""Features of `cards`."""
ADVICE_LAYOUT = Layout(
    [
        *LAYOUT.parts.values(),
        Part(
            "chances",
            (_ACTIONS,),
            0,
            2,
            "by action: chance of losing a heart as `counter` estimates it, a card power's cost added; 0 if illegal",
        ),
        Part("advice", (_ACTIONS,), 0, 1, "one-hot: the action with the lowest of these chances"),
    ]
)
"""Features of `advice`."""

STANDING_LAYOUT = Layout(
    [
        LAYOUT.parts[name]
        for name in ("num_players", "schnell_duell", "start_player", "hearts", "black_hearts", "wanted")
    ]
    + [Part("out", (SEATS,), 0, 1, "will not come back")]
)
"""Features of `standing`."""


# Offsets of the parts: A_ in the features, S_ in the standing features, O_ in the observation.
_A_PLAYERS = LAYOUT.offset("num_players")
_A_SCHNELL = LAYOUT.offset("schnell_duell")
_A_PHASE = LAYOUT.offset("phase")
_A_ENDS = LAYOUT.offset("ends_after_turn")
_A_TURN = LAYOUT.offset("turn")
_A_HEARTS = LAYOUT.offset("hearts")
_A_TIPPED = LAYOUT.offset("tipped")
_A_PAIR = LAYOUT.offset("exchange_pair")
_A_GIVEN = LAYOUT.offset("exchange_given")
_A_TOP = LAYOUT.offset("discard_top")
_A_UNSEEN = LAYOUT.offset("unseen")
_A_DRAW_COUNT = LAYOUT.offset("draw_count")
_A_HAND = LAYOUT.offset("hand")
_A_SEEN_HAND = LAYOUT.offset("seen_hand")
_A_COUNTS = LAYOUT.offset("hand_counts")
_A_DISPLAYS = LAYOUT.offset("displays")
_A_KNOWN = LAYOUT.offset("known")
_A_SUM = LAYOUT.offset("sum")
_A_CHANCES = ADVICE_LAYOUT.offset("chances")
_A_ADVICE = ADVICE_LAYOUT.offset("advice")
_A_TENTHS = LAYOUT.offset("tenths")
_A_HAND_SUM = LAYOUT.offset("hand_sum")
_A_DRAW = LAYOUT.offset("after_draw")
_A_SWAP = LAYOUT.offset("after_swap")
_A_TAKE = LAYOUT.offset("after_take")
_A_OTHERS = LAYOUT.offset("others")
_S_SCHNELL = STANDING_LAYOUT.offset("schnell_duell")
_S_START = STANDING_LAYOUT.offset("start_player")
_S_HEARTS = STANDING_LAYOUT.offset("hearts")
_S_BLACK = STANDING_LAYOUT.offset("black_hearts")
_S_WANTED = STANDING_LAYOUT.offset("wanted")
_S_OUT = STANDING_LAYOUT.offset("out")

_O_PLAYERS = OBSERVATION.offset("num_players")
_O_SCHNELL = OBSERVATION.offset("schnell_duell")
_O_MAX_CARD = OBSERVATION.offset("max_card")
_O_BUST_AT = OBSERVATION.offset("bust_at")
_O_PHASE = OBSERVATION.offset("phase")
_O_TURN = OBSERVATION.offset("turn")
_O_ENDS = OBSERVATION.offset("ends_after_turn")
_O_START = OBSERVATION.offset("start_player")
_O_BLACK = OBSERVATION.offset("black_hearts")
_O_WANTED = OBSERVATION.offset("wanted")
_O_OUT = OBSERVATION.offset("out")
_O_HEARTS = OBSERVATION.offset("hearts")
_O_PLUS_ONE = OBSERVATION.offset("plus_one")
_O_TIPS = OBSERVATION.offset("tips")
_O_PAIR = OBSERVATION.offset("exchange_pair")
_O_GIVEN = OBSERVATION.offset("exchange_given")
_O_TOP = OBSERVATION.offset("discard_top")
_O_DISCARDS = OBSERVATION.offset("discards")
_O_DRAW_COUNT = OBSERVATION.offset("draw_count")
_O_COUNTS = OBSERVATION.offset("hand_counts")
_O_HAND = OBSERVATION.offset("my_hand")
_O_DISPLAYS = OBSERVATION.offset("displays")
_O_KNOWN = OBSERVATION.offset("known")
_O_PUBLIC = OBSERVATION.offset("public")

_SAME = np.array(
    [
        (OBSERVATION.offset(name), LAYOUT.offset(name))
        for name in (
            "start_player",
            "black_hearts",
            "wanted",
            "knocked",
            "first_knocker",
            "last_turns",
            "plus_one",
            "trickster",
        )
    ]
)
"""Offsets in observation and features of the parts by seat that are copied unchanged."""


@compiled
def cards(observation, mask, out):
    """Write `LAYOUT` into ``out`` (float32)."""
    out[:] = 0
    chances = scratch(_CARDS, np.float32)
    chances[0] = 0
    _show_table(observation, out)
    _show_cards(observation, chances, out)
    total = _fixed_sum(observation, 0)
    for v in range(1, VALUES + 1):
        total += 10 * v * int(observation[_O_HAND + v - 1])
    _show_sum(observation, total, out)
    _show_next_sums(observation, total // 10 - int(observation[_O_BUST_AT]), chances, out)
    _show_others(observation, total, chances, out)


@compiled
def standing(observation, mask, out):
    """Write `STANDING_LAYOUT` into ``out`` (float32): how the players stand, no cards."""
    out[:] = 0
    out[observation[_O_PLAYERS] - 2] = 1
    out[_S_SCHNELL] = observation[_O_SCHNELL]
    for seat in range(SEATS):
        out[_S_START + seat] = observation[_O_START + seat]
        out[_S_BLACK + seat] = observation[_O_BLACK + seat]
        out[_S_WANTED + seat] = observation[_O_WANTED + seat]
        out[_S_OUT + seat] = observation[_O_OUT + seat]
        for hearts in range(min(int(observation[_O_HEARTS + seat]), 3)):
            out[_S_HEARTS + SEATS * hearts + seat] = 1


@compiled
def advice(observation, mask, out):
    """Write `ADVICE_LAYOUT` into ``out`` (float32); ``mask``: the legal actions, all 0 off turn."""
    cards(observation, mask, out)
    values = scratch(_ACTIONS, np.float32)
    best = -1
    if mask.any():
        estimate(observation, mask, values, PARAMETERS)
    for action in range(_ACTIONS):
        if mask[action]:
            out[_A_CHANCES + action] = values[action]
            if best < 0 or values[action] < values[best]:
                best = action
    if best >= 0:
        out[_A_ADVICE + best] = 1


@compiled
def _show_table(observation, out):
    """Hearts, knocks and everything else that is no card."""
    out[_A_PLAYERS + observation[_O_PLAYERS] - 2] = 1
    out[_A_SCHNELL] = observation[_O_SCHNELL]
    out[_A_ENDS] = observation[_O_ENDS]
    out[_A_TURN] = observation[_O_TURN] / np.float32(32)
    out[_A_GIVEN] = observation[_O_GIVEN]
    for phase in range(5):
        out[_A_PHASE + phase] = observation[_O_PHASE + phase]
    for part in range(len(_SAME)):
        for seat in range(SEATS):
            out[_SAME[part, 1] + seat] = observation[_SAME[part, 0] + seat]
    for seat in range(SEATS):
        out[_A_PAIR + seat] = observation[_O_PAIR + seat] + observation[_O_PAIR + SEATS + seat]
        for hearts in range(min(int(observation[_O_HEARTS + seat]), 3)):
            out[_A_HEARTS + SEATS * hearts + seat] = 1
    for seat in range(observation[_O_PLAYERS]):
        if observation[_O_TIPS + seat] > 0:
            out[_A_TIPPED + observation[_O_TIPS + seat] - 1] += 1


@compiled
def _show_cards(observation, chances, out):
    """All cards that can be seen, and the chances (by value) of the others to be the next."""
    half, quarter = np.float32(0.5), np.float32(0.25)
    unseen = 0
    for v in range(1, VALUES + 1):
        i = v - 1
        left = v if v <= observation[_O_MAX_CARD] else 0
        left -= observation[_O_HAND + i] + observation[_O_DISCARDS + i]
        for seat in range(SEATS):
            left -= observation[_O_DISPLAYS + VALUES * seat + i]
        for seat in range(SEATS - 1):
            left -= observation[_O_KNOWN + VALUES * seat + i]
        chances[v] = left
        unseen += left
        out[_A_TOP + i] = observation[_O_TOP + i]
        out[_A_SEEN_HAND + i] = half * observation[_O_PUBLIC + i]
        for copies in range(min(int(observation[_O_HAND + i]), 3)):
            out[_A_HAND + VALUES * copies + i] = 1
    for v in range(1, VALUES + 1):
        chances[v] /= max(unseen, 1)
        out[_A_UNSEEN + v - 1] = chances[v]
    out[_A_DRAW_COUNT] = observation[_O_DRAW_COUNT] / np.float32(32)
    for seat in range(SEATS):
        out[_A_COUNTS + seat] = quarter * observation[_O_COUNTS + seat]
    for i in range(SEATS * VALUES):
        out[_A_DISPLAYS + i] = half * observation[_O_DISPLAYS + i]
    for i in range((SEATS - 1) * VALUES):
        out[_A_KNOWN + i] = half * observation[_O_KNOWN + i]


@compiled
def _fixed_sum(observation, seat):
    """What a seat's "+1" and laid-out cards count, in tenths (S1)."""
    first = _O_DISPLAYS + VALUES * seat
    total = 10 * int(observation[_O_PLUS_ONE + seat]) + int(observation[first + 7])
    for v in range(1, VALUES + 1):
        if v != 5:
            total += 10 * v * int(observation[first + v - 1])
    return total


@compiled
def _show_sum(observation, total, out):
    """My sum in tenths."""
    points = total // 10 - int(observation[_O_BUST_AT]) + _BUST
    out[_A_SUM + min(max(points, 0), _SUMS - 1)] = 1
    out[_A_TENTHS] = total % 10 > 0
    out[_A_HAND_SUM] = (total - _fixed_sum(observation, 0)) / np.float32(160)


@compiled
def _show_next_sums(observation, over, chances, out):
    """What each zock may lead to; ``over``: my whole points less bust_at."""
    top = 0
    for v in range(1, VALUES + 1):
        top += v * observation[_O_TOP + v - 1]
        if over + v >= -6:
            out[_A_DRAW + min(over + v, 0) + 6] += chances[v]
    for v in range(1, VALUES + 1):
        if observation[_O_HAND + v - 1] == 0:
            continue
        i = v - 1
        for drawn in range(1, VALUES + 1):
            if over - v + drawn >= 0:
                out[_A_SWAP + i] += chances[drawn]
            elif over - v + drawn >= -3:
                out[_A_SWAP + VALUES + i] += chances[drawn]
        out[_A_TAKE + i] = (over - v + top) / np.float32(8)
        out[_A_TAKE + VALUES + i] = over - v + top >= 0
        out[_A_TAKE + 2 * VALUES + i] = -3 <= over - v + top < 0


@compiled
def _show_others(observation, total, chances, out):
    """The others' sums as if their unknown cards were drawn one by one with the same chances."""
    spread = scratch((_HANDS, _SUMS_OF_HIDDEN), np.float32)
    spread[:] = 0
    spread[0, 0] = 1
    ready = 0
    bust_at = int(observation[_O_BUST_AT])
    for seat in range(1, observation[_O_PLAYERS]):
        if observation[_O_HEARTS + seat] == 0:
            continue
        fixed, unknown = _fixed_sum(observation, seat), int(observation[_O_COUNTS + seat])
        for v in range(1, VALUES + 1):
            known = int(observation[_O_KNOWN + VALUES * (seat - 1) + v - 1])
            fixed += 10 * v * known
            unknown -= known
        unknown = min(unknown, _UNKNOWN)
        while ready < unknown:
            _add_card(spread, ready, chances)
            ready += 1
        first = _A_OTHERS + _ODDS * (seat - 1)
        _show_odds(fixed, unknown, spread[unknown], bust_at, total, out[first : first + _ODDS])


@compiled
def _add_card(spread, cards, chances):
    """From the distribution of the sum of ``cards`` unseen cards that of one card more."""
    for points in range(cards, VALUES * cards + 1):
        for v in range(1, VALUES + 1):
            spread[cards + 1, points + v] += spread[cards, points] * chances[v]


@compiled
def _show_odds(fixed, cards, spread, bust_at, total, out):
    """One seat: ``fixed`` tenths and the sum of some unknown cards, against my ``total``."""
    mean = np.float32(fixed)
    for points in range(cards, VALUES * cards + 1):
        chance = spread[points]
        tenths = fixed + 10 * points
        mean += 10 * points * chance
        over = tenths // 10 - bust_at
        if over >= 0:
            out[1] += chance
            continue
        if tenths < total:
            out[2] += chance
        elif tenths == total:
            out[3] += chance
        if over <= -2:
            out[4] += chance
        if over <= -3:
            out[5] += chance
        if over <= -5:
            out[6] += chance
        if over <= -8:
            out[7] += chance
    out[0] = mean / np.float32(160)


ENCODINGS = (
    Encoding("cards", VERSION, cards, LAYOUT.size),
    Encoding("advice", VERSION, advice, ADVICE_LAYOUT.size, _A_ADVICE),
)
STANDING = Encoding("standing", VERSION, standing, STANDING_LAYOUT.size)
