"""scripts/documents/make_results.py: the README shows what the cards of the trained agents say."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import blackjacky_agents as agents
from blackjacky_agents import bot_names
from blackjacky_agents.learning.agent_file import read_card, save_agent
from blackjacky_agents.learning.encoding import find_encoding

SCRIPT = Path(__file__).parents[2] / "scripts" / "documents" / "make_results.py"
TRAINED = Path(agents.__file__).parent / "trained"


def run(*args):
    return subprocess.run([sys.executable, str(SCRIPT), *map(str, args)], capture_output=True, text=True, check=False)


@pytest.fixture
def trained(tmp_path):
    """A folder with one trained agent."""
    rows = [
        {"players": players, "opponents": bot, "games": 4000, "win_rate": rate, "low": rate - 0.01, "high": rate + 0.01}
        for players, rate in ((4, 0.4), (2, 0.625))
        for bot in bot_names("black_jacky")
    ]
    layers = [(np.zeros((3, 61), np.float32), np.zeros(61, np.float32))]
    facts = {"command": "python scripts/train.py --preset full", "seed": 3, "steps": 2_000_000, "seconds": 600.0}
    encoding, machine = find_encoding("cards", "black_jacky"), {"processor": "A processor", "cores": 3}
    save_agent(tmp_path / "full.safetensors", layers, "black_jacky", encoding, results=rows, machine=machine, **facts)
    return tmp_path


def test_the_readme_is_current():
    done = run("--check")
    assert done.returncode == 0, done.stderr


def test_the_results_of_every_agent_are_written_between_the_markers(trained, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- results:begin -->\nold\n<!-- results:end -->\nafter\n", encoding="utf-8")
    where = ["--readme", page, "--trained", trained]
    assert "page.md is out of date" in run(*where, "--check").stderr
    assert "old" in page.read_text(encoding="utf-8")
    assert run(*where).returncode == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "\nold\n" not in text
    four = "| ".join(["**40.0 %** (39.0 .. 41.0) "] * len(bot_names("black_jacky")))
    assert f"| `full` | 4 | 25.0 % | {four}|" in text
    assert "| `full` | 2 | 50.0 % | **62.5 %** (61.5 .. 63.5) |" in text
    assert "`python scripts/train.py --preset full`, seed 3, 2,000,000 steps in 10 minutes" in text
    assert (
        "on A processor, 3 cores ([learning curve](agents/blackjacky_agents/games/black_jacky/trained/full.png)); 4,000 games"
        in text
    )
    assert run(*where, "--check").returncode == 0


def test_the_games_are_played_again_on_demand(trained, tmp_path):
    for kind in ("safetensors", "json"):
        (trained / f"full.{kind}").write_bytes((TRAINED / f"quick.{kind}").read_bytes())
    page = tmp_path / "page.md"
    page.write_text("<!-- results:begin -->\n<!-- results:end -->\n", encoding="utf-8")
    done = run("--readme", page, "--trained", trained, "--games", 3)
    assert done.returncode == 0, done.stderr
    old, new = read_card(TRAINED / "quick.safetensors"), read_card(trained / "full.safetensors")
    assert [row["games"] for row in new["results"]] == [3] * len(old["results"])
    assert {**new, "results": None} == {**old, "results": None}
    assert "; 3 games in each cell" in page.read_text(encoding="utf-8")


def test_a_page_without_markers_is_refused(trained, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("nothing here\n", encoding="utf-8")
    done = run("--readme", page, "--trained", trained)
    assert done.returncode != 0
    assert "lacks <!-- results:begin -->" in done.stderr
