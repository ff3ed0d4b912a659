"""All environments with every game of the registry, and with a tiny game whose observation needs int16."""

import copy
import functools
import itertools
import json
import re
import warnings

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

import blackjacky_env
from blackjacky_env import make_batch
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.module import GameModule
from blackjacky_env.envs.seat import SeatEnv
from blackjacky_env.envs.vector import SeatVectorEnv
from blackjacky_env.games import GAMES, get_game
from blackjacky_env.testing import CHECKS, check_all
from tests.envs.playing import assert_same, fresh, play_randomly
from tests.games.fixtures import examples_of, promises_of


def assert_shown(game, observation):
    assert observation.dtype == game.layout.dtype
    assert (game.layout.low <= observation).all()
    assert (observation <= game.layout.high).all()


# What `api_test` warns of, and why that is as it should be.
EXPLAINED = [
    r"options.*start_player|start_player.*options",  # it passes an unknown reset option on purpose
    r"Observation is not a NumPy array",  # a dict with a mask; PettingZoo exempts only its own environments
    r"Observation space for each agent probably should be gymnasium.spaces.box",  # the same
    r"Action mask numpy array is all zeros",  # when the game is over there is nothing to do
]


def tables(game, **options):
    for variant in game.variants:
        for players in variant.sizes:
            yield TableEnv(game.name, players, variant.name, **options)


def test_pettingzoos_tests_pass_without_unexplained_warnings(each_game):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for env in tables(each_game):
            api_test(env, num_cycles=50)
    unexplained = [str(w.message) for w in caught if not any(re.search(why, str(w.message)) for why in EXPLAINED)]
    assert unexplained == []
    seed_test(lambda: TableEnv(each_game.name), num_cycles=50)


def test_observations_masks_and_agents_are_as_declared_to_the_end(game):
    spaces = TableEnv(game.name).observation_space("player_0"), gymnasium.spaces.Discrete(game.num_actions)
    for env in tables(game):
        agents = [f"player_{seat}" for seat in range(env.num_players)]
        assert all((env.observation_space(agent), env.action_space(agent)) == spaces for agent in agents)
        env.reset(seed=env.num_players)
        while not any(env.terminations.values()):
            assert env.agents == env.possible_agents == agents
            assert env.rewards == dict.fromkeys(agents, 0)
            for agent in agents:
                seen = env.observe(agent)
                assert_shown(game, seen["observation"])
                assert seen in env.observation_space(agent)
                assert seen["action_mask"].dtype == np.int8
                assert seen["action_mask"].any() == (agent == env.agent_selection)
                np.testing.assert_array_equal(seen["action_mask"], env.infos[agent]["action_mask"])
            assert env.state_space.contains(env.state())
            play_randomly(env, env.num_players, 1)
        assert env.state_space.contains(env.state())
        assert env.terminations == dict.fromkeys(agents, True)
        assert env.truncations == dict.fromkeys(agents, False)
        assert not any(env.observe(agent)["action_mask"].any() for agent in agents)
        for _ in env.agent_iter():
            env.step(None)
        assert env.agents == []
        with pytest.raises(ResetNeeded):
            env.step(None)


def test_copies_of_a_game_are_saved_as_the_same_bytes(game):
    """Records are aligned; NumPy's copies leave whatever was in memory between their fields."""
    env = play_randomly(fresh(4, game.name), 4, 4)
    for value in range(256):
        np.full(env.game.state_dtype.itemsize * 2, value, np.uint8)  # memory that a copy may be given next
        assert copy.deepcopy(env).get_state() == env.get_state()


def test_actions_are_described_as_data_that_tells_them_apart(game):
    env, module = TableEnv(game.name), GameModule(game.name)
    assert len(game.words.actions) == game.num_actions
    names = [env.action_name(action) for action in range(game.num_actions)]
    assert [env.parse_action(name) for name in names] == list(range(game.num_actions))
    described = [env.describe_action(action) for action in range(game.num_actions)]
    assert len({json.dumps(each) for each in described}) == game.num_actions
    assert described == [module.describe_action(action) for action in range(game.num_actions)]
    for each in described:
        assert each.keys() == {"kind", "card", "pile", "seats", "number"}
        assert each["card"] is None or each["card"] in game.card_names
        assert all(0 <= seat < game.max_players for seat in each["seats"] or ())
    for use in (env.describe_action, module.describe_action):
        for wrong, error in ((-1, ValueError), (game.num_actions, ValueError), (True, TypeError)):
            with pytest.raises(error, match="action="):
                use(wrong)


