"""The value of each seat within a deal, learned from games of a trained agent.

`prospects` values the beginning of a deal from totals alone. Here a network also sees all hands and the points taken so
far, so that search need not play a deal to its end.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from blackjacky_agents.games.black_spy.prospects import spread_of
from blackjacky_agents.games.black_spy.prospects import value as formula
from blackjacky_agents.kit.hands import begins, hand_parts, make_stage, make_write_hand, stages_of
from blackjacky_agents.kit.value_network import ValueNetwork, write_lead
from blackjacky_env.compiled import compiled, scratch
from blackjacky_env.declare import Layout, Part
from blackjacky_env.games.black_spy.rules import LIMITS, hand_size, kind_of
from blackjacky_env.games.black_spy.state import BLACK_7S, CARDS, COLOURS, RANKS, SEATS

_POINTS, _CARDS = 40.0, 8.0  # divisors
_MOST_TRICKS, _MOST_DEALS = CARDS // 3, 12  # in a deal; that are learned from

LAYOUT = Layout(
    [
        *hand_parts(SEATS, COLOURS, RANKS, BLACK_7S),
        Part("points", (2,), -1, 5, "points in this deal, and those of all others / 40"),
        Part("black_taken", (2,), 0, 2, "black cards taken in this deal, and the most of another player / 8"),
        Part("shooting", (2,), 0, 1, "1: has taken all black cards so far; 1: another player has"),
        Part("totals", (2,), -130, 5, "total, and the highest of all, as a fraction of the limit"),
        Part("lead", (2,), -1000, 1000, "total below the lowest and the mean of the others / spread of those to come"),
        Part("lead_now", (2,), -1000, 1000, "the same with the points of this deal"),
    ]
)
"""Features of a seat."""
AT = LAYOUT.at
_write_hand = make_write_hand(AT, COLOURS, RANKS, kind_of)


@compiled
def write(s, out):
    """Write `LAYOUT` for each seat into ``out`` (float32, (players, features), zeros); see B7 .. B9."""
    n, spread, left = int(s.num_players), spread_of(s), int(hand_size(s)) - int(s.trick)
    before, now = scratch(SEATS, np.float64), scratch(SEATS, np.float64)
    points = black = 0
    highest = int(s.totals[0])
    for p in range(n):
        points, black = points + int(s.points[p]), black + int(s.black_taken[p])
        highest = max(highest, int(s.totals[p]))
        before[p] = -int(s.totals[p])
        now[p] = before[p] - int(s.points[p])
    for p in range(n):
        shown, own, mine, most = out[p], int(s.points[p]), int(s.black_taken[p]), 0
        for q in range(n):
            if q != p:
                most = max(most, int(s.black_taken[q]))
        _write_hand(s, p, left, shown)
        shown[AT.points], shown[AT.points + 1] = own / _POINTS, (points - own) / _POINTS
        shown[AT.black_taken], shown[AT.black_taken + 1] = mine / _CARDS, most / _CARDS
        shown[AT.shooting] = mine == black > 0
        shown[AT.shooting + 1] = most == black > 0
        shown[AT.totals], shown[AT.totals + 1] = int(s.totals[p]) / LIMITS[n], highest / LIMITS[n]
        write_lead(before, n, p, spread, shown[AT.lead : AT.lead + 2])
        write_lead(now, n, p, spread, shown[AT.lead_now : AT.lead_now + 2])


VALUE_NETWORK = ValueNetwork(
    file=Path(__file__).with_name("value_network.safetensors"),
    layout=LAYOUT,
    write=write,
    stage=make_stage(hand_size, _MOST_TRICKS),
    formula=formula,
    most_stages=_MOST_DEALS * stages_of(_MOST_TRICKS),
    tables=(
        (4, "classic", {}, 0.5),
        (3, "classic", {}, 0.1),
        (5, "classic", {}, 0.1),
        (6, "classic", {}, 0.1),
        (4, "classic", {"mole": True}, 0.05),
        (4, "classic", {"rank_follow": True}, 0.05),
        (4, "classic", {"no_good_spies": True}, 0.05),
        (4, "classic", {"moon_choice": True}, 0.05),
    ),
    begins=begins,
)
