"""blackjacky solve and exploit --exact: sizes, solutions that play, and runs that go on."""

import json
from pathlib import Path

import pytest

RULES = "--max-card=3 --hand-size=1 --hearts=1 --bust-at=5 --max-turns-per-round=3"
SIX = f"--players=2 {RULES}"
FOLDER = "runs/solved/black_jacky"

pytestmark = pytest.mark.usefixtures("empty_folder")


@pytest.mark.prove
def test_a_table_is_solved_and_the_solution_plays_there(typed):
    told = typed(f"solve {SIX} --name six --threads 1").out
    assert "11,989 nodes, 2,401 information states, 6,312 different ends" in told
    assert "| player_0 | +0.29" in told
    assert "it plays as `solved:six`" in told
    assert json.loads(Path(FOLDER, "six", "solution.json").read_text("utf-8"))["exploitability"] <= 1e-4
    typed(f"evaluate --agents solved:six,counter --games 50 {RULES}")
    typed(f"watch --agents solved:six,counter --seed 1 --output game.html {RULES}")
    assert Path("game.html").is_file()
    refused = typed("evaluate --agents solved:six,counter --games 5", status=2).err
    assert "error: solved:six does not know this position: it is for 2 players" in refused
    pytest.importorskip("sb3_contrib")
    assert "Exploitability of solved:six: 0.0000" in typed(f"exploit --exact --agent solved:six {SIX}").out


@pytest.mark.prove
def test_a_run_goes_on_to_new_limits_and_is_not_overwritten(typed):
    first = f"solve {SIX} --name six --exploitability 0 --threads 1 --iterations 5"
    assert "after 5 iterations" in typed(first).out
    assert "continue it with --resume, or choose another --name" in typed(first, status=2).err
    resumed = typed(f"solve --resume {FOLDER}/six --exploitability 0 --iterations 9").out
    assert "after 9 iterations" in resumed
    refused = typed(f"solve --resume {FOLDER}/six --table mini-1 --memory 4", status=2).err
    assert "--table and --memory have no effect with --resume" in refused
    typed(f"solve {SIX} --iterations 2 --exploitability 0")
    assert Path(FOLDER, "1", "solution.safetensors").is_file()


@pytest.mark.prove
def test_games_are_sampled_without_a_tree_and_the_run_goes_on(typed):
    told = typed(f"solve {SIX} --algorithm mccfr --memory 0.01 --iterations 128 --name sampled").out
    assert told.startswith("128 iterations in")
    assert "256 iterations in" in typed(f"solve --resume {FOLDER}/sampled --iterations 256").out
    typed(f"evaluate --agents solved:sampled,random --games 20 {RULES}")


@pytest.mark.prove
def test_an_exact_best_response_is_printed(typed):
    pytest.importorskip("sb3_contrib")
    told = typed(f"exploit --exact --agent threshold {SIX}").out
    assert "| player_0 | +0.166667 | 0.733333 |" in told
    assert "Exploitability of threshold: 0.541667: a player who plays perfectly against it" in told
