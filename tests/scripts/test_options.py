"""Names of options: hints for typos, and what options were called before."""

import pytest

from blackjacky_agents import cli


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
