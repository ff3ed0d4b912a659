"""One seat as a Gymnasium environment."""

from itertools import pairwise

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from blackjacky_env import IllegalActionError, black_jacky_v0
from blackjacky_env.envs import opponents
from blackjacky_env.envs.seat import SeatEnv
from tests.policies import Follower

# One round of one turn: player 0 starts, and somebody loses his only heart before player 1 acts.
OVER_AFTER_ONE_TURN = {"num_players": 2, "hearts": 1, "max_turns_per_round": 1}


def make(**options):
    return gymnasium.make("blackjacky/BlackJackySeat-v0", **options)


def play_episode(env, rng, seed=None):
    """Play randomly to the end: (observation, info, reward) of the reset and of every step."""
    observation, info = env.reset(seed=seed)
    steps, terminated = [(observation, info, 0.0)], False
    while not terminated:
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        observation, reward, terminated, truncated, info = env.step(action)
        assert not truncated
        steps.append((observation, info, reward))
    return steps


def test_rewards_between_two_own_decisions_are_added_up():
    env, rng = make(reward="hearts", num_players=5), np.random.default_rng(1)
    lost_in_others_turns = 0
    for seed in range(10):
        steps = play_episode(env, rng, seed)
        for (before, _, _), (after, _, reward) in pairwise(steps):
            was, now = black_jacky_v0.decode(before), black_jacky_v0.decode(after)
            assert reward == now["hearts"][0] - was["hearts"][0]
            lost_in_others_turns += reward < 0 and not any(was["knocked"]) and not was["ends_after_turn"]
    assert lost_in_others_turns > 0


def test_games_that_end_before_the_first_decision_are_skipped_and_counted():
    env = make(**OVER_AFTER_ONE_TURN, seat=1, opponents=[Follower()])
    counts = []
    for seed in range(30):
        observation, info = env.reset(seed=seed, options={"start_player": 0})
        assert info["action_mask"].any()
        assert black_jacky_v0.decode(observation)["start_player"][0] == 1
        counts.append(info["skipped_games"])
    assert min(counts) == 1  # the rigged one; where the next start player is drawn
    assert max(counts) > 1
    _, info = env.reset(options={"start_player": 1})
    assert info["skipped_games"] == 0


def test_a_free_seat_changes_from_game_to_game():
    env, seats = SeatEnv("black_jacky", num_players=3), set()
    for number in range(30):
        env.reset(seed=None if number else 0)
        seats.add(env.table.agent_selection)
    assert seats == {"player_0", "player_1", "player_2"}


class Noting(Follower):
    def __init__(self):
        super().__init__()
        self.seats = set()
        self.env = None

    def act(self, observation):
        self.seats.add(self.env.table.agent_selection)
        return int(observation["action_mask"].argmax())


def test_a_named_opponent_has_an_instance_for_each_seat_and_an_object_plays_all_its_seats(monkeypatch):
    monkeypatch.setattr(opponents, "make_opponent", lambda game, name: Noting())
    for given, seats in ("mine", [1, 1, 1]), (Noting(), [3]):
        env = SeatEnv("black_jacky", opponents=[given], num_players=4, seat=0)
        cast = env._casts[0]
        for each in cast:
            each.env = env
        play_episode(env, np.random.default_rng(0), 3)
        assert [len(each.seats) for each in cast] == seats


def test_an_illegal_action_raises_and_changes_nothing_or_loses_if_that_is_chosen():
    env, undisturbed = make(num_players=3), make(num_players=3)
    _, info = env.reset(seed=1)
    undisturbed.reset(seed=1)
    for action in np.flatnonzero(info["action_mask"] == 0):
        with pytest.raises(IllegalActionError, match=r"Legal for player_\d are"):
            env.step(action)
    with pytest.raises(IllegalActionError, match=r"action 61 is out of range; allowed are 0 \.\. 60"):
        env.step(61)
    np.testing.assert_array_equal(env.step(0)[0], undisturbed.step(0)[0])
    env = make(on_illegal="lose", reward="hearts")
    _, info = env.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    observation, reward, terminated, truncated, info = env.step(illegal)
    assert observation in env.observation_space
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert "Legal for player_" in info["illegal_action"]
    assert not info["action_mask"].any()
    with pytest.raises(ResetNeeded):
        env.unwrapped.step(0)
    assert env.reset()[1]["action_mask"].any()


def test_an_opponent_that_breaks_the_rules_is_named_and_the_learner_does_not_lose():
    env = make(opponents=[Follower(action=47)], num_players=2, seat=0, on_illegal="lose").unwrapped
    with pytest.raises(RuntimeError, match=r"opponent 'follower' broke the rules as player_1: .*knock"):
        env.reset(seed=0, options={"start_player": 1})
    env.reset(seed=0, options={"start_player": 0})
    env.step(0)
    with pytest.raises(RuntimeError, match=r"opponent 'follower' broke the rules as player_1: .*knock"):
        env.step(47)
    with pytest.raises(ResetNeeded):
        env.step(0)
