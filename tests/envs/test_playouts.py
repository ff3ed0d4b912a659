"""Playouts: running games played to their end between compiled agents, as the PettingZoo environment plays them."""

from functools import cache

import numpy as np
import pytest

from blackjacky_agents import make_agent
from blackjacky_env import black_jacky_v0, playout
from blackjacky_env.compiled import random
from blackjacky_env.compiled.purposes import FOR_COPIES, FOR_POLICIES
from blackjacky_env.play.states import pack, read_records, unpack
from tests.envs.playing import fresh, play_randomly

pytestmark = pytest.mark.prove

BOTS = ["random", "threshold", "random", "threshold", "random", "threshold"]


def position(moves=0, seed=0, **options):
    return play_randomly(fresh(seed, **options), seed, moves).get_state()


def rewards(env):
    padding = [0.0] * (6 - len(env.possible_agents))
    return np.array([*(env.rewards[agent] for agent in env.possible_agents), *padding])


@cache
def mixed():
    return [
        position(0, 1, num_players=4),
        position(11, 2, num_players=2, variant="schnell_duell"),
        position(40, 3, num_players=6, hearts=2),
        position(25, 4, num_players=3, tricks=[3, 6], max_turns_per_round=20),
    ]


def test_a_game_that_is_over_has_its_result_at_once():
    env = play_randomly(fresh(num_players=3, hearts=1), 0)
    assert rewards(env).any()
    results = playout([env.get_state(), mixed()[0]], BOTS, 5)
    np.testing.assert_array_equal(results[0], np.tile(rewards(env), (5, 1)))


def at(state):
    header, _ = unpack(state)
    env = black_jacky_v0.env(num_players=header["num_players"], variant=header["variant"], **header["options"])
    env.set_state(state)
    return env


@pytest.mark.parametrize("number", range(4))
def test_a_play_out_is_the_game_that_the_environment_plays_move_by_move(number):
    results, agents = playout(mixed(), BOTS, games=6, seed=9), [make_agent(name) for name in BOTS]
    for repeat in range(6):
        key = np.uint64(random.stream(np.uint64(random.game_key(9)), FOR_COPIES, number, repeat))
        np.testing.assert_array_equal(results[number, repeat], played_by_hand(mixed()[number], key, agents))


def played_by_hand(state, key, agents):
    """Play through the PettingZoo environment, later draws by this key, asking the agents' compiled functions."""
    env, decisions = at(with_key(state, key)), 0
    while not env.terminations[env.agent_selection]:
        agent = agents[int(env.agent_selection[-1])]
        seen, choices = env.observe(env.agent_selection), np.uint64(random.stream(key, FOR_POLICIES, decisions, 0))
        env.step(int(agent.policy(seen["observation"], seen["action_mask"], choices, agent.parameters)))
        decisions += 1
    return rewards(env)


def with_key(state, key):
    """The same position, which goes on by another key."""
    header, data = unpack(state)
    env = at(state)
    records = read_records(env.game, header, data)[:1]
    records["key"] = key
    return pack({**header, "history": None}, records)


def test_threads_change_nothing():
    alone = playout(mixed(), BOTS, 41, threads=1)
    for threads in (2, 5, None):
        np.testing.assert_array_equal(playout(mixed(), BOTS, 41, threads=threads), alone)
