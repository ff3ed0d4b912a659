"""blackjacky watch: a game as a page or in the terminal; new, from a record, or from a tournament."""

import json
import re
import sys
from pathlib import Path

import pytest

from blackjacky_agents.arena.tournaments import Tournament
from tests.every_game import TINY
from tests.replay.reading import film_in, random_game

pytestmark = pytest.mark.usefixtures("empty_folder")


def page(name="game.html"):
    return Path(name).read_text(encoding="utf-8")


def test_a_new_game_becomes_a_page(typed, empty_folder):
    command = "watch --agents champion,threshold*2 --seed 3 --playouts 20 --output"
    assert "moves" in typed(f"{command} game.html").err
    film = film_in(page())
    assert film["names"] == ["champion", "threshold 1", "threshold 2"]
    thinkers = {(seat, mind["by"]) for (seat, *_), mind in zip(film["moves"], film["thoughts"], strict=True)}
    assert thinkers == {(0, None), (1, "champion"), (2, "champion")}
    assert all(0 <= win <= 1 for row in film["wins"] for win in row)
    assert [path.name for path in empty_folder.iterdir()] == ["game.html"]
    typed(f"{command} again.html")
    assert page("again.html") == page()


def test_without_a_page_the_game_is_told_as_a_spectator_sees_it(typed):
    told, errors = typed("watch --agents random*2 --seed 1 --variant schnell_duell")
    assert errors == ""
    assert told.startswith("Black Jacky, seed 1: random 1, random 2\n\n")
    assert "seen by a spectator" in told
    assert "lowest" in told
    assert not re.search(r"draws an? \d", told)
    assert re.search(r"\n(random \d.*|Nobody) won the game\.\n$", told)


def test_a_kept_game_is_shown_with_its_names(typed):
    record, kept = random_game("black_jacky", num_players=2, hearts=1).record(), Path("kept.json")
    kept.write_text(json.dumps({"names": {"player_0": "Ada", "player_1": "Bob"}, "record": record}), encoding="utf-8")
    typed("watch --record kept.json --output game.html")
    film = film_in(page())
    assert (film["names"], len(film["moves"])) == (["Ada", "Bob"], len(record["actions"]))
    assert {mind["by"] for mind in film["thoughts"]} == {"champion"}
    assert len(film["wins"]) == len(record["actions"]) + 1
    typed("watch --record kept.json --playouts 0 --output game.html")
    film = film_in(page())
    assert (film["wins"], {mind["win"] for mind in film["thoughts"]}) == (None, {None})
    kept.write_text(json.dumps(record), encoding="utf-8")
    assert "Black Jacky: player_0, player_1\n" in typed("watch --record kept.json").out


@pytest.mark.prove
def test_a_game_of_a_tournament_is_shown(typed):
    kept = Path("3_players.jsonl")
    tournament = Tournament(["random", "threshold", "trickster"], 3, seed=2, results=kept)
    tournament.play(12, threads=1)
    for where in (kept, "."):
        typed(f"watch --tournament {where} --number 7 --output game.html")
        film = film_in(page())
        line = json.loads(kept.read_text(encoding="utf-8").splitlines()[8])
        assert film["names"] == [tournament.names[agent] for agent in line["seats"]]
        assert len(film["moves"]) == len(tournament.replay(7)["actions"])


@pytest.mark.prove
def test_a_game_of_agents_in_python_is_shown_without_their_code(typed, empty_folder):
    module = Path("somebodys.py")
    module.write_text(
        "class Agent:\n    def act(self, observation):\n        return int(observation['action_mask'].argmax())\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(empty_folder))
        Tournament(["random", "somebodys:Agent"], 2, results=Path("2_players.jsonl")).play(2, threads=1)
    sys.modules.pop("somebodys")
    module.write_text("raise AssertionError('a stranger named this module')")
    typed("watch --tournament 2_players.jsonl --output game.html")
    assert sorted(film_in(page())["names"]) == ["random", "somebodys:Agent"]


@pytest.mark.usefixtures("tiny")
def test_a_game_that_draws_nothing_is_told_and_has_a_page(typed):
    command = f"watch --game {TINY} --agents random*3 --seed 2"
    assert "won the game" in typed(command).out
    typed(f"{command} --output game.html")
    assert film_in(page())["game"] == "Tiny"
