"""Agents that search, by name: `rollout:N`, `ismcts:N` and `ismcts:Ts`, for any game."""

from __future__ import annotations

import re

import numpy as np

from blackjacky_agents.agent import Agent, CompiledAgent
from blackjacky_agents.guides import guide_of
from blackjacky_agents.search import rollout_policy, tree_policy
from blackjacky_env.games import get_game

SEARCHERS = {"rollout": "PLAYOUTS", "ismcts": "SIMULATIONS"}
MOST_SIMULATIONS = 1_000_000
EXPLORATION, PRIOR = 1.0, 0.5


def make_searcher(name: str, game: str) -> Agent:
    """The searching agent called ``name``; `ValueError` says which budgets there are."""
    kind, _, budget = name.partition(":")
    guide, rules = guide_of(game), get_game(game)
    number = _read(name, budget)
    if kind == "rollout":
        policy = rollout_policy(rules, guide.policy, guide.value)
        return CompiledAgent(name, game, policy, np.append(np.float32(number), guide.parameters))
    policy = tree_policy(rules, guide.policy, guide.value)
    numbers = np.array([number, EXPLORATION, PRIOR, 0], np.float32)
    return CompiledAgent(name, game, policy, np.append(numbers, guide.parameters))


def _read(name: str, budget: str) -> int:
    if not re.fullmatch("[1-9][0-9]{0,6}", budget) or int(budget) > MOST_SIMULATIONS:
        raise ValueError(f"{name!r}: bad budget")
    return int(budget)
