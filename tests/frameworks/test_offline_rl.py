"""The example of offline reinforcement learning, where TorchRL is installed: it learns, and its agents play."""

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torchrl")
pytest.importorskip("pyarrow")

import torch

from blackjacky_agents import cli, make_agent

pytestmark = [pytest.mark.prove, pytest.mark.filterwarnings("ignore")]  # of TorchRL
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def example():
    sys.path.insert(0, str(EXAMPLES))
    import offline_rl

    yield offline_rl
    sys.path.remove(str(EXAMPLES))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    assert cli.run("dataset", ["--agents", "threshold,random*2", "--games", "60", "--output", str(folder)]) == 0
    return folder


def args_of(example, data, folder, **options):
    few = {"clone_decisions": 4000, "cql_decisions": 4000, "batch_size": 256, "hidden": 16, "games": 20}
    return example.Args(data=data, folder=folder, opponent="random", **{**few, **options})


def test_it_learns_from_a_dataset_and_its_agents_play(example, data, tmp_path, capsys):
    example.main(args_of(example, data, tmp_path))
    told = capsys.readouterr().out
    for agent in ("`threshold`, in the data", "`random`, in the data", "behaviour cloning", "then CQL"):
        assert agent in told
    for name in ("clone", "cql"):
        make_agent(f"ppo:{tmp_path / name}.safetensors")


def test_cloning_learns_to_choose_as_the_players_do(example, data, tmp_path):
    args = args_of(example, data, tmp_path, policies=("threshold",), clone_decisions=60_000, hidden=64)
    learner = example.Learner(args)

    def agreement():
        with torch.no_grad():
            found = [
                learner.network(batch["observation"], batch["action_mask"]).argmax(1) == batch["action"]
                for batch in learner.batches(1000, transitions=False)
            ]
        return float(np.mean([each.float().mean() for each in found]))

    before = agreement()
    learner.clone()
    assert agreement() > max(0.8, before + 0.2)
