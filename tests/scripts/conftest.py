"""What tests of commands share."""

import math
import shlex
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from blackjacky_agents import cli
from blackjacky_agents.arena import protocol as protocols
from blackjacky_agents.arena.protocol import Protocol
from blackjacky_agents.cli import compiling
from blackjacky_agents.files import write_json
from blackjacky_agents.games import get_kit
from tests.scripts.protocols import GAME


@pytest.fixture(autouse=True)
def _no_line_about_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run in this process say nothing about compiling: whether they would depends on what ran before."""
    monkeypatch.setattr(compiling, "SECONDS", math.inf)


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which is empty."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])  # classes add the current folder
    return tmp_path


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Run a subcommand as users type it, which has to end with that status; what it printed."""

    def run(command: str, status: int = 0) -> Any:
        assert cli.main(shlex.split(command)) == status
        return capsys.readouterr()

    return run


@pytest.fixture
def publish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make these the published protocols of the game: the current one, and older ones."""

    def write(current: Protocol, *older: Protocol) -> None:
        write_json(tmp_path / "score.json", asdict(current))
        for protocol in older:
            write_json(tmp_path / f"score-{protocol.name.partition('/')[2]}.json", asdict(protocol))

    kit = replace(get_kit(GAME), score=tmp_path / "score.json")
    monkeypatch.setattr(protocols, "get_kit", lambda game: kit)
    return write
