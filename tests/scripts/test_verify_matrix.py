"""scripts/proofs/verify_matrix.py: bounds, cells, reasons, resuming, tables; nothing is installed here."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tyro")
pytest.importorskip("packaging")

import make_matrix
import verify_matrix
from packaging.utils import canonicalize_name
from packaging.version import Version
from verify_matrix import EXTRAS, ROOT, Args, UnverifiedError, cells, lower_bounds, reason

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SMALL: dict[str, Any] = {
    "name": "small",
    "requires-python": ">=3.12,<3.14",
    "dependencies": ["NumPy>=2.0", "numpy>=2.1; python_version >= '3.13'", "old>=1; python_version < '3.0'"],
    "optional-dependencies": {"cli": ["tool[fast]>=3,<4"], "web": ["small[cli]", "server>=1.5"]},
}


def test_lower_bounds_follow_markers_and_the_packages_own_extras() -> None:
    assert lower_bounds(SMALL, (), "3.12") == {"numpy": "2.0"}
    assert lower_bounds(SMALL, ("web",), "3.13") == {"numpy": "2.1", "tool": "3", "server": "1.5"}


def test_a_requirement_without_a_lower_bound_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"numpy<3 has no lower bound; give it one"):
        lower_bounds({**SMALL, "dependencies": ["numpy<3"]}, (), "3.12")


def test_the_versions_that_the_tests_run_with_are_none_below_a_lower_bound() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines)}
    bounds = lower_bounds(PROJECT, PROJECT["optional-dependencies"], "3.14")
    assert {name: pins[name] for name in bounds if name in pins and Version(pins[name]) < Version(bounds[name])} == {}


def test_every_python_has_its_cells_and_every_extra_is_tested_somewhere() -> None:
    found = cells(PROJECT)
    assert len({cell.name for cell in found}) == len(found)
    supported = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if "Python :: 3." in line]
    for group in ("base", "train"):
        wanted = [(python, level) for python in supported for level in ("oldest", "newest")]
        assert [(cell.python, cell.level) for cell in found if cell.group == group] == wanted
    assert {"cli", "train", "dev", "release", *EXTRAS} == {"none", *PROJECT["optional-dependencies"]}


def test_the_tests_of_all_cells_exist() -> None:
    for test in {test for cell in cells(PROJECT) for test in cell.tests}:
        path, _, function = test.partition("::")
        assert (ROOT / path).exists(), test
        assert not function or f"def {function.partition('[')[0]}(" in (ROOT / path).read_text("utf-8"), test


def test_frameworks_are_pinned_on_the_oldest_python_and_newest_on_the_newest() -> None:
    pinned, newest = (cell for cell in cells(PROJECT) if cell.of == "agilerl")
    assert (pinned.level, newest.level) == ("pinned", "newest")
    assert any(line.startswith("agilerl==") for line in pinned.more)
    assert "agilerl" in newest.more
    assert pinned.python < newest.python


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (
            "ERROR: Could not find a version of numpy==9 (from versions: 1.0, 2.0)\nERROR: No matching distribution",
            "Could not find a version of numpy==9",
        ),
        ("FAILED tests/a.py::test_b - x\nE   ImportError: no | here", "ImportError: no / here"),
        ("E   AssertionError: Traceback (most recent call last):\nE     KeyError: 'x'", "KeyError: 'x'"),
        ("a\nb\n", "b"),
        ("", "it printed nothing"),
    ],
)
def test_one_line_says_why(output: str, told: str) -> None:
    assert reason(output) == told


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the cells that are installed, which are faked: Python 3.12 is missing, the tests on 3.14 fail."""
    names: list[str] = []

    def install(cell: verify_matrix.Cell, *_: Any) -> Path:
        names.append(cell.name)
        return tmp_path

    def test(cell: verify_matrix.Cell, *_: Any) -> str:
        if cell.python == "3.14":
            raise UnverifiedError("AttributeError: numpy.gone")
        return "3 passed"

    monkeypatch.setattr(verify_matrix, "RESULTS", tmp_path / "matrix.json")
    monkeypatch.setattr(make_matrix, "RESULTS", tmp_path / "matrix.json")
    monkeypatch.setattr(verify_matrix, "find_pythons", lambda _: dict.fromkeys(("3.11", "3.13", "3.14"), tmp_path))
    monkeypatch.setattr(verify_matrix, "versions", lambda *_: {"python": "3.11.9", "numpy": "2.0.0", "torch": "9.9"})
    monkeypatch.setattr(verify_matrix, "install", install)
    monkeypatch.setattr(verify_matrix, "test", test)
    return names


def args(tmp_path: Path, *patterns: str, again: bool = False) -> Args:
    return Args(cells=patterns, again=again, folder=tmp_path / "environments")


def test_a_cell_is_repeated_only_when_asked_or_changed(
    started: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        assert verify_matrix.main(args(tmp_path, "base-3.11-*")) == 0
    assert started == ["base-3.11-oldest", "base-3.11-newest"]
    verify_matrix.main(args(tmp_path, "base-3.11-newest", again=True))
    assert started[2:] == ["base-3.11-newest"]
    monkeypatch.setattr(verify_matrix, "BASE", ("tests/test_layout.py",))
    verify_matrix.main(args(tmp_path, "base-3.11-oldest"))
    assert started[3:] == ["base-3.11-oldest"]
    record = json.loads((tmp_path / "matrix.json").read_text("utf-8"))["base-3.11-newest"]
    assert record["reason"] == "not run yet"  # with these tests


def test_a_cell_without_its_python_waits_for_it_and_keeps_what_another_machine_found(
    started: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify_matrix.main(args(tmp_path, "base-3.12-newest"))
    assert started == []
    monkeypatch.setattr(verify_matrix, "find_pythons", lambda _: {"3.12": tmp_path})
    verify_matrix.main(args(tmp_path, "base-3.12-newest"))
    assert started == ["base-3.12-newest"]
    monkeypatch.setattr(verify_matrix, "find_pythons", lambda _: {})
    verify_matrix.main(args(tmp_path, "base-3.12-newest", again=True))
    assert json.loads((tmp_path / "matrix.json").read_text("utf-8"))["base-3.12-newest"]["outcome"] == "passed"


def test_failures_and_what_is_missing_are_told(started: list[str], tmp_path: Path) -> None:
    assert verify_matrix.main(args(tmp_path, "base-3.1[124]-newest", "extra-web-3.11-oldest")) == 1
    assert verify_matrix.main(args(tmp_path, "base-3.14-newest")) == 1
    assert started.count("base-3.14-newest") == 1
    pages = {part.name: part.content for part in make_matrix.parts()}
    assert "| 3.11.9 | newest | 2.0.0 |" in pages["base"]
    assert "| 3 passed |" in pages["base"]
    assert "**failed**: `AttributeError: numpy.gone`" in pages["base"]
    assert "| `web` | 3.11.9 | oldest | torch 9.9 | 3 passed |" in pages["extra"]
    assert "| `base-3.12-newest` | `no Python 3.12 on this machine` |" in pages["missing"]
    assert "Not run yet: `base-3.11-oldest`, `base-3.12-oldest`, " in pages["missing"]
    assert "`extra-web-3.14-newest`" in pages["missing"]
    assert pages["train"] == make_matrix.NONE


def test_an_unknown_cell_is_refused_with_those_that_there_are(started: list[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"no cell is called base-2\.7; there are base-3\.11-oldest"):
        verify_matrix.main(args(tmp_path, "base-2.7"))
    assert started == []
