"""`sample_state` of Schwarze Katze: what no position shows is refused."""

from __future__ import annotations

import numpy as np
import pytest

from blackjacky_env import schwarze_katze_v0
from tests.schwarze_katze.rigging import CARDS, Table

PARTS = {part["name"]: part["offset"] for part in schwarze_katze_v0.describe_observation()}


def changed(part, index, value):
    """What player_2 of five sees after 5C and 3C, with one entry changed."""
    table = Table("5C", "3C", "4C", "", "").play("5C 3C")
    seen = table.env.observe("player_2")["observation"].copy()
    seen[PARTS[part] + index] = value
    return seen


@pytest.mark.parametrize(
    ("part", "index", "value", "words"),
    [
        ("played", CARDS.index("5C"), 6, "a seat without a player has played"),
        ("played", CARDS.index("2C"), 1, r"cards that are taken out \(K2\)"),
        ("my_hand", CARDS.index("2D"), 1, r"cards that are taken out \(K2\)"),
        ("played", CARDS.index("5C"), 5, "a card on the table was played by another seat"),
        ("played", CARDS.index("AS"), 1, "do not add up"),
        ("phase", 0, 0, "phase and player to act"),
        ("dealer", 0, 1, "one dealer and one leader"),
        ("table", 7, 3, "table is a seat without a player"),
    ],
)
def test_an_observation_that_no_position_shows_is_refused(part, index, value, words):
    with pytest.raises(ValueError, match=words):
        schwarze_katze_v0.sample_state(changed(part, index, value), np.random.default_rng(0))


def test_the_same_observation_unchanged_is_taken():
    seen = changed("trick", 0, 0)
    env = schwarze_katze_v0.env(num_players=5, deals=1)
    env.reset(seed=0)
    env.set_state(schwarze_katze_v0.sample_state(seen, np.random.default_rng(0)))
    np.testing.assert_array_equal(env.observe("player_0")["observation"], seen)
