"""One protocol for a move, wherever it is made: changes of score are paid when they happen, settled or not."""

import dataclasses
from unittest import mock

import numpy as np
import pytest

from blackjacky_env import make_batch
from blackjacky_env.compiled.compiling import inlined
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.vector import SeatVectorEnv
from blackjacky_env.games import GAMES, Registration
from blackjacky_env.play.step import NONE, STUCK, only_legal
from tests.every_game import with_tiny
from tests.tiny_game import GAME, NOT_YET

BID = 1  # a point for each bid in this round


@inlined
def score(s, seat):
    """Ten times the points, and one for a bid, which is no settlement."""
    return 10 * int(s.points[seat]) + (s.bids[seat] != NOT_YET)


PAYING = dataclasses.replace(GAME, name="paying", rules=dataclasses.replace(GAME.rules, score=score))


@pytest.fixture(autouse=True)
def _registered():
    with with_tiny(), mock.patch.dict(GAMES, {"paying": Registration(f"{__name__}:PAYING")}):
        yield


def test_batches_pay_a_change_of_score_and_a_settlement_when_the_environment_does():
    batch, env = make_batch("paying", 1, num_players=3, seed=2, reward="points"), TableEnv("paying", 3, reward="points")
    for _ in range(4):
        env.reset(seed=int(batch.seeds[0]))
        while not any(env.terminations.values()):
            action, bidder, before = batch.random_actions(), env.agent_selection, env.snapshot()
            env.step(int(action[0]))
            batch.step(action)
            assert batch.rewards[0].tolist() == list(env.rewards.values())
            if env.snapshot()["round"] == before["round"]:
                assert env.rewards == {agent: float(agent == bidder) * BID for agent in env.agents}
    options = {"num_players": 2, "three_games": True, "reward": "points"}
    batch, env = make_batch("halunken", 1, seed=2, **options), TableEnv("halunken", **options)
    env.reset(seed=int(batch.seeds[0]))
    while not any(env.terminations.values()):
        action = batch.random_actions()
        env.step(int(action[0]))
        batch.step(action)
        assert batch.rewards[0, : len(env.rewards)].tolist() == list(env.rewards.values())


def test_a_learner_is_paid_all_that_its_score_changes_by():
    envs = SeatVectorEnv("paying", 8, ["random"], 3, reward="points")
    _, info = envs.reset(seed=3)
    paid, points = np.zeros(8), {}
    while len(points) < 8:
        seen, rewards, ended, _, info = envs.step(info["action_mask"].argmax(axis=1))
        for i in set(range(8)) - points.keys():
            paid[i] += rewards[i]
            if ended[i]:
                points[i] = PAYING.layout.decode(seen[i])["points"][0]
    assert paid.tolist() == [10 * points[i] + BID for i in range(8)]


@pytest.mark.parametrize(("mask", "action"), [([0, 0, 1], 2), ([1, 0, 1], NONE), ([0, 0, 0], STUCK)])
def test_the_only_legal_action_is_taken_unasked_and_none_ends_a_game(mask, action):
    assert only_legal(np.array(mask, np.int8)) == action
