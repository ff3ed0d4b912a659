"""The command blackjacky: its subcommands, what is missing, exit statuses; and the scripts that call it."""

import importlib.util
import io
import json
import os
import re
import socket
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from unittest.mock import Mock

import numba
import pytest

from blackjacky_agents import cli
from blackjacky_agents.cli import arguments
from blackjacky_agents.reports import in_this_shell
from blackjacky_env.compiled.compiling import PLAIN

SCRIPTS = Path(__file__).parents[2] / "scripts"
OF_A_GAME = [name for name in cli.SUBCOMMANDS if name != "mcp"]
"""Subcommands that play one game, and have a script. Assistants choose games; scripts/mcp.py would hide the SDK."""


@pytest.mark.parametrize("arguments", ["", "--help", "-h"])
def test_alone_it_lists_the_subcommands_with_a_sentence_each_and_knows_no_others(arguments, typed):
    told = typed(arguments).out
    assert told.startswith("usage: blackjacky SUBCOMMAND")
    for name, subcommand in cli.SUBCOMMANDS.items():
        assert f"  {name} " in told
        assert subcommand.summary in told
    for wrong, near in (("tornament", "; did you mean 'tournament'"), ("dance", "; subcommands ")):
        assert typed(wrong, status=2).err.startswith(f"error: unknown subcommand {wrong!r}{near}")


@pytest.mark.parametrize("name", OF_A_GAME)
def test_every_subcommand_has_a_script_and_help_with_the_rule_options_of_the_game(name, capsys):
    text = (SCRIPTS / f"{name}.py").read_text("utf-8")
    assert f'run("{name}", sys.argv[1:], "python scripts/{name}.py")' in text
    with pytest.raises(SystemExit) as stop:
        cli.main([name, "--game", "schwarze_katze", "--help-all" if name == "train" else "--help"])
    assert not stop.value.code
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    told = " ".join(" ".join(lines).split())
    assert not re.search(r"\{None\}|None\)|\[\[|STR\b", told), "values are named as people do"
    assert f"usage: blackjacky {name} " in told
    for option in ("--game", "--variant", "--heart-ace", "--deals"):
        assert f"{option} " in told
    assert "Allowed: 10 .. 11." in told
    assert "--max-card" not in told


@pytest.mark.parametrize(
    ("lacking", "command", "message"),
    [
        ("torch", "train", "train needs torch: pip install 'blackjacky[train]'"),
        ("pyarrow", "dataset", "dataset needs pyarrow: pip install 'blackjacky[data]'"),
        ("uvicorn", "play --web", "play --web needs uvicorn: pip install 'blackjacky[web]'"),
    ],
)
def test_what_is_not_installed_is_said_with_the_extra_that_brings_it(lacking, command, message, typed, monkeypatch):
    found = importlib.util.find_spec
    for module in (cli, importlib.import_module("blackjacky_agents.cli.play")):
        monkeypatch.setattr(module, "find_spec", lambda name: None if name == lacking else found(name))
    pip = in_this_shell("pip")
    assert typed(command, status=2).err == f"error: blackjacky {message.replace('pip', pip, 1)}\n"


@pytest.mark.prove
def test_the_game_of_the_terminal_needs_no_torch(tmp_path):
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')", "utf-8")
    command = [sys.executable, "-m", "blackjacky_agents", "play", "--opponents", "champion", "--seed", "1"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        command, input="quit\n", capture_output=True, encoding="utf-8", cwd=tmp_path, env=environment, check=False
    )
    assert (done.returncode, done.stderr.replace(f"{arguments.COMPILING} ...\n", "")) == (0, "")
    assert "Goodbye!" in done.stdout


PLAYS = "blackjacky_agents.cli.evaluate.shares_at_one_table"


@pytest.mark.usefixtures("empty_folder")
@pytest.mark.parametrize(
    ("plays", "error", "command", "said"),
    [
        (PLAYS, FileNotFoundError(2, "No such file", "a.json"), "evaluate", "error: No such file: 'a.json'"),
        (PLAYS, KeyboardInterrupt(), "evaluate", "\nInterrupted.\n"),
        ("blackjacky_agents.arena.tournaments.Tournament.play", KeyboardInterrupt(), "tournament", "command to resume"),
        ("blackjacky_agents.data.writing.Writer.write", KeyboardInterrupt(), "dataset", "repeat the command to resume"),
    ],
)
def test_ctrl_c_and_errors_of_the_system_are_one_sentence_which_says_how_to_go_on(
    plays, error, command, said, typed, monkeypatch
):
    monkeypatch.setattr(plays, Mock(side_effect=error))
    players = "--agents random,threshold" if command == "tournament" else "--agents random*2"
    assert said in typed(f"{command} {players}", status=130 if isinstance(error, KeyboardInterrupt) else 2).err


