"""The value of each seat within a deal, learned from games of a trained agent.

A formula values the beginning of a deal from totals alone. Here a network also sees all hands and the penalties taken
so far, so that search need not play a deal to its end.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from blackjacky_agents.kit import hands
from blackjacky_agents.kit.value_networks import ValueNetwork
from blackjacky_env.compiled import compiled
from blackjacky_env.declare import Layout, Part
from blackjacky_env.games.schwarze_katze import state
from blackjacky_env.games.trick_taking import hand_size

SPREAD = np.array([0.0, 0.0, 0.0, 40.0, 35.0, 34.0, 33.0, 31.0, 29.0, 26.0, 25.0])
"""In penalty points, by number of players, 3 .. 10: the standard deviation of the penalties still to come grows with
the root of the deals to come. Fitted to games between copies of `counter`."""

_POINTS, _DEALS = 40.0, 10.0  # divisors
_MOST_DEALS = 12  # that are learned from

LAYOUT = Layout(
    [
        *hands.hand_parts(state.SEATS, state.SUITS, state.RANKS),
        Part("deals_left", (), 0, 5, "deals to come, this one included / 10"),
        Part("no_trick", (2,), 0, 1, "has taken no trick in this deal; fraction of the others that have not"),
        Part("penalties", (2,), 0, 4, "penalties in this deal, and those of all others / 40"),
        *hands.lead_parts(150, "the same if the deal ended here"),
    ]
)
"""Features of a seat."""
AT = LAYOUT.at


@compiled
def spread_of(s):
    """The spread of the penalties still to come, this deal's included."""
    return SPREAD[int(s.num_players)] * np.sqrt(np.float64(int(s.game_deals) - int(s.deal_number)))


@compiled
def points_of(s, p):
    """K6: what is added to p's total if the deal ends now."""
    return int(s.penalties[p]) + state.NO_TRICK * int(s.tricks_taken[p] == 0)


_write_hand = hands.make_write_hand(AT, state.SUITS, state.RANKS, compiled(lambda card: card))
_write_leads = hands.make_write_leads(AT, state.SEATS, spread_of, points_of)


@compiled
def write(s, out):
    """Write `LAYOUT` for each seat into ``out`` (float32, (players, features), zeros); see K6 .. K8."""
    n, left, waiting, taken = int(s.num_players), int(hand_size(s)) - int(s.trick), 0, 0
    for p in range(n):
        waiting += int(s.tricks_taken[p] == 0)
        taken += int(s.penalties[p])
    for p in range(n):
        shown, own = out[p], int(s.penalties[p])
        _write_hand(s, p, left, shown)
        shown[AT.deals_left] = (int(s.game_deals) - int(s.deal_number)) / _DEALS
        shown[AT.no_trick] = s.tricks_taken[p] == 0
        shown[AT.no_trick + 1] = (waiting - int(s.tricks_taken[p] == 0)) / (n - 1)
        shown[AT.penalties], shown[AT.penalties + 1] = own / _POINTS, (taken - own) / _POINTS
    _write_leads(s, out)


VALUE_NETWORK = ValueNetwork(
    file=Path(__file__).with_name("value_network.safetensors"),
    layout=LAYOUT,
    write=write,
    stage=hands.make_stage(hand_size, state.MAX_TRICKS),
    formula=hands.make_formula(spread_of),
    most_stages=_MOST_DEALS * hands.stages_of(state.MAX_TRICKS),
    tables=(
        (4, "classic", {}, 0.4),
        *((players, "classic", {}, 0.1) for players in (3, 5, 6)),
        *((players, "classic", {}, 0.05) for players in (7, 8, 9, 10)),
        *((4, "classic", options, 0.05) for options in ({"deals": 1}, {"piatnik_heart_lead": True})),
    ),
    begins=hands.begins,
)
