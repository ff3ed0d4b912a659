"""scripts/tuning: fit_prospects.py and tune_counter.py."""

import fit_prospects
import numpy as np
import pytest
import tune_counter
import tyro

from blackjacky_agents.games import get_kit
from blackjacky_agents.games.schwarze_katze.tuning import MAX_PLAYERS, fit_spreads
from blackjacky_env.games import GAMES


def run(script, *args):
    """The exit status of a script."""
    return script.main(tyro.cli(script.Args, args=[*map(str, args)]))


@pytest.mark.parametrize(("game", "tables"), [("black_jacky", ["WEIGHTS", "NOBODY"]), ("schwarze_katze", ["SPREAD"])])
def test_prospects_of_each_game_are_fitted_to_its_games(game, tables, capsys):
    assert run(fit_prospects, "--game", game, "--games", 30, "--bot", "random") == 0
    assert [line for line in capsys.readouterr().out.splitlines() if line.isupper()] == tables


@pytest.mark.parametrize("script", [fit_prospects, tune_counter])
def test_a_game_that_does_not_exist_is_refused(script, capsys):
    assert run(script, "--game", "chess") == 2
    assert "unknown game 'chess'" in capsys.readouterr().err


def test_a_bot_without_a_declared_tuning_is_refused_with_those_that_have_one():
    with pytest.raises(ValueError, match="black_jacky declares no tuning of 'random'; allowed are 'counter'"):
        tune_counter.find_task("black_jacky", "random")


def test_fitted_spreads_say_who_wins_from_totals():
    """Games whose winners are drawn with a known spread."""
    rng = np.random.default_rng(0)
    totals, deals = rng.normal(0, 60, (4000, 4)).round(), rng.integers(1, 8, 4000)
    logits = -totals / (40 * np.sqrt(deals))[:, None]
    winners = (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)
    standings = np.column_stack([np.full(4000, 4), deals, totals, np.zeros((4000, MAX_PLAYERS - 4))]).astype(int)
    spread = float(fit_spreads(standings, np.eye(4)[winners]).split()[-7])
    assert 36 <= spread <= 44


@pytest.mark.parametrize(("game", "bot"), [(game, bot) for game in GAMES for bot in get_kit(game).tuning.bots])
def test_changed_parameters_stay_whole_numbers_and_probabilities(game, bot):
    task, rng = tune_counter.find_task(game, bot), np.random.default_rng(0)
    tuning, parameters = task.tuning, task.parameters
    tried = np.array([tune_counter.change(parameters, tuning, rng) for _ in range(500)])
    assert all(1 <= count <= 3 for count in (tried != parameters).sum(axis=1))
    assert (tried[:, tuning.probabilities] >= 0).all()
    assert (tried[:, tuning.probabilities] <= 1).all()
    assert (tried[:, tuning.integers] == tried[:, tuning.integers].round()).all()
    assert (tried != parameters).any(axis=0).all()


@pytest.mark.parametrize(("game", "bot"), [(game, bot) for game in GAMES for bot in get_kit(game).tuning.bots])
def test_a_candidate_with_the_same_parameters_gains_nothing(game, bot):
    task = tune_counter.find_task(game, bot)
    assert tune_counter.gain(task.parameters, task.parameters, task, games=40, seed=0, threads=1) == (0, 0)
