"""scripts/tuning/fit_prospects.py and scripts/tuning/tune_counter.py."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fit_prospects import MOST_PLAYERS, fit_spreads
from tune_counter import TASKS, change

SCRIPTS = Path(__file__).parents[2] / "scripts"


def run(script, *args):
    command = [sys.executable, str(SCRIPTS / script), *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("game", "tables"), [("black_jacky", ["WEIGHTS", "NOBODY"]), ("schwarze_katze", ["SPREAD"])])
def test_prospects_of_each_game_are_fitted_to_its_games(game, tables):
    done = run("fit_prospects.py", "--game", game, "--games", 30, "--bot", "random")
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if line.isupper()] == tables


@pytest.mark.parametrize("script", ["fit_prospects.py", "tune_counter.py"])
def test_a_game_without_what_is_fitted_is_refused(script):
    done = run(script, "--game", "chess")
    assert done.returncode == 2
    assert "'chess'; allowed are black_jacky, schwarze_katze" in done.stderr


def test_fitted_spreads_say_who_wins_from_totals():
    """Games whose winners are drawn with a known spread."""
    rng = np.random.default_rng(0)
    totals, deals = rng.normal(0, 60, (4000, 4)).round(), rng.integers(1, 8, 4000)
    logits = -totals / (40 * np.sqrt(deals))[:, None]
    winners = (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)
    standings = np.column_stack([np.full(4000, 4), deals, totals, np.zeros((4000, MOST_PLAYERS - 4))]).astype(int)
    spread = float(fit_spreads(standings, np.eye(4)[winners]).split()[-7])
    assert 36 <= spread <= 44


@pytest.mark.parametrize("game", list(TASKS))
def test_changed_parameters_stay_whole_numbers_and_chances(game):
    task, rng = TASKS[game], np.random.default_rng(0)
    tried = np.array([change(task.parameters, task, rng) for _ in range(500)])
    assert all(1 <= count <= 3 for count in (tried != task.parameters).sum(axis=1))
    assert (tried[:, task.chances] >= 0).all()
    assert (tried[:, task.chances] <= 1).all()
    assert (tried[:, task.counts] == tried[:, task.counts].round()).all()
    assert (tried != task.parameters).any(axis=0).all()
