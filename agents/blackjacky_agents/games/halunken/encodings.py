"""Network inputs for Halunken & Spelunken: `cards`, and three that add what is expected of each action.

`advice` adds the action values of the bot `planner`; `foresight` those that `planner` would have if it valued the end
of a round by the value network; `foresight_256` the same by 256 playouts in place of 64, which have half the noise.

`cards` unpacks the observation without any knowledge of good play. Seats are relative to the observer (0 = me). Fields
are counted clockwise from my captain, so that entry i of an array by field is where movement card i takes me; while
figures are being placed they are absolute, as the actions are.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from blackjacky_agents.games.halunken.bots.crew import change, imagine
from blackjacky_agents.games.halunken.bots.planner import PARAMETERS, PLAYOUTS, estimate, make_estimate
from blackjacky_agents.games.halunken.prospects import value
from blackjacky_agents.games.halunken.value_network import VALUE_NETWORK
from blackjacky_agents.kit.encoding import Encoding
from blackjacky_agents.kit.features import Features, divided, one_hot
from blackjacky_agents.kit.search import Value
from blackjacky_env.compiled import compiled, draw, scratch
from blackjacky_env.declare import NOBODY, Layout, Part
from blackjacky_env.games.halunken import state
from blackjacky_env.games.halunken.rules import ahead, highest_offer, present_score, top_of
from blackjacky_env.play import Encoder

NUM_ACTIONS, SEATS, STATE = state.NUM_ACTIONS, state.SEATS, state.STATE  # a GPU takes names of constants as sizes

VERSION = 1
"""Incremented when the features or `planner` change, since agents trained on older features cannot use the new ones."""

_CARD, _COUNT, _COLOUR, _SCORE = 15.0, 10.0, 40.0, 50.0  # divisors: of a value, a number of cards, a colour, a score
_CLEAR = 0.1  # a difference in value that is clear: the chance to win by one in twenty

FEATURES = Features(
    state.RECORD.layout,
    [
        one_hot("num_players"),
        "variant rob_before_pick three_games duel_overtakes",
        Part("games_left", (), 0, 1, "games after this one / 2"),
        Part("rounds_left", (), 0, 1, "rounds to come, this one included / 8"),
        "decision opener buyer bidder mover victim",
        Part("to_rob", (SEATS,), 0, 1, "seats that Black Jack still has to rob"),
        Part("offer", (), 0, 1, "value of the highest offer / 15"),
        Part("top_values", (state.FIELDS,), 0, 1, "by field: the card turned up / 15"),
        Part("top_colours", (state.FIELDS, state.NUM_COLOURS), 0, 1, "by field: its colour, one-hot"),
        Part("top_gains", (state.FIELDS,), -10, 10, "by field: by how much my score would rise with it / 15"),
        Part("heights", (state.FIELDS,), 0, 1, "by field: cards in the tavern / 3"),
        Part("captains", (state.FIELDS, SEATS), 0, 1, "by field: whose captain stands there, one-hot"),
        Part("black_jack", (state.FIELDS,), 0, 1, "one-hot field"),
        Part("owners", (state.CARDS, SEATS + 1), 0, 1, "by card: seat or harbour, one-hot"),
        Part("counts", (SEATS + 1,), 0, 5, "cards of each seat, in the harbour / 10"),
        Part("colour_counts", (SEATS, state.NUM_COLOURS), 0, 2, "by seat and colour: cards / 10"),
        Part("colour_values", (SEATS, state.NUM_COLOURS), 0, 3, "by seat and colour: their values / 40"),
        Part("behind", (SEATS,), -50, 50, "by seat: score, finished games included, less mine / 50"),
        Part("left", (SEATS, state.MOVES), 0, 1, "by seat: movement cards not yet played"),
        Part("black_jack_left", (state.JACK_MOVES,), 0, 1, "Black Jack's movement cards not yet revealed"),
        "chosen",
        Part("my_choice", (state.MOVES,), 0, 1, "one-hot: my card chosen in secret"),
        Part("my_black_jack_choice", (state.MOVES,), 0, 1, "one-hot: the card that I have chosen for Black Jack"),
        divided("numbers black_jack_number", state.MOVES),
    ],
)
"""Features of `cards`."""

ADVICE_LAYOUT = Layout(
    [
        *FEATURES.layout.parts.values(),
        Part("prospects", (SEATS,), -1, 1, "by seat: the value of the present position"),
        Part(
            "values", (NUM_ACTIONS,), -20, 0, "by action: the value that is expected of it less that of the best / 0.1"
        ),
        Part("advice", (NUM_ACTIONS,), 0, 1, "one-hot: the action with the highest of these"),
    ]
)
"""Features of `advice`, `foresight` and `foresight_256`."""
TO = ADVICE_LAYOUT.at
_repeat = FEATURES.write


@compiled
def cards(observation, mask, out):
    """Write `FEATURES` into ``out`` (float32)."""
    position = scratch(1, STATE)
    s = position[0]
    imagine(observation, np.uint64(0), s)  # nothing that is drawn is used
    _repeat(observation, out)
    write_table(s, out)
    write_ring(s, out)
    for card in range(state.CARDS):
        if s.where[card] <= state.HARBOUR:
            out[TO.owners + (SEATS + 1) * card + int(s.where[card])] = 1.0
    out[TO.counts + state.HARBOUR] = s.counts[state.HARBOUR] / _COUNT
    for p in range(s.num_players):
        write_seat(s, p, out)


@compiled
def write_table(s, out):
    """How much of the game is left, who waits to be robbed, Black Jack's cards and my secret choices."""
    out[TO.games_left] = (2 - int(s.game_number)) / 2 if s.three_games else 0.0
    out[TO.rounds_left] = (state.ROUNDS - int(s.round_number)) / state.ROUNDS
    for i in range(SEATS):
        if s.to_rob[i] != NOBODY:
            out[TO.to_rob + int(s.to_rob[i])] = 1.0
    out[TO.offer] = highest_offer(s) / _CARD
    for i in range(state.JACK_MOVES):
        out[TO.black_jack_left + i] = s.jack_spent[i] == 0
    if s.choices[0]:
        out[TO.my_choice + int(s.choices[0]) - 1] = 1.0
    if s.jack_choice and s.buyer == 0:
        out[TO.my_black_jack_choice + int(s.jack_choice) - 1] = 1.0


