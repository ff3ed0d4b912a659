"""Names of options: help for people, hints for typos, and what options were called before."""

import re

import pytest

from blackjacky_agents import cli
from blackjacky_agents.cli import SUBCOMMANDS


@pytest.mark.parametrize("command", SUBCOMMANDS)
def test_help_names_values_as_people_do_and_fits_into_a_terminal(command, capsys):
    if command == "mcp":
        pytest.importorskip("mcp")
    with pytest.raises(SystemExit):
        cli.run(command, ["--help-all" if command == "train" else "--help"])
    told = capsys.readouterr().out
    assert max(map(len, told.splitlines())) <= 100
    assert not re.search(r"\{None\}|None\)|\[\[|STR\b", told)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("evaluate --players random*2", "--players is --agents"),
        ("watch --players random*2 --out it.html", "--players is --agents"),
        ("watch --agents random*2 --out it.html", "--out is --output"),
        ("score random --out it", "--out is --output"),
        ("evaluate --agents random*2 --preset mini-1", "--preset is --table"),
        ("tournament --tables random*2", "--tables is --seats"),
        ("play --web --tables here", "--tables is --folder"),
        ("play --name Anna", "--name is --as"),
        ("evaluate --agent random*2", "unknown option --agent; did you mean --agents"),
        ("play --oponents random", "unknown option --oponents; did you mean --opponents"),
        ("train --minute 5", "unknown option --minute; did you mean --minutes"),
        ("score __main__:Nobody", "__main__"),
        ("train --xyzzy", "unknown option --xyzzy; --help lists the options"),
    ],
)
def test_an_option_that_there_is_not_is_answered_with_the_one_that_there_is(command, said, capsys):
    name, *rest = command.split()
    assert cli.run(name, rest) == 2
    assert said in capsys.readouterr().err
