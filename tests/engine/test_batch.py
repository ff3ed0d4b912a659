"""Many games at once: each goes on as in the PettingZoo environment, bit for bit."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from blackjacky_env import IllegalActionError, make_batch
from blackjacky_env.engine.batch import Batch
from tests.envs.playing import assert_same, fresh, random_legal

MIXED = [2, 3, 4, 5, 6]
NAMES = ("observations", "action_masks", "current_player", "seeds", "rewards", "terminated")


def batch_of(num_games: int = 10, **options: Any) -> Batch:
    return make_batch("black_jacky", num_games, **{"num_players": MIXED, "seed": 5, **options})


def arrays(batch: Batch, *more: str) -> dict[str, npt.NDArray[Any]]:
    return {name: getattr(batch, name).copy() for name in (*NAMES, *more)}


def test_its_arrays_have_the_declared_shapes() -> None:
    batch = batch_of(7)
    size, num_actions = batch.game.layout.size, batch.game.num_actions
    declared = {
        "observations": ((7, size), np.int8),
        "action_masks": ((7, num_actions), np.int8),
        "current_player": ((7,), np.int64),
        "seeds": ((7,), np.int64),
        "rewards": ((7, 6), np.float64),
        "terminated": ((7,), np.bool_),
    }
    assert {name: (getattr(batch, name).shape, getattr(batch, name).dtype) for name in NAMES} == declared


def test_table_sizes_are_dealt_out_in_turn() -> None:
    assert batch_of(7, num_players=[2, 6, 3]).num_players.tolist() == [2, 6, 3, 2, 6, 3, 2]
    assert batch_of(3, num_players=5).num_players.tolist() == [5, 5, 5]
    assert batch_of(3, num_players=None).num_players.tolist() == [4, 4, 4]
    assert batch_of(2, num_players=np.array([3, 6])).num_players.tolist() == [3, 6]


def test_seeds_depend_on_seed_index_and_games_played_alone() -> None:
    few, many = batch_of(3, num_players=2, variant="schnell_duell"), batch_of(6, threads=1)
    played: dict[str, list[set[int]]] = {"few": [set(), set(), set()], "many": [set(), set(), set()]}
    rng = np.random.default_rng(2)
    for _ in range(500):
        for name, batch in (("few", few), ("many", many)):
            for i in range(3):
                played[name][i].add(int(batch.seeds[i]))
            batch.step(random_legal(batch.action_masks, rng))
    for a, b in zip(played["few"], played["many"], strict=True):
        assert min(len(a), len(b)) >= 2
        assert a <= b or b <= a
    assert len(set.union(*played["few"])) == sum(len(seeds) for seeds in played["few"])
    assert not set(batch_of(6, seed=6).seeds.tolist()) & set(batch_of(6).seeds.tolist())


def test_games_can_be_played_on_threads_after_a_fork() -> None:
    code = """
import os, sys
from blackjacky_env import make_batch
batch = make_batch("black_jacky", 2048, threads=2)
batch.run_random(3)
child = os.fork()
batch.run_random(3)
if child == 0:
    os._exit(7)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    if not hasattr(os, "fork"):
        pytest.skip("Windows has no fork")
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=1200).returncode == 7


def test_random_actions_are_each_legal_action_with_equal_chance() -> None:
    """R8, R9: the 20,000 games begin alike, with a choice of tricks."""
    batch = make_batch("black_jacky", 20_000, num_players=6, hand_size=5, max_card=8)
    chosen = np.zeros(batch.action_masks.shape, np.int64)
    chosen[np.arange(20_000), batch.random_actions()] = 1
    assert (chosen <= batch.action_masks).all()
    chances = batch.action_masks / batch.action_masks.sum(axis=1, keepdims=True)
    expected, spread = chances.sum(axis=0), (chances * (1 - chances)).sum(axis=0)
    possible = expected > 100
    assert possible.sum() > 10
    deviation = (chosen.sum(axis=0) - expected)[possible] / np.sqrt(spread[possible])
    assert np.abs(deviation).max() < 5
    assert np.abs(deviation).max() > 0.1


@pytest.mark.parametrize(("steps", "error"), [(-1, ValueError), (1.5, TypeError), (None, TypeError)])
def test_a_number_of_random_steps_that_cannot_be_is_refused(steps: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"steps=.* allowed are 0 \.\."):
        batch_of().run_random(steps)


def test_an_illegal_action_names_game_and_reason_and_changes_nothing() -> None:
    batch, undisturbed = batch_of(), batch_of()
    rng = np.random.default_rng(5)
    for _ in range(30):
        actions = random_legal(batch.action_masks, rng)
        wrong = actions.copy()
        wrong[4] = np.flatnonzero(batch.action_masks[4] == 0)[0]
        before = arrays(batch)
        with pytest.raises(IllegalActionError, match=rf"^game 4: .+ Legal for player_{batch.current_player[4]} are \d"):
            batch.step(wrong)
        assert_same(arrays(batch), before)
        batch.step(actions)
        undisturbed.step(actions)
        assert_same(arrays(batch), arrays(undisturbed))


def test_the_reason_is_that_of_the_environment() -> None:
    batch = batch_of()
    env = fresh(int(batch.seeds[1]), num_players=int(batch.num_players[1]))
    knock = env.parse_action("knock")
    with pytest.raises(IllegalActionError) as from_env:
        env.step(knock)
    with pytest.raises(IllegalActionError) as from_batch:
        batch.step(np.where(np.arange(10) == 1, knock, 0))
    assert str(from_batch.value) == f"game 1: {from_env.value}"


@pytest.mark.parametrize("action", [-1, 61, 2**62])
def test_an_action_out_of_range_names_game_and_range(action: int) -> None:
    batch = batch_of(4)
    with pytest.raises(IllegalActionError, match=rf"^game 3: action {action} is out of range; allowed are 0 \.\. 60$"):
        batch.step(np.array([0, 0, 0, action]))


def test_actions_of_every_integer_type_and_layout_are_taken() -> None:
    batch, other = batch_of(4), batch_of(4)  # action 0, no trick, is legal at the start of every turn (R8)
    for actions in ([0] * 4, np.full(4, 30, np.int8), np.zeros(8, np.uint64)[::2], np.full(4, 47, np.int32)):
        batch.step(actions)
        other.step(np.array(actions, np.int64))
        assert_same(arrays(batch), arrays(other))


@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        (np.zeros(3, int), ValueError, r"actions are of shape \(3,\); allowed is \(4,\)"),
        (np.zeros((4, 1), int), ValueError, r"actions are of shape \(4, 1\); allowed is \(4,\)"),
        (0, ValueError, r"actions are of shape \(\); allowed is \(4,\)"),
        (np.zeros(4), TypeError, "actions are of dtype float64; allowed are integers"),
        (np.zeros(4, bool), TypeError, "actions are of dtype bool; allowed are integers"),
        ([None] * 4, TypeError, "actions are of dtype object; allowed are integers"),
    ],
)
def test_actions_of_another_shape_or_type_are_refused(actions: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        batch_of(4).step(actions)
