"""What tests of commands share."""

import math
import sys
from pathlib import Path

import pytest

from blackjacky_agents.cli import compiling


@pytest.fixture(autouse=True)
def _no_line_about_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run in this process say nothing about compiling: whether they would depends on what ran before."""
    monkeypatch.setattr(compiling, "SECONDS", math.inf)


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder is empty."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])  # classes add the current folder
