"""scripts/measure.py and results/results.toml: what is out of date, and commands that can still be typed."""

import functools
import importlib
import json
import shlex
import subprocess
import tomllib
from types import SimpleNamespace

import pytest
import tyro

from blackjacky_agents.cli.arguments import read_arguments
from blackjacky_agents.cli.errors import WrongInputError
from blackjacky_env.games import DEFAULT
from scripts import measure, results
from tests.test_commands import ROOT, commands
from tests.test_readme import PAGES

ENTRIES = tomllib.loads(results.LIST.read_text("utf-8"))


def understood(command):
    """Let the command's own parser read it, and do nothing; `SystemExit` or an error if it is not understood."""
    program, *words = shlex.split(command)
    if program == "blackjacky" or words[:2] == ["-m", "blackjacky_agents"]:
        name, *rest = words if program == "blackjacky" else words[2:]
        module = importlib.import_module(f"blackjacky_agents.cli.{name}")
        read = module.read_arguments if name == "train" else functools.partial(read_arguments, module.Args)
        read(rest, program)
    elif words[0] == "-m" and words[1].startswith("scripts."):
        tyro.cli(importlib.import_module(words[1]).Args, args=words[2:])
    else:  # parsers that are not imported here
        assert words[0] == "-m" or (ROOT / words[0]).is_file(), command


@pytest.mark.parametrize("name", ENTRIES)
def test_a_result_is_made_by_commands_that_are_understood(name):
    for game in ENTRIES[name].get("games", [None]):
        for command in measure.commands_of(ENTRIES[name], game, measure.output_of(name, game)):
            understood(command)


@pytest.mark.parametrize("page", [page for page in PAGES if commands((ROOT / page).read_text("utf-8"))])
def test_a_page_tells_commands_that_are_understood(page, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for command in commands((ROOT / page).read_text("utf-8")):
        try:
            understood(command)
        except SystemExit as ended:
            if ended.code:  # 0 of --help
                raise
        except (WrongInputError, ValueError) as error:  # for want of a run, or of a game that has to be installed
            if "runs/" not in str(error) and "unknown game" not in str(error):
                raise


def test_every_result_says_how_it_is_made_again():
    kinds = {path.stem for path in results.RESULTS.rglob("*.json") if path.parent.name != "scores"}
    assert kinds <= set(ENTRIES)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A list of one result of one game, made by a command that writes two rows and by one that writes a third."""
    commands = '["blackjacky a {output}", "blackjacky b {output}"]'
    toml = f'[kind]\ngames = ["{DEFAULT}"]\nwhat = "Numbers."\ncommands = {commands}\n'
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "results.toml").write_text(toml, "utf-8")
    for module in (measure, results):
        monkeypatch.setattr(module, "LIST", tmp_path / "results" / "results.toml")
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(measure, "FOLDER", tmp_path / "runs")
    for module in (measure, results):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(results, "fingerprints_of", lambda _: {"rules": "a", "bots": "b"})
    rows = {"a": [{"n": 1}, {"n": 2}], "b": {"n": 3}}

    def run(command):
        _, name, output = command.split()
        if name not in rows:
            raise subprocess.CalledProcessError(1, command)
        (tmp_path / output).write_text(json.dumps(rows[name]), "utf-8")

    monkeypatch.setattr(measure, "run", run)
    return tmp_path


def stale(capsys):
    assert measure.main(measure.Args(stale=True)) == 0
    return capsys.readouterr().out


def test_each_row_has_the_command_that_made_it_and_a_stale_result_says_why(folder, monkeypatch, capsys):
    assert "results/black_jacky/kind.json: missing (time unknown)" in stale(capsys)
    assert measure.main(measure.Args()) == 0
    capsys.readouterr()
    first, second = json.loads((folder / "results" / DEFAULT / "kind.json").read_text("utf-8"))["runs"]
    assert (first["rows"], second["rows"]) == ([{"n": 1}, {"n": 2}], [{"n": 3}])
    assert (first["command"].split()[1], second["command"].split()[1]) == ("a", "b")
    assert stale(capsys) == ""
    path = folder / "results" / DEFAULT / "kind.json"
    path.write_text(path.read_text("utf-8").replace("blackjacky b", "blackjacky b --threads 2"), "utf-8")
    assert stale(capsys) == "", "how many threads there were is of no account"
    path.write_text(path.read_text("utf-8").replace(" --threads 2", ""), "utf-8")
    monkeypatch.setattr(results, "fingerprints_of", lambda _: {"rules": "c", "bots": "b"})
    assert "kind.json: of earlier rules" in stale(capsys)
    assert "(of earlier rules)" in results.made_by(results.load("kind", DEFAULT))
    path = folder / "results" / "results.toml"
    path.write_text(path.read_text("utf-8").replace("blackjacky b", "blackjacky c"), "utf-8")
    told = stale(capsys)
    assert "made by 'blackjacky b" in told
    assert "not made by all of its commands" in told
    with pytest.raises(subprocess.CalledProcessError):
        measure.main(measure.Args())
    runs = json.loads((folder / "results" / DEFAULT / "kind.json").read_text("utf-8"))["runs"]
    assert runs == [first, second], "what a command that failed has made is kept"


def test_the_minutes_of_a_result_are_also_those_of_commands_that_prepare_it(folder, monkeypatch):
    path = folder / "results" / "results.toml"
    path.write_text(path.read_text("utf-8").replace("blackjacky a", "blackjacky prepare"), "utf-8")
    now = [0]

    def run(command, own=measure.run):
        now[0] += 60
        if "prepare" not in command:
            own(command)

    monkeypatch.setattr(measure, "run", run)
    monkeypatch.setattr(measure, "time", SimpleNamespace(monotonic=lambda: now[0]))
    assert measure.main(measure.Args()) == 0
    [made] = json.loads((folder / "results" / DEFAULT / "kind.json").read_text("utf-8"))["runs"]
    assert made["minutes"] == 2
