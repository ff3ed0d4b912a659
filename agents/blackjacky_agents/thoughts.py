"""What agents think of their moves, for those who watch.

An agent may have a method ``explain(observation) -> Thoughts | None``, which says what it would think if it were asked
to act now, and changes nothing. Searching agents have one; of agents that are networks `explain` knows the thoughts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import Agent, CompiledAgent
from blackjacky_agents.learning.network import action_probabilities, is_network
from blackjacky_env import playout
from blackjacky_env.engine import table
from blackjacky_env.engine.checks import check_integer
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import get_game
from blackjacky_env.replay import Thoughts, chance_to_win

__all__ = ["Thoughts", "explain", "play"]

MOST_PLAYOUTS = 100_000


def explain(agent: Agent, observation: dict[str, npt.NDArray[Any]], playouts: int = 0) -> Thoughts | None:
    """What an agent thinks of its moves here; None: it does not tell.

    A search tells how often it tried each move, and what came of them. A network tells how likely it would draw each
    move; it knows no chance to win, but can be let play on to find one.

    Args:
        agent: any agent.
        observation: what `Agent.act` gets, of a player on turn.
        playouts: games that a network plays on from here, hidden cards drawn anew in each and all seats played as it
            plays, to see how many it wins; 0: it tells no chance. For agents with an ``explain`` it means nothing.

    Raises `ValueError` if nothing is legal, or ``playouts`` is below 0.
    """
    check_integer("playouts", playouts, 0, MOST_PLAYOUTS)
    own = getattr(agent, "explain", None)
    if own is not None:
        thoughts: Thoughts | None = own(observation)
        return thoughts
    if not isinstance(agent, CompiledAgent) or not is_network(agent):
        return None
    vector, mask = observation["observation"], observation["action_mask"]
    chances = action_probabilities(agent, vector[None], mask[None])[0]
    return Thoughts(chances, _share_won(agent, vector, playouts) if playouts else None)


def _share_won(agent: CompiledAgent, vector: npt.NDArray[Any], playouts: int) -> float:
    """Of so many games played on from what is seen; the same each time it is asked."""
    rng = np.random.default_rng(0)
    states = [table.sample_state(get_game(agent.game), vector, rng) for _ in range(playouts)]
    rewards = playout(states, agent, games=1, threads=1)
    return chance_to_win(rewards[:, 0, 0].mean(), table.unpack(states[0])[0]["num_players"])


def play(env: TableEnv, agents: Mapping[str, Agent], playouts: int = 0) -> Iterator[Thoughts | None]:
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
        playouts: as for `explain`.
    """
    while env.agents and not all(env.terminations.values()):
        agent = agents[env.agent_selection]
        observation = env.observe(env.agent_selection)
        thoughts = explain(agent, observation, playouts)
        env.step(int(agent.act(observation)))
        yield thoughts
