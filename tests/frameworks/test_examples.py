"""The examples for frameworks that are installed here: each trains, and its policy plays in the arena.

`make frameworks` runs these tests in an environment for each framework.
"""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytestmark = pytest.mark.prove

EXAMPLES = Path(__file__).parents[2] / "examples"
WITH_CURVES = [path for path in sorted(EXAMPLES.glob("*_*.py")) if "= LearningCurve(" in path.read_text("utf-8")]
MODULES = {"sb3": "sb3_contrib", "rllib": "ray.rllib", "openspiel": "pyspiel"}
"""What to import to see whether a framework is installed, if its name is another."""


def points(folder):
    [path] = (folder / "runs" / "frameworks").glob("*.csv")
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("example", WITH_CURVES, ids=[path.stem for path in WITH_CURVES])
def test_the_example_trains_and_its_policy_plays(example, tmp_path):
    first, *others = example.stem.split("_")
    for framework in [first, *MODULES.keys() & others]:
        pytest.importorskip(MODULES.get(framework, framework), exc_type=ImportError)
    options = ["--decisions=1000", "--evaluate-every=1000", "--games=2"]
    subprocess.run([sys.executable, "-W", "ignore", example, *options], cwd=tmp_path, check=True)
    rows = points(tmp_path)
    assert int(rows[-1]["decisions"]) >= 1000
    assert all(row["games"] == "2" for row in rows)


def test_a_curve_has_a_point_for_each_interval_and_random_play_is_about_par(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    monkeypatch.chdir(tmp_path)
    from learning_curve import LearningCurve

    rng = np.random.default_rng(0)
    curve = LearningCurve("random", every=100, games=150)
    for decisions in (0, 60, 110, 190, 250):
        curve.add(decisions, lambda _vector, mask: rng.choice(np.flatnonzero(mask)))
    rows = points(tmp_path)
    assert [row["decisions"] for row in rows] == ["0", "110", "250"]
    assert all(float(row["low"]) < 0.25 < float(row["high"]) for row in rows)
