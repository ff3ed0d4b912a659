"""Tasks on a Ray cluster: the same results wherever they run, and what is said when they cannot."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from blackjacky_agents.arena import cluster
from blackjacky_agents.arena.cluster import ClusterError, check_address
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


def test_what_is_no_address_is_refused():
    for address in ("nonsense", "", "ray://", "http://x:1", "1.2.3.4:99999999"):
        with pytest.raises(ClusterError, match=r"is not an address; allowed are `auto`"):
            check_address(address)


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_an_address_where_nobody_answers_says_what_to_do(scheme, tmp_path, capsys):
    with socket.socket() as taken:  # a port that is bound, but does not listen
        taken.bind(("127.0.0.1", 0))
        address = f"{scheme}127.0.0.1:{taken.getsockname()[1]}"
        command = ["--agents", "random,threshold", "--games", "60", "--output", str(tmp_path), "--cluster", address]
        assert run("tournament", command) == 2
    assert "nobody answers there" in (said := capsys.readouterr().err)
    assert "ray start --head" in said


@pytest.mark.parametrize("address", ["127.0.0.1:{}", "ray://127.0.0.1:{}"])
def test_something_that_answers_but_not_as_ray_does_is_no_cluster(address, monkeypatch):
    monkeypatch.setattr(cluster, "_ANSWER_TIMEOUT", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(ClusterError, match="something answers there, but it is not a Ray cluster"):
            cluster._connect(address.format(silent.getsockname()[1]), None)


def test_a_node_with_other_versions_or_other_code_is_named():
    for name in ("numpy", "code"):
        with pytest.raises(ClusterError, match=f"the node .* has {name} .*, not other"):
            cluster.run_here({**cluster._own_versions(), name: "other"}, b"", {})


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
