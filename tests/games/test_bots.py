"""What holds for the bots of all games, and for what networks are shown of them."""

from itertools import pairwise

import numpy as np
import pytest

from blackjacky_agents import bot_names, make_agent
from blackjacky_agents.arena.evaluation import against_copies
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
BLACK_SPY = dict.fromkeys(
    ("moon_choice", "mole", "call_colour", "rank_follow", "rank_follow_strict", "exact_limit"), True
)
LADDERS = [
    *(("black_spy", players, options) for players in (3, 4, 5, 6) for options in ({}, BLACK_SPY)),
    *(
        ("halunken", players, {"variant": variant})
        for players, variant in [(4, None), (3, None), (3, "basic"), (2, None)]
    ),
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
@pytest.mark.parametrize(("game", "players", "options"), LADDERS)
def test_the_bots_are_a_ladder(game, players, options):
    for worse, better in pairwise(bot_names(game)):
        agents = [make_agent(name, game) for name in (better, worse)]
        score = against_copies(agents[0], agents[1:], players, 120, game=game, **options)[0]
        assert score.low > score.par


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
