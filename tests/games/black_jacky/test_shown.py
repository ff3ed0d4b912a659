"""The picture of the table: all that its viewer may know, and nothing more. Playthroughs show it as text."""

import pytest

from tests.drawings import told
from tests.games.black_jacky.rigging import NO_TRICK, exchange, give, one_round, swap_discard

pytestmark = pytest.mark.prove


def test_a_known_card_of_a_hidden_hand_shines_through_its_back_and_a_given_one_is_seen_by_its_giver_only():
    table = one_round([[8, 5], [7, 7], [6, 6]], top=2).play(NO_TRICK, swap_discard(8))
    agents = ("player_0", "player_1", None)
    assert [table.drawn(agent).count('opacity="0.7"') for agent in agents] == [0, 1, 1]
    table = one_round([[3, 1], [6, 7], [8, 8]]).play(exchange(0, 1), give(1))
    assert ["player_0 has given 1." in " ".join(told(table.drawn(agent))) for agent in agents] == [True, False, False]
