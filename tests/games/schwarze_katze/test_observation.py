"""The observation of Schwarze Katze: all that a player may know, seen from the own seat, and nothing else."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from blackjacky_env import schwarze_katze_v0
from tests.games.schwarze_katze.rigging import CARDS, Table, in_game


def cards_of(marks):
    return [CARDS[card] for card, mark in enumerate(marks) if mark]


def four(**options):
    """Return a table of four; seat 3 has no clubs."""
    clubs = ["AC KC 3C 4C 5C", "QC JC 6C 7C 8C", "2C 9C 10C"]
    return Table(f"{clubs[0]} 5D", f"{clubs[1]} 6D", f"{clubs[2]} 7D QS", "8D 9D 10H 2H 3H", **options)


def test_the_own_hand_is_seen_and_those_of_others_are_not():
    table = four()
    for seat, hand in enumerate(table.now["hands"]):
        assert cards_of(table.seen(seat)["my_hand"]) == hand
    hands = [" ".join(hand) for hand in table.now["hands"]]
    hidden = Table(hands[0], hands[1], hands[3], hands[2])  # seats 2 and 3 have changed their hands
    np.testing.assert_array_equal(
        *(each.env.observe("player_0")["observation"] for each in (table, hidden)), strict=True
    )


def test_the_trick_on_the_table_and_who_has_played_what_are_seen_from_the_own_seat():
    table = four().play("AC QC 2C 10H")  # seat 0 wins
    table.play("KC JC")
    for seat in range(4):
        seen = table.seen(seat)
        assert seen["table"][:4] == [
            {0: CARDS.index("KC") + 1, 1: CARDS.index("JC") + 1}.get((seat + place) % 4, 0) for place in range(4)
        ]
        who = {"AC": 0, "KC": 0, "QC": 1, "JC": 1, "2C": 2, "10H": 3}
        played = {CARDS[card]: (seat + place - 1) % 4 for card, place in enumerate(seen["played"]) if place}
        assert played == who
        assert seen["to_act"].index(1) == (2 - seat) % 4
        assert seen["leader"].index(1) == (0 - seat) % 4
        assert seen["dealer"].index(1) == (3 - seat) % 4
        assert seen["trick"] == 1


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


def test_tricks_and_penalties_of_this_deal_and_totals_are_seen_by_seat():
    table = four(deals=2).play("AC QC 2C 10H")
    for seat in range(4):
        seen = table.seen(seat)
        assert seen["tricks_taken"][(0 - seat) % 4] == 1
        assert seen["penalties"][(0 - seat) % 4] == 10
        assert sum(seen["tricks_taken"]) == 1
        assert sum(seen["penalties"]) == 10
        assert not any(seen["totals"])
    while table.now["deal"] == 0:
        table.env.step(int(np.flatnonzero(table.env.last()[0]["action_mask"])[0]))
    totals = table.now["totals"]
    for seat in range(4):
        seen = table.seen(seat)
        assert seen["deal"] == 1
        assert seen["totals"][:4] == totals[seat:] + totals[:seat]
        assert not any(seen["played"])
        assert not np.any(seen["voids"])
        assert not any(seen["penalties"])


def test_options_and_the_end_are_seen():
    table = Table("", "", "", heart_ace=10, piatnik_heart_lead=True, deals=1)
    assert [table.seen(1)[name] for name in ("num_players", "heart_ace", "piatnik_heart_lead", "deals")] == [
        3,
        10,
        1,
        1,
    ]
    assert table.seen(1)["phase"] == [1, 0]
    table.finish()
    for seat in range(3):
        seen = table.seen(seat)
        assert seen["phase"] == [0, 1]
        assert not any(seen["to_act"])
        assert sorted((seat + q) % 3 for q, won in enumerate(seen["winners"]) if won) == table.now["winners"]
        assert sorted(cards_of(seen["played"])) == sorted(in_game(3))


def test_the_layout_is_declared():
    parts = schwarze_katze_v0.describe_observation()
    env = schwarze_katze_v0.env()
    space = env.observation_space("player_0")["observation"]
    assert parts[0]["offset"] == 0
    for part, following in pairwise(parts):
        assert part["offset"] + part["length"] == following["offset"]
    assert parts[-1]["offset"] + parts[-1]["length"] == space.shape[0]
    assert space.dtype == np.int16
