"""What a batch tells learners about each seat; that it is PettingZoo's, `tests.envs.test_every_game` shows."""

import numpy as np
import pytest

from blackjacky_env import make_batch
from blackjacky_env.games import DEFAULT, get_game
from blackjacky_env.play.playouts import score_all
from tests.envs.playing import assert_same as assert_same_values
from tests.play.test_batch import arrays as batch_arrays

pytestmark = pytest.mark.prove

GAMMA, WEIGHT = 0.9, 0.25


def batch_of(game=DEFAULT, num_games=6, **options):
    sizes = list(get_game(game).variants[0].sizes)
    return make_batch(game, num_games, **{"num_players": sizes, "seed": 3, "per_seat": True, **options})


def random_games(batch, per_index):
    """Random actions, already taken, until so many games have ended at every index."""
    ended = np.zeros(len(batch.seeds), int)
    while ended.min() < per_index:
        actions = batch.random_actions()
        batch.step(actions)
        ended += batch.terminated
        yield actions


def test_shaping_subtracts_from_a_return_what_the_first_decision_started_from(game):
    """Ng, Harada and Russell: so that no policy gains on another by it."""
    plain, shaped = batch_of(game.name), batch_of(game.name, gamma=GAMMA, score_shaping=WEIGHT)
    shape, rows = plain.rewards.shape, np.arange(len(plain.seeds))
    returns, decisions, first, differed = np.zeros((2, *shape)), np.zeros(shape), np.zeros(shape), False
    before, seats = potentials(plain), plain.current_player.copy()
    for actions in random_games(plain, per_index=1):
        shaped.step(actions)
        begins = decisions[rows, seats] == 0
        first[rows[begins], seats[begins]] = before[rows[begins], seats[begins]]
        decisions[rows, seats] += 1
        before, seats = potentials(plain), plain.current_player.copy()
        complete = plain.terminated[:, None] | (seats[:, None] == np.arange(shape[1]))
        paid = np.stack([plain.cumulative_rewards, shaped.cumulative_rewards])
        returns += np.where(complete & (decisions > 0), GAMMA ** (decisions - 1) * paid, 0)
        differed |= bool((paid[0] != paid[1]).any())
        ended = plain.terminated
        expected = np.where(decisions > 0, returns[0] - first, 0)
        np.testing.assert_allclose(returns[1, ended], expected[ended], atol=1e-9)
        returns[:, ended], decisions[ended] = 0, 0
    assert differed


def potentials(batch):
    """Each seat's score minus the mean of its table, times the weight, (N, P)."""
    scores = np.zeros(batch.rewards.shape, np.int64)
    score_all(batch.game)(batch._arrays.states, scores)
    there = np.arange(scores.shape[1]) < batch.num_players[:, None]
    return np.where(
        there, WEIGHT * (scores - (scores * there).sum(axis=1, keepdims=True) / batch.num_players[:, None]), 0
    )


def arrays(batch):
    return batch_arrays(batch, "cumulative_rewards")


def assert_same(one, other):
    assert_same_values(arrays(one), arrays(other))


SHAPED = {"gamma": GAMMA, "score_shaping": WEIGHT}


def test_the_games_are_those_of_a_batch_without(game):
    with_seats, without = batch_of(game.name, **SHAPED), batch_of(game.name, per_seat=False)
    for one in (with_seats, without):
        one.run_random(300)
    assert_same_values(batch_arrays(with_seats), batch_arrays(without))
    assert_same_values(with_seats.observe([0, 5], 1), without.observe([0, 5], 1))


def test_threads_and_steps_at_once_change_nothing():
    one, many, at_once = (batch_of(num_games=2000, threads=threads, **SHAPED) for threads in (1, 3, 3))
    for _ in range(60):
        actions = one.random_actions()
        assert actions.tolist() == many.random_actions().tolist()
        one.step(actions)
        many.step(actions)
    for steps in (0, 1, np.int8(59)):
        at_once.run_random(steps)
    assert one.terminated.any()
    assert_same(one, many)
    assert_same(one, at_once)
    games, seats = np.arange(2000)[:, None], np.arange(2)
    assert_same_values(one.observe(games, seats), many.observe(games, seats))


def test_copies_are_kept_if_asked_for_and_reset_starts_over():
    batch, reusing = batch_of(copy=True, **SHAPED), batch_of(**SHAPED)
    fresh, first, kept = arrays(batch), reusing.observations, []
    for _ in range(100):
        for one in (batch, reusing):
            one.step(one.random_actions())
        kept += [(getattr(batch, name), array) for name, array in arrays(batch).items()]
        assert_same(batch, reusing)
        assert reusing.observations is first
    assert all((array == content).all() for array, content in kept)
    assert batch.seeds.tolist() != fresh["seeds"].tolist()
    batch.reset()
    assert_same_values(arrays(batch), fresh)


@pytest.mark.parametrize(
    ("games", "seats", "error", "message"),
    [
        ([6], 0, ValueError, r"games=\[6\] are out of range; allowed are 0 \.\. 5"),
        (-1, 0, ValueError, r"games=-1 are out of range"),
        (0, 3, ValueError, r"seats=3 are out of range; allowed are 0 \.\. num_players - 1"),
        (0, -1, ValueError, "seats=-1 are out of range"),
        (0.0, 0, TypeError, "games are of dtype float64; allowed are integers"),
        (0, [True], TypeError, "seats are of dtype bool; allowed are integers"),
        ([0, 1], [0, 1, 2], ValueError, r"of shapes \(2,\) and \(3,\); allowed are shapes that broadcast"),
    ],
)
def test_impossible_seats_are_refused(games, seats, error, message):
    with pytest.raises(error, match=message):
        batch_of(num_players=3).observe(games, seats)
