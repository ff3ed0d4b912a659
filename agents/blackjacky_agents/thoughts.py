"""What agents think of their moves, for those who watch.

An agent may have a method ``explain(observation) -> Thoughts | None``, which says what it would think if it were asked
to act now, and changes nothing. Searching agents have one; of agents that are networks `explain` knows the thoughts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy.typing as npt

from blackjacky_agents.agent import Agent
from blackjacky_agents.network import action_probabilities, is_network
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.replay import Thoughts

__all__ = ["Thoughts", "explain", "play"]


def explain(agent: Agent, observation: dict[str, npt.NDArray[Any]]) -> Thoughts | None:
    """What an agent thinks of its moves here; None: it does not tell.

    ``observation`` is what `Agent.act` gets, of a player on turn; `ValueError` if nothing is legal. A network tells how
    likely it would draw each action, and no chance to win: it has none.
    """
    own = getattr(agent, "explain", None)
    if own is not None:
        thoughts: Thoughts | None = own(observation)
        return thoughts
    if not is_network(agent):
        return None
    return Thoughts(action_probabilities(agent, observation["observation"][None], observation["action_mask"][None])[0])


def play(env: TableEnv, agents: Mapping[str, Agent]) -> Iterator[Thoughts | None]:
    """Play a running game to its end; yields, after each move, what the agent that made it thought before.

    Example:
        >>> from blackjacky_agents import make_agent
        >>> from blackjacky_agents.thoughts import play
        >>> from blackjacky_env import black_jacky_v0, replay_html
        >>> env = black_jacky_v0.env(num_players=2)
        >>> env.reset(seed=0)
        >>> players = dict(zip(env.possible_agents, map(make_agent, ["champion", "counter"])))
        >>> thoughts = list(play(env, players))
        >>> page = replay_html(env.record(), names=["champion", "counter"], thoughts=thoughts)

    Args:
        env: a game that is running.
        agents: by the name of their seat, ``player_0`` .. .
    """
    while env.agents and not all(env.terminations.values()):
        agent = agents[env.agent_selection]
        observation = env.observe(env.agent_selection)
        thoughts = explain(agent, observation)
        env.step(int(agent.act(observation)))
        yield thoughts
