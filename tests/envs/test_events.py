"""Events: what a seat has heard since the last deal, complete, in order, and without a secret."""

import base64
import copy
import json
import pickle

import numpy as np
import pytest

from blackjacky_env.envs import looking
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.module import GameModule
from blackjacky_env.games import get_game
from blackjacky_env.play.states import pack, read_records, unpack
from tests.envs.playing import fresh, play_randomly

pytestmark = pytest.mark.prove


def present(events):
    """The view that the events make up."""
    return {name: value for event in events for name, value in event["shown"].items()}


def heard_by_all(env):
    return [env.events(agent) for agent in [*env.possible_agents, None]]


def test_events_make_up_the_present_view_of_everybody_and_are_in_infos_if_asked_for(game):
    env, rng = fresh(1, game.name, events_in_infos=True), np.random.default_rng(1)
    while not env.terminations[env.agent_selection]:
        play_randomly(env, 1, int(rng.integers(1, 20)))
        for agent in [*env.possible_agents, None]:
            events = env.events(agent)
            assert present(events) == env.view(agent)
            assert json.loads(json.dumps(events)) == events
            if agent is not None:
                assert env.infos[agent]["events"] == events


def test_every_action_since_the_deal_is_heard_after_the_one_that_led_to_it(game):
    env, taken, deals = fresh(2, game.name), [(None, None)], 1
    while not env.terminations[env.agent_selection]:
        actor = env.agent_selection
        play_randomly(env, 2, 1)
        done = (env.possible_agents.index(actor), env.describe_action(env._past.actions[-1])["kind"])
        taken = [*taken, done] if env._states["deals"][0] == deals else [done]
        deals = int(env._states["deals"][0])
    events = env.events("player_0")
    assert [(event["actor"], event["action"] and event["action"]["kind"]) for event in events] == taken


def test_copies_states_and_records_have_heard_the_same(game):
    env = play_randomly(fresh(4, game.name, events_in_infos=True), 4, 7)
    from_state, replayed = (TableEnv(game.name, events_in_infos=True) for _ in range(2))
    from_state.set_state(env.get_state())
    replayed.replay(env.record())
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env)), from_state, replayed):
        assert heard_by_all(other) == heard_by_all(env)
        assert [other.infos[agent]["events"] for agent in env.agents] == heard_by_all(env)[:-1]
        assert heard_by_all(play_randomly(other, 5, 3)) == heard_by_all(play_randomly(copy.deepcopy(env), 5, 3))


def test_what_was_asked_for_once_is_kept_up_and_not_played_again(game, monkeypatch):
    def heard_of(env):
        texts = [env.information_state(agent) for agent in [*env.possible_agents, None]]
        return [heard_by_all(env), texts, [env.information_key(agent).tolist() for agent in env.possible_agents]]

    env = play_randomly(fresh(3, game.name), 3, 5)
    heard_of(env)
    with monkeypatch.context() as changed:
        changed.setattr(looking, "moments", None)
        play_randomly(env, 4, 30)
        kept_up = heard_of(env)
    assert kept_up == heard_of(copy.deepcopy(env))


def test_a_sampled_position_is_heard_of_from_there_on(game):
    env = play_randomly(fresh(6, game.name), 6, 5)
    sampled = GameModule(game.name).sample_state(env.last()[0]["observation"], np.random.default_rng(0))
    env.set_state(sampled)
    assert heard_by_all(env)[0] == [{"actor": None, "action": None, "shown": env.view("player_0")}]
    play_randomly(env, 7, 2)
    other = TableEnv(game.name)
    other.set_state(env.get_state())
    assert heard_by_all(other) == heard_by_all(env)


def tampered(state, **history):
    header, data = unpack(state)
    game = get_game(header["game"])
    records = read_records(game, header, data)
    return pack({**header, "history": {**header["history"], **history}}, records)


def test_actions_that_do_not_lead_to_the_position_and_records_of_a_past_that_no_game_has_are_found_out():
    env = play_randomly(fresh(7), 7, 6)
    state, actions = env.get_state(), list(env._past.actions)
    for wrong in (actions[:-1], actions[::-1], [60] * 6, actions * 50):
        env.set_state(tampered(state, actions=wrong))
        with pytest.raises(ValueError, match="actions do not lead to it"):
            env.events("player_0")
    env = play_randomly(fresh(7), 7, 6)
    records = env._states[:1].copy()
    records["hands"][0, 0, 1] = 9
    with pytest.raises(ValueError, match=r"hands of this state is .* allowed are 0 .. 8"):
        env.set_state(tampered(env.get_state(), start=base64.b64encode(records.tobytes()).decode()))
