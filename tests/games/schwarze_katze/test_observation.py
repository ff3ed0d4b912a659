"""The observation of Schwarze Katze: all that a player may know, seen from the own seat, and nothing else."""

from __future__ import annotations

import numpy as np

from tests.games.schwarze_katze.rigging import CARDS, Table


def four(**options):
    """Return a table of four; seat 3 has no clubs."""
    clubs = ["AC KC 3C 4C 5C", "QC JC 6C 7C 8C", "2C 9C 10C"]
    return Table(f"{clubs[0]} 5D", f"{clubs[1]} 6D", f"{clubs[2]} 7D QS", "8D 9D 10H 2H 3H", **options)


def test_who_does_not_follow_is_known_to_have_none_of_the_suit():
    """K4."""
    table = four().play("AC QC 2C 10H")
    assert np.reshape(table.seen(3)["voids"], (10, 4)).tolist() == [[1, 0, 0, 0], *[[0] * 4] * 9]
    assert np.reshape(table.seen(0)["voids"], (10, 4))[3].tolist() == [1, 0, 0, 0]


def test_with_piatnik_who_leads_a_heart_is_known_to_have_nothing_else():
    """K9."""
    hearts = " ".join(card for card in CARDS if card.endswith("H"))
    table = Table(hearts, "", "", "", piatnik_heart_lead=True).play("AH")
    assert np.reshape(table.seen(1)["voids"], (10, 4))[3].tolist() == [1, 1, 0, 1]
    table = Table(hearts, "", "", "").play("AH")
    assert not np.any(table.seen(1)["voids"])
