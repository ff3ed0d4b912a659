"""The replay of a finished game, with the thoughts of the game's strongest agent on every move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from blackjacky_agents.agent import Agent
from blackjacky_agents.games import get_kit
from blackjacky_agents.registry import make_agent
from blackjacky_agents.thoughts import Thoughts, explain
from blackjacky_env.replay import new_table, replay_html


def replay_page(recorded: Mapping[str, Any]) -> str:
    """The replay page of a game recorded by `Table.record`.

    Raises `NotImplementedError` if the game has no picture.
    """
    record, names = recorded["record"], list(recorded["names"].values())
    agent = strongest(record["game"])
    if agent is None:
        return str(replay_html(record, names=names))
    return str(replay_html(record, names=names, thoughts=list(thoughts_on(record, agent)), thoughts_by=agent.name))


def strongest(game: str) -> Agent | None:
    """The game's last trained agent, if it has any."""
    trained = list(get_kit(game).trained)
    return make_agent(trained[-1], game) if trained else None


def thoughts_on(record: Mapping[str, Any], agent: Agent) -> Iterator[Thoughts | None]:
    """What the agent would have done in place of each player, by move."""
    env = new_table(record)
    for action in record["actions"]:
        yield explain(agent, env.observe(env.agent_selection))
        env.step(action)
