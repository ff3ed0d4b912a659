"""The replay of a finished game, with the thoughts of the game's strongest agent on every move.

It has a win estimate for every move, from playouts by that agent, and what people's moves cost where the agent would
have made others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from blackjacky_agents.agent import Agent, CompiledAgent
from blackjacky_agents.thoughts import Thoughts, champion_of, cost_of, in_place_of
from blackjacky_env.replay import new_table, replay_html

PLAYOUTS = 3000
"""Playouts for the win estimates of a whole replay, shared among its moves; they take up to half a minute."""
_FEWEST, _MOST = 12, 200  # for one move
_COSTS = 12  # moves of people whose cost is estimated: those that the agent finds least probable


def replay_page(recorded: Mapping[str, Any], people: Collection[int] = ()) -> str:
    """The replay page of a game recorded by `Table.record`; ``people``: the seats whose moves are judged.

    Raises `NotImplementedError` if the game has no picture.
    """
    record, names = recorded["record"], list(recorded["names"].values())
    agent = champion_of(record["game"])
    if agent is None:
        return str(replay_html(record, names=names))
    return str(replay_html(record, names=names, thoughts=judged(record, agent, people)))


def thoughts_on(record: Mapping[str, Any], agent: Agent) -> Iterator[Thoughts | None]:
    """What the agent would have done in place of each player, by move, with estimates of winning."""
    env, actions = new_table(record), record["actions"]
    playouts = min(max(PLAYOUTS // max(len(actions), 1), _FEWEST), _MOST)
    for action in actions:
        yield in_place_of(agent, env.observe(env.agent_selection), playouts)
        env.step(action)


def judged(record: Mapping[str, Any], agent: Agent, people: Collection[int]) -> list[Thoughts | None]:
    """The same, with the cost of people's moves that the agent would not have made."""
    thoughts, env, costly = list(thoughts_on(record, agent)), new_table(record), {}
    if not isinstance(agent, CompiledAgent):
        return thoughts
    surprise = _surprises(record, thoughts, people)
    for number, action in enumerate(record["actions"]):
        if number in surprise:
            costly[number] = cost_of(env, agent, action, surprise[number])
        env.step(action)
    return [each and replace(each, cost=costly.get(number)) for number, each in enumerate(thoughts)]


def _surprises(record: Mapping[str, Any], thoughts: list[Thoughts | None], people: Collection[int]) -> dict[int, int]:
    """By number of the move: the action that the agent would have taken instead, where it differs most."""
    env, found = new_table(record), []
    for number, (action, mind) in enumerate(zip(record["actions"], thoughts, strict=True)):
        seat = env.possible_agents.index(env.agent_selection)
        if mind is not None and seat in people and (best := int(mind.probabilities.argmax())) != action:
            found.append((float(mind.probabilities[action]), number, best))
        env.step(action)
    return {number: best for _, number, best in sorted(found)[:_COSTS]}
