"""The value of each seat within a deal, learned from games of a trained agent.

A formula values the beginning of a deal from totals alone. Here a network also sees all hands and the points taken so
far, so that search need not play a deal to its end.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from blackjacky_agents.kit import hands
from blackjacky_agents.kit.value_networks import ValueNetwork
from blackjacky_env.compiled import compiled
from blackjacky_env.declare import Layout, Part
from blackjacky_env.games.black_spy import state
from blackjacky_env.games.black_spy.rules import LIMITS, kind_of
from blackjacky_env.games.trick_taking import hand_size

# The standard deviation of the points still to come is `SPREAD` x sqrt(remaining deals). The game lasts until the
# player with the highest total, who gets `PER_DEAL` in each deal, has reached the limit (B9). Both tables, by number of
# players, 3 .. 6, were fitted to games between copies of `counter`.
SPREAD = np.array([0.0, 0.0, 0.0, 32.0, 21.0, 16.0, 12.0])
PER_DEAL = np.array([0.0, 0.0, 0.0, 40.0, 35.0, 37.0, 38.0])

_POINTS, _CARDS = 40.0, 8.0  # divisors
_MOST_TRICKS, _MOST_DEALS = state.CARDS // 3, 12  # in a deal; that are learned from

LAYOUT = Layout(
    [
        *hands.hand_parts(state.SEATS, state.COLOURS, state.RANKS, state.BLACK_7S),
        Part("points", (2,), -1, 5, "points in this deal, and those of all others / 40"),
        Part("black_taken", (2,), 0, 2, "black cards taken in this deal, and the most of another player / 8"),
        Part("shooting", (2,), 0, 1, "1: has taken all black cards so far; 1: another player has"),
        Part("totals", (2,), -130, 5, "total, and the highest of all, as a fraction of the limit"),
        *hands.lead_parts(1000, "the same with the points of this deal"),
    ]
)
"""Features of a seat."""
AT = LAYOUT.at


@compiled
def spread_of(s):
    """The spread of the points still to come, this deal's included."""
    n, highest = int(s.num_players), int(s.totals[0])
    for p in range(n):
        highest = max(highest, int(s.totals[p]))
    deals = min(max(1.0, (LIMITS[n] - highest) / PER_DEAL[n]), float(int(s.max_deals) - int(s.deal_number)))
    return SPREAD[n] * np.sqrt(deals)


_write_hand = hands.make_write_hand(AT, state.COLOURS, state.RANKS, kind_of)
_write_leads = hands.make_write_leads(AT, state.SEATS, spread_of, compiled(lambda s, p: int(s.points[p])))


@compiled
def write(s, out):
    """Write `LAYOUT` for each seat into ``out`` (float32, (players, features), zeros); see B7 .. B9."""
    n, left, points, black, highest = int(s.num_players), int(hand_size(s)) - int(s.trick), 0, 0, int(s.totals[0])
    for p in range(n):
        points, black = points + int(s.points[p]), black + int(s.black_taken[p])
        highest = max(highest, int(s.totals[p]))
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
    _write_leads(s, out)


VALUE_NETWORK = ValueNetwork(
    file=Path(__file__).with_name("value_network.safetensors"),
    layout=LAYOUT,
    write=write,
    stage=hands.make_stage(hand_size, _MOST_TRICKS),
    formula=hands.make_formula(spread_of),
    most_stages=_MOST_DEALS * hands.stages_of(_MOST_TRICKS),
    tables=(
        (4, "classic", {}, 0.5),
        *((players, "classic", {}, 0.1) for players in (3, 5, 6)),
        *((4, "classic", {rule: True}, 0.05) for rule in ("mole", "rank_follow", "no_good_spies", "moon_choice")),
    ),
    begins=hands.begins,
)
