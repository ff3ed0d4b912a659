"""The kit's page: what it says of other environments is what the kit finds."""

import re
import shlex
from pathlib import Path

import pytest

from blackjacky_env.testing.__main__ import main

pytestmark = pytest.mark.prove

PAGE = (Path(__file__).parents[2] / "blackjacky_env" / "testing" / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def others(monkeypatch):
    """Other environments, where they are installed."""
    monkeypatch.setenv("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    pytest.importorskip("pygame")
    pytest.importorskip("rlcard")


@pytest.mark.usefixtures("others")
@pytest.mark.filterwarnings("default")  # those of other projects
def test_other_environments_are_as_the_page_says(capsys):
    part = PAGE.partition("<!-- others:begin -->")[2].partition("<!-- others:end -->")[0]
    command = re.search(r"`python -m blackjacky_env.testing ([^`]*)`", part)[1]
    assert main(shlex.split(command)) == 1
    found = [line for line in capsys.readouterr().out.splitlines() if "FAILED" in line or line.startswith("pettingzoo")]
    assert found == re.search(r"```text\n(.*?)\n```", part, re.DOTALL)[1].splitlines()
