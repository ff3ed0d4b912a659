"""noxfile.py: which versions are tested where; nothing is installed here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("nox")

from packaging.utils import canonicalize_name
from packaging.version import Version

import noxfile
from noxfile import EXTRAS, PROJECT, lower_bounds

ROOT = Path(__file__).parents[1]


def files_of_all_sessions() -> Iterator[str]:
    yield from (*noxfile.PACKAGE, *noxfile.TRAIN)
    for extra in EXTRAS.values():
        yield from extra.tests


def test_the_versions_that_the_tests_run_with_are_none_below_a_lower_bound() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines)}
    bounds = lower_bounds(PROJECT, PROJECT["optional-dependencies"], "3.14")
    assert {name: pins[name] for name in bounds if name in pins and Version(pins[name]) < Version(bounds[name])} == {}


def test_every_python_and_every_extra_is_tested_somewhere_by_tests_that_exist() -> None:
    supported = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if "Python :: 3." in line]
    assert supported == noxfile.PYTHONS
    assert {"cli", "train", "dev", "release", *EXTRAS} == {"none", *PROJECT["optional-dependencies"]}
    assert [test for test in files_of_all_sessions() if not (ROOT / test).exists()] == []


def test_every_framework_has_pinned_requirements_and_an_example_that_draws_a_curve() -> None:
    for name in noxfile.FRAMEWORKS:
        assert "==" in (ROOT / "examples" / "requirements" / f"{name}.txt").read_text("utf-8")
        examples = (ROOT / "examples").glob(f"{name}_*.py")
        assert any("LearningCurve(" in example.read_text("utf-8") for example in examples)
