"""Deck, reshuffle and start player are fair, as players at the table see them: chi-square over many seeds."""

from itertools import permutations, product

import numpy as np
import pytest

from blackjacky_env import black_jacky_v0
from tests.chances import UNLIKELY, fit, fit_of_orders
from tests.games.black_jacky import moves as do
from tests.games.black_jacky.rigging import deal
from tests.games.sampled import independent

pytestmark = pytest.mark.prove
SHARE = np.arange(1, 9) / 36  # R1: of the value v there are v cards
SEEDS = 4000
PLACES = [0, 1, 2, 18, 34]


@pytest.fixture(scope="module")
def games():
    """Return start players (seed) and the decks of the first two rounds (round, seed, place), top first.

    One card each is dealt, so that hands and piles show the whole order; the only turn of a round is a knock.
    """
    env = black_jacky_v0.env(num_players=2, hand_size=1, hearts=9, max_turns_per_round=1)
    starts, decks = np.zeros(SEEDS, np.int64), np.zeros((2, SEEDS, 36), np.int64)
    for seed in range(SEEDS):
        env.reset(seed=seed)
        for number in range(2):
            table = env.snapshot()
            start = table["start_player"]
            starts[seed] = (start - number) % 2
            hands = [*table["hands"][start], *table["hands"][1 - start]]
            decks[number, seed] = [*hands, table["discard_top"], *table["draw_pile"]]
            for action in do.KNOCKS:
                env.step(action)
    return starts, decks


@pytest.mark.parametrize("number", [0, 1])
def test_r4_every_card_is_equally_likely_at_every_place_in_every_round(games, number):
    counts = np.array([np.bincount(place, minlength=9)[1:] for place in games[1][number].T])
    assert fit_of_orders(counts, SHARE) > UNLIKELY


@pytest.mark.parametrize("place", PLACES)
def test_r3_r4_start_player_deck_next_card_next_round_and_next_seed_are_independent(games, place):
    """Of the next card one knows only that it is another."""
    starts, decks = games
    values = decks[0, :, place] - 1, decks[0, :, place + 1] - 1
    counts = np.bincount(np.ravel_multi_index(values, (8, 8)), minlength=64)
    chances = np.array([a * (b - (a == b)) / (36 * 35) for a, b in product(range(1, 9), repeat=2)])
    assert counts[0] == 0  # there is one 1
    assert fit(counts[1:], chances[1:]) > UNLIKELY
    cards = np.maximum(decks[:, :, place], 3) - 3  # the values 1 to 3 are too rare alone
    pairs = [cards, (cards[0, :-1], cards[0, 1:]), (starts, cards[0]), (starts[:-1], starts[1:])]
    assert all(independent(*pair) > UNLIKELY for pair in pairs)


FIRST, SECOND = ([*permutations([1, 2, 3])], [(2, 3, 3), (3, 2, 3), (3, 3, 2)])


def reshuffle(env, *hand_cards):
    """Everybody swaps the only hand card with the draw pile; return the order after the reshuffle that this needs."""
    for card in hand_cards:
        env.step(do.NO_TRICK)
        env.step(do.swap_draw(card))
    table = env.snapshot()
    return *table["hands"][1 - table["player"]], *table["draw_pile"]  # one was drawn from it at once


@pytest.fixture(scope="module")
def reshuffles():
    """Return the new draw piles (round, reshuffle, seed), as places in FIRST and SECOND."""
    deck = deal([[1], [2]], top=3, draw=[2, 3, 3], max_card=3)
    env = black_jacky_v0.env(num_players=2, max_card=3, hand_size=1, bust_at=99)
    seen = np.zeros((2, 2, 1500), np.int64)
    for seed in range(seen.shape[2]):
        env.reset(seed=seed, options={"start_player": 0, "deck": [deck, deck]})
        for number in range(2):
            first = reshuffle(env, 1, 2, 2, 3)
            second = reshuffle(env, 3, first[0], first[1])
            seen[number, :, seed] = FIRST.index(first), SECOND.index(second)
            for action in do.KNOCKS * 2:
                env.step(action)
    return seen


def test_r14_orders_of_reshuffles_are_equally_likely_and_independent_of_each_other(reshuffles):
    for first, second in reshuffles:
        assert fit(np.bincount(first, minlength=6)) > UNLIKELY
        assert fit(np.bincount(second, minlength=3)) > UNLIKELY
    for one, other in (reshuffles[0], reshuffles[:, 0], (reshuffles[0, 0, :-1], reshuffles[0, 0, 1:])):
        assert independent(one, other) > UNLIKELY
