"""The trained agents that the package ships are those that their cards describe."""

import json
from pathlib import Path

import pytest

import blackjacky_agents
from blackjacky_agents import bot_names, make_agent
from blackjacky_agents.arena.evaluation import against_copies

FOLDER = Path(blackjacky_agents.__file__).parent / "trained"
AGENTS = sorted(path.stem for path in FOLDER.glob("*.safetensors"))


def card(name):
    """What the card says."""
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


def results(name):
    """Rows of the card by table size and opponent."""
    return {(row["players"], row["opponents"]): row for row in card(name)["results"]}


def test_every_preset_has_left_an_agent():
    assert AGENTS == ["champion", "full", "quick", "schwarze_katze_champion"]


def test_they_are_small():
    assert all(path.stat().st_size < 1_000_000 for path in FOLDER.iterdir())


def test_the_quick_preset_beats_the_simple_bots():
    rows = results("quick")
    assert rows[4, "threshold"]["low"] > 0.25
    assert rows[4, "random"]["win_rate"] >= 0.85


def test_the_full_preset_beats_counter_at_every_size_that_was_tested():
    assert all(row["low"] > row["par"] for (_, opponent), row in results("full").items() if opponent == "counter")


def test_the_champion_of_schwarze_katze_beats_three_counter():
    row = results("schwarze_katze_champion")[4, "counter"]
    assert row["low"] > row["par"] == 0.25
    assert make_agent("champion", "schwarze_katze").name == "champion"


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_plays_as_its_card_says(name):
    game = card(name)["game"]
    simple = bot_names(game)[1]
    agent = make_agent(f"ppo:{FOLDER / name}.safetensors", game)
    score = against_copies(agent, [make_agent(simple, game)], 4, 500, seed=10**9, game=game)[0]
    assert score.low < results(name)[4, simple]["win_rate"] < score.high