CTRL_C = """
import atexit, runpy, signal, sys, time
from types import SimpleNamespace

def press(*_):
    signal.raise_signal(getattr(signal, pressed))

class InAnImport:
    def find_spec(self, name, path=None, target=None):
        if name == moment:
            press()

class Callback:  # Python can raise nothing there, as in callbacks of LLVM
    __del__ = press

def play(*_):
    if moment == "in LLVM":
        exec("press(); print('complete')", {"__name__": "llvmlite.binding", "press": press})
    else:
        Callback()
    time.sleep(3600)

_, pressed, moment, program, *arguments = sys.argv
if moment in ("swallowed", "in LLVM"):
    sys.modules["blackjacky_agents.cli.play"] = SimpleNamespace(main=play)
if moment == "at the end":
    atexit.register(press)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, InAnImport())
sys.argv = [program, *arguments]
runpy.run_path(program, run_name="__main__")
"""
"""Runs a program, and presses Ctrl-C when it imports a module, where it is lost, or at the end."""


@pytest.mark.prove
@pytest.mark.parametrize("pressed", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize(
    ("moment", "command"),
    [(module, "train") for module in ("blackjacky_agents.cli", "tqdm", "numpy", "numba", "torch")]
    + [("in LLVM", "play"), ("swallowed", "play"), ("at the end", "--version")],
)
def test_ctrl_c_and_sigterm_are_one_line_from_the_first_import_to_the_end(pressed, moment, command, tmp_path):
    program = [str(Path(sys.executable).with_name("blackjacky")), command]
    program = [str(SCRIPTS / "train.py")] if moment == "numba" else program
    typed = [sys.executable, "-c", CTRL_C, pressed, moment, *program]
    done = subprocess.run(typed, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (130, "\nInterrupted.\n")
    assert ("complete" in done.stdout) == (moment == "in LLVM")
    assert list(tmp_path.iterdir()) == []


def test_the_installed_command_runs_in_an_empty_folder(tmp_path):
    (point,) = entry_points(group="console_scripts", name="blackjacky")
    assert point.load() is cli.main
    command = [str(Path(sys.executable).with_name("blackjacky")), "evaluate", "--agents", "random*2", "--games", "20"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert "| random x2, each | " in done.stdout
    assert "\n`blackjacky evaluate --agents 'random*2' --games 20`: seed 0, " in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_taken_is_named_with_what_to_do(tmp_path, typed):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = typed(f"play --web --port {port} --folder {tmp_path}", status=2).err
    assert told.startswith(f"error: nothing can listen on --host 127.0.0.1 --port {port}: ")


@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
def test_compiling_is_announced_within_the_context(monkeypatch):
    told = io.StringIO()
    monkeypatch.setattr("sys.stderr", told)
    monkeypatch.setattr(arguments, "SECONDS", 0)
    double = numba.njit(lambda x: 2 * x)
    with arguments.compiling_shown():
        for _ in range(2):
            double(1)
    double(1.0)
    assert told.getvalue().count(f"{arguments.COMPILING} ...") == 1


def test_an_error_shows_no_control_characters_and_not_a_whole_file(capsys):
    assert cli.refuse("an option \x1b[2J\x07\n is unknown: " + "x" * 10_000) == cli.WRONG_INPUT
    said = capsys.readouterr().err
    assert said.startswith("error: an option [2J\n is unknown: xxx")
    assert len(said) < 5000


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
@pytest.mark.parametrize("arguments", [["--version"], ["evaluate", "--help"], ["train", "--help-all"]])
def test_output_that_finds_no_room_or_no_reader_gives_no_traceback(arguments, tmp_path):
    command, pipe = [sys.executable, "-m", "blackjacky_agents", *arguments], subprocess.PIPE
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(command, stdout=full, stderr=pipe, text=True, cwd=tmp_path, check=False)
    assert ran.returncode == 2
    assert re.fullmatch(r"error: .*No space left on device; what has been written is kept: .*\n", ran.stderr)
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=tmp_path) as unread:
        unread.stdout.close()
        assert unread.stderr.read() == ""
    assert unread.returncode == 141


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_command_whose_standard_streams_are_closed_ends_well(closed, tmp_path):
    command = f"exec '{sys.executable}' -m blackjacky_agents evaluate --agents random*2 --games 2 --output it.json"
    done = subprocess.run(["sh", "-c", f"{command} {closed}"], capture_output=True, cwd=tmp_path, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert json.loads((tmp_path / "it.json").read_text("utf-8"))["results"][0]["games"] == 2
