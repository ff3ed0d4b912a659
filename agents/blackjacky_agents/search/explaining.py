"""Move probabilities and win estimates of agents, for display beside a game.

An agent may have a method ``explain(observation) -> Thoughts | None`` without side effects; search agents have one. For
networks, `explain` computes the thoughts itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy.typing as npt

from blackjacky_agents.agent import Agent, CompiledAgent, asked, shown_to
from blackjacky_agents.games import get_kit
from blackjacky_agents.networks.network import action_probabilities, is_network
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_env.envs import TableEnv
from blackjacky_env.replay import Thoughts

__all__ = ["Thoughts", "explain", "play"]


def explain(agent: Agent, observation: dict[str, npt.NDArray[Any]]) -> Thoughts | None:
    """An agent's thoughts on its next move; None for agents that have none, such as most bots.

    For a search: visit fractions and the mean result at the root. For a network: its action probabilities.
    ``observation``: the argument of `Agent.act`, for the player to act. Raises `ValueError` if no action is legal.
    """
    own = getattr(agent, "explain", None)
    if own is not None:
        thoughts: Thoughts | None = own(observation)
        return thoughts
    if not isinstance(agent, CompiledAgent) or not is_network(agent):
        return None
    return Thoughts(action_probabilities(agent, observation["observation"][None], observation["action_mask"][None])[0])


def champion_of(game: str) -> CompiledAgent | None:
    """The game's last trained agent, if it has any."""
    names = list(get_kit(game).trained)
    return make_compiled_agent(names[-1], game) if names else None


def in_place_of(agent: Agent, observation: dict[str, npt.NDArray[Any]]) -> Thoughts | None:
    """What an agent would think in place of the player to act, with its name."""
    thoughts = explain(agent, observation)
    return None if thoughts is None else replace(thoughts, by=agent.name)


def play(env: TableEnv, agents: Mapping[str, Agent], instead: Agent | None = None) -> Iterator[Thoughts | None]:
    """Play a running game to its end; yields, after each move, the thoughts of the agent that made it.

    For an agent without thoughts, such as most bots, they are those of ``instead`` in its place.

    Examples:
        >>> from blackjacky_agents import make_agent
        >>> from blackjacky_agents.search.explaining import play
        >>> from blackjacky_env import black_jacky_v0, replay_html
        >>> env = black_jacky_v0.env(num_players=2)
        >>> env.reset(seed=0)
        >>> players = dict(zip(env.possible_agents, map(make_agent, ["champion", "counter"])))
        >>> thoughts = list(play(env, players))
        >>> page = replay_html(env.record(), names=["champion", "counter"], thoughts=thoughts)

    Args:
        env: the environment, with a game in progress.
        agents: agents by seat name, ``player_0`` and so on.
        instead: an agent with thoughts, or None.
    """
    while env.agents and not all(env.terminations.values()):
        agent = agents[env.agent_selection]
        observation = shown_to([agent, instead], env, env.agent_selection)
        thoughts = explain(agent, observation)
        if thoughts is None and instead is not None:
            thoughts = in_place_of(instead, observation)
        env.step(asked(agent, env)())
        yield thoughts


def replay(env: TableEnv, actions: Iterable[int], instead: Agent | None = None) -> Iterator[Thoughts | None]:
    """Take recorded actions; yields, after each, what ``instead`` would have thought in place of the player, if given.

    Args:
        env: the environment, at the start of the recorded game.
        actions: the record's actions.
        instead: an agent with thoughts, or None.
    """
    for action in actions:
        observation = shown_to([instead], env, env.agent_selection)
        thoughts = None if instead is None else in_place_of(instead, observation)
        env.step(action)
        yield thoughts
