"""scripts/documents/frameworks.py: what it makes of the curves that examples write; none is installed here."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tyro")

import frameworks
from frameworks import EXAMPLES, FRAMEWORKS, draw, install, read_curve, run, table

FRAMEWORK = FRAMEWORKS[0]
EXAMPLE = f"""
import sys
from pathlib import Path
folder = Path("runs/frameworks")
folder.mkdir(parents=True, exist_ok=True)
decisions = sys.argv[1].removeprefix("--decisions=")
rows = ["decisions,cpu_seconds,win_rate,low,high", "0,0,0.25,0.2,0.3", decisions + ",4,0.5,0.4,0.6"]
(folder / "{FRAMEWORK.name}.csv").write_text("\\n".join(rows))
"""


def result(curve: list[dict[str, float]]) -> dict[str, Any]:
    return {"version": "1.2.3", "date": "2026-01-02", "curve": curve}


def test_a_run_returns_the_curve_that_the_example_writes(tmp_path: Path) -> None:
    example = tmp_path / "example.py"
    example.write_text(EXAMPLE, "utf-8")
    assert read_curve(tmp_path, FRAMEWORK) == []
    curve = run(sys.executable, example, tmp_path, FRAMEWORK, decisions=1_000, evaluate_every=500)
    assert [point["decisions"] for point in curve] == [0, 1_000]
    assert read_curve(tmp_path, FRAMEWORK) == curve


def test_an_example_that_fails_is_an_error_with_what_it_wrote(tmp_path: Path) -> None:
    example = tmp_path / "example.py"
    example.write_text("raise SystemExit('no such thing')", "utf-8")
    with pytest.raises(subprocess.CalledProcessError) as caught:
        run(sys.executable, example, tmp_path, FRAMEWORK, decisions=1)
    assert "no such thing" in caught.value.stderr


def test_an_environment_is_made_again_only_when_its_requirements_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[list[str]] = []
    monkeypatch.setattr(frameworks.venv, "create", lambda folder, **_options: folder.mkdir(exist_ok=True))
    monkeypatch.setattr(subprocess, "run", lambda command, **_options: made.append([*map(str, command)]))
    for _ in range(2):
        assert tmp_path in install(tmp_path, FRAMEWORK).parents
    assert len(made) == 1
    assert str(EXAMPLES / "requirements" / f"{FRAMEWORK.environment}.txt") in made[0]
    (tmp_path / FRAMEWORK.environment / "requirements.txt").write_text("another==1.0", "utf-8")
    install(tmp_path, FRAMEWORK)
    assert len(made) == 2


def test_the_table_has_a_row_for_each_framework_with_results() -> None:
    point = {"decisions": 60_000.0, "cpu_seconds": 24.0, "win_rate": 0.456, "low": 0.4, "high": 0.5}
    rows = table({FRAMEWORKS[0].name: result([point]), FRAMEWORKS[2].name: result([point])}).splitlines()[2:]
    assert [re.findall(r"[^|]+", row)[0].strip() for row in rows] == [FRAMEWORKS[0].title, FRAMEWORKS[2].title]
    assert "2,500 | 46 % after 60,000 | 2026-01-02" in rows[0]
    assert f"| {len((EXAMPLES / FRAMEWORK.example).read_text('utf-8').splitlines())} |" in rows[0]


def test_the_picture_has_every_curve(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    points = [{"decisions": 0.0, "win_rate": 0.2, "low": 0.1, "high": 0.3}] * 2
    draw({framework.name: result(points) for framework in FRAMEWORKS}, tmp_path / "curves.svg")
    text = (tmp_path / "curves.svg").read_text("utf-8")
    assert all(f"<!-- {framework.title} -->" in text for framework in FRAMEWORKS)
