"""The value of each seat within a deal, learned from games of a trained agent.

`prospects` values the beginning of a deal from totals alone. Here a network also sees all hands and the penalties taken
so far, so that search need not play a deal to its end.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from blackjacky_agents.games.schwarze_katze.prospects import spread_of
from blackjacky_agents.games.schwarze_katze.prospects import value as formula
from blackjacky_agents.kit.hands import begins, hand_parts, make_stage, make_write_hand, stages_of
from blackjacky_agents.kit.value_network import ValueNetwork, write_lead
from blackjacky_env.compiled import compiled, scratch
from blackjacky_env.declare import Layout, Part
from blackjacky_env.games.schwarze_katze.rules import hand_size
from blackjacky_env.games.schwarze_katze.state import MAX_TRICKS, NO_TRICK, RANKS, SEATS, SUITS

_POINTS, _DEALS = 40.0, 10.0  # divisors
_MOST_DEALS = 12  # that are learned from

LAYOUT = Layout(
    [
        *hand_parts(SEATS, SUITS, RANKS),
        Part("deals_left", (), 0, 5, "deals to come, this one included / 10"),
        Part("no_trick", (2,), 0, 1, "has taken no trick in this deal; fraction of the others that have not"),
        Part("penalties", (2,), 0, 4, "penalties in this deal, and those of all others / 40"),
        Part("lead", (2,), -150, 150, "total below the lowest and the mean of the others / spread of those to come"),
        Part("lead_now", (2,), -150, 150, "the same if the deal ended here"),
    ]
)
"""Features of a seat."""
AT = LAYOUT.at
_write_hand = make_write_hand(AT, SUITS, RANKS, compiled(lambda card: card))


@compiled
def write(s, out):
    """Write `LAYOUT` for each seat into ``out`` (float32, (players, features), zeros); see K6 .. K8."""
    n, spread, left = int(s.num_players), spread_of(s), int(hand_size(s)) - int(s.trick)
    before, now = scratch(SEATS, np.float64), scratch(SEATS, np.float64)
    waiting = taken = 0
    for p in range(n):
        waiting += int(s.tricks_taken[p] == 0)
        taken += int(s.penalties[p])
        before[p] = -int(s.totals[p])
        now[p] = before[p] - int(s.penalties[p]) - NO_TRICK * int(s.tricks_taken[p] == 0)
    for p in range(n):
        shown, own = out[p], int(s.penalties[p])
        _write_hand(s, p, left, shown)
        shown[AT.deals_left] = (int(s.game_deals) - int(s.deal_number)) / _DEALS
        shown[AT.no_trick] = s.tricks_taken[p] == 0
        shown[AT.no_trick + 1] = (waiting - int(s.tricks_taken[p] == 0)) / (n - 1)
        shown[AT.penalties], shown[AT.penalties + 1] = own / _POINTS, (taken - own) / _POINTS
        write_lead(before, n, p, spread, shown[AT.lead : AT.lead + 2])
        write_lead(now, n, p, spread, shown[AT.lead_now : AT.lead_now + 2])


VALUE_NETWORK = ValueNetwork(
    file=Path(__file__).with_name("value_network.safetensors"),
    layout=LAYOUT,
    write=write,
    stage=make_stage(hand_size, MAX_TRICKS),
    formula=formula,
    most_stages=_MOST_DEALS * stages_of(MAX_TRICKS),
    tables=(
        (4, "classic", {}, 0.4),
        (3, "classic", {}, 0.1),
        (5, "classic", {}, 0.1),
        (6, "classic", {}, 0.1),
        (7, "classic", {}, 0.05),
        (8, "classic", {}, 0.05),
        (9, "classic", {}, 0.05),
        (10, "classic", {}, 0.05),
        (4, "classic", {"deals": 1}, 0.05),
        (4, "classic", {"piatnik_heart_lead": True}, 0.05),
    ),
    begins=begins,
)
