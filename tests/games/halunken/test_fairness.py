"""Set-up and draws of Halunken & Spelunken are fair, as players at the table see them: chi-square over many seeds."""

import numpy as np
import pytest

from blackjacky_env import halunken_v0
from tests.chances import UNLIKELY, fit, fit_of_orders, independence
from tests.games.halunken.rigging import CARDS
from tests.games.sampled import independent, orders

pytestmark = pytest.mark.prove
SEEDS = 1500


def dealt(env):
    """Return the rogue cards by place, and Black Jack's movement cards, as numbers."""
    table = env.snapshot()
    rogues = [CARDS.index(tavern["hidden"][level]) for level in range(3) for tavern in table["taverns"]]
    return rogues, [8 if card == "Rum" else card for card in table["black_jack_deck"]]


@pytest.fixture(scope="module")
def deals():
    """Return for many seeds: start players, rogues (seed, place) and Black Jack's cards (seed, place) of four."""
    env = halunken_v0.env(num_players=4)
    starts, rogues, jacks = [], [], []
    for seed in range(SEEDS):
        env.reset(seed=seed)
        starts.append(env.snapshot()["start_player"])
        for deck, cards in zip((rogues, jacks), dealt(env), strict=True):
            deck.append(cards)
    return np.array(starts), np.array(rogues), np.array(jacks)


def test_every_rogue_and_every_card_of_black_jack_lies_in_every_place_equally_often(deals):
    """H1, J1."""
    assert fit_of_orders(orders(deals[1], 42)) > UNLIKELY
    assert fit_of_orders(orders(deals[2] - 1, 12)) > UNLIKELY
    for card in range(12):
        second = np.bincount(deals[2][deals[2][:, 0] == card + 1, 1] - 1, minlength=12)
        assert fit(np.delete(second, card)) > UNLIKELY


def test_start_player_rogues_and_black_jacks_cards_are_independent_of_each_other_and_of_the_last_seed(deals):
    starts, rogues, jacks = deals
    colour, half = rogues[:, 5] // 11, jacks[:, 0] > 6
    pairs = [(starts, colour), (starts, half), (colour, half), (colour[1:], colour[:-1]), (half[1:], half[:-1])]
    assert all(independent(*pair) > UNLIKELY for pair in pairs)


def test_d1_black_jacks_eight_cards_and_the_decks_of_successive_games_are_independent():
    """C1: with `three_games` everything is set up anew."""
    env = halunken_v0.env(num_players=2, three_games=True)
    first, second, tops = [], [], np.zeros((2, 2))
    for seed in range(160):
        env.reset(seed=seed)
        top, cards = dealt(env)[0][0], dealt(env)[1]
        first.append(cards)
        while env.snapshot()["game"] == 0:
            env.step(int(np.argmax(env.infos[env.agent_selection]["action_mask"])))
        second.append(dealt(env)[1])
        tops[top > 20, dealt(env)[0][0] > 20] += 1
    for decks in map(np.array, (first, second)):
        assert fit_of_orders(orders(decks - 1, 8)) > UNLIKELY
    same = [one[0] == other[0] for one, other in zip(first, second, strict=True)]
    assert fit(np.bincount(same, minlength=2), [7 / 8, 1 / 8]) > UNLIKELY
    assert independence(tops) > UNLIKELY
