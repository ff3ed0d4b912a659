"""The observation: what it hides, known cards, and positions sampled from it."""

from collections import Counter

import numpy as np
import pytest

from blackjacky_env import black_jacky_v0
from tests.games.black_jacky import moves as do
from tests.games.black_jacky.rigging import one_round
from tests.games.sampled import Changes, imagined


def imagined_hands(table, seat, whose):
    return [env.snapshot()["hands"][whose] for env in imagined(table.env, seat, 40)]


def known(table, observer, holder):
    """Return the cards that `observer` (None: a spectator) surely knows `holder` to hold, as its view has them, too."""
    players = len(table.env.possible_agents)
    if observer is None:
        counts = table.seen(0)["public"][holder]
    else:
        counts = table.seen(observer)["known"][(holder - observer) % players - 1]
    cards = sorted(Counter(dict(enumerate(counts, start=1))).elements())
    view = table.env.view(None if observer is None else f"player_{observer}")
    assert view["known"][holder] == cards
    return cards


@pytest.mark.parametrize(
    "loss", [(do.lay(2), do.KNOCK), (do.NO_TRICK, do.swap_draw(2)), (do.NO_TRICK, do.swap_discard(2))]
)
def test_a_card_taken_from_the_discard_pile_is_known_to_all_until_it_is_laid_or_discarded(loss):
    table = one_round([[8, 2], [7, 7], [6, 6]], top=2).play(do.NO_TRICK, do.swap_discard(8))
    assert [known(table, observer, 0) for observer in (1, 2, None)] == [[2]] * 3
    assert all(2 in hand for hand in imagined_hands(table, 1, whose=2))
    table.play(do.DRAWS, do.DRAWS, *loss)
    assert known(table, 1, 0) == ([8] if loss[1] == do.swap_discard(2) else [])


def test_the_two_of_an_exchange_know_what_they_gave():
    """Imagined by one of them, the other does not know it."""
    table = one_round([[3, 8], [7, 7], [5, 6]], top=1).play(do.exchange(0, 1), do.give(8), do.give(7))
    assert (known(table, 0, 1), known(table, 1, 0)) == ([8], [7])
    assert known(table, 2, 0) == known(table, 2, 1) == known(table, None, 0) == known(table, None, 1) == []
    assert all(8 in hand for hand in imagined_hands(table, 0, whose=1))
    (other,) = imagined(table.env, 0, 1)
    assert not np.any(black_jacky_v0.decode(other.observe("player_1")["observation"])["known"])


@pytest.mark.parametrize("card", range(1, 9))
def test_after_an_exchange_others_are_sure_of_one_card_less_of_each_value(card):
    table = one_round([[8, 2], [7, 3], [6, 6]], top=card).play(do.NO_TRICK, do.swap_discard(8))
    assert known(table, 2, 0) == [card]
    table.play(do.exchange(0, 2), do.give(7), do.give(card))  # seats 1 and 0
    assert known(table, 2, 0) == known(table, None, 0) == []
    assert known(table, 1, 0) == [7]  # the card that seat 1 knew is now in the own hand


def giving():
    return one_round([[3, 8], [7, 7], [5, 6], [4, 4]], top=1).play(do.exchange(1, 2), do.give(7))


CHANGES = [
    Changes(
        giving,
        0,
        refused=[[("start_player", 0, [0, 0, 0, 0, 1, 0])], [("phase", 0, [0] * 5)], [("phase", 0, [0, 0, 0, 0, 1])]],
        shown=[
            [("discards", 0, [2, 1, 1, 1, 1, 1, 1, 1])],
            # the hand of seat 1 is mine, though it has given one of its cards
            [("my_hand", 0, [0, 0, 0, 0, 0, 0, 2, 1]), ("hand_counts", 0, [3, 0, 2, 2, 0, 0])],
        ],
    )
]
