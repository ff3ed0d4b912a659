"""blackjacky evaluate: agents at one table, and what is said about them."""

import json

import pytest

from blackjacky_agents import make_agent
from blackjacky_agents.arena.evaluation import at_one_table
from blackjacky_agents.intervals import wilson
from tests.every_game import TINY

pytestmark = pytest.mark.usefixtures("empty_folder")


def percent(*numbers):
    return " .. ".join(f"{100 * number:.1f} %" for number in numbers)


def test_equal_agents_are_one_row_with_the_interval_of_their_joint_wins(typed):
    first, threshold, second = at_one_table([make_agent(name) for name in ("random", "threshold", "random")], 400)
    low, high = wilson(first.win_rate + second.win_rate, 400)
    told = typed("evaluate --agents random,threshold,random --games 400").out
    mean = (first.win_rate + second.win_rate) / 2
    assert f"\n| random x2, each | {percent(mean)} | {percent(low / 2, high / 2)} | 33.3 % |" in told
    assert f"\n| threshold | {percent(threshold.win_rate)} | {percent(threshold.low, threshold.high)} |" in told


def test_the_results_are_printed_and_kept_with_everything_that_decides_them(typed, empty_folder):
    options = "--games 50 --seed 3 --hearts 1 --tricks 1 5 --max-turns-per-round None --output kept.json"
    printed = typed(f"evaluate --agents threshold,random {options}").out
    (kept,) = empty_folder.iterdir()
    stored = json.loads(kept.read_text("utf-8"))
    rules = {"hearts": 1, "tricks": [1, 5], "max_turns_per_round": None}
    names = ("threshold", "random")
    scores = dict(zip(names, at_one_table([*map(make_agent, names)], 50, 3, **rules), strict=True))
    for row in stored["results"]:
        assert (row["seats"], row["games"], row["win_rate"]) == (1, 50, scores[row["agent"]].win_rate)
    assert stored["rules"] == {"max_card": 8, "bust_at": 21, "hand_size": 2, "deck": None, **rules}
    assert [stored[name] for name in ("agents", "games", "seed", "variant")] == ["threshold,random", 50, 3, "classic"]
    assert stored["command"] in printed


@pytest.mark.usefixtures("tiny")
def test_it_plays_a_game_that_it_does_not_know(typed):
    evaluate = f"evaluate --game {TINY} --agents"
    assert "| random x3, each |" in typed(f"{evaluate} random*3 --games 30").out
    assert "num_players=4 is out of range; allowed are 2 .. 3" in typed(f"{evaluate} random*4", status=2).err
