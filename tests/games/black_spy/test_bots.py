"""The bots of Black Spy; what networks and search are shown; see also ../test_bots.py."""

import numpy as np
import pytest

from blackjacky_agents.games.black_spy.bots import seen
from blackjacky_agents.games.black_spy.value_network import VALUE_NETWORK
from blackjacky_env.compiled import in_plain_python
from blackjacky_env.compiled.compiling import entry
from blackjacky_env.games.black_spy.state import SEATS
from tests.envs.playing import fresh, play_randomly
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


@pytest.mark.parametrize("options", [{"num_players": 4}, {"table": "mini-2"}, {"num_players": 3, "mole": True}])
def test_a_bot_knows_how_many_cards_everybody_holds(options):
    """V3: of a small deck and beside a pile, too; while cards are taken from it, hands differ."""
    env, write = fresh(1, "black_spy", **options), in_plain_python(seen.write_hand_sizes)
    while env.snapshot()["deal"] < 2 and not env.terminations[env.agent_selection]:
        agent, players, sizes = env.agent_selection, range(env.num_players), np.zeros(SEATS, np.int64)
        write(env.observe(agent)["observation"], sizes)
        where, seat = env._states[0]["where"].tolist(), env.possible_agents.index(agent)
        hands = [where.count((seat + i) % env.num_players) for i in players]
        assert env.snapshot()["phase"] == "take" or sizes[: len(hands)].tolist() == hands
        play_randomly(env, 1, 1)
