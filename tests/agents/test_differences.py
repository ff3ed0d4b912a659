"""Where an agent decides otherwise than a bot, and what that is worth."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from blackjacky_agents import bot_names
from blackjacky_agents.learning import differences as differing
from blackjacky_agents.learning.differences import differences
from blackjacky_agents.learning.encoding import encodings_of
from blackjacky_agents.learning.network import network_agent, pack
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_env.games import get_game


@pytest.fixture(autouse=True)
def _few_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the network that estimates what is won, which need not be good here."""
    monkeypatch.setattr(differing, "_VALUE_UPDATES", 60)


def test_an_agent_that_passes_on_a_bots_advice_hardly_differs_from_it() -> None:
    encoding = encodings_of("black_jacky")["advice"]
    assert encoding.advice is not None
    weights = np.zeros((encoding.size, 61), np.float32)
    weights[encoding.advice + np.arange(61), np.arange(61)] = 1
    agent = network_agent("black_jacky", encoding, pack([(weights, np.zeros(61, np.float32))], True))
    found = differences(agent, encoding, make_compiled_agent("counter", "black_jacky"), 4, None, {}, games=300)
    assert sum(each.decisions for each in found) > 500
    assert sum(each.different for each in found) < 0.02 * sum(each.decisions for each in found)


@pytest.mark.parametrize("name", ["black_jacky", "halunken"])
def test_an_agent_that_knows_nothing_differs(name: str) -> None:
    game = get_game(name)
    encoding = next(iter(encodings_of(game.name).values()))
    layers = [(np.zeros((encoding.size, game.num_actions), np.float32), np.zeros(game.num_actions, np.float32))]
    agent = network_agent(game.name, encoding, pack(layers, True))  # always the first legal action
    bot = make_compiled_agent(bot_names(game.name)[1], game.name)
    one, two = (differences(agent, encoding, bot, game.default_players, None, {}, 200, threads) for threads in (1, 2))
    assert one == two
    assert [each.different for each in one] == sorted((each.different for each in one), reverse=True)
    assert {each.kind for each in one} <= {action.kind for action in game.words.actions.infos}
    most = one[0]
    assert most.low <= most.gain <= most.high
    if name == "black_jacky":
        assert sum(each.gain * each.different for each in one) < 0
