"""A training that was stopped goes on from where it was, whatever is trained; of solvers see `scripts.test_solve`."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from blackjacky_agents.learning.league import League
from blackjacky_agents.learning.sb3 import PPORun
from blackjacky_agents.learning.self_play import SelfPlay
from blackjacky_agents.learning.staged import Staged
from blackjacky_agents.learning.stored_settings import presets_of
from blackjacky_agents.storage.checkpoint import load_checkpoint
from tests.agents import test_league, test_self_play
from tests.envs.playing import assert_same

SELF_PLAY, LEAGUE = test_self_play.SMALL, test_league.SMALL
SB3 = {name: getattr(SELF_PLAY, name) for name in ("minutes", "hidden_sizes", "batch_size", "bots", "eval_games")}


def staged(settings, folder, command):
    """Self-play that ends after some steps, and then a league."""
    run = Staged(settings, folder, command)
    run.first = SelfPlay(replace(SELF_PLAY, hidden_sizes=LEAGUE.hidden_sizes), folder, command)
    return run


STAGED = replace(LEAGUE, first="scratch", teacher="", minutes=1000.0, steps=3600)
KINDS = {
    "self-play": (SelfPlay, SELF_PLAY),
    "self-play with a magnet": (SelfPlay, replace(SELF_PLAY, magnet_coef=0.1, reward_eta=0.1, annealed=False)),
    "sb3": (PPORun, replace(presets_of("black_jacky")["sb3"], **SB3, steps=1500, num_envs=16, n_steps=8, threads=1)),
    "league": (League, LEAGUE),
    "league after self-play": (staged, STAGED),
    "league with an expert": (League, replace(LEAGUE, iterations=4, positions=2)),
}


@pytest.mark.prove
@pytest.mark.parametrize(("make", "settings"), KINDS.values(), ids=KINDS)
def test_a_stopped_training_goes_on_as_it_was_and_reaches_its_end(make, settings, tmp_path, monkeypatch):
    """What a resumed one would save is what it was resumed from: networks, optimizers, opponents, random numbers."""
    run = make(settings, tmp_path, "")
    begin = run._begin_update

    def begin_and_stop():
        begin()
        run.interrupted = run.steps > settings.steps / 2

    monkeypatch.setattr(run, "_begin_update", begin_and_stop)
    assert not run.train()
    kept = load_checkpoint(tmp_path / "checkpoints")
    resumed = make(settings, tmp_path, "")
    resumed.resume()
    assert (resumed.steps, resumed.progress) == (run.steps, run.progress)
    assert [each.name for each in resumed.snapshots] == [each.name for each in run.snapshots]
    resumed.save()
    again = load_checkpoint(tmp_path / "checkpoints")
    again[1]["seconds"] = kept[1]["seconds"]  # the clock goes on
    assert_same(again, kept)
    before = resumed.agent(greedy=True).parameters
    assert resumed.train()
    assert resumed.steps >= settings.steps > run.steps
    assert not np.array_equal(resumed.agent(greedy=True).parameters, before)


@pytest.mark.prove
def test_a_league_goes_on_with_what_self_play_has_learned_also_if_that_was_stopped(tmp_path, monkeypatch):
    run = staged(STAGED, tmp_path, "")
    begin = run.first._begin_update

    def begin_and_stop():
        begin()
        run.first.interrupted = run.first.steps > 1000

    monkeypatch.setattr(run.first, "_begin_update", begin_and_stop)
    assert not run.train()
    assert 1000 < run.steps < 3000
    resumed = staged(STAGED, tmp_path, "")
    resumed.resume()
    begun = []
    monkeypatch.setattr(resumed, "_learn", lambda: begun.append((resumed.steps, resumed.left, resumed.layers())))
    assert resumed.train()
    (steps, left, layers), *_ = begun
    assert steps == resumed.first.steps >= 3000
    assert left > 0
    for mine, learned in zip(layers, resumed.first.layers(), strict=True):
        np.testing.assert_array_equal(mine[0], learned[0])


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"first": "sb3"}, "first='sb3'.*scratch"),
        ({"init_from": "champion"}, "init_from='champion' and first='scratch' are two beginnings"),
        ({"first_fraction": 1.0}, "first_fraction=1.0 is out of range; allowed is between 0 and 1"),
    ],
)
def test_self_play_that_comes_first_is_checked(changes, told, tmp_path):
    with pytest.raises(ValueError, match=told):
        Staged(replace(STAGED, **changes), tmp_path, "")