def test_the_conformance_kit_finds_nothing(game):
    names = set(CHECKS) - {
        "other_process",
        "no_leaks",
        "sample",
    }  # tests.games.test_pictures, the default game, test_declared
    report = check_all(
        functools.partial(TableEnv, game.name, reward=game.score_reward),
        names,
        games=2,
        moments=2,
        **promises_of(game.name),
    )
    assert not report.failed, report


@pytest.mark.parametrize("name", list(GAMES))
def test_every_game_is_registered_and_has_its_module(name):
    module = getattr(blackjacky_env, f"{name}_v0")
    assert f"{name}_v0" in blackjacky_env.__all__
    assert {"decode", "describe_observation", "env", "raw_env", "sample_state"} <= set(dir(module))
    env = module.env(variant=get_game(name).variants[-1].name)
    assert env.unwrapped is env
    assert type(env) is type(module.raw_env()) is TableEnv
    if hasattr(pettingzoo, "make"):  # from 1.27 on
        made = pettingzoo.make("aec", f"blackjacky/{name}-v0", variant=env.variant)
        assert made.unwrapped.config_dict() == env.config_dict()
        assert type(made.unwrapped) is TableEnv
    seat = f"blackjacky/{name.title().replace('_', '')}Seat-v0"
    assert gymnasium.make(seat).unwrapped.table.game.name == name
    assert str(env) == f"{name}_v0"


def test_a_batch_plays_the_games_of_the_environment(game):
    """Until a game has ended at every index."""
    for variant, reward in itertools.product(game.variants, ("win", game.score_reward)):
        options = {**examples_of(game.name).short, "variant": variant.name, "reward": reward}
        batch = make_batch(game.name, 5, num_players=list(variant.sizes), seed=7, per_seat=True, **options)
        sizes = batch.num_players.tolist()
        envs = [fresh(int(batch.seeds[i]), game.name, num_players=sizes[i], **options) for i in range(5)]
        ended = np.zeros(5, bool)
        while not ended.all():
            for i, env in enumerate(envs):
                assert env.agent_selection == f"player_{batch.current_player[i]}"
                seen = env.observe(env.agent_selection)
                assert_same([batch.observations[i], batch.action_masks[i]], [*seen.values()])
            actions = batch.random_actions()
            batch.step(actions)
            for i, env in enumerate(envs):
                env.step(int(actions[i]))
                assert batch.terminated[i] == all(env.terminations.values())
                assert_paid(batch.rewards[i], env.rewards)
                assert_paid(batch.cumulative_rewards[i], env._cumulative_rewards)
                if batch.terminated[i]:
                    env.reset(seed=int(batch.seeds[i]))
                seen = [env.observe(agent) for agent in env.possible_agents]
                observations, masks = batch.observe(i, np.arange(env.num_players))
                assert_same(list(observations), [each["observation"] for each in seen])
                assert_same(list(masks), [each["action_mask"] for each in seen])
            ended |= batch.terminated


def assert_paid(rewards, expected):
    """0 for seats that do not exist."""
    wanted = [expected.get(f"player_{seat}", 0.0) for seat in range(len(rewards))]
    np.testing.assert_allclose(rewards, wanted, rtol=0, atol=1e-12)


def test_gymnasiums_checker_passes_for_a_seat(game):
    check_env(SeatEnv(game.name, on_illegal="lose"), skip_render_check=True)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_many_seats_play_at_once(game, mode):
    envs = SeatVectorEnv(game.name, 6, ["random"], list(game.variants[0].sizes), autoreset_mode=mode)
    rng = np.random.default_rng(0)
    observations, info = envs.reset(seed=3)
    for _ in range(80):
        for observation in observations:
            assert_shown(game, observation)
        masks = info["action_mask"]
        observations, _, _, _, info = envs.step(np.argmax(rng.random(masks.shape) * masks, axis=1))
    assert observations.dtype == game.layout.dtype


@pytest.mark.prove
@pytest.mark.parametrize(("game", "name"), [(game, name) for game in GAMES for name in get_game(game).tables])
def test_a_named_table_is_the_table_of_its_options_also_for_batches_and_seats(game, name):
    declared = get_game(game).tables[name]
    env = TableEnv(game, table=name)
    assert (env.num_players, env.variant) == (declared.num_players, declared.variant)
    assert declared.options.items() <= env.options.items()
    same = TableEnv(game, declared.num_players, declared.variant, **declared.options)
    assert same.config_dict() == env.config_dict()
    others = ["random"] * (env.num_players - 1)
    batch, seats = make_batch(game, 2, table=name), SeatVectorEnv(game, 2, others, table=name)
    seats.reset(seed=1)
    for state in (*batch._arrays.states, *seats._states):
        assert get_game(game).read_options(state) == (env.num_players, env.variant, env.options)
    assert SeatEnv(game, others, table=name).table.config_dict() == env.config_dict()
