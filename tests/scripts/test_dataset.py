"""blackjacky dataset: what it prints and writes, how it goes on, what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blackjacky_agents import cli
from blackjacky_agents.cli import dataset as subcommand
from blackjacky_agents.data import Dataset
from blackjacky_agents.data.writing import Writer

PLAYERS = ["--players", "threshold,random*2"]


def run(*arguments: object) -> int:
    return cli.run("dataset", [str(argument) for argument in arguments])


def test_it_writes_games_between_the_named_agents_and_says_how_large_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "data"
    options = ["--games", 30, "--games-per-file", 20, "--seed", 4, "--hearts", 1, "--licence", "CC-BY-4.0"]
    assert run(*PLAYERS, *options, "--out", folder) == 0
    told = capsys.readouterr()
    dataset = Dataset(folder)
    size = sum(path.stat().st_size for path in folder.glob("*.parquet"))
    assert f"| 30 | {dataset.decisions:,} | 2 | {size:,} | {size / 30:.1f} |" in told.out
    assert f"Data card: {folder / 'README.md'}" in told.out
    assert "30/30" in told.err
    assert dataset.description.players == ["threshold", "random", "random"]
    assert (dataset.setup.options["hearts"], dataset.description.licence) == (1, "CC-BY-4.0")
    assert dataset.description.command in (folder / "README.md").read_text(encoding="utf-8")
    assert dataset.description.command.startswith("blackjacky dataset --players 'threshold,random*2' --games 30 ")


def test_repeated_it_writes_nothing_new_and_with_more_games_it_adds_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "data"
    for games in (20, 20, 30):
        before = {path: path.read_bytes() for path in folder.glob("*.parquet")}
        assert run(*PLAYERS, "--games", games, "--games-per-file", 10, "--out", folder) == 0
        assert f"| {games} | " in capsys.readouterr().out
        assert all(path.read_bytes() == content for path, content in before.items())
    assert len(Dataset(folder)) == 30


def test_an_interrupted_one_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Writer, "write", interrupt)
    assert run(*PLAYERS, "--out", tmp_path / "data") == 130
    assert f"Games are saved in {tmp_path / 'data'}; repeat the command to resume." in capsys.readouterr().err


def test_it_verifies_what_was_written_and_names_what_was_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*PLAYERS, "--games", 10, "--out", tmp_path) == 0
    decisions = Dataset(tmp_path).decisions
    capsys.readouterr()
    assert run("--verify", "--out", tmp_path) == 0
    told = capsys.readouterr().out
    assert told == f"10 games, {decisions} decisions: the checksums are right, and all moves can be played.\n"
    (path,) = tmp_path.glob("*.parquet")
    path.write_bytes(path.read_bytes()[:-1])
    assert run("--verify", "--out", tmp_path) == 2
    assert f"{path} was changed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("", "--players is missing: name an agent for each seat, such as 'champion,random*3'"),
        ("--players random", "num_players=1 is out of range"),
        ("--players cuonter,random", "did you mean 'counter'"),
        ("--players random*2 --games 0", "--games=0 is out of range"),
        ("--players random*2 --seed -1", "--seed=-1 is out of range"),
        ("--players random*2 --games-per-file 0", "--games-per-file=0 is out of range"),
        ("--players random*2 --threads 0", "threads=0 is out of range"),
        ("--players random*2 --hand-size 9", "hand_size=9 is out of range"),
        ("--players random*2 --licence free;beer", "--licence 'free;beer' is no SPDX identifier"),
        ("--players random*2 --cluster nonsense:", "is not an address"),
        ("--verify", "holds no dataset"),
    ],
)
def test_wrong_arguments_are_named_and_leave_nothing(
    arguments: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*arguments.split()) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert printed.out == ""
    assert list(tmp_path.iterdir()) == []


def test_agents_of_the_same_name_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = subcommand.make_agent
    monkeypatch.setattr(subcommand, "make_agent", lambda name, game: found("random", game))
    assert run("--players", "random,threshold") == 2
    assert "2 agents are called 'random'" in capsys.readouterr().err


def test_a_description_names_the_versions_that_made_it(tmp_path: Path) -> None:
    assert run(*PLAYERS, "--games", 3, "--out", tmp_path) == 0
    setup = json.loads((tmp_path / "dataset.json").read_text(encoding="utf-8"))["setup"]
    assert set(setup["versions"]) == {"python", "blackjacky", "numpy", "numba"}
    assert [agent["name"] for agent in setup["agents"]] == ["threshold", "random"]
