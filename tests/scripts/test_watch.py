"""blackjacky watch: a game as a page or in the terminal; new, from a record, or from a tournament."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from blackjacky_agents import cli
from blackjacky_agents.arena.tournament import Tournament
from blackjacky_env import black_jacky_v0
from tests.every_game import TINY, with_tiny
from tests.replay.reading import film_in, random_game


def run(*args: object) -> int:
    """The exit status."""
    return cli.run("watch", [str(arg) for arg in args])


def page_in(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_a_new_game_becomes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "game.html"
    assert run("--players", "champion,threshold*2", "--seed", 3, "--playouts", 20, "--out", out) == 0
    film = film_in(page_in(out))
    assert film["names"] == ["champion", "threshold 1", "threshold 2"]
    thinkers = {(seat, mind["by"]) for (seat, *_), mind in zip(film["moves"], film["thoughts"], strict=True)}
    assert thinkers == {(0, None), (1, "champion"), (2, "champion")}
    assert all(0 <= win <= 1 for row in film["wins"] for win in row)
    assert "20 samples" in film["note"]
    assert "moves" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [out]
    again = tmp_path / "again.html"
    assert run("--players", "champion,threshold*2", "--seed", 3, "--playouts", 20, "--out", again) == 0
    assert page_in(again) == page_in(out)


def test_without_a_page_the_game_is_told_as_a_spectator_sees_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--players", "random*2", "--seed", 1, "--variant", "schnell_duell") == 0
    told, errors = capsys.readouterr()
    assert errors == ""
    assert told.startswith("Black Jacky, seed 1: random 1, random 2\n\n")
    assert "seen by a spectator" in told
    assert "Settlement of round 1" in told
    assert not re.search(r"draws an? \d", told)
    assert re.search(r"\n(random \d.*|Nobody) won the game\.\n$", told)


def test_the_terminal_tells_what_one_player_sees(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--players", "random*3", "--seed", 4, "--seat", 1) == 0
    told = capsys.readouterr().out
    assert "seen by random 2" in told
    assert re.search(r"random 2 draws an? \d", told)
    assert not re.search(r"random [13] draws an? \d", told)


def test_schwarze_katze_is_told_with_its_rule_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--game", "schwarze_katze", "--players", "low,random*2", "--deals", 1, "--seed", 1) == 0
    told = capsys.readouterr().out
    assert len(re.findall(r"takes the trick(?:: penalty \d+)?\.", told)) == 17
    assert len(re.findall(r"gets \d+ in this deal\.|takes no trick in this deal: 50 ", told)) == 3


def test_a_kept_game_is_shown_with_its_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = random_game("black_jacky", num_players=2, hearts=1).record()
    kept, out = tmp_path / "kept.json", tmp_path / "game.html"
    kept.write_text(json.dumps({"names": {"player_0": "Ada", "player_1": "Bob"}, "record": record}), encoding="utf-8")
    assert run("--record", kept, "--out", out) == 0
    film = film_in(page_in(out))
    assert (film["names"], len(film["moves"])) == (["Ada", "Bob"], len(record["actions"]))
    assert {mind["by"] for mind in film["thoughts"]} == {"champion"}
    assert len(film["wins"]) == len(record["actions"]) + 1
    assert run("--record", kept, "--playouts", 0, "--out", out) == 0
    film = film_in(page_in(out))
    assert (film["wins"], {mind["win"] for mind in film["thoughts"]}) == (None, {None})
    kept.write_text(json.dumps(record), encoding="utf-8")
    capsys.readouterr()
    assert run("--record", kept) == 0
    assert "Black Jacky: player_0, player_1\n" in capsys.readouterr().out


def test_a_game_of_a_tournament_is_shown(tmp_path: Path) -> None:
    kept = tmp_path / "3_players.jsonl"
    tournament = Tournament(["random", "threshold", "trickster"], 3, seed=2, results=kept)
    tournament.play(12, threads=1)
    for where in (kept, tmp_path):
        assert run("--tournament", where, "--number", 7, "--out", tmp_path / "game.html") == 0
        film = film_in(page_in(tmp_path / "game.html"))
        line = json.loads(kept.read_text(encoding="utf-8").splitlines()[7])
        assert film["names"] == [tournament.names[agent] for agent in line["seats"]]
        env = black_jacky_v0.env(num_players=3)
        record = tournament.replay(7)
        env.replay(record)
        assert len(film["moves"]) == len(record["actions"])
        assert env.snapshot()["winners"] == line["winners"]


def test_a_game_of_agents_in_python_is_shown_without_their_code(tmp_path: Path) -> None:
    module = tmp_path / "somebodys.py"
    module.write_text(
        "class Agent:\n    def act(self, observation):\n        return int(observation['action_mask'].argmax())\n"
    )
    kept, name = tmp_path / "2_players.jsonl", "somebodys:Agent"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(tmp_path))
        Tournament(["random", name], 2, results=kept).play(2, threads=1)
    sys.modules.pop("somebodys")
    module.write_text("raise AssertionError('a stranger named this module')")
    assert run("--tournament", kept, "--out", tmp_path / "game.html") == 0
    assert sorted(film_in(page_in(tmp_path / "game.html"))["names"]) == ["random", name]


def test_a_game_without_a_picture_is_told_and_has_no_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with with_tiny():
        assert run("--game", TINY, "--players", "random*3", "--seed", 2) == 0
        assert "won the game" in capsys.readouterr().out
        assert run("--game", TINY, "--players", "random*3", "--out", tmp_path / "game.html") == 2
        assert "error: Tiny has no picture, so there is no replay of it" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a record: it must be the result of env.record()"),
        ("{}", "this record lacks game"),
        ('{"names": ["Ada"], "record": {}}', "this record lacks game"),
        ('{"record": 5}', "a record is a mapping, not int"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_files_that_hold_no_game_are_named(
    content: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.json"
    path.write_text(content, encoding="utf-8")
    assert run("--record", path, "--out", tmp_path / "game.html") == 2
    assert message in capsys.readouterr().err


def test_a_tournament_whose_card_is_damaged_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for content in ("[" * 100_000, '{"setup": 1}'):
        (tmp_path / "games.jsonl").touch()
        (tmp_path / "games.json").write_text(content, encoding="utf-8")
        assert run("--tournament", tmp_path / "games.jsonl") == 2
        assert "is not the card of a tournament, or is damaged" in capsys.readouterr().err
