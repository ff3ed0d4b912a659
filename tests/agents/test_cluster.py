"""Tasks on a Ray cluster; that they may be repeated, and what they are sent is pickled, `test_league` tests without."""

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


def test_what_ray_says_about_an_address_and_a_node_with_other_versions_or_other_code_are_errors(tmp_path, capsys):
    command = ["--agents", "random,threshold", "--games", "60", "--output", str(tmp_path), "--cluster", "nonsense"]
    assert run("tournament", command) == 2
    assert "error: --cluster nonsense: " in capsys.readouterr().err
    for name in ("numpy", "code"):
        with pytest.raises(ClusterError, match=f"the node .* has {name} .*, not other"):
            cluster.run_here({**cluster._own_versions(), name: "other"}, b"")


def test_a_cluster_that_loses_a_node_does_what_this_machine_does_and_so_do_commands_on_it(tmp_path):
    """In a process of its own, since Ray connects to this host's address."""
    (tmp_path / "careful.py").write_text(CAREFUL, "utf-8")
    path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    program, env = [sys.executable, "-m", "tests.agents.use_cluster"], {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(program, cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=3600)
    assert done.returncode == 0, done.stderr
