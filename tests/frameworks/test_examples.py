"""The examples for frameworks that are installed here: each trains, and its policy plays in the arena.

`make frameworks` runs these tests in an environment for each framework.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tyro")
pytest.importorskip("torch")

from frameworks import EXAMPLES, FRAMEWORKS, Framework
from learning_curve import LearningCurve

DECISIONS = 1_000


def points(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "runs" / "frameworks" / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.filterwarnings("ignore")  # of the frameworks
@pytest.mark.parametrize("framework", FRAMEWORKS, ids=[each.name for each in FRAMEWORKS])
def test_the_example_trains_and_its_policy_plays(
    framework: Framework, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = pytest.importorskip(framework.example.removesuffix(".py"))
    monkeypatch.chdir(tmp_path)
    example.main(decisions=DECISIONS, evaluate_every=DECISIONS, games=2)
    rows = points(tmp_path, framework.name)
    assert int(rows[-1]["decisions"]) >= DECISIONS
    assert all(row["games"] == "2" for row in rows)


def test_a_curve_has_a_point_for_each_interval_and_random_play_is_about_par(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    curve = LearningCurve("random", every=100, games=150)
    for decisions in (0, 60, 110, 190, 250):
        curve.add(decisions, lambda _vector, mask: rng.choice(np.flatnonzero(mask)))
    rows = points(tmp_path, "random")
    assert [row["decisions"] for row in rows] == ["0", "110", "250"]
    assert all(float(row["low"]) < 0.25 < float(row["high"]) for row in rows)
    assert float(rows[-1]["seconds"]) < 60  # playing does not count as training


def test_every_example_has_its_requirements_and_frameworks_are_named_once() -> None:
    for framework in FRAMEWORKS:
        pins = (EXAMPLES / "requirements" / f"{framework.environment}.txt").read_text("utf-8")
        assert f"{framework.package}" in pins
        assert all("==" in line for line in pins.splitlines())
        assert (EXAMPLES / framework.example).exists()
    assert len({framework.name for framework in FRAMEWORKS}) == len(FRAMEWORKS)
    assert not {Path(framework.example).stem for framework in FRAMEWORKS} & sys.stdlib_module_names
