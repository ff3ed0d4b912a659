"""Tasks on a Ray cluster: the same results wherever they run, and what is said when they cannot."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from blackjacky_agents.arena import cluster
from blackjacky_agents.arena.cluster import ClusterError
from blackjacky_agents.cli import run

pytestmark = pytest.mark.prove

pytest.importorskip("ray", reason="of the extra `cluster`")

TYPED = ("evaluate", "score", "tournament", "dataset", "train", "exploit")
"""Subcommands with `--cluster`."""

CAREFUL = """
import numpy as np

class Careful:
    def reset(self, seed):
        self.rng = np.random.default_rng(seed)

    def act(self, observation):
        return self.act_batch(None, observation["action_mask"][None])[0]

    def act_batch(self, observations, masks):
        return np.array([self.rng.choice(np.flatnonzero(mask)) for mask in masks])

class Wrong:
    def act(self, observation):
        return 10_000
"""


def test_what_ray_says_about_an_address_is_an_error_of_the_command(tmp_path, capsys):
    command = ["--agents", "random,threshold", "--games", "60", "--output", str(tmp_path), "--cluster", "nonsense"]
    assert run("tournament", command) == 2
    assert "error: --cluster nonsense: " in capsys.readouterr().err


def test_a_node_with_other_versions_or_other_code_is_named():
    for name in ("numpy", "code"):
        with pytest.raises(ClusterError, match=f"the node .* has {name} .*, not other"):
            cluster.run_here({**cluster._own_versions(), name: "other"}, b"")


def told_by(name, folder):
    """What a program tells; it runs in a process of its own, since Ray connects to this host's address."""
    program = [sys.executable, "-m", f"tests.agents.{name}"]
    path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    env = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(program, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=3600)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def on_cluster(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "careful.py").write_text(CAREFUL, "utf-8")
    return told_by("use_cluster", folder)


@pytest.mark.parametrize("kind", ["compiled", "in Python"])
def test_a_tournament_writes_the_same_file_on_a_cluster_that_loses_a_node(on_cluster, kind):
    assert on_cluster["killed"][kind] == 1
    assert on_cluster["games"][kind]["cluster"] == on_cluster["games"][kind]["here"]


def test_an_evaluation_finds_the_same_on_a_cluster_through_rays_client(on_cluster):
    assert on_cluster["evaluation"]["cluster"] == on_cluster["evaluation"]["here"]


@pytest.mark.parametrize("name", TYPED)
@pytest.mark.parametrize("address", ["local", "HOST:PORT"])
def test_the_installed_command_runs_on_a_cluster_from_an_empty_folder(on_cluster, address, name):
    status, error = on_cluster["typed"][address][name]
    assert status == 0, error


def test_an_error_of_an_agent_on_a_node_is_that_error(on_cluster):
    assert on_cluster["error"] == ["IllegalActionError", True]
