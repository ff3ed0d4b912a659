"""`sample_state`: what it deals is legal, and as likely as its docstring says: all deals of small games are listed."""

from collections import Counter
from fractions import Fraction
from itertools import permutations

import pytest

from blackjacky_env import black_jacky_v0
from tests.games.black_jacky import moves as do
from tests.games.black_jacky.rigging import Table, all_cards, losing, one_round
from tests.games.sampled import check_distribution, imagined, vector

pytestmark = pytest.mark.prove


def listed(observation):
    """Return the chance of every position that may be sampled: (hands, draw pile, given cards), seat 0 first.

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


def six(*moves, hands=((3,), (1,)), top=2, draw=(), **options):
    return one_round(hands, top=top, draw=draw, **{**SIX_CARDS, **options}).play(*moves)


def ten(*moves):
    return one_round(HANDS, top=4, **TEN_CARDS).play(*moves)


def two_each(*moves):
    return six(*moves, hands=[[3, 2], [1, 3]], hand_size=2)


POSITIONS = {
    "dealt": six,
    "dealt to three": lambda: six(hands=[[3], [1], [3]]),
    "two cards each": two_each,
    "laid out": lambda: two_each(do.lay(2), do.KNOCK, do.lay(1)),
    # Seat 0 took the 2 from the discard pile and drew once, so a known and an unknown card are in its hand.
    "known to all": lambda: six(do.NO_TRICK, do.swap_discard(3), do.DRAWS, do.DRAWS, draw=[3, 2, 3]),
    "known to two": lambda: ten(do.exchange(0, 1), do.give(4), do.give(1), do.KNOCK),
    # Nobody remembers where reshuffled cards are; the draw pile was made anew from two of four cards (R14).
    "reshuffled": lambda: six(
        do.NO_TRICK,
        do.swap_draw(1),
        do.NO_TRICK,
        do.swap_draw(2),
        do.DRAWS,
        do.DRAWS,
        hands=[[1], [2]],
        top=3,
        draw=[2, 3, 3],
    ),
    "exchange of others": lambda: ten(do.exchange(1, 2)),
    "first of others has given": lambda: ten(do.exchange(1, 2), do.give(2)),
    "exchange with me": lambda: ten(do.exchange(0, 2)),
    "first of me and another has given": lambda: ten(do.exchange(0, 2), do.give(4)),
    "over": lambda: six(do.DRAWS, hearts=1).knock_all(),
    "tips are given": lambda: Table([losing([1], range(4))], players=4, hearts=1).knock_all(),
}


@pytest.mark.parametrize("name", POSITIONS)
def test_samples_are_as_likely_as_the_contract_says(name):
    """From every seat, so on turn and off turn; nothing is left to chance while tips are given."""
    table = POSITIONS[name]()
    for seat in range(table.env.num_players):
        check_table(table, seat)
