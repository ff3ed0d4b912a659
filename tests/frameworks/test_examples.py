"""The examples for frameworks that are installed here: each trains, and its policy plays in the arena.

`make frameworks` runs these tests in an environment for each framework.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytestmark = pytest.mark.prove

EXAMPLES = Path(__file__).parents[2] / "examples"
WITH_CURVES = [path for path in sorted(EXAMPLES.glob("*_*.py")) if "= LearningCurve(" in path.read_text("utf-8")]
MODULES = {"sb3": "sb3_contrib", "rllib": "ray.rllib", "openspiel": "pyspiel"}
"""What to import to see whether a framework is installed, if its name is another."""


def points(folder: Path) -> list[dict[str, str]]:
    [path] = (folder / "runs" / "frameworks").glob("*.csv")
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("example", WITH_CURVES, ids=[path.stem for path in WITH_CURVES])
def test_the_example_trains_and_its_policy_plays(example: Path, tmp_path: Path) -> None:
    framework = example.stem.partition("_")[0]
    pytest.importorskip(MODULES.get(framework, framework), exc_type=ImportError)
    options = ["--decisions=1000", "--evaluate-every=1000", "--games=2"]
    subprocess.run([sys.executable, "-W", "ignore", example, *options], cwd=tmp_path, check=True)
    rows = points(tmp_path)
    assert int(rows[-1]["decisions"]) >= 1000
    assert all(row["games"] == "2" for row in rows)
