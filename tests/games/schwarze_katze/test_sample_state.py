"""`sample_state` of Schwarze Katze: every deal that fits hands and voids, as often as every other, and no others."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from blackjacky_env import schwarze_katze_v0
from tests.envs.playing import fresh, play_randomly
from tests.games.sampled import Changes, check_distribution, imagined, vector
from tests.games.schwarze_katze.rigging import CARDS, Table, in_game

CHANGES = [
    Changes(
        lambda: Table("5C", "3C", "4C", "", "").play("5C 3C"),
        2,
        refused=[
            [("phase", 0, 0)],
            [("dealer", 0, 1)],
            [("table", 7, 3)],
            [("voids", 4 * place + 3, 1) for place in range(1, 5)],  # nobody may hold spades
        ],
        shown=[
            [("played", CARDS.index("5C"), 5)],
            [("played", CARDS.index("2C"), 1)],
            [("my_hand", CARDS.index("2D"), 1)],
            [("played", CARDS.index("AS"), 1)],
        ],
    )
]


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


def check_deals(env, seat):
    """Assert that every deal that fits is equally likely; returns how many there are."""
    deals, real = listed(env, seat), env.snapshot()["hands"]
    assert numbers(real[seat + 1 :] + real[:seat]) in deals

    def sample(count):
        return (numbers(other.snapshot()["hands"][1:]) for other in imagined(env, seat, count, seat))

    check_distribution(dict.fromkeys(deals, 1 / len(deals)), sample, most=4000)
    return len(deals)


def numbers(hands):
    return tuple(tuple(map(CARDS.index, hand)) for hand in hands)


def late(players, tricks, cards, seed):
    """A random deal after so many tricks and cards of the next, so that all deals that fit can be listed."""
    env = fresh(seed, "schwarze_katze", num_players=players, deals=1, piatnik_heart_lead=seed == 2)
    return play_randomly(env, seed, players * tricks + cards)


LATE = [(3, 15, 0), (3, 15, 1), (4, 11, 0), (4, 11, 2), (5, 8, 2), (6, 7, 0), (8, 5, 2), (10, 4, 5)]


@pytest.mark.prove
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("players", "tricks", "cards"), LATE)
def test_all_deals_that_fit_come_equally_often(players, tricks, cards, seed):
    env = late(players, tricks, cards, seed)
    seats = [seat for seat in range(min(players, 4)) if 6 * len(listed(env, seat)) <= 4000]
    assert seats
    for seat in seats:
        check_deals(env, seat)


def test_known_voids_leave_few_deals_and_each_is_equally_likely():
    """Three players, two tricks left: of 20 cards, three to each, fewer deals fit than there are."""
    env = late(3, 14, 0, seed=0)
    assert np.any(np.reshape(schwarze_katze_v0.decode(vector(env, 0))["voids"], (10, 4))[1:3])
    assert 1 < check_deals(env, 0) < comb(6, 3)
