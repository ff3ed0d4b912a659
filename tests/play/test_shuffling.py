"""Every order of a deck, and all that dealing or reshuffling it can bring."""

from itertools import permutations

import numpy as np
import pytest

from blackjacky_env.compiled.compiling import copied, zeros
from blackjacky_env.games import get_game
from blackjacky_env.play import make_begin
from blackjacky_env.play.shuffling import Shuffles, all_orders, count_orders, in_digits, make_deck, step_with

SIX = {"max_card": 3, "hand_size": 1, "hearts": 1, "bust_at": 5, "max_turns_per_round": 3}
SIX_OF_THREE = {"deals": 2, "deck": ["KH", "AH", "JS", "QS", "KS", "AS"]}


def test_orders_are_counted():
    cases = [([1, 1, 1], 3, 6), ([1, 1, 1], 2, 6), ([2, 2, 2], 6, 90), ([1, 2, 3], 3, 19), ([4], 3, 1), ([1, 2], 0, 1)]
    for copies, length, orders in cases:
        assert count_orders(copies, length) == orders
    assert in_digits(count_orders([1] * 171, 171)) == "1.2e+309"  # more than a float can hold


def test_every_distinct_order_of_a_deck_is_there_once_in_ascending_order():
    game = get_game("black_jacky")
    orders = all_orders(make_deck(game, 2, game.check_options(2, "classic", SIX)))
    assert list(map(tuple, orders.tolist())) == sorted(set(permutations([1, 2, 2, 3, 3, 3])))


def test_first_and_later_deals_have_one_order_for_each_way_to_deal_whole_hands():
    """6! orders of six cards in hands of two are 90 deals."""
    game = get_game("schwarze_katze")
    options, blank = game.check_options(3, "classic", SIX_OF_THREE), zeros(2, game.state_dtype)
    blank[:1] = game.new_state(3, "classic", options)
    shuffles = Shuffles(game, blank, make_deck(game, 3, options))
    openings = shuffles.openings([0])
    assert len(openings) == 90
    assert [chance for _, chance in openings] == pytest.approx([1 / 90] * 90)
    assert len(shuffles.openings([0, 1])) == 180
    records, counts = copied(blank), []
    (order, start), _ = openings[0]
    make_begin(game)(records[0], np.uint64(0), start)
    game.rules.redeal(records[0], order)
    while records["player"][0] >= 0 and not counts:
        mask = np.zeros(game.num_actions, np.int8)
        game.rules.legal(records[0], mask)
        action = int(mask.argmax())
        counts = [chance for _, chance in shuffles.after(records, action)]
        assert shuffles.after(records, action) is shuffles.after(records, action)
        step_with(game, records, action, order)
    assert len(counts) == 90
    assert sum(counts) == pytest.approx(1)
