"""The value of each seat at the end of a round, learned from games of a trained agent.

`prospects` predicts it from scores alone. Here a network also sees what is left to each captain: his movement cards and
what they lead to, who can be robbed, and where Black Jack stands.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from blackjacky_agents.games.halunken.bots.crew import change_from, leaders
from blackjacky_agents.games.halunken.prospects import expected_score, rounds_left, stage
from blackjacky_agents.games.halunken.prospects import value as formula
from blackjacky_agents.kit.value_networks import ValueNetwork, write_lead
from blackjacky_env.compiled import compiled, scratch
from blackjacky_env.declare import NOBODY, Layout, Part
from blackjacky_env.games.halunken import state
from blackjacky_env.games.halunken.rules import ahead, present_score, top_of

SEATS = state.SEATS  # a GPU takes names of constants as sizes

_PLACES = state.HARBOUR + 1  # of cards: seats and the harbour
_CARD, _COUNT, _COLOUR, _SCORE = 15.0, 10.0, 40.0, 20.0  # divisors: of a value, a number of cards, a colour, a score

LAYOUT = Layout(
    [
        Part("num_players", (SEATS,), 0, 1, "one-hot, from 1"),
        Part("games_left", (state.GAMES,), 0, 1, "games after this one, one-hot"),
        Part("rounds_left", (state.ROUNDS + 1,), 0, 1, "rounds to come in this game, one-hot"),
        Part("ahead", (2,), -50, 50, "score less the highest and less the mean of the others / 20"),
        Part("expected_ahead", (2,), -50, 50, "the same of the scores that `prospects` expects"),
        Part("counts", (2,), 0, 5, "cards, and the mean of the others' / 10"),
        Part("robbable", (1,), 0, 1, "fraction of the others that have at least as many cards"),
        Part("colour_counts", (state.NUM_COLOURS,), 0, 2, "by colour: cards / 10"),
        Part("colour_values", (state.NUM_COLOURS,), 0, 3, "by colour: their values / 40"),
        Part("left", (state.MOVES,), 0, 1, "movement cards not yet played"),
        Part(
            "gains",
            (state.MOVES,),
            -10,
            10,
            "by number of fields, if the card is left: what the tavern's card adds / 15",
        ),
        Part("black_jack", (state.MOVES,), 0, 1, "by number of fields, if the card is left: Black Jack stands there"),
        Part("highest", (1,), 0, 1, "the highest card, which can be offered / 15"),
        Part("harbour", (1,), 0, 1, "the highest card of the harbour / 15"),
        Part("pursuers", (2,), 0, 3, "captains that can come here, and those that could then rob"),
        Part("overtaken", (2,), 0, 1, "whether Black Jack can come here; fraction of his cards that lead so far"),
    ]
)
"""Features of a seat."""
AT = LAYOUT.at


@compiled
def write(s, out):
    """Write `LAYOUT` for each seat into ``out`` (float32, (players, features), zeros)."""
    n, rounds = int(s.num_players), int(rounds_left(s))
    scores, expected = scratch(SEATS, np.float64), scratch(SEATS, np.float64)
    highest = scratch(_PLACES, np.float64)
    highest[:] = 0.0
    for p in range(n):
        scores[p] = int(s.totals[p]) + present_score(s, p)
        expected[p] = int(s.totals[p]) + expected_score(s, p, rounds)
    for card in range(state.CARDS):
        if s.where[card] <= state.HARBOUR:
            highest[s.where[card]] = max(highest[s.where[card]], np.float64(state.VALUES[card]))
    for p in range(n):
        shown = out[p]
        shown[AT.num_players + n - 1] = 1.0
        shown[AT.games_left + (state.GAMES - 1 - int(s.game_number) if s.three_games else 0)] = 1.0
        shown[AT.rounds_left + rounds] = 1.0
        write_lead(scores, n, p, _SCORE, shown[AT.ahead : AT.ahead + 2])
        write_lead(expected, n, p, _SCORE, shown[AT.expected_ahead : AT.expected_ahead + 2])
        write_cards(s, p, shown)
        shown[AT.highest], shown[AT.harbour] = highest[p] / _CARD, highest[state.HARBOUR] / _CARD
        for i in range(state.MOVES):
            shown[AT.left + i] = s.spent[p, i] == 0
        if s.captains[p] != NOBODY:
            write_reach(s, p, shown)
            write_danger(s, p, shown)


@compiled
def write_cards(s, p, out):
    """The rogue cards of p."""
    others = int(s.num_players) - 1
    for q in range(s.num_players):
        if q != p:
            out[AT.counts + 1] += s.counts[q] / (others * _COUNT)
            out[AT.robbable] += (s.counts[q] >= s.counts[p]) / others
    out[AT.counts] = s.counts[p] / _COUNT
    for colour in range(state.NUM_COLOURS):
        out[AT.colour_counts + colour] = s.colours[p, colour] / _COUNT
        out[AT.colour_values + colour] = s.values[p, colour] / _COLOUR


@compiled
def write_reach(s, p, out):
    """What p's movement cards lead to; entry 0 is to stand still."""
    lead = leaders(s, p)
    for i in range(state.MOVES):
        if i == 0 or s.spent[p, i - 1] == 0:
            field = ahead(int(s.captains[p]), i)
            out[AT.black_jack + i] = s.jack == field
            if s.heights[field] > 0:
                out[AT.gains + i] = change_from(s, p, lead, top_of(s, field), 1) / _CARD


@compiled
def write_danger(s, p, out):
    """Who can come to p's field."""
    for q in range(s.num_players):
        distance = (int(s.captains[p]) - int(s.captains[q])) % state.FIELDS
        if q != p and s.captains[q] != NOBODY and 0 < distance < state.MOVES and s.spent[q, distance - 1] == 0:
            out[AT.pursuers] += 1.0
            out[AT.pursuers + 1] += s.counts[q] < s.counts[p]
    if s.jack != NOBODY:
        distance = (int(s.captains[p]) - int(s.jack)) % state.FIELDS
        for i in range(max(distance - 1, 0), state.JACK_MOVES):
            if s.jack_spent[i] == 0:
                out[AT.overtaken] = max(out[AT.overtaken], np.float32(i == distance - 1))
                out[AT.overtaken + 1] += 1.0 / state.JACK_MOVES


VALUE_NETWORK = ValueNetwork(
    file=Path(__file__).with_name("value_network.safetensors"),
    layout=LAYOUT,
    write=write,
    stage=stage,
    formula=formula,
    most_stages=state.ROUNDS * state.GAMES,
    tables=(
        (4, "standard", {}, 0.6),
        (3, "standard", {}, 0.1),
        (2, "duel", {}, 0.1),
        (4, "basic", {}, 0.05),
        (3, "basic", {}, 0.05),
        (4, "standard", {"three_games": True}, 0.1),
    ),
)
