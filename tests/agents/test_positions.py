"""Instructive positions: what bots, champions and search do there, as a measure of strength that takes a second."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blackjacky_agents import make_agent
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_agents.search.guided import compare_actions
from blackjacky_env.games import DEFAULT, GAMES
from blackjacky_env.replay import new_table
from tests.games.black_jacky.rigging import DRAW, KNOCK, NO_TRICK, one_round

RESULTS = Path(__file__).parents[2] / "agents" / "results"
FOUND = {game: path for game in GAMES if (path := RESULTS / game / "positions.json").exists()}


@pytest.mark.parametrize("game", FOUND)
def test_bot_and_champion_do_no_worse_than_when_the_positions_were_found(game: str) -> None:
    found = json.loads(FOUND[game].read_text("utf-8"))
    names = (found["bot"], found["champion"])
    lost = dict.fromkeys(names, 0.0)
    for each in found["positions"]:
        env = new_table(each["record"])
        env.replay(each["record"])
        for name in names:
            agent = make_agent(name, game)
            agent.reset(0)
            action = agent.act(env.observe(env.agent_selection))
            lost[name] += cost_of(each, action) - cost_of(each, each["chosen"][name])
    assert all(more <= 1e-9 for more in lost.values()), lost


def cost_of(each: dict[str, Any], action: int) -> float:
    """What an action costs; those that nobody thought of count as the worst."""
    costs = [cost["mean"] for cost in each["costs"]]
    return float(costs[each["actions"].index(action)] if action in each["actions"] else max(costs))


@pytest.mark.parametrize("game", FOUND)
def test_the_best_action_stands_first_and_costs_nothing(game: str) -> None:
    for each in json.loads(FOUND[game].read_text("utf-8"))["positions"]:
        costs = [cost["mean"] for cost in each["costs"]]
        assert costs[0] == 0
        assert costs == sorted(costs)
        assert all(cost["low"] <= cost["mean"] <= cost["high"] for cost in each["costs"])
        assert set(each["chosen"].values()) <= set(each["actions"])


def test_actions_are_compared_in_the_same_positions() -> None:
    """The other has knocked with one card, at most a 3: with two cards I win, with one I may lose."""
    table = one_round([[3], [1]], start=1, max_card=3, hand_size=1, tricks=(), hearts=1)
    table.play(NO_TRICK, KNOCK, NO_TRICK)
    champion, seen = make_compiled_agent("champion", DEFAULT), table.env.observe("player_0")["observation"]
    first, other = compare_actions(champion, seen, [DRAW, KNOCK], 200)
    assert (first.mean, first.low, first.high) == (0, 0, 0)
    assert -1 <= other.low <= other.mean <= other.high < 0
    (_, back) = compare_actions(champion, seen, [KNOCK, DRAW], 200)
    np.testing.assert_allclose(back.mean, -other.mean)


@pytest.mark.parametrize(
    ("actions", "positions", "said"),
    [
        ([DRAW, 60], 10, r"actions \[60\] are illegal; allowed are \["),
        ([DRAW, 1000], 10, r"actions \[1000\] are illegal"),
        ([DRAW] * 9, 10, r"number of actions=9 is out of range; allowed are 1 \.\. 8"),
        ([], 10, "number of actions=0"),
        ([DRAW], 1, "positions=1 is out of range"),
    ],
)
def test_what_compiled_code_could_not_bear_is_refused(actions: list[int], positions: int, said: str) -> None:
    table = one_round([[3], [1]], start=1, max_card=3, hand_size=1, tricks=(), hearts=1)
    table.play(NO_TRICK, KNOCK, NO_TRICK)
    seen = table.env.observe("player_0")["observation"]
    with pytest.raises(ValueError, match=said):
        compare_actions(make_compiled_agent("champion", DEFAULT), seen, actions, positions)
