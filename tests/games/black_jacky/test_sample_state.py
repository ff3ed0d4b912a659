"""`sample_state`: what it deals is legal, and as likely as the contract says: all deals of small games are listed."""

import copy
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import permutations

import numpy as np
import pytest

from blackjacky_env import black_jacky_v0
from tests.chances import UNLIKELY, fit_outcomes
from tests.games.black_jacky.rigging import (
    DRAWS,
    KNOCK,
    NO_TRICK,
    Table,
    all_cards,
    cards_on_table,
    exchange,
    give,
    lay,
    losing,
    one_round,
    swap_discard,
    swap_draw,
)


def vector(table, seat):
    return table.env.observe(f"player_{seat}")["observation"]


@cache
def blank(players, **options):
    return black_jacky_v0.env(num_players=players, **options)


def empty_table(table):
    """Return an environment of the same options, the same one for every sample."""
    env = table.env.unwrapped
    options = {name: tuple(v) if isinstance(v, list) else v for name, v in env.options.items()}
    return blank(env.num_players, variant=env.variant, **options)


# Legal deals


def seen_from(view, seat):
    """Return a view with all seats relative to `seat`, and without the last settlement."""
    players = len(view["hearts"])

    def relative(q):
        return None if q is None else (q - seat) % players

    seen = copy.deepcopy(view)
    del seen["last_settlement"]
    for name in ("hearts", "black_hearts", "status", "hands", "displays", "knocked", "tips"):
        seen[name] = seen[name][seat:] + seen[name][:seat]
    for name in ("player", "start_player", "plus_one", "first_knocker"):
        seen[name] = relative(seen[name])
    seen["tips"] = [relative(q) for q in seen["tips"]]
    seen["winners"] = sorted(relative(q) for q in seen["winners"])
    if seen["last_turns"] is not None:
        seen["last_turns"] = [relative(q) for q in seen["last_turns"]]
    if seen["exchange"] is not None:
        seen["exchange"]["trickster"] = relative(seen["exchange"]["trickster"])
        seen["exchange"]["pair"] = [relative(q) for q in seen["exchange"]["pair"]]
    return seen


def check_deal(table, seat, seed):
    """Assert that one sample of what `seat` sees is a legal deal of that position."""
    raw, other = table.env.unwrapped, empty_table(table)
    other.set_state(black_jacky_v0.sample_state(vector(table, seat), np.random.default_rng(seed)))
    imagined = other.snapshot()
    seen, again = table.env.observe(f"player_{seat}"), other.observe("player_0")
    assert all(np.array_equal(seen[name], again[name]) for name in ("observation", "action_mask"))
    assert seen_from(other.view("player_0"), 0) == seen_from(raw.view(f"player_{seat}"), seat)
    assert seen_from(other.view(None), 0) == seen_from(raw.view(None), seat)
    if imagined["phase"] != "tip":
        assert cards_on_table(imagined) == all_cards(raw.options["max_card"])
    parts = black_jacky_v0.decode(vector(table, seat))
    for hand, known in zip(imagined["hands"][1:], parts["known"], strict=False):
        assert Counter(hand) >= Counter(dict(enumerate(known, start=1)))
    if imagined["exchange"] is not None:
        pairs = zip(imagined["exchange"]["pair"], imagined["exchange"]["given"], strict=True)
        assert all(card is None or card in imagined["hands"][q] for q, card in pairs)


# The distribution


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


def sampled_outcomes(table, seat, samples):
    """Count what `samples` samples of what `seat` sees hold, all drawn by one generator."""
    observation, other, rng = vector(table, seat), empty_table(table), np.random.default_rng(seat)
    counts = Counter()
    for _ in range(samples):
        other.set_state(black_jacky_v0.sample_state(observation, rng))
        counts[outcome(other.snapshot())] += 1
    return counts


def check_distribution(table, seat):
    """Assert that samples are as likely as listed; the real position must be one of them."""
    chances = listed(vector(table, seat))
    samples = max(300, int(6 / min(chances.values())))
    assert samples <= 3000, "too many positions to list them all"
    real = table.snapshot()
    assert any(hands[0] == tuple(real["hands"][seat]) for hands, _, _ in chances)
    assert fit_outcomes(sampled_outcomes(table, seat, samples), chances) > UNLIKELY


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
    check_distribution(POSITIONS[name][0](), seat)


@pytest.mark.parametrize("seat", range(4))
def test_nothing_is_left_to_chance_while_tips_are_given(seat):
    table = Table([losing([1], range(4))], players=4, hearts=1).knock_all()
    assert table["phase"] == "tip"
    check_deal(table, seat, 0)
    check_distribution(table, seat)


@pytest.mark.parametrize("seed", range(8))
def test_samples_of_any_small_position_are_as_likely_as_the_contract_says(seed):
    """A random moment of a random game, if all its deals can be listed with enough samples."""
    rng = np.random.default_rng(seed)
    players, options = [(2, SIX_CARDS), (3, SIX_CARDS), (2, {"max_card": 3}), (3, TEN_CARDS)][seed % 4]
    table = Table([], players, **options)
    for _ in range(int(rng.integers(3, 14))):
        if table["phase"] != "over":
            table.play(int(rng.choice(sorted(table.legal - {KNOCK}) or [KNOCK])))
    seats = [q for q in range(players) if min(listed(vector(table, q)).values()) >= Fraction(1, 200)]
    check_distribution(table, seats[int(rng.integers(len(seats)))])
