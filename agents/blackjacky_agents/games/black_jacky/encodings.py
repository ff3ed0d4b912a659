"""Network inputs for Black Jacky: `cards`, and `advice`, which adds the action values of the bot `counter`.

`cards` unpacks the observation and adds the odds of the next card, without any knowledge of good play. Everything is
computed from observation and mask. Seats are relative to the observer (0 = me). Unseen cards are those in the draw pile
and the unknown cards in other hands, each assumed equally likely to be drawn.
"""

from __future__ import annotations

import numpy as np

from blackjacky_agents.games.black_jacky.bots.counter import PARAMETERS, estimate
from blackjacky_agents.games.black_jacky.bots.odds import count_unseen, hidden_cards
from blackjacky_agents.games.black_jacky.bots.seen import laid_out, my_sum
from blackjacky_agents.kit.encoding import Encoding
from blackjacky_agents.kit.features import Features, divided, one_hot
from blackjacky_env.compiled import compiled, scratch
from blackjacky_env.declare import Layout, Part
from blackjacky_env.games.black_jacky.state import RECORD

AT = RECORD.at
VERSION = 1
"""Incremented when the features or `counter` change, since agents trained on older features cannot use the new ones."""

SEATS, VALUES = 6, 8
_ACTIONS = 61
_SUMS, _NEAR, _ODDS = 31, 7, 8
_BUST = 21  # index in the one-hot sum that means exactly bust_at
_UNKNOWN = 8  # maximum number of unknown cards per hand; more are counted as this many
_HANDS, _SUMS_OF_HIDDEN = _UNKNOWN + 1, VALUES * _UNKNOWN + 1  # of unknown cards: numbers, sums
_CARDS = VALUES + 1  # values of cards, 0 included

_HEARTS = Part("hearts", (3, SEATS), 0, 1, "at least 1, 2, 3 hearts, by seat")
FEATURES = Features(
    RECORD.layout,
    [
        one_hot("num_players"),
        "schnell_duell phase ends_after_turn",
        divided("turn", 32),
        "start_player",
        _HEARTS,
        "black_hearts wanted",
        Part("tipped", (SEATS,), 0, 5, "tips that name the seat"),
        "knocked first_knocker last_turns plus_one trickster",
        Part("exchange_pair", (SEATS,), 0, 1, "the two who exchange"),
        Part("exchange_given", (), 0, 1, "1: the first of the pair has given"),
        "discard_top",
        Part("unseen", (VALUES,), 0, 1, "chance of each value to be the next card"),
        divided("draw_count", 32),
        Part("hand", (3, VALUES), 0, 1, "at least 1, 2, 3 of each value in my hand"),
        Part("seen_hand", (VALUES,), 0, 4, "my hand cards that everybody knows / 2"),
        divided("hand_counts", 4),
        divided("displays known", 2),
        Part("sum", (_SUMS,), 0, 1, "one-hot: my whole points - bust_at + 21, at least 0 and at most 30"),
        Part("tenths", (), 0, 1, "1: my sum has tenths"),
        Part("hand_sum", (), 0, 18, "points in my hand / 16"),
        Part("after_draw", (_NEAR,), 0, 1, "chances of points bust_at - 6 .. bust_at - 1 and of bust after drawing"),
        Part("after_swap", (2, VALUES), 0, 1, "by card given for the draw pile: chances of bust, of the best 3 sums"),
        Part("after_take", (3, VALUES), -13, 36, "by card given for the discard pile: points over / 8; bust; best 3"),
        Part("others", (SEATS - 1, _ODDS), 0, 18, "mean sum / 16; chances of bust, below me, level, 4 low sums"),
    ],
)
"""Features of `cards`."""
ADVICE_LAYOUT = Layout(
    [
        *FEATURES.layout.parts.values(),
        Part("chances", (_ACTIONS,), 0, 2, "by action: what `counter` expects to lose of a heart; 0 if illegal"),
        Part("advice", (_ACTIONS,), 0, 1, "one-hot: the action with the lowest of these chances"),
    ]
)
"""Features of `advice`."""
TO = ADVICE_LAYOUT.at

STANDING_FEATURES = Features(
    RECORD.layout,
    [one_hot("num_players"), "schnell_duell start_player", _HEARTS, "black_hearts wanted out"],
)
"""Features of `standing`."""
_STANDING_HEARTS = STANDING_FEATURES.layout.parts["hearts"].offset
_repeat, _repeat_standing = FEATURES.write, STANDING_FEATURES.write