@compiled
def write_ring(s, out):
    """Taverns and figures, clockwise from my captain."""
    origin = 0 if s.decision <= state.PLACE_JACK else int(s.captains[0])
    for i in range(state.FIELDS):
        field = ahead(origin, i)
        out[TO.heights + i] = s.heights[field] / 3
        out[TO.black_jack + i] = s.jack == field
        for p in range(s.num_players):
            out[TO.captains + SEATS * i + p] = s.captains[p] == field
        if s.heights[field] > 0 and s.decision != state.PLACE_CAPTAIN:  # H2: not yet turned up
            top = top_of(s, field)
            out[TO.top_values + i] = state.VALUES[top] / _CARD
            out[TO.top_colours + state.NUM_COLOURS * i + int(state.COLOURS[top])] = 1.0
            out[TO.top_gains + i] = change(s, 0, top, 1) / _CARD


@compiled
def write_seat(s, p, out):
    """How one player stands."""
    out[TO.counts + p] = s.counts[p] / _COUNT
    for colour in range(state.NUM_COLOURS):
        out[TO.colour_counts + state.NUM_COLOURS * p + colour] = s.colours[p, colour] / _COUNT
        out[TO.colour_values + state.NUM_COLOURS * p + colour] = s.values[p, colour] / _COLOUR
    mine = int(s.totals[0]) + present_score(s, 0)
    out[TO.behind + p] = (int(s.totals[p]) + present_score(s, p) - mine) / _SCORE
    for i in range(state.MOVES):
        out[TO.left + state.MOVES * p + i] = s.spent[p, i] == 0


@compiled
def bits_of(observation):
    """Random bits that depend on the observation alone, so that the features do, too."""
    bits = np.uint64(len(observation))
    for i in range(len(observation)):
        bits = draw(bits ^ np.uint64(observation[i]), i)
    return bits


def make_advice(value: Value, estimate: Callable[..., None], playouts: float = PARAMETERS[PLAYOUTS]) -> Encoder:
    """Compiled (observation, mask, bits, out): write `ADVICE_LAYOUT`, drawn from ``bits``, into ``out`` (float32)."""
    parameters = PARAMETERS.copy()
    parameters[PLAYOUTS] = playouts

    def advice(observation, mask, bits, out):
        cards(observation, mask, out)
        position = scratch(1, STATE)
        result, values = scratch(SEATS, np.float64), scratch(NUM_ACTIONS, np.float64)
        result[:] = 0.0
        imagine(observation, bits, position[0])
        value(position[0], result)
        for p in range(SEATS):
            out[TO.prospects + p] = result[p]
        if not mask.any():
            return
        estimate(observation, mask, bits, values, parameters)
        best = np.argmax(values)
        out[TO.advice + best] = 1.0
        for action in range(NUM_ACTIONS):
            if mask[action]:
                out[TO.values + action] = (values[action] - values[best]) / _CLEAR

    return compiled(advice)


def make_encoding(name: str, version: int, drawn: Encoder) -> Encoding:
    """The encoding of `make_advice`'s features; those of an observation alone draw from `bits_of` it."""

    def fixed(observation, mask, out):
        drawn(observation, mask, bits_of(observation), out)

    return Encoding(name, version, compiled(fixed), ADVICE_LAYOUT, TO.advice, drawn)


_foresee = make_estimate(VALUE_NETWORK.value)
ENCODINGS = (
    Encoding("cards", VERSION, cards, FEATURES.layout),
    make_encoding("advice", VERSION, make_advice(value, estimate)),
    make_encoding("foresight", 1, make_advice(VALUE_NETWORK.value, _foresee)),
    make_encoding("foresight_256", 1, make_advice(VALUE_NETWORK.value, _foresee, 256)),
)
