"""Agents for the environments: bots, search, trained networks, and the registry that makes them by name."""

from blackjacky_agents.agent import Agent, CompiledAgent
from blackjacky_agents.registry import agent_names, bot_names, make_agent

__all__ = ["Agent", "CompiledAgent", "agent_names", "bot_names", "make_agent"]
