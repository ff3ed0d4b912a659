"""Many games at once: what goes in, what comes out, and what is refused."""

import os
import subprocess
import sys

import numpy as np
import pytest

from blackjacky_env import IllegalActionError, make_batch
from tests.envs.playing import assert_same, random_legal

MIXED = [2, 3, 4, 5, 6]
NAMES = ("observations", "action_masks", "current_player", "seeds", "rewards", "terminated")


def batch_of(num_games=10, **options):
    return make_batch("black_jacky", num_games, **{"num_players": MIXED, "seed": 5, **options})


def arrays(batch, *more):
    return {name: getattr(batch, name).copy() for name in (*NAMES, *more)}


def test_seeds_depend_on_seed_index_and_games_played_alone():
    few, many = batch_of(3, num_players=2, variant="schnell_duell"), batch_of(6, threads=1)
    played = {"few": [set(), set(), set()], "many": [set(), set(), set()]}
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


@pytest.mark.prove
def test_games_can_be_played_on_threads_after_a_fork():
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


def test_random_actions_are_each_legal_action_with_equal_chance():
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


def test_an_illegal_action_names_game_and_reason_and_changes_nothing():
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
