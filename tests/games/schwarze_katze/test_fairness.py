"""The deal and the first dealer are fair, as players at the table see them: chi-square over many seeds."""

from __future__ import annotations

import numpy as np
import pytest

from blackjacky_env import make_batch, schwarze_katze_v0
from tests.chances import UNLIKELY, fit, independence
from tests.games.schwarze_katze.rigging import CARDS, in_game

SEEDS = 3000
PARTS = {part["name"]: part["offset"] for part in schwarze_katze_v0.describe_observation()}


@pytest.fixture(scope="module")
def holders():
    """Return who holds each card in the first and the second deal (deal, seed, card) of four, and who leads first."""
    env, rng = schwarze_katze_v0.env(num_players=4, deals=2), np.random.default_rng(0)
    seats, leaders = np.zeros((2, SEEDS, 52), np.int64), np.zeros(SEEDS, np.int64)
    for seed in range(SEEDS):
        env.reset(seed=seed)
        leaders[seed] = env.snapshot()["leader"]
        for deal in range(2):
            for seat, hand in enumerate(env.snapshot()["hands"]):
                seats[deal, seed, [CARDS.index(card) for card in hand]] = seat
            for _ in range(52 * (deal == 0)):
                mask = env.infos[env.agent_selection]["action_mask"]
                env.step(int(rng.choice(np.flatnonzero(mask))))
    return seats, leaders


def table_of(first, second, sides=4):
    return np.bincount(sides * first + second, minlength=sides * sides).reshape(sides, sides)


@pytest.mark.parametrize("deal", [0, 1])
def test_k2_every_card_goes_to_every_seat_equally_often(holders, deal):
    for card in range(52):
        assert fit(np.bincount(holders[0][deal, :, card], minlength=4), np.full(4, 1 / 4)) > UNLIKELY


@pytest.mark.parametrize("deal", [0, 1])
def test_k2_two_cards_come_together_as_often_as_13_of_52_say(holders, deal):
    rng = np.random.default_rng(1)
    for _ in range(30):
        one, other = rng.choice(52, 2, replace=False)
        together = (holders[0][deal, :, one] == holders[0][deal, :, other]).sum()
        assert fit([together, SEEDS - together], [12 / 51, 39 / 51]) > UNLIKELY


@pytest.mark.parametrize("card", ["2C", "QS", "AH", "7D"])
def test_deals_of_a_game_and_of_successive_seeds_are_independent_and_so_are_deal_and_leader(holders, card):
    seats, leaders = holders
    place = seats[:, :, CARDS.index(card)]
    assert independence(table_of(place[0], place[1])) > UNLIKELY
    assert independence(table_of(place[0, :-1], place[0, 1:])) > UNLIKELY
    assert independence(table_of(place[0], leaders)) > UNLIKELY


@pytest.mark.parametrize("players", range(3, 11))
def test_k3_everybody_leads_first_equally_often(players):
    batch = make_batch("schwarze_katze", 4000, num_players=players, seed=2)
    assert fit(np.bincount(batch.current_player, minlength=players), np.full(players, 1 / players)) > UNLIKELY
    hand = batch.observations[:, PARTS["my_hand"] : PARTS["my_hand"] + 52]
    cards = [CARDS.index(card) for card in in_game(players)]
    assert hand[:, cards].sum() == hand.sum() == 4000 * (52 // players)
    shares = hand[:, cards].sum(axis=0) / hand.sum()
    assert fit(shares * hand.sum(), np.full(len(cards), 1 / len(cards))) > UNLIKELY
