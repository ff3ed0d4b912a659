"""Training with RLlib, where it is installed (`make frameworks`): what runners play, and that the agent plays."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray.rllib")

import ray

from blackjacky_agents.learning.agent_file import load_agent
from blackjacky_agents.learning.encoding import encodings_of, find_encoding
from blackjacky_agents.learning.network import action_probabilities, encode_all, pack
from blackjacky_agents.learning.rllib import ACTION_MASK, OBSERVATIONS, make_agent, make_config, policy_layers
from blackjacky_agents.learning.settings import PPOSettings
from blackjacky_env import make_batch
from blackjacky_env.games import DEFAULT

pytestmark = pytest.mark.filterwarnings("ignore")  # of RLlib

SCRIPT = Path(__file__).parents[2] / "scripts" / "train_rllib.py"
SMALL = PPOSettings(
    encoding=next(iter(encodings_of(DEFAULT))),
    steps=10_000,
    num_envs=8,
    n_steps=32,
    batch_size=64,
    hidden_sizes=(16,),
    snapshot_every=256,
    pool_size=2,
    eval_games=4,
    threads=1,
)


@pytest.fixture(scope="module")
def algorithm() -> Any:
    """RLlib's PPO after three iterations, which plays the games itself."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False)
    algorithm = make_config(SMALL, env_runners=0).build_algo()
    for _ in range(3):
        algorithm.train()
    yield algorithm
    algorithm.stop()
    ray.shutdown()
    gc.collect()  # here, where Ray's warnings of its processes are ignored


def test_an_agent_of_the_arena_decides_as_the_module_does(algorithm: Any) -> None:
    import torch

    module = algorithm.get_module()
    agent = make_agent(SMALL, pack(policy_layers(module), greedy=False))
    batch = make_batch(DEFAULT, 50)
    seen = encode_all(find_encoding(SMALL.encoding, DEFAULT), batch.observations, batch.action_masks)
    masks = torch.from_numpy(batch.action_masks.astype(np.float32))
    with torch.no_grad():
        made = module.forward_inference({"obs": {OBSERVATIONS: torch.from_numpy(seen), ACTION_MASK: masks}})
    expected = torch.softmax(made["action_dist_inputs"].double(), dim=1).numpy()
    np.testing.assert_allclose(action_probabilities(agent, batch.observations, batch.action_masks), expected, atol=1e-5)


def test_episodes_are_whole_games_or_parts_of_them_with_legal_actions(algorithm: Any) -> None:
    runner = algorithm.env_runner
    episodes = runner.sample(num_timesteps=600, explore=True)
    assert sum(map(len, episodes)) == 600
    assert 0 < sum(each.is_terminated for each in episodes) < len(episodes)
    for episode in episodes:
        seen, actions = episode.get_observations(), episode.get_actions()
        assert len(seen[OBSERVATIONS]) == len(actions) + 1
        assert (seen[ACTION_MASK][np.arange(len(actions)), actions] == 1).all()
        rewards = episode.get_rewards()
        assert not rewards[:-1].any()
        assert bool(rewards[-1]) <= episode.is_terminated


def test_a_game_that_a_sample_cuts_is_continued_by_the_next(algorithm: Any) -> None:
    runner = algorithm.env_runner
    before = runner.sample(num_timesteps=8, explore=True)
    after = runner.sample(num_timesteps=8, explore=True)
    for first, second in zip(before, after, strict=True):
        if not first.is_terminated:
            np.testing.assert_array_equal(
                first.get_observations(-1)[OBSERVATIONS], second.get_observations(0)[OBSERVATIONS]
            )


def test_snapshots_join_the_opponents_and_are_part_of_the_runners_state(algorithm: Any) -> None:
    snapshots = algorithm.env_runner.snapshots
    assert len(snapshots) == SMALL.pool_size  # of three
    state = algorithm.env_runner.get_state()
    algorithm.env_runner.set_snapshots([])
    algorithm.env_runner.set_state(state)
    for kept, restored in zip(snapshots, algorithm.env_runner.snapshots, strict=True):
        np.testing.assert_array_equal(kept, restored)


def test_a_training_that_is_resumed_has_its_snapshots_in_all_runners(algorithm: Any, tmp_path: Path) -> None:
    algorithm.save(str(tmp_path))
    resumed = make_config(SMALL, env_runners=1).build_algo()
    resumed.restore(str(tmp_path))
    found = resumed.env_runner_group.foreach_env_runner(lambda runner: runner.snapshots)
    resumed.stop()
    assert len(found) == 2  # the learner's own, which plays nothing, and the one that does
    for snapshots in found:
        for kept, sent in zip(algorithm.env_runner.snapshots, snapshots, strict=True):
            np.testing.assert_array_equal(kept, sent)


def run(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = (
        "--steps 1024 --num-envs 8 --n-steps 32 --batch-size 64 --hidden-sizes 16 --threads 1 --snapshot-every 512"
    )
    games = "--eval-games 4 --final-eval-games 8 --name tiny --env-runners 1"
    arguments = [sys.executable, SCRIPT, *command.split(), *games.split(), *more]
    return subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)


def test_the_script_trains_with_a_runner_of_its_own_and_the_agent_plays(tmp_path: Path) -> None:
    done = run(tmp_path, "--env-runners", "1")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "runs" / "tiny"
    curve = [json.loads(line) for line in (folder / "progress.jsonl").read_text("utf-8").splitlines()]
    assert [line["steps"] for line in curve] == [256, 512, 1024]
    results = json.loads((folder / "results.json").read_text("utf-8"))["table"]
    assert curve[-1]["win_rate"] == {row["opponents"]: row["win_rate"] for row in results}
    batch = make_batch(DEFAULT, 20)
    actions = load_agent(folder).act_batch(batch.observations, batch.action_masks)
    assert batch.action_masks[np.arange(20), actions].all()

    refused = run(tmp_path, "--learning-rate", "0.5")
    assert refused.returncode == 2
    assert "holds a run with other settings (learning_rate); choose another --name" in refused.stderr


def test_a_sweep_tries_several_settings_and_keeps_the_best_agent(tmp_path: Path) -> None:
    done = run(tmp_path, "--sweep", "2")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "runs" / "tiny"
    table = (folder / "sweep.md").read_text("utf-8").splitlines()
    assert table[0].startswith("| lr | num_epochs | minibatch_size | lambda | clip_param | decisions |")
    assert len(set(table[2:])) == 2
    assert load_agent(folder).game == DEFAULT
