"""`sample_state`: what it deals is legal, and as likely as the contract says: all deals of small games are listed."""

from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from blackjacky_env import black_jacky_v0
from tests.games.black_jacky.rigging import (
    DRAWS,
    KNOCK,
    NO_TRICK,
    Table,
    all_cards,
    exchange,
    give,
    lay,
    losing,
    one_round,
    swap_discard,
    swap_draw,
)
from tests.games.sampled import check_distribution, imagined, vector


def listed(observation):
    """Return the chance of every position that the contract allows: (hands, draw pile, given cards), seat 0 first.

    Known cards come first; all distinct orders of the others are equally likely; a secretly given card is each card
    of that hand.
    """
    seen = black_jacky_v0.decode(observation)
    if seen["phase"][0]:  # nothing is dealt while tips are given
        return {(((),) * seen["num_players"], (), ()): Fraction(1)}
    hands = [cards(seen["my_hand"]), *map(cards, seen["known"])][: seen["num_players"]]
    unseen = all_cards(seen["max_card"])
    for gone in (cards(seen["discards"]), *hands, *map(cards, seen["displays"])):
        unseen.subtract(gone)
    orders = set(permutations(unseen.elements()))
    chances = Counter()
    for order in orders:
        left, dealt = list(order), []
        for hand, count in zip(hands, seen["hand_counts"], strict=False):
            more = count - len(hand)
            dealt.append(tuple(sorted(hand + left[:more])))
            left = left[more:]
        for given, chance in givings(seen, dealt):
            chances[tuple(dealt), tuple(left), given] += chance / len(orders)
    return chances


def cards(counts):
    return [*Counter(dict(enumerate(counts, start=1))).elements()]


def givings(seen, hands):
    """Yield which cards may have been given in a pending exchange, with their chances."""
    first = seen["exchange_pair"][0]
    if not seen["exchange_given"][0]:
        yield (), Fraction(1)
    elif first[0]:
        yield tuple(cards(seen["my_given"])), Fraction(1)
    else:
        hand = hands[first.index(1)]
        for card, count in Counter(hand).items():
            yield (card,), Fraction(count, len(hand))


def outcome(snapshot):
    exchange = snapshot["exchange"] or {"given": [None]}
    given = tuple(card for card in exchange["given"] if card is not None)
    return tuple(map(tuple, snapshot["hands"])), tuple(snapshot["draw_pile"]), given


def check_table(table, seat):
    """Assert that samples are as likely as listed; the real position must be one of them."""
    chances = listed(vector(table.env, seat))
    assert any(hands[0] == tuple(table["hands"][seat]) for hands, _, _ in chances)
    check_distribution(
        chances, lambda count: (outcome(env.snapshot()) for env in imagined(table.env, seat, count, seat)), most=3000
    )


SIX_CARDS = {"max_card": 3, "hand_size": 1}
TEN_CARDS = {"max_card": 4, "hand_size": 3}  # for three players; no draw pile is left
HANDS = [[3, 4, 4], [1, 2, 3], [2, 3, 4]]


def known_to_all():
    """Seat 0 took the 2 from the discard pile and drew once, so a known and an unknown card are in its hand."""
    table = one_round([[3], [1]], top=2, draw=[3, 2, 3], **SIX_CARDS)
    return table.play(NO_TRICK, swap_discard(3), DRAWS, DRAWS)


def known_to_two():
    """Seats 0 and 1 exchanged a 4 and a 1."""
    return one_round(HANDS, top=4, **TEN_CARDS).play(exchange(0, 1), give(4), give(1), KNOCK)


def reshuffled():
    """Nobody remembers where reshuffled cards are; the draw pile was made anew from two of four cards (R14)."""
    return one_round([[1], [2]], top=3, draw=[2, 3, 3], **SIX_CARDS).play(
        NO_TRICK, swap_draw(1), NO_TRICK, swap_draw(2), DRAWS, DRAWS
    )


def knocked_and_over():
    return one_round([[3], [1]], top=2, hearts=1, **SIX_CARDS).play(DRAWS).knock_all()


def laid_out():
    return one_round([[3, 2], [1, 3]], top=2, max_card=3).play(lay(2), KNOCK, lay(1))


def exchange_of_others():
    return one_round(HANDS, top=4, **TEN_CARDS).play(exchange(1, 2))


def exchange_with_me():
    return one_round(HANDS, top=4, **TEN_CARDS).play(exchange(0, 2))


POSITIONS = {
    "dealt": (lambda: one_round([[3], [1]], top=2, **SIX_CARDS), 2),
    "dealt to three": (lambda: one_round([[3], [1], [3]], top=2, **SIX_CARDS), 3),
    "two cards each": (lambda: one_round([[3, 2], [1, 3]], top=2, max_card=3), 2),
    "laid out": (laid_out, 2),
    "known to all": (known_to_all, 2),
    "known to two": (known_to_two, 3),
    "reshuffled": (reshuffled, 2),
    "exchange of others": (exchange_of_others, 3),
    "first of others has given": (lambda: exchange_of_others().play(give(2)), 3),
    "exchange with me": (exchange_with_me, 3),
    "first of me and another has given": (lambda: exchange_with_me().play(give(4)), 3),
    "over": (knocked_and_over, 2),
}


@pytest.mark.parametrize(
    ("name", "seat"), [(name, q) for name, (_, players) in POSITIONS.items() for q in range(players)]
)
def test_samples_are_as_likely_as_the_contract_says(name, seat):
    """From every seat, so on turn and off turn."""
    check_table(POSITIONS[name][0](), seat)


@pytest.mark.parametrize("seat", range(4))
def test_nothing_is_left_to_chance_while_tips_are_given(seat):
    table = Table([losing([1], range(4))], players=4, hearts=1).knock_all()
    assert table["phase"] == "tip"
    check_table(table, seat)


@pytest.mark.parametrize("seed", range(8))
def test_samples_of_any_small_position_are_as_likely_as_the_contract_says(seed):
    """A random moment of a random game, if all its deals can be listed with enough samples."""
    rng = np.random.default_rng(seed)
    players, options = [(2, SIX_CARDS), (3, SIX_CARDS), (2, {"max_card": 3}), (3, TEN_CARDS)][seed % 4]
    table = Table([], players, **options)
    for _ in range(int(rng.integers(3, 14))):
        if table["phase"] != "over":
            table.play(int(rng.choice(sorted(table.legal - {KNOCK}) or [KNOCK])))
    seats = [q for q in range(players) if min(listed(vector(table.env, q)).values()) >= Fraction(1, 200)]
    check_table(table, seats[int(rng.integers(len(seats)))])
