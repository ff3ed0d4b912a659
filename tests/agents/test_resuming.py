"""A training that was stopped goes on from where it was, whatever is trained; of solvers see `scripts.test_solve`."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from blackjacky_agents.learning.league import League
from blackjacky_agents.learning.sb3 import PPORun
from blackjacky_agents.learning.self_play import SelfPlay
from blackjacky_agents.learning.stored_settings import presets_of
from blackjacky_agents.storage.checkpoint import load_checkpoint
from tests.agents import test_league, test_self_play
from tests.envs.playing import assert_same

SELF_PLAY, LEAGUE = test_self_play.SMALL, test_league.SMALL
SB3 = {name: getattr(SELF_PLAY, name) for name in ("minutes", "hidden_sizes", "batch_size", "bots", "eval_games")}
KINDS = {
    "self-play": (SelfPlay, SELF_PLAY),
    "self-play with a magnet": (SelfPlay, replace(SELF_PLAY, magnet_coef=0.1, reward_eta=0.1, annealed=False)),
    "sb3": (PPORun, replace(presets_of("black_jacky")["sb3"], **SB3, steps=1500, num_envs=16, n_steps=8, threads=1)),
    "league": (League, LEAGUE),
    "league with an expert": (League, replace(LEAGUE, iterations=4, positions=2, bot_playouts=0.5)),
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
