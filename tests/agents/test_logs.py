"""The logs of a training: what is written, also by a resumed one, and what is refused."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from blackjacky_agents.learning.logs import check_logs
from blackjacky_agents.learning.self_play import SelfPlay
from blackjacky_agents.learning.settings import check_settings, presets_of
from tests.agents.test_self_play import SMALL, trained

pytestmark = pytest.mark.prove

FIGURES = {"loss/policy", "loss/value", "entropy", "kl", "clip_fraction", "steps_per_second", "win_rate/counter"}
CSV = replace(SMALL, log=("csv",), steps=1500)


def logged(folder: Path) -> Iterator[tuple[str, ...]]:
    """The lines of a CSV log, but for those that depend on the machine."""
    with (folder / "log.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["figure"] != "steps_per_second":
                yield (row["steps"], row["figure"], row["value"])


def test_a_csv_log_holds_every_figure_of_every_update(tmp_path: Path) -> None:
    run = trained(tmp_path, CSV)
    with (tmp_path / "log.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["figure"] for row in rows} >= FIGURES
    assert [int(row["steps"]) for row in rows if row["figure"] == "kl"] == list(range(128, run.steps + 1, 128))
    assert all(0 <= float(row["value"]) <= 1 for row in rows if row["figure"] in ("clip_fraction", "win_rate/counter"))


def test_a_resumed_training_logs_what_one_without_a_stop_does(tmp_path: Path) -> None:
    trained(tmp_path / "whole", CSV)
    trained(tmp_path / "stopped", CSV, stop_after=700)
    with (tmp_path / "stopped" / "log.csv").open("a", encoding="utf-8") as file:
        file.write("100000,kl,after the checkpoint\n1000,cu")  # of a process that was killed
    resumed = SelfPlay(CSV, tmp_path / "stopped", "")
    resumed.resume()
    resumed.train()
    assert list(logged(tmp_path / "stopped")) == list(logged(tmp_path / "whole"))


def test_tensorboard_shows_the_same_figures(tmp_path: Path) -> None:
    reading = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    run = trained(tmp_path, replace(SMALL, steps=600))
    events = reading.EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    assert set(events.Tags()["scalars"]) >= FIGURES
    assert events.Scalars("kl")[-1].step == run.steps


def test_wandb_is_offline_unless_it_is_told_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb")
    monkeypatch.delenv("WANDB_MODE", raising=False)
    trained(tmp_path, replace(SMALL, log=("wandb",), steps=600))
    [folder] = (tmp_path / "wandb").glob("offline-run-*")
    [written] = folder.glob("*.wandb")
    content = written.read_bytes()
    assert all(name.encode() in content for name in FIGURES)


def test_what_is_no_log_or_not_installed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"no log 'paper'; allowed are 'tensorboard', 'wandb', 'csv'"):
        check_logs(["csv", "paper"])
    monkeypatch.setattr("blackjacky_agents.learning.logs.find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"needs the package wandb: .*pip install wandb"):
        check_logs(["wandb"])
    check_settings(replace(presets_of("black_jacky")["quick"], log=()))
