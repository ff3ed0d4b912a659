"""`sample_state` of Schwarze Katze: every deal that fits hands and voids, as often as every other, and no others."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from blackjacky_env import schwarze_katze_v0
from tests.chances import UNLIKELY, fit_outcomes
from tests.games.schwarze_katze.rigging import CARDS, Table, in_game

PARTS = {part["name"]: part["offset"] for part in schwarze_katze_v0.describe_observation()}


@pytest.fixture
def seen():
    """What player_2 of five sees after 5C and 3C."""
    return Table("5C", "3C", "4C", "", "").play("5C 3C").env.observe("player_2")["observation"].copy()


@pytest.mark.parametrize(
    ("part", "index", "value", "words"),
    [
        ("played", CARDS.index("5C"), 6, "cards of the trick have been played"),
        ("played", CARDS.index("2C"), 1, r"the lowest cards are taken out \(K2\)"),
        ("my_hand", CARDS.index("2D"), 1, r"the lowest cards are taken out \(K2\)"),
        ("played", CARDS.index("5C"), 5, "cards of the trick have been played"),
        ("played", CARDS.index("AS"), 1, "everybody plays one card to each trick"),
        ("phase", 0, 0, "one entry of phase is marked"),
        ("dealer", 0, 1, "one entry of dealer is marked"),
        ("table", 7, 3, "nobody sits at an empty seat in table"),
        ("trick", 0, 18, r"entries outside the ranges that describe_observation\(\) states"),
    ],
)
def test_an_observation_that_no_position_shows_is_refused(seen, part, index, value, words):
    seen[PARTS[part] + index] = value
    with pytest.raises(ValueError, match=words):
        schwarze_katze_v0.sample_state(seen, np.random.default_rng(0))


def test_the_same_observation_unchanged_is_taken(seen):
    env = schwarze_katze_v0.env(num_players=5, deals=1)
    env.reset(seed=0)
    env.set_state(schwarze_katze_v0.sample_state(seen, np.random.default_rng(0)))
    np.testing.assert_array_equal(env.observe("player_0")["observation"], seen)


def test_voids_that_leave_nobody_to_hold_a_suit_are_refused(seen):
    for seat in range(1, 5):
        seen[PARTS["voids"] + 4 * seat] = 1
    with pytest.raises(ValueError, match=r"the lowest cards are taken out \(K2\)"):
        schwarze_katze_v0.sample_state(seen, np.random.default_rng(0))


# ---------------------------------------------------------------- legal deals


def vector(env, seat):
    return env.observe(f"player_{seat}")["observation"]


def other_env(env):
    """Return another environment with the same options."""
    other = schwarze_katze_v0.env(**env.config_dict())
    other.reset(seed=0)
    return other


# ---------------------------------------------------------------- the distribution


def listed(env, seat):
    """Return all deals that fit: hands of the other players, from the left neighbour on, as tuples of cards."""
    parts = schwarze_katze_v0.decode(vector(env, seat))
    players = parts["num_players"]
    seen = [card for card, name in enumerate(CARDS) if parts["my_hand"][card] or parts["played"][card]]
    unseen = tuple(card for card in map(CARDS.index, in_game(players)) if card not in seen)
    sizes = [52 // players - parts["trick"] - (parts["table"][place] > 0) for place in range(1, players)]
    voids = np.reshape(parts["voids"], (10, 4))[1:players]

    def deals(cards, place):
        if place == players - 1:
            return [()]
        may = [card for card in cards if not voids[place][card // 13]]
        return [
            (hand, *rest)
            for hand in combinations(may, sizes[place])
            for rest in deals([card for card in cards if card not in hand], place + 1)
        ]

    return deals(unseen, 0)


def check_distribution(env, seat):
    """Assert that every deal that fits is equally likely; returns how many there are."""
    deals, other, rng = listed(env, seat), other_env(env), np.random.default_rng(seat)
    samples = max(200, 6 * len(deals))
    assert samples <= 4000, "too many deals to list them all"
    counts: Counter = Counter()
    for _ in range(samples):
        other.set_state(schwarze_katze_v0.sample_state(vector(env, seat), rng))
        counts[tuple(tuple(map(CARDS.index, hand)) for hand in other.snapshot()["hands"][1:])] += 1
    real = env.snapshot()["hands"]
    assert tuple(tuple(map(CARDS.index, hand)) for hand in real[seat + 1 :] + real[:seat]) in deals
    assert fit_outcomes(counts, dict.fromkeys(deals, 1 / len(deals))) > UNLIKELY
    return len(deals)


LATE = [(3, 15, 0), (3, 15, 1), (4, 11, 0), (4, 11, 2), (5, 8, 2), (6, 7, 0), (8, 5, 2), (10, 4, 5)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("players", "tricks", "cards"), LATE)
def test_all_deals_that_fit_come_equally_often(players, tricks, cards, seed):
    """Late in a random deal, so that they can be listed: after so many tricks and cards of the next."""
    env = schwarze_katze_v0.env(num_players=players, deals=1, piatnik_heart_lead=seed == 2)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(players * tricks + cards):
        env.step(int(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"]))))
    seats = [seat for seat in range(min(players, 4)) if 6 * len(listed(env, seat)) <= 4000]
    assert seats
    for seat in seats:
        check_distribution(env, seat)


def test_known_voids_leave_few_deals_and_each_is_equally_likely():
    """Three players, two tricks left: seat 1 has no clubs, seat 2 no hearts."""
    hands = ["KC AC AH", "KH QH 2D", "3C 4C KD"]
    rest = [card for card in in_game(3) if card not in " ".join(hands).split()]
    clubs = [card for card in rest if card.endswith("C")]
    hearts = [card for card in rest if card.endswith("H")]
    others = [card for card in rest if card[-1] in "DS"]
    first = hands[0].split() + clubs[:4] + hearts[:3] + others[:7]
    second = hands[1].split() + hearts[3:] + others[7 : 7 + 14 - len(hearts[3:])]
    table = Table(" ".join(first), " ".join(second), "", deals=1)
    table.play(f"KC {second[-1]}")  # seat 1 cannot follow
    assert np.reshape(table.seen(0)["voids"], (10, 4))[1].tolist() == [1, 0, 0, 0]
    for _ in range(300):
        if table.now["trick"] >= 14 or table.now["phase"] == "over":
            break
        table.env.step(int(np.flatnonzero(table.env.last()[0]["action_mask"])[0]))
    assert 1 <= check_distribution(table.env, 0) < 665
