"""`sample_state` of Halunken & Spelunken: every position that fits, as often as every other, and no others."""

from collections import Counter
from functools import partial
from itertools import combinations, product

import pytest

from tests.chances import UNLIKELY, fit_of_orders, fit_outcomes
from tests.games.halunken.rigging import CARDS, Table, every_jack_card
from tests.games.sampled import Changes, imagined, independent, orders


def samples(table, seat, count):
    return (other.snapshot() for other in imagined(table.env, seat, count))


def placing():
    table = Table(0, 4, 8)
    table.env.reset(seed=0, options={"start_player": 0})
    return table.play("field 3", "field 5")


@pytest.mark.prove
@pytest.mark.parametrize("table", [placing, partial(Table, 0, 4, 8), lambda: Table(0, 4, 8).finish()])
def test_unseen_rogues_lie_in_uniform_order_in_the_hidden_places(table):
    """H1, H2: while captains are placed, all cards but those taken are unseen."""
    piles = [[card for tavern in now["taverns"] for card in tavern["hidden"]] for now in samples(table(), 1, 300)]
    kinds = sorted(piles[0])
    assert all(sorted(pile) == kinds for pile in piles)
    assert fit_of_orders(orders([[*map(kinds.index, pile)] for pile in piles], len(kinds))) > UNLIKELY


@pytest.mark.prove
@pytest.mark.parametrize("captains", [(0, 4, 8), (0, 7)])
def test_black_jacks_unseen_cards_lie_in_uniform_order(captains):
    """J1, D1: after two rounds."""
    table = Table(*captains, jack_deck="1 2")
    for card in (3, 4):
        table.nobody_bids().choose(*[card] * len(captains))
        while table.now["phase"] in ("give", "take"):
            table.play(min(table.legal))
    kinds = [card for card in every_jack_card(len(captains), "") if card not in (1, 2)]
    piles = [now["black_jack_deck"] for now in samples(table, 1, 500)]
    assert fit_of_orders(orders([[*map(kinds.index, pile)] for pile in piles], len(kinds))) > UNLIKELY


@pytest.mark.prove
def test_rogues_black_jacks_cards_and_choices_are_drawn_independently():
    table = Table(0, 4, 8).nobody_bids().play("move 3", "move 2")
    places = {"rogue": [], "card": [], "choice": []}
    for now in samples(table, 1, 600):
        places["rogue"].append(CARDS.index(now["taverns"][9]["hidden"][0]) < 21)
        places["card"].append(now["black_jack_deck"][0] <= 6)
        places["choice"].append(now["choices"][1] in (1, 2, 3, 4))
    for one, other in combinations(places.values(), 2):
        assert independent(one, other) > UNLIKELY


def chosen():
    """Return the third round of four captains: three of them have chosen, the last one sits at player_3."""
    table = Table(0, 3, 6, 9, variant="basic").choose(1, 1, 1, 1).choose(2, 2, "Rum", "Rum")
    return table.play("move 7", "move 6", "move 5")


@pytest.mark.prove
def test_a_secret_choice_of_another_player_is_each_card_that_its_owner_still_has():
    """H4: the own choice is kept; those of others are uniform and independent."""
    counts = Counter()
    for now in samples(chosen(), 1, 1000):
        own, second, last, first = now["choices"]  # of player_1, player_2, player_3 and player_0
        assert (own, last) == (6, None)
        counts[first, second] += 1
    possible = list(product([3, 4, 5, 6, 7, "Rum"], [2, 3, 4, 5, 6, 7]))
    assert fit_outcomes(counts, dict.fromkeys(possible, 1 / 36)) > UNLIKELY


def second_round():
    """Return a duel in which player_1 has bought Black Jack a second time; his 1 is spent."""
    table = Table(0, 7, jack=3).arrange(["R4", "R15 R10"], jack=3, captains=[0, 7]).buys(1, "R15").choose(2, 2, jack=1)
    return table.buys(1, "R10").play("move 5")


def test_own_choices_and_those_of_players_with_one_card_are_known():
    """D3, H3."""
    table = Table(0, 4, 8, variant="basic")
    for card in (1, 2, 3, 4, 5, 6, "Rum"):
        table.choose(card, card, card)
    assert {now["choices"][2] for now in samples(table.play("move 7"), 1, 20)} == {7}
    table = second_round()
    assert {now["black_jack_choice"] for now in samples(table, 1, 20)} == {5}
    table.play("move 6")
    assert {(now["choices"][0], now["black_jack_choice"]) for now in samples(table, 1, 20)} == {(6, 5)}


@pytest.mark.prove
def test_the_card_chosen_for_black_jack_is_uniform_for_the_opponent():
    """D3."""
    counts = Counter(now["black_jack_choice"] for now in samples(second_round(), 0, 400))
    assert fit_outcomes(counts, dict.fromkeys([2, 3, 4, 5, 6, 7, "Rum"], 1 / 7)) > UNLIKELY


R4, Y12 = CARDS.index("R4"), CARDS.index("Y12")
CHANGES = [
    Changes(  # player_2 has an own choice to make in the second round of three
        lambda: Table(0, 4, 8, jack=12, jack_deck="1").nobody_bids().choose(1, 1, 1).nobody_bids(),
        2,
        refused=[
            [("decision", 4, 0)],
            [("variant", 1, 1)],
            [("to_act", 3, 1)],
            [("chosen", 3, 1)],
            [("owners", R4, 4)],
            [("owners", Y12, 1)],
            [("my_choice", 0, 3)],
        ],
        shown=[
            [],
            [("to_act", 0, [0, 0, 0])],
            [("tops", 13, 1 + CARDS.index("V4"))],
            [("captains", 1, 0)],
            [("captains", 1, [3, 3])],
            [("black_jack", 0, 0)],
            [("opener", 0, [0, 0, 0])],
            [("offers", 1, 1 + R4)],
            [("buyer", 1, 1)],
            [("round", 0, 5)],
            [("black_jack_spent", 3, 1)],
            [("numbers", 1, 3)],
            [("mover", 0, 1)],
            [("victim", 1, 1)],
            [("to_rob", 0, 2)],
            [("black_jack_chosen", 0, 1)],
            [("chosen", 1, 1), ("spent", 8, [1] * 8)],
        ],
    ),
    # D1: a card chosen for Black Jack when all are spent is imagined as some card
    Changes(lambda: Table(0, 7).buys(1, "R11").play("move 3"), 0, shown=[[("black_jack_spent", 0, [1] * 8)]]),
]