@compiled
def cards(observation, mask, out):
    """Write `FEATURES` into ``out`` (float32)."""
    _repeat(observation, out)
    chances = scratch(_CARDS, np.float32)
    _show_table(observation, out)
    _show_cards(observation, chances, out)
    total = my_sum(observation)
    _show_sum(observation, total, out)
    _show_next_sums(observation, total // 10 - int(observation[AT.bust_at]), chances, out)
    _show_others(observation, total, chances, out)


@compiled
def standing(observation, mask, out):
    """Write `STANDING_FEATURES` into ``out`` (float32): how the players stand, no cards."""
    _repeat_standing(observation, out)
    _show_hearts(observation, _STANDING_HEARTS, out)


@compiled
def _show_hearts(observation, place, out):
    for seat in range(SEATS):
        for hearts in range(min(int(observation[AT.hearts + seat]), 3)):
            out[place + SEATS * hearts + seat] = 1


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
            out[TO.chances + action] = values[action]
            if best < 0 or values[action] < values[best]:
                best = action
    if best >= 0:
        out[TO.advice + best] = 1


@compiled
def _show_table(observation, out):
    _show_hearts(observation, TO.hearts, out)
    out[TO.exchange_given] = observation[AT.exchange_given]
    for seat in range(SEATS):
        out[TO.exchange_pair + seat] = (
            observation[AT.exchange_pair + seat] + observation[AT.exchange_pair + SEATS + seat]
        )
    for seat in range(observation[AT.num_players]):
        if observation[AT.tips + seat] > 0:
            out[TO.tipped + observation[AT.tips + seat] - 1] += 1


@compiled
def _show_cards(observation, chances, out):
    """My hand, and ``chances``: by value, the chance that the next card has it."""
    count_unseen(observation, chances)
    unseen = max(chances.sum(), np.float32(1))
    for v in range(1, VALUES + 1):
        i = v - 1
        chances[v] /= unseen
        out[TO.unseen + i] = chances[v]
        out[TO.seen_hand + i] = observation[AT.public + i] / 2
        for copies in range(min(int(observation[AT.my_hand + i]), 3)):
            out[TO.hand + VALUES * copies + i] = 1


@compiled
def _show_sum(observation, total, out):
    points = total // 10 - int(observation[AT.bust_at]) + _BUST
    out[TO.sum + min(max(points, 0), _SUMS - 1)] = 1
    out[TO.tenths] = total % 10 > 0
    out[TO.hand_sum] = (total - laid_out(observation, 0)) / np.float32(160)


@compiled
def _show_next_sums(observation, over, chances, out):
    """What each zock may lead to; ``over``: my whole points less bust_at."""
    top = 0
    for v in range(1, VALUES + 1):
        top += v * int(observation[AT.discard_top + v - 1])
        if over + v >= -6:
            out[TO.after_draw + min(over + v, 0) + 6] += chances[v]
    for v in range(1, VALUES + 1):
        if observation[AT.my_hand + v - 1] == 0:
            continue
        i = v - 1
        for drawn in range(1, VALUES + 1):
            if over - v + drawn >= 0:
                out[TO.after_swap + i] += chances[drawn]
            elif over - v + drawn >= -3:
                out[TO.after_swap + VALUES + i] += chances[drawn]
        out[TO.after_take + i] = (over - v + top) / np.float32(8)
        out[TO.after_take + VALUES + i] = over - v + top >= 0
        out[TO.after_take + 2 * VALUES + i] = -3 <= over - v + top < 0


@compiled
def _show_others(observation, total, chances, out):
    """The others' sums as if their unknown cards were drawn one by one with the same chances."""
    spread = scratch((_HANDS, _SUMS_OF_HIDDEN), np.float32)
    spread[:] = 0
    spread[0, 0] = 1
    ready = 0
    bust_at = int(observation[AT.bust_at])
    for seat in range(1, observation[AT.num_players]):
        if observation[AT.hearts + seat] == 0:
            continue
        fixed, unknown = laid_out(observation, seat), min(hidden_cards(observation, seat), _UNKNOWN)
        for v in range(1, VALUES + 1):
            fixed += 10 * v * int(observation[AT.known + VALUES * (seat - 1) + v - 1])
        while ready < unknown:
            _add_card(spread, ready, chances)
            ready += 1
        first = TO.others + _ODDS * (seat - 1)
        _show_odds(fixed, unknown, spread[unknown], bust_at, total, out[first : first + _ODDS])


@compiled
def _add_card(spread, cards, chances):
    """Extend the distribution of the sum of ``cards`` unseen cards by one more card."""
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
    Encoding("cards", VERSION, cards, FEATURES.layout),
    Encoding("advice", VERSION, advice, ADVICE_LAYOUT, TO.advice),
)
STANDING = Encoding("standing", VERSION, standing, STANDING_FEATURES.layout)
