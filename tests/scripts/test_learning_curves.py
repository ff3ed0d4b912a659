"""scripts/documents/learning_curves.py: what they make of finished trainings."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sb3_contrib")

import learning_curves
import make_results

from blackjacky_agents import cli
from blackjacky_env.games import DEFAULT

SMALL = "--steps=600 --num-envs=16 --n-steps=8 --eval-games=5 --final-eval-games=10 --hidden-sizes 16"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of trainings; results and pictures go beside it."""
    for name, sub in (("FOLDER", "curves"), ("RESULTS", "results"), ("DOCS", "docs")):
        monkeypatch.setattr(learning_curves, name, tmp_path / sub)
    (tmp_path / "results" / DEFAULT).mkdir(parents=True)
    (tmp_path / "docs" / "learning").mkdir(parents=True)
    (tmp_path / "curves").mkdir()
    monkeypatch.chdir(tmp_path / "curves")
    return tmp_path


def test_finished_trainings_become_results_a_picture_and_a_table(folder: Path) -> None:
    runs = folder / "curves" / "runs"
    first = f"{DEFAULT}-scratch-5-0-16"
    assert cli.run("train", ["--preset=scratch", "--name", first, *SMALL.split()]) == 0
    shutil.copytree(runs / first, runs / f"{DEFAULT}-scratch-5-1-16")
    args = learning_curves.Args((DEFAULT,), ("scratch",), (0, 1), hidden_sizes=(16,))
    for _ in range(2):  # the second time nothing is new
        learning_curves.main(args)
    rows = json.loads((folder / "results" / DEFAULT / "training.json").read_text("utf-8"))
    assert [(row["preset"], row["seed"], row["hidden_sizes"]) for row in rows] == [("scratch", n, [16]) for n in (0, 1)]
    result = json.loads((runs / first / "results.json").read_text("utf-8"))["table"]
    assert rows[0]["result"] == next(row for row in result if (row["players"], row["opponents"]) == (4, "counter"))
    assert rows[0]["champion"] == next(row for row in result if (row["players"], row["opponents"]) == (4, "champion"))
    tests = (runs / first / "progress.jsonl").read_text("utf-8").splitlines()
    assert rows[0]["curve"][-1][0] == json.loads(tests[-1])["steps"] == rows[0]["steps"]
    shutil.copytree(runs / first, runs / f"{first}-ent-coef-0.01")
    learning_curves.main(replace(args, seeds=(0,), options="--ent-coef 0.01"))
    rows = json.loads((folder / "results" / DEFAULT / "training.json").read_text("utf-8"))
    rows = [{**row, "hidden_sizes": [128, 128]} for row in rows]
    drawn = list(learning_curves.lines(DEFAULT, rows))
    assert [(line.name, len(line.runs)) for line in drawn] == [("scratch, 5 min", 2)]
    assert learning_curves.picture(DEFAULT, drawn, "counter").count("</svg>") == 1
    table = make_results.training(rows)
    assert "| `scratch` | 5 | 128 x 128 | **" in table
    assert "| `scratch --ent-coef 0.01` | 5 | 128 x 128 | **" in table
    assert "Par is 25.0 %" in table


def test_a_training_that_was_interrupted_is_resumed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"{DEFAULT}-scratch-5-3"
    assert cli.run("train", ["--preset=scratch", "--name", name, *SMALL.split()]) == 0
    results = folder / "curves" / "runs" / name / "results.json"
    content = results.read_text("utf-8")
    results.unlink()
    commands = []

    def run(command: list[str], **_: Any) -> None:
        commands.append(command[2:])
        results.write_text(content, "utf-8")

    monkeypatch.setattr(learning_curves.subprocess, "run", run)
    learning_curves.main(learning_curves.Args((DEFAULT,), ("scratch",), (3,)))
    assert commands == [["--resume", f"runs/{name}"]]


def test_folders_of_trainings_with_many_options_differ_and_are_no_longer_than_systems_allow(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = []

    def run(command: list[str], **_: Any) -> None:
        names.append(command[-1])
        raise KeyboardInterrupt

    monkeypatch.setattr(learning_curves.subprocess, "run", run)
    for last in ("1", "2"):
        options = "--learning-rate 0.001 " * 20 + f"--n-epochs {last}"
        with pytest.raises(KeyboardInterrupt):
            learning_curves.main(learning_curves.Args((DEFAULT,), ("scratch",), (3,), options=options))
    assert len(set(names)) == 2
    assert max(map(len, names)) < 255
