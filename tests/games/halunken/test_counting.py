"""Lines of play of Halunken & Spelunken, counted with the environment and without it."""

from __future__ import annotations

import copy
from itertools import product
from math import perm

import numpy as np
import pytest

from tests.games.halunken.rigging import FIELDS, Table

EMPTY = dict.fromkeys(range(FIELDS), "")


def lines(table, depth):
    """Return the number of lines of play by the number of actions, up to `depth` or to the next round."""
    level, begun, found = [table], table.now["round"], []
    for _ in range(depth):
        following = []
        for position in level:
            if position.now["round"] > begun:
                continue
            env = position.env
            for action in np.flatnonzero(env.infos[env.agent_selection]["action_mask"]).tolist():
                following.append(copy.deepcopy(position))
                following[-1].env.step(action)
        found.append(len(following))
        level = following
    return found


def test_captains_and_black_jack_can_be_placed_in_so_many_ways():
    """H2, J1: on any free fields; a duel after its first captain, and two of four captains."""
    duel, four = Table(0, 7), Table(0, 1, 2, 3)
    for table in (duel, four):
        table.env.reset(seed=0)
    assert lines(duel.play("field 5"), 2) == [perm(FIELDS - 1, 1), perm(FIELDS - 1, 2)]
    assert lines(four, 2) == [perm(FIELDS, 1), perm(FIELDS, 2)]


def auctions(crews, opener):
    """Return the lines of a lap of bids by length, counted bid by bid: own values above the last offer, or a pass."""
    level = [0]
    for i in range(len(crews)):
        crew = crews[(opener + i) % len(crews)]
        level = [after for highest in level for after in (highest, *(value for value in crew if value > highest))]
        yield len(level)


def test_a_lap_of_bids_has_so_many_lines():
    """J2: player_2 opens."""
    crews = [[4, 10, 12], [5, 6, 8], [6, 10]]
    table = Table(0, 4, 8).arrange(["R4 V10 Y12", "R5 G6 G8", "R6 G10"], jack=12)
    assert lines(table, 3) == list(auctions(crews, opener=2)) == [3, 9, 16]


def answers(highest, mine, theirs):
    """Return in how many ways the bids go on after an offer: a pass ends them, a higher offer is answered."""
    return 1 + sum(answers(value, theirs, mine) for value in mine if value > highest)


@pytest.mark.parametrize("crews", [([4, 6], [5, 7]), ([4, 5, 6], [7, 8, 9]), ([9], [4, 5]), ([], [4, 5])])
def test_the_bids_of_a_duel_have_so_many_lines(crews):
    """D2: player_1 opens; if he passes, the other passes or makes the only offer."""
    other, opener = crews
    table = Table(0, 7).arrange([" ".join(f"G{value}" for value in crew) for crew in crews])
    assert ended_auctions(table) == 1 + len(other) + sum(answers(value, other, opener) for value in opener)


def ended_auctions(table):
    """Return the number of ways to end the auction."""
    if table.now["phase"] != "bid":
        return 1
    return sum(ended_auctions(copy.deepcopy(table).play(name)) for name in table.legal)


def named(cards):
    """H5: in how many ways a round goes on once these cards are laid."""
    return 7 - len({card for card in cards if card != 8}) if cards.count(8) == 1 else 1


LAID = [named(cards) for cards in product(range(1, 9), repeat=3)]  # by three players, or two and Black Jack


def test_three_players_without_cards_choose_and_name_in_so_many_ways():
    """H4, H5: 8 x 8 x 8 choices; a single Rum is named in 5 or 6 ways."""
    table = Table(0, 4, 8, variant="basic").arrange(["", "", ""], taverns=EMPTY)
    singles = 3 * (7 * 6 + 7)
    assert sum(LAID) == 8**3 - singles + 3 * (7 * 6 * 5 + 7 * 6) == 1121
    assert lines(table, 4) == [8, 64, 512, sum(LAID) - 8**3 + singles]


def test_a_buyer_chooses_for_two_figures_in_so_many_ways():
    """D3: player_1 has bought; nobody has a card to be robbed of, and the harbour is emptied."""
    table = Table(0, 7).arrange(["", "G4"], taverns=EMPTY).buys(1, "G4").arrange(["", ""], taverns=EMPTY)
    singles = LAID.count(5) + LAID.count(6)
    assert lines(table, 4) == [8, 64, 512, 5 * LAID.count(5) + 6 * LAID.count(6)]
    assert (LAID.count(5), LAID.count(6), singles) == (126, 21, 147)
