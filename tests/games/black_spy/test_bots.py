"""The bots of Black Spy; what networks and search are shown; see also ../test_bots.py."""

import numpy as np
import pytest

from blackjacky_agents.games.black_spy.value_network import VALUE_NETWORK
from blackjacky_env.compiled.compiling import entry
from blackjacky_env.games.black_spy.state import SEATS
from tests.games.black_spy.rigging import dealt

pytestmark = pytest.mark.prove

value = VALUE_NETWORK.formula


@entry
def _value(states, result):
    value(states[0], result)


def test_the_value_is_a_zero_sum_and_highest_for_the_lowest_total():
    game, result = dealt(6), np.zeros(SEATS)
    _value(game.arrange(totals=[30, 10, 80, 30, 99, 0]).records(), result)
    assert result.sum() == pytest.approx(0)
    assert np.argsort(result, kind="stable").tolist() == [4, 2, 0, 3, 1, 5]
