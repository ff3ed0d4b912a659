"""The command blackjacky: its subcommands, what is missing, exit statuses; and the scripts that call it."""

from __future__ import annotations

import errno
import importlib.util
import io
import os
import re
import subprocess
import sys
import threading
from importlib.metadata import entry_points, version
from pathlib import Path
from types import SimpleNamespace

import numba
import pytest

from blackjacky_agents import cli
from blackjacky_agents.cli import compiling, evaluate
from blackjacky_env.engine.compiling import PLAIN

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_alone_it_lists_the_subcommands_with_a_sentence_each(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == 0
    told = capsys.readouterr().out
    assert told.startswith("usage: blackjacky SUBCOMMAND")
    for name, subcommand in cli.SUBCOMMANDS.items():
        assert f"  {name} " in told
        assert subcommand.summary in told


def test_it_tells_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"blackjacky {version('blackjacky')}\n"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tornament", "error: unknown subcommand 'tornament'; did you mean 'tournament'?\n"),
        ("dance", f"error: unknown subcommand 'dance'; subcommands are {', '.join(cli.SUBCOMMANDS)}\n"),
    ],
)
def test_an_unknown_subcommand_ends_with_status_2_and_near_names(
    name: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([name]) == 2
    assert capsys.readouterr() == ("", message)


@pytest.mark.parametrize("name", cli.SUBCOMMANDS)
def test_help_shows_the_game_and_its_rule_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main([name, "--game", "schwarze_katze", "--help"])
    assert not stop.value.code
    told = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert f"usage: blackjacky {name} " in told
    for option in ("--game", "--variant", "--heart-ace", "--deals"):
        assert f"{option} " in told
    assert "Allowed: 10 .. 11." in told
    assert "--max-card" not in told


@pytest.mark.parametrize(
    ("lacking", "arguments", "message"),
    [
        ("tyro", ["evaluate"], "blackjacky evaluate needs tyro: pip install 'blackjacky[cli]'"),
        ("torch", ["train"], "blackjacky train needs torch: pip install 'blackjacky[train]'"),
        ("openskill", ["tournament"], "blackjacky tournament needs openskill: pip install 'blackjacky[train]'"),
        ("uvicorn", ["play", "--web"], "blackjacky play --web needs uvicorn: pip install 'blackjacky[web]'"),
    ],
)
def test_what_is_not_installed_is_said_with_the_extra_that_brings_it(
    lacking: str,
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = importlib.util.find_spec
    for module in (cli, importlib.import_module("blackjacky_agents.cli.play")):
        monkeypatch.setattr(module, "find_spec", lambda name: None if name == lacking else found(name))
    assert cli.main(arguments) == 2
    assert capsys.readouterr().err == f"error: {message}\n"


def test_the_game_of_the_terminal_needs_no_torch(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')", "utf-8")
    command = [sys.executable, "-m", "blackjacky_agents.cli", "play", "--opponents", "champion", "--seed", "1"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        command, input="quit\n", capture_output=True, encoding="utf-8", cwd=tmp_path, env=environment, check=False
    )
    assert (done.returncode, done.stderr.replace(f"{compiling.WHAT} ...\n", "")) == (0, "")
    assert "Goodbye!" in done.stdout


def test_ctrl_c_ends_with_status_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluate, "play", interrupt)
    assert cli.main(["evaluate", "--players", "random*2"]) == 130
    assert capsys.readouterr().err == "\nInterrupted.\n"


def test_the_installed_command_runs_in_an_empty_folder(tmp_path: Path) -> None:
    (point,) = entry_points(group="console_scripts", name="blackjacky")
    assert point.load() is cli.main
    command = [str(Path(sys.executable).with_name("blackjacky")), "evaluate", "--players", "random*2", "--games", "20"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert "| random x2, each | " in done.stdout
    assert "\n`blackjacky evaluate --players 'random*2' --games 20`: seed 0, " in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_script_is_the_same_program_and_is_called_what_the_user_typed(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPTS / "evaluate.py"), "--players", "random*2", "--games", "20"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert "\n`python scripts/evaluate.py --players 'random*2' --games 20`: seed 0, " in done.stdout


@pytest.mark.parametrize("name", cli.SUBCOMMANDS)
def test_every_subcommand_has_a_script(name: str) -> None:
    text = (SCRIPTS / f"{name}.py").read_text("utf-8")
    assert f'run("{name}", sys.argv[1:], "python scripts/{name}.py")' in text


# ---------------------------------------------------------------- compiling


@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
@pytest.mark.parametrize("is_terminal", [True, False])
def test_compiling_is_announced(monkeypatch: pytest.MonkeyPatch, is_terminal: bool) -> None:
    told = io.StringIO()
    monkeypatch.setattr(told, "isatty", lambda: is_terminal)
    monkeypatch.setattr("sys.stderr", told)
    monkeypatch.setattr(compiling, "SECONDS", 0)
    double = numba.njit(lambda x: 2 * x)
    with compiling.compiling_shown():
        double(1)
        before = told.getvalue()
        double(2)
    assert told.getvalue() == before, "nothing to compile, nothing to say"
    if is_terminal:
        assert re.search(rf"\r{compiling.WHAT}: [1-9]\d* functions, 00:0\d", before)
        assert before.endswith("\r"), "the line is taken away"
    else:
        assert before == f"{compiling.WHAT} ...\n"
    double(1.0)
    assert told.getvalue() == before, "outside of the context nothing is said"


def test_an_error_shows_no_control_characters_and_not_a_whole_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.refuse("an option \x1b[2J\x07\n is unknown: " + "x" * 10_000) == cli.WRONG_INPUT
    said = capsys.readouterr().err
    assert said.startswith("error: an option [2J\n is unknown: xxx")
    assert said.endswith("x ...\n")
    assert len(said) < 5000


TALKING = """
import sys
from types import SimpleNamespace
from blackjacky_agents import cli
sys.modules["blackjacky_agents.cli.play"] = SimpleNamespace(main=lambda *_: print("x" * 200_000) or 0)
sys.exit(cli.run("play", []))
"""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
def test_output_that_finds_no_room_or_no_reader_gives_no_traceback() -> None:
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [sys.executable, "-c", TALKING], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ran.returncode == 2
    assert re.fullmatch(r"error: .*No space left on device; .*\n", ran.stderr)
    with subprocess.Popen(
        [sys.executable, "-c", TALKING], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as unread:
        assert unread.stdout is not None
        assert unread.stderr is not None
        unread.stdout.close()
        assert unread.stderr.read() == ""
    assert unread.returncode == 141


def test_a_thread_that_finds_the_disk_full_prints_no_traceback_but_other_threads_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail_in_threads(*_: object) -> int:
        for number, text in ((errno.ENOSPC, "no room"), (errno.EIO, "no disk")):
            thread = threading.Thread(target=fail, args=[OSError(number, text)])
            thread.start()
            thread.join()
        return 0

    def fail(error: OSError) -> None:
        raise error

    monkeypatch.setitem(sys.modules, "blackjacky_agents.cli.play", SimpleNamespace(main=fail_in_threads))
    monkeypatch.setattr(threading, "excepthook", threading.__excepthook__)  # pytest has one of its own
    assert cli.run("play", []) == 0
    said = capsys.readouterr().err
    assert "no room" not in said
    assert "no disk" in said
