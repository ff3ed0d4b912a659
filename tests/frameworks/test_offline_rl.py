"""The example of offline reinforcement learning, where TorchRL is installed: it learns, and its agents play."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torchrl")
pytest.importorskip("pyarrow")

import offline_rl
import torch

from blackjacky_agents import cli, make_agent


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    assert cli.run("dataset", ["--players", "threshold,random*2", "--games", "60", "--out", str(folder)]) == 0
    return folder


def args_of(data: Path, folder: Path, **options: object) -> offline_rl.Args:
    few = {"clone_decisions": 4000, "cql_decisions": 4000, "batch_size": 256, "hidden": 16, "games": 20}
    return offline_rl.Args(data=data, folder=folder, opponent="random", **{**few, **options})


@pytest.mark.filterwarnings("ignore")  # of TorchRL
def test_it_learns_from_a_dataset_and_its_agents_play(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- offline-rl:begin -->\n<!-- offline-rl:end -->\n", encoding="utf-8")
    offline_rl.main(args_of(data, tmp_path / "agents", page=page))
    told = page.read_text(encoding="utf-8")
    for agent in ("`threshold`, in the data", "`random`, in the data", "behaviour cloning", "then CQL"):
        assert f"| {agent} | " in told
    command = f"python examples/offline_rl.py --data {data} --opponent random --games 20 --clone-decisions 4000"
    assert f"`{command} " in told
    assert "20 games in a random seat against 2 `random`" in told
    assert told.split("\n")[1] in capsys.readouterr().out
    for name in ("clone", "cql"):
        make_agent(f"ppo:{tmp_path / 'agents' / name}.safetensors")


@pytest.mark.filterwarnings("ignore")
def test_cloning_learns_to_choose_as_the_players_do(data: Path, tmp_path: Path) -> None:
    args = args_of(data, tmp_path, policies=("threshold",), clone_decisions=60_000, hidden=64)
    learner = offline_rl.Learner(args)

    def agreement() -> float:
        found = [
            (learner.network(batch["observation"], batch["action_mask"]).argmax(1) == batch["action"]).float().mean()
            for batch in learner.batches(1000, transitions=False)
        ]
        return float(np.mean(found))

    with torch.no_grad():
        before = agreement()
    learner.clone()
    with torch.no_grad():
        assert agreement() > max(0.8, before + 0.2)


@pytest.mark.filterwarnings("ignore")
def test_no_illegal_action_has_a_value(data: Path, tmp_path: Path) -> None:
    learner = offline_rl.Learner(args_of(data, tmp_path))
    for batch in learner.batches(1000, transitions=True):
        for when in (batch, batch["next"]):
            values = learner.network(when["observation"], when["action_mask"])
            assert (values[~when["action_mask"]] == offline_rl.ILLEGAL).all()
            assert (values[when["action_mask"]] > offline_rl.ILLEGAL / 2).all()
