"""What tests of commands share."""

import math
import shlex
import sys

import pytest

from blackjacky_agents import cli
from blackjacky_agents.cli import arguments


@pytest.fixture(autouse=True)
def _no_line_about_compiling(monkeypatch):
    """Commands run in this process say nothing about compiling: whether they would depends on what ran before."""
    monkeypatch.setattr(arguments, "SECONDS", math.inf)


@pytest.fixture
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])  # classes add the current folder
    return tmp_path


@pytest.fixture
def typed(capsys):
    """Run a subcommand as users type it, which has to end with that status; what it printed."""

    def run(command, status=0):
        assert cli.main(shlex.split(command)) == status
        return capsys.readouterr()

    return run
