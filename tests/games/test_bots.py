"""What holds for the bots of all games, and for what networks are shown of them."""

import numpy as np
import pytest

from blackjacky_agents import bot_names, make_agent
from blackjacky_agents.games import encodings_of
from blackjacky_agents.networks.network import encode_all
from blackjacky_env import make_batch
from blackjacky_env.games import DEFAULT, GAMES
from tests.games.tables import TABLES, seated

BOTS = [
    pytest.param(game, name, marks=[] if game == DEFAULT else pytest.mark.prove)
    for game in GAMES
    for name in bot_names(game)
]
ROUNDING = 1e-6  # of float32
SHOWN = [(game, encoding) for game in GAMES for encoding in encodings_of(game) if encoding != "raw"]


@pytest.mark.parametrize(("game", "name"), BOTS)
def test_bots_play_whole_games_and_depend_on_their_seed_alone(game, name):
    for options in [options for each, options in TABLES if each == game][::3]:
        records = []
        for _ in range(2):
            env, agent = seated(game, **options), make_agent(name, game)
            env.reset(seed=3)
            agent.reset(seed=4)
            while not env.terminations[env.agent_selection]:
                env.step(agent.act(env.observe(env.agent_selection)))  # raises if the action is illegal
            records.append(env.record())
        assert records[0] == records[1]


@pytest.mark.prove
@pytest.mark.parametrize(("game", "name"), SHOWN)
def test_features_lie_in_their_declared_ranges(game, name):
    encoding, seen = encodings_of(game)[name], []
    for options in [options for each, options in TABLES if each == game][::4]:
        batch = make_batch(game, num_games=20, seed=0, **options)
        for _ in range(80):
            batch.step(batch.random_actions())
            seen.append(encode_all(encoding, batch.observations, batch.action_masks))
    features = np.concatenate(seen)
    assert features.any()
    assert (features >= encoding.layout.low - ROUNDING).all()
    assert (features <= encoding.layout.high + ROUNDING).all()
