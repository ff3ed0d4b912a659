"""Information states as text, vector and key: the same partition of histories, with perfect recall, and nothing hidden.

Whole miniatures are walked where they are small, and random games elsewhere.
"""

import copy
import json
from collections import defaultdict
from itertools import islice, permutations

import numpy as np
import pytest

from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, get_game
from blackjacky_env.play import recall
from tests.envs.playing import legal, play_randomly

pytestmark = pytest.mark.prove

WALKED = [("black_jacky", "mini-1", 9, 99), ("schwarze_katze", "mini-1", 9, 99), ("black_spy", "mini-1", 2, 2)]
"""Miniatures that are walked: how many deals that look the same to player_0, and how many actions of a decision."""
MINIATURES = [(game, name) for game in GAMES for name in get_game(game).tables]


def played(env, seed, moves=None, **options):
    env.reset(seed=seed, options=options)
    return play_randomly(env, seed, moves)


def deals(env):
    """The environment after different deals that look the same to player_0, who starts."""
    cards = [env.game.card_names[card] for card in env.game.whole_deck(env.num_players, env.options)]
    known = set()
    first = None
    for deck in dict.fromkeys(permutations(cards)):
        env.reset(seed=0, options={"deck": list(deck), "start_player": 0})
        seen = env.view("player_0")
        first = seen if first is None else first
        if seen == first and env.state().tobytes() not in known:
            known.add(env.state().tobytes())
            yield env


def continued(env, past):
    """The past of all agents after the last action."""
    return {
        agent: (
            *past[agent],
            env.last_action(seat),
            json.dumps(env.view(agent)),
            env.observe(agent)["action_mask"].tobytes(),
        )
        for seat, agent in enumerate(env.possible_agents)
    }


def positions(env, width, before=None):
    """This position and those that follow, each with its past; the environment moves on with the next item."""
    past = continued(env, before or dict.fromkeys(env.possible_agents, ()))
    yield env, past
    if env.terminations[env.agent_selection]:
        return
    here = env.get_state()
    for action in legal(env)[:width]:
        env.set_state(here)
        env.step(action)
        yield from positions(env, width, past)


@pytest.mark.parametrize(("game", "name", "count", "width"), WALKED)
def test_text_vector_and_key_are_the_same_for_two_histories_exactly_if_the_player_cannot_tell_them_apart(
    game, name, count, width
):
    """So they recall all that the player has seen, heard and done; at the end only the text shows what is laid open."""
    env, pairs, told = TableEnv(game, table=name), defaultdict(set), 0
    for dealt in islice(deals(env), count):
        for here, past in positions(dealt, width):
            for agent in here.possible_agents:
                told += 1
                pairs[f"text of {agent}"].add((past[agent], here.information_state(agent)))
                if not here.terminations[agent]:
                    pairs[f"vector of {agent}"].add((past[agent], here.information_state_vector(agent).tobytes()))
                    pairs[f"key of {agent}"].add((past[agent], here.information_key(agent).tobytes()))
    for what, each in pairs.items():  # neither side of a pair stands in two pairs
        assert {len({*side}) for side in zip(*each, strict=True)} == {len(each)}, what
    assert len(pairs["text of player_0"]) < told / env.num_players  # some histories look the same


@pytest.mark.parametrize(("game", "name"), MINIATURES)
def test_a_vector_is_in_its_space_and_shows_the_observation_and_every_action_with_what_was_seen_before(game, name):
    env = TableEnv(game, table=name)
    space, size = env.information_state_space, env.game.layout.size
    for seed in range(8):
        env.reset(seed=seed)
        rng, seen = np.random.default_rng(seed), {agent: [] for agent in env.possible_agents}
        while True:
            for agent in env.possible_agents:
                vector = env.information_state_vector(agent)
                assert space.contains(vector)
                observation, rows = vector[:size], vector[size:].reshape(-1, size + 2)
                np.testing.assert_array_equal(observation, env.observe(agent)["observation"])
                np.testing.assert_array_equal(rows[: len(seen[agent])], np.array(seen[agent]).reshape(-1, size + 2))
                assert not rows[len(seen[agent]) :].any()
            if env.terminations[env.agent_selection]:
                break
            actor, action = int(env.agent_selection[-1]), int(rng.choice(legal(env)))
            for seat, agent in enumerate(env.possible_agents):
                heard = recall.sounds(env.game)[env.game.words.phase_of(env._states), action]
                row = [1 + (actor - seat) % env.num_players, 1 + (action if seat == actor else heard)]
                seen[agent].insert(0, [*row, *env.observe(agent)["observation"].tolist()])
            env.step(action)


def keys(env):
    return [env.information_key(agent).tobytes() for agent in env.possible_agents]


def test_a_key_is_the_same_for_the_same_history_and_changes_with_every_action(game):
    for seed in range(3):
        env, before = TableEnv(game.name), set()
        for moves in range(12):
            played(env, seed, moves)
            if env.terminations[env.agent_selection]:
                break
            now = keys(env)
            assert now == keys(copy.deepcopy(env)) == keys(played(TableEnv(game.name), seed, moves))
            assert before.isdisjoint(now)
            before |= set(now)
