"""A game and a bot of somebody else's distribution have all that ours have, and not a line of ours knows them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

DISTRIBUTION = Path(__file__).parent / "tiny_distribution"

ENVIRONMENTS = """
import gymnasium, numpy, pettingzoo
import blackjacky_env
from blackjacky_env import make_batch, tiny_v0
from blackjacky_env.testing import check_all
from blackjacky_env.testing.__main__ import main

env = pettingzoo.make("aec", "blackjacky/tiny-v0", num_players=2, stake=7)
env.reset(seed=1)
seen = env.observe(env.agent_selection)
assert tiny_v0.decode(seen["observation"])["stake"] == 7
assert tiny_v0.describe_action(2)["number"] == 2

seat = gymnasium.make("blackjacky/TinySeat-v0", opponents=["careful", "random"])
seat.reset(seed=1)
assert not seat.step(0)[2]

seats = gymnasium.make_vec("blackjacky/TinySeat-v0", num_envs=4, opponents=["careful", "random"])
observations, infos = seats.reset(seed=1)
assert infos["action_mask"].shape == (4, 3)
seats.step(numpy.zeros(4, numpy.int64))

batch = make_batch("tiny", num_games=5, seed=0)
batch.step(numpy.full(5, 2))
assert batch.observations.shape == (5, len(seen["observation"]))

report = check_all(tiny_v0.env, games=2)
assert not report.failed, report
assert main(["blackjacky_env.tiny_v0:env", "--only", "mask", "--games", "1"]) == 0
"""

AGENTS = """
import pathlib, sys
from blackjacky_agents import bot_names, cli, make_agent
from blackjacky_env import tiny_v0

assert bot_names("tiny") == ["random", "careful"]
env = tiny_v0.env()
env.reset(seed=2)
seen = env.observe(env.agent_selection)
assert make_agent("careful", "tiny").act(seen) == tiny_v0.decode(seen["observation"])["card"] // 2

for command in (
    "train --game tiny --name tiny --steps 256 --num-envs 8 --n-steps 8 --batch-size 32 --hidden-sizes 8 --threads 1"
    " --bots careful --players 3 --snapshot-every 256 --eval-games 5 --final-eval-games 20",
    "tournament --game tiny --agents careful,random,ppo:runs/tiny --games 60 --threads 1",
    "watch --game tiny --players careful,random,ppo:runs/tiny --seed 1 --delay 0",
    "score ppo:runs/tiny --game tiny --protocol trial --threads 1",
):
    assert cli.main(command.split()) == 0, command
assert pathlib.Path("runs/tournament/report.md").exists()
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of a process in whose environment the distribution is installed."""
    site = tmp_path_factory.mktemp("site")
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", "--quiet", *offline, "--target", str(site), str(DISTRIBUTION)]
    subprocess.run(command, check=True)
    path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}


@pytest.mark.parametrize("program", [ENVIRONMENTS, AGENTS], ids=["environments", "agents"])
def test_it_is_played_trained_and_watched(program: str, installed: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=installed, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_is_played_in_the_browser(installed: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "blackjacky_agents.cli", "play", "--web", "--game", "tiny", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, env=installed, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = next(found[0] for line in server.stdout if (found := re.search(r"http://\S+", line)))
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address) as page:
                assert page.status == 200
                assert b"<html" in page.read()
        finally:
            server.terminate()
