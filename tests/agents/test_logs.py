"""The logs of a training: what is written, also by a resumed one, and what is refused."""

import csv
from dataclasses import replace

import pytest

pytest.importorskip("torch")

from blackjacky_agents.learning.logs import check_logs, opened
from blackjacky_agents.learning.self_play import SelfPlay
from tests.agents.test_self_play import SMALL, trained

pytestmark = pytest.mark.prove

FIGURES = {"loss/policy", "loss/value", "entropy", "kl", "clip_fraction", "steps_per_second", "win_rate/counter"}
CSV = replace(SMALL, log=("csv",), steps=1500)


def rows_of(folder):
    """The lines of a CSV log, but for those that depend on the machine."""
    with (folder / "log.csv").open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["figure"] != "steps_per_second"]


def test_a_csv_log_holds_every_figure_of_every_update_also_of_a_resumed_training(tmp_path):
    stopped = trained(tmp_path, CSV, stop_after=700)
    before = rows_of(tmp_path)
    assert {row["figure"] for row in before} >= FIGURES - {"steps_per_second"}
    with (tmp_path / "log.csv").open("a", encoding="utf-8") as file:
        file.write("100000,kl,after the checkpoint\n1000,cu")  # of a process that was killed
    resumed = SelfPlay(CSV, tmp_path, "")
    resumed.resume()
    resumed.train()
    rows = rows_of(tmp_path)
    assert rows[: len(before)] == before
    assert stopped.steps < resumed.steps
    assert [int(row["steps"]) for row in rows if row["figure"] == "kl"] == list(range(128, resumed.steps + 1, 128))


def test_tensorboard_shows_the_same_figures_and_wandb_too_offline(tmp_path, monkeypatch):
    reading = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    pytest.importorskip("wandb")
    monkeypatch.delenv("WANDB_MODE", raising=False)
    run = trained(tmp_path, replace(SMALL, log=("tensorboard", "wandb"), steps=600))
    events = reading.EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    assert set(events.Tags()["scalars"]) >= FIGURES
    assert events.Scalars("kl")[-1].step == run.steps
    with opened(tmp_path, replace(SMALL, log=("tensorboard",)), run.steps) as write:  # resumed
        write({"kl": 1.0}, run.steps + 1)
    events.Reload()
    assert [each.step for each in events.Scalars("kl")[-2:]] == [run.steps, run.steps + 1]
    [written] = tmp_path.glob("wandb/offline-run-*/*.wandb")
    content = written.read_bytes()
    assert all(name.encode() in content for name in FIGURES)


def test_what_is_no_log_or_not_installed_is_refused(monkeypatch):
    with pytest.raises(ValueError, match=r"no log 'paper'; allowed are 'tensorboard', 'wandb', 'csv'"):
        check_logs(["csv", "paper"])
    monkeypatch.setattr("blackjacky_agents.learning.logs.find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"needs the package wandb: .*pip install wandb"):
        check_logs(["wandb"])
