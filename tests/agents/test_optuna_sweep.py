"""examples/optuna_sweep.py: trials are kept, a sweep goes on where it was stopped, and shows what it found."""

from dataclasses import replace

import pytest

pytest.importorskip("torch")
pytest.importorskip("optuna")

import optuna_sweep

from tests.agents.test_self_play import SMALL

pytestmark = pytest.mark.prove


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(optuna_sweep, "presets_of", lambda game: {"scratch": replace(SMALL, steps=600, log=())})


def test_a_sweep_goes_on_and_shows_its_trials(tmp_path, capsys):
    args = optuna_sweep.Args(minutes=1e6, trials=1, trial_minutes=1e18, eval_games=2, folder=tmp_path)
    optuna_sweep.main(replace(args, minutes=0))
    assert "No trial has finished yet." in capsys.readouterr().out
    for made in (1, 2):
        optuna_sweep.main(args)
        assert len(list(tmp_path.glob("trial-*"))) == made
    optuna_sweep.main(replace(args, minutes=1e-9))  # the time of the trials before is over
    assert len(list(tmp_path.glob("trial-*"))) == 2
    printed = capsys.readouterr().out
    report = (tmp_path / "sweep.md").read_text("utf-8")
    assert report in printed
    assert "</svg>" in (tmp_path / "sweep.svg").read_text("utf-8")
