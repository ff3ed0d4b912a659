"""Commands run in this process say nothing about compiling: whether they would depends on what ran before."""

import math

import pytest

from blackjacky_agents.cli import compiling


@pytest.fixture(autouse=True)
def _no_line_about_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "SECONDS", math.inf)
