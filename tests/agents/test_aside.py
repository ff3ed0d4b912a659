"""Programs for people compile nothing; what takes long is computed in a process aside."""

import subprocess
import sys

import pytest

IN_PLAIN_PYTHON = """
from blackjacky_agents.aside import aside, play_in_plain_python
play_in_plain_python()
import os
import operator
from blackjacky_agents.agent import AgentError
from blackjacky_agents.registry import make_agent
from blackjacky_agents.web.seats import Thinker
from blackjacky_env.compiled import PLAIN
from blackjacky_env.envs import TableEnv

if __name__ == "__main__":
    print(PLAIN, aside(operator.add, 1, 2), aside(os.getpid) not in (os.getpid(), None))
    print(aside(os.getpid) == aside(os.getpid))
    try:
        aside(operator.truediv, 1, 0)
    except ZeroDivisionError as error:
        print(error)
    try:
        aside(os._exit, 3)
    except AgentError as error:
        print(error)
    print(aside(operator.add, 2, 2))
    env = TableEnv("black_jacky", 2)
    env.reset(seed=0)
    print(env.observe(env.agent_selection)["action_mask"][Thinker("search:2", "black_jacky").asked(env)()])
"""


@pytest.mark.prove
def test_what_takes_long_is_computed_aside_with_its_errors_and_a_new_process_if_one_ends(tmp_path):
    """And Ctrl-C of the one that asks ends both."""
    program = tmp_path / "program.py"
    program.write_text(IN_PLAIN_PYTHON)
    told = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True).stdout.splitlines()
    assert told == [
        *("True 3 True", "True", "division by zero"),
        *("the process that computes searches, hints and replays has ended", "4", "1"),
    ]


HELP = """
import contextlib, sys
from blackjacky_agents.cli import run
with contextlib.suppress(SystemExit):
    run(sys.argv[1], ["--help"])
from blackjacky_env.compiled import PLAIN
print(PLAIN)
"""


@pytest.mark.prove
@pytest.mark.parametrize(("name", "plain"), [("play", "True"), ("watch", "True"), ("evaluate", "False")])
def test_commands_for_people_compile_nothing(name, plain):
    done = subprocess.run([sys.executable, "-c", HELP, name], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == plain
