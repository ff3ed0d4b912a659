"""Instructive positions: what bots, champions and search do there, as a measure of strength that takes a second."""

import json
from pathlib import Path

import pytest

from blackjacky_agents import make_agent
from blackjacky_env.games import GAMES
from blackjacky_env.replay import new_table

pytestmark = pytest.mark.prove

RESULTS = Path(__file__).parents[2] / "results"
FOUND = {game: path for game in GAMES if (path := RESULTS / game / "positions.json").exists()}


@pytest.mark.parametrize("game", FOUND)
def test_bot_and_champion_do_no_worse_than_when_the_positions_were_found_where_the_best_action_stands_first(game):
    found = json.loads(FOUND[game].read_text("utf-8"))
    names = (found["settings"]["bot"], found["settings"]["champion"])
    lost = dict.fromkeys(names, 0.0)
    for each in found["rows"]:
        costs = [cost["mean"] for cost in each["costs"]]
        assert costs[0] == 0
        assert costs == sorted(costs)
        env = new_table(each["record"])
        env.replay(each["record"])
        for name in names:
            agent = make_agent(name, game)
            agent.reset(0)
            action = agent.act(env.observe(env.agent_selection))
            lost[name] += cost_of(each, action) - cost_of(each, each["chosen"][name])
    assert all(more <= 1e-9 for more in lost.values()), lost


def cost_of(each, action):
    """What an action costs; those that nobody thought of count as the worst."""
    costs = [cost["mean"] for cost in each["costs"]]
    return float(costs[each["actions"].index(action)] if action in each["actions"] else max(costs))
