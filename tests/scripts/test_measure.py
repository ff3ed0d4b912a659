"""scripts/measure.py: what is missing is made by the commands of results/results.toml, and put into the form."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path

import pytest

from scripts import measure, results

ENTRY = """
[ladder]
games = ["black_jacky", "halunken"]
what = "Who beats whom."
commands = ["blackjacky tournament --game {game} --games {games} --ladder {output}"]
rows = "tables"
settings = ["variant"]
weights = ["champion"]
black_jacky = { games = 5 }
halunken = { games = 6 }

[speed]
what = "How fast."
commands = ["python -m scripts.speed --write"]
"""


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands that were run, which write a table each; all files are in a folder of the test."""
    commands: list[str] = []

    def run(command: str) -> None:
        commands.append(command)
        if "--ladder" in command:
            content = json.dumps({"tables": [{"num_players": 4}], "variant": "classic"})
            (tmp_path / shlex.split(command)[-1]).write_text(content, "utf-8")

    (tmp_path / "results.toml").write_text(ENTRY, "utf-8")
    for module, name, value in (
        (measure, "LIST", tmp_path / "results.toml"),
        (measure, "FOLDER", tmp_path / "runs"),
        (measure, "ROOT", tmp_path),
        (measure, "run", run),
        (results, "RESULTS", tmp_path / "results"),
    ):
        monkeypatch.setattr(module, name, value)
    return commands


def test_what_is_missing_or_of_other_weights_is_made(typed: list[str], tmp_path: Path) -> None:
    assert measure.main(measure.Args()) == 0
    output = "runs/black_jacky-ladder.json"
    assert typed[0] == f"blackjacky tournament --game black_jacky --games 5 --ladder {output}"
    assert len(typed) == 3
    found = results.load("ladder", "black_jacky")
    assert found is not None
    assert (found["rows"], found["settings"]) == ([{"num_players": 4}], {"variant": "classic"})
    assert found["weights"] == {"champion": results.shipped("black_jacky")["champion"]}
    measure.main(measure.Args(("ladder",)))
    assert len(typed) == 3
    path = results.path_of("ladder", "halunken")
    path.write_text(path.read_text("utf-8").replace(results.shipped("halunken")["champion"], "0" * 64), "utf-8")
    measure.main(measure.Args(("ladder",)))
    assert [command.split()[3] for command in typed[3:]] == ["halunken"]
    measure.main(measure.Args(("ladder",), game="black_jacky", again=True, dry=True))
    assert len(typed) == 4
    assert measure.main(measure.Args(("nothing",))) == 2


def test_the_list_names_modules_that_exist_and_results_in_the_form() -> None:
    for name, entry in tomllib.loads((results.RESULTS / "results.toml").read_text("utf-8")).items():
        for game in entry.get("games", [None]):
            for command in measure.commands_of(entry, game, measure.FOLDER / f"{name}.json"):
                words = command.split()
                module = results.ROOT / f"{words[2].replace('.', '/')}.py"
                assert module.exists() or not words[2].startswith("scripts."), command
