"""The deal and the first dealer are fair, as players at the table see them: chi-square over many seeds."""

from __future__ import annotations

import numpy as np
import pytest

from blackjacky_env import black_spy_v0, make_batch
from tests.chances import UNLIKELY, fit, independence
from tests.games.black_spy.rigging import KINDS

SEEDS = 1500
PARTS = {part["name"]: part["offset"] for part in black_spy_v0.describe_observation()}
BLACK_7 = KINDS.index("k7")


@pytest.fixture(scope="module")
def holders():
    """Return who holds each card, -1 for the pile, in the first two deals (deal, seed, card) of four, and who deals."""
    env, rng = black_spy_v0.env(num_players=4, mole=True, max_deals=2), np.random.default_rng(0)
    seats, dealers = np.full((2, SEEDS, 55), -1), np.zeros(SEEDS, np.int64)
    for seed in range(SEEDS):
        env.reset(seed=seed)
        dealers[seed] = env.snapshot()["dealer"]
        for deal in range(2):
            for seat, hand in enumerate(env.snapshot()["hands"]):
                seats[deal, seed, [env.parse_action(card) for card in hand]] = seat
            for _ in range(72 * (deal == 0)):
                env.step(int(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"]))))
    return seats, dealers


def table_of(first, second, sides):
    return np.bincount(sides * first + second, minlength=sides * sides).reshape(sides, sides)


@pytest.mark.parametrize("deal", [0, 1])
def test_b2_every_card_goes_to_every_seat_equally_often(holders, deal):
    """V3: and as often to the pile as its size says."""
    shares = np.array([12, 12, 12, 12, 12]) / 60 if deal else np.full(4, 1 / 4)
    for card in range(55):
        if card != BLACK_7:
            counts = np.bincount(holders[0][deal, :, card] + deal, minlength=len(shares))
            assert fit(counts, shares) > UNLIKELY


@pytest.mark.parametrize("deal", [0, 1])
def test_b2_two_cards_come_together_as_often_as_the_sizes_of_the_hands_say(holders, deal):
    rng, together = np.random.default_rng(1), 11 / 59 if deal else 14 / 59
    cards = [card for card in range(55) if card != BLACK_7]
    for _ in range(30):
        one, other = rng.choice(cards, 2, replace=False)
        count = (holders[0][deal, :, one] == holders[0][deal, :, other]).sum()
        assert fit([count, SEEDS - count], [together, 1 - together]) > UNLIKELY


@pytest.mark.parametrize("card", ["r1", "k11", "b7"])
def test_deals_of_a_game_and_of_successive_seeds_are_independent_and_so_are_deal_and_dealer(holders, card):
    seats, dealers = holders
    place = seats[:, :, KINDS.index(card)] + 1
    assert independence(table_of(place[0], place[1], 5)[1:]) > UNLIKELY
    assert independence(table_of(place[0, :-1], place[0, 1:], 5)[1:, 1:]) > UNLIKELY
    assert independence(table_of(place[0] - 1, dealers, 4)) > UNLIKELY


@pytest.mark.parametrize("players", range(3, 7))
def test_b2_everybody_deals_first_equally_often_and_all_cards_come_equally_often(players):
    batch = make_batch("black_spy", 4000, num_players=players, seed=2)
    assert fit(np.bincount(batch.current_player, minlength=players), np.full(players, 1 / players)) > UNLIKELY
    hands = batch.observations[:, PARTS["my_hand"] : PARTS["my_hand"] + 55].sum(axis=0)
    assert hands.sum() == 4000 * (60 // players)
    shares = np.where(np.arange(55) == BLACK_7, 6, 1) / 60
    assert fit(hands, shares) > UNLIKELY
