"""Deck, reshuffle and start player are fair, as players at the table see them: chi-square over many seeds."""

from collections import Counter
from itertools import permutations, product
from math import prod

import numpy as np
import pytest

from blackjacky_env import black_jacky_v0, make_batch
from tests.chances import UNLIKELY, fit, fit_of_orders, independence
from tests.games.black_jacky.rigging import KNOCKS, NO_TRICK, deal, swap_draw

SHARE = np.arange(1, 9) / 36  # R1: of the value v there are v cards
SEEDS = 4000
PLACES = [0, 1, 2, 18, 34]


def count(*values, shape):
    """Return how often each combination of these values, 0 .. shape - 1, occurs."""
    return np.bincount(np.ravel_multi_index(values, shape), minlength=prod(shape)).reshape(shape)


def grouped(values):
    """Return 0 .. 5 for the values 1 to 3 together, 4, 5, 6, 7, 8: the low ones are too rare alone."""
    return np.maximum(values, 3) - 3


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
            for action in KNOCKS:
                env.step(action)
    return starts, decks


# The deck


@pytest.mark.parametrize("number", [0, 1])
def test_r4_every_card_is_equally_likely_at_every_place_in_every_round(games, number):
    _, decks = games
    counts = np.array([np.bincount(place, minlength=9)[1:] for place in decks[number].T])
    assert fit_of_orders(counts, SHARE) > UNLIKELY


@pytest.mark.parametrize("place", PLACES)
def test_r4_what_a_card_is_says_nothing_of_the_next_but_that_it_is_another(games, place):
    _, decks = games
    counts = count(decks[0, :, place] - 1, decks[0, :, place + 1] - 1, shape=(8, 8)).ravel()
    chances = np.array([a * (b - (a == b)) / (36 * 35) for a, b in product(range(1, 9), repeat=2)])
    assert counts[0] == 0  # there is one 1
    assert fit(counts[1:], chances[1:]) > UNLIKELY


@pytest.mark.parametrize("place", PLACES)
def test_r4_the_decks_of_successive_rounds_and_of_successive_seeds_are_independent(games, place):
    _, decks = games
    cards = grouped(decks[:, :, place])
    assert independence(count(cards[0], cards[1], shape=(6, 6))) > UNLIKELY
    assert independence(count(cards[0, :-1], cards[0, 1:], shape=(6, 6))) > UNLIKELY


# The start player


def test_r3_start_players_of_successive_seeds_are_independent_and_so_are_start_player_and_deck(games):
    starts, decks = games
    assert independence(count(starts[:-1], starts[1:], shape=(2, 2))) > UNLIKELY
    for place in PLACES:
        assert independence(count(starts, grouped(decks[0, :, place]), shape=(2, 6))) > UNLIKELY


# The batch


def test_the_games_of_a_batch_start_fairly_and_independently_of_the_games_before():
    """R3, R4: every game has one turn, so that two actions bring the next."""
    batch = make_batch("black_jacky", 6000, num_players=2, hearts=1, max_turns_per_round=1, bust_at=2, seed=1)
    starts, tops = [], []
    for _ in range(2):
        starts.append(batch.current_player.copy())
        tops.append(discard_tops(batch.observations))
        for action in KNOCKS:
            batch.step(np.full(6000, action))
        assert batch.terminated.all()
    for start, top in zip(starts, tops, strict=True):
        assert fit(np.bincount(start)) > UNLIKELY
        assert fit(np.bincount(top, minlength=9)[1:], SHARE) > UNLIKELY
        assert independence(count(start, grouped(top), shape=(2, 6))) > UNLIKELY
    assert independence(count(*starts, shape=(2, 2))) > UNLIKELY
    assert independence(count(*map(grouped, tops), shape=(6, 6))) > UNLIKELY
    assert independence(count(grouped(tops[0][:-1]), grouped(tops[0][1:]), shape=(6, 6))) > UNLIKELY


def discard_tops(observations):
    part = next(part for part in black_jacky_v0.describe_observation() if part["name"] == "discard_top")
    return observations[:, part["offset"] : part["offset"] + 8].argmax(axis=1) + 1


def test_who_knocks_at_once_wins_as_often_as_counting_all_deals_says():
    """The start player wins, the other wins, nobody wins: S2, E1, E2 with two hearts and four cards."""
    batch = make_batch("black_jacky", 20_000, num_players=2, hearts=1, seed=2)
    starts = batch.current_player.copy()
    for action in KNOCKS * 2:
        batch.step(np.full(20_000, action))
    won = batch.rewards[np.arange(20_000), starts]
    wins, losses, ties = knocking_at_once()
    assert fit([(won == 1).sum(), (won == -1).sum(), (won == 0).sum()], np.array([wins, losses, ties])) > UNLIKELY


def knocking_at_once():
    ways = Counter()
    for hand in product(range(1, 9), repeat=4):
        left = [value - hand[:i].count(value) for i, value in enumerate(hand)]
        mine, theirs = hand[0] + hand[2], hand[1] + hand[3]
        ways[(mine > theirs) - (mine < theirs)] += prod(left) if min(left) > 0 else 0
    return [ways[who] / (36 * 35 * 34 * 33) for who in (1, -1, 0)]


# The reshuffle

FIRST, SECOND = ([*permutations([1, 2, 3])], [(2, 3, 3), (3, 2, 3), (3, 3, 2)])


@pytest.fixture(scope="module")
def reshuffles():
    """Return the new draw piles (round, reshuffle, seed), as places in FIRST and SECOND."""
    deck = deal([[1], [2]], top=3, draw=[2, 3, 3], max_card=3)
    env = black_jacky_v0.env(num_players=2, max_card=3, hand_size=1, bust_at=99)
    seen = np.zeros((2, 2, 1500), np.int64)
    for seed in range(seen.shape[2]):
        env.reset(seed=seed, options={"start_player": 0, "deck": [deck, deck]})
        for number in range(2):
            first, second = two_reshuffles(env)
            seen[number, :, seed] = FIRST.index(first), SECOND.index(second)
    return seen


def two_reshuffles(env):
    """Play a round in which everybody swaps the only hand card with the draw pile; return what R14 makes of it."""
    swap_all(env, 1, 2, 2, 3)
    first = new_pile(env)
    swap_all(env, 3, first[0], first[1])
    second = new_pile(env)
    for action in KNOCKS * 2:
        env.step(action)
    return first, second


def swap_all(env, *hand_cards):
    for card in hand_cards:
        env.step(NO_TRICK)
        env.step(swap_draw(card))


def new_pile(env):
    """Return the order after a reshuffle: the card that was drawn from it at once, and what is left."""
    table = env.snapshot()
    return *table["hands"][1 - table["player"]], *table["draw_pile"]


@pytest.mark.parametrize("number", [0, 1])
def test_r14_every_order_of_a_reshuffle_is_equally_likely(reshuffles, number):
    first, second = reshuffles[number]
    assert fit(np.bincount(first, minlength=6)) > UNLIKELY
    assert fit(np.bincount(second, minlength=3)) > UNLIKELY


def test_r14_reshuffles_of_a_round_of_successive_rounds_and_of_successive_seeds_are_independent(reshuffles):
    assert independence(count(*reshuffles[0], shape=(6, 3))) > UNLIKELY
    assert independence(count(*reshuffles[:, 0], shape=(6, 6))) > UNLIKELY
    assert independence(count(reshuffles[0, 0, :-1], reshuffles[0, 0, 1:], shape=(6, 6))) > UNLIKELY
