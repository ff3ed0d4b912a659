"""The page "Your own game in your own package": it quotes the example, which is a game like any other, worth -1/18."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "kuhn_poker"
CHECKED = """
from blackjacky_env.testing.__main__ import main
assert main(["kuhn_poker", "--games", "3", "--positions", "60"]) == 0
"""
PLAYED = """
import pettingzoo
import blackjacky_env
from blackjacky_env import make_batch
from blackjacky_agents import cli

env = pettingzoo.make("aec", "blackjacky/kuhn_poker-v0", reward="points")
env.reset(seed=1, options={"deck": ["king", "jack", "queen"], "start_player": 0})
for action in ("pass", "bet", "bet"):
    env.step(env.unwrapped.parse_action(action))
assert env.unwrapped.snapshot()["points"] == [2, -2]
assert env.rewards == {"player_0": 2, "player_1": -2}
assert make_batch("kuhn_poker", num_games=8, seed=0).observations.shape[0] == 8
assert cli.main("evaluate --game kuhn_poker --players random,ismcts:50 --games 20".split()) == 0
"""
SOLVED = """
import kuhn_poker
assert abs(kuhn_poker.value(200) + 1 / 18) < 1e-3
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of a process in whose environment the example is installed."""
    site = tmp_path_factory.mktemp("site")
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", "--quiet", *offline, "--target", str(site), str(EXAMPLE)]
    subprocess.run(command, check=True)
    path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}


def test_the_page_quotes_the_example_as_it_is() -> None:
    blocks = re.findall(r"```(?:py|toml)\n(.*?)```", (ROOT / "docs" / "your_game.md").read_text("utf-8"), re.DOTALL)
    files = "".join((EXAMPLE / name).read_text("utf-8") for name in ("kuhn_poker.py", "pyproject.toml"))
    assert len(blocks) > 6
    assert [block for block in blocks if block not in files] == []


@pytest.mark.parametrize("program", [CHECKED, PLAYED], ids=["checked", "played"])
def test_the_example_is_a_game_like_any_other(program: str, installed: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=installed, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_first_player_of_kuhn_poker_loses_an_eighteenth(installed: dict[str, str], tmp_path: Path) -> None:
    """Kuhn, Contributions to the Theory of Games 1950."""
    pytest.importorskip("pyspiel")
    command = [sys.executable, "-c", SOLVED]
    done = subprocess.run(command, cwd=tmp_path, env=installed, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
