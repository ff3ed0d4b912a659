"""The trained agents that the package ships are those that their cards describe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from blackjacky_agents import bot_names, make_agent
from blackjacky_agents.arena.evaluation import against_copies
from blackjacky_agents.games import get_kit
from blackjacky_agents.learning.agent_file import read_card
from blackjacky_env.games import GAMES


def folder_of(game: str) -> Path:
    """Where the weights of a game's trained agents lie."""
    return next(iter(get_kit(game).trained.values())).parent


TRAINED = [path for game in GAMES if get_kit(game).trained for path in sorted(folder_of(game).glob("*.safetensors"))]


def results(game: str, name: str) -> dict[tuple[int, str], Any]:
    """Rows of an agent's card by table size and opponent."""
    card = read_card(folder_of(game) / f"{name}.safetensors")
    return {(row["players"], row["opponents"]): row for row in card["results"]}


def test_every_preset_has_left_an_agent() -> None:
    names = {game: [path.stem for path in TRAINED if path.parent == folder_of(game)] for game in GAMES}
    assert names == {
        "black_jacky": ["champion", "full", "quick"],
        "schwarze_katze": ["champion"],
        "halunken": ["champion"],
        "black_spy": ["champion"],
    }


def test_they_are_small() -> None:
    assert all(file.stat().st_size < 1_500_000 for path in TRAINED for file in path.parent.iterdir())


def test_the_quick_preset_beats_the_simple_bots() -> None:
    rows = results("black_jacky", "quick")
    assert rows[4, "threshold"]["low"] > 0.25
    assert rows[4, "random"]["win_rate"] >= 0.85


@pytest.mark.parametrize(
    ("game", "name", "opponent", "sizes"),
    [
        ("black_jacky", "full", "counter", None),  # None: every size that was tested
        ("schwarze_katze", "champion", "counter", {4}),
        ("halunken", "champion", "planner", {2, 4}),
        ("black_spy", "champion", "counter", {4}),
    ],
)
def test_an_agent_beats_the_strongest_bot(game: str, name: str, opponent: str, sizes: set[int] | None) -> None:
    rows = {players: row for (players, other), row in results(game, name).items() if other == opponent}
    assert rows.keys() >= (sizes or {4})
    assert all(rows[players]["low"] > rows[players]["par"] == 1 / players for players in sizes or rows)


@pytest.mark.parametrize("path", TRAINED, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_an_agent_plays_as_its_card_says(path: Path) -> None:
    card = read_card(path)
    game, simple = card["game"], bot_names(card["game"])[1]
    score = against_copies(make_agent(f"ppo:{path}", game), [make_agent(simple, game)], 4, 500, seed=10**9, game=game)[
        0
    ]
    assert score.low < results(game, path.stem)[4, simple]["win_rate"] < score.high
