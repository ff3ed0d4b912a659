"""Agents for the environments: bots, search, trained networks, and the registry that makes them by name."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blackjacky_agents.agent import Agent, CompiledAgent
    from blackjacky_agents.registry import agent_names, bot_names, make_agent

__all__ = ["Agent", "CompiledAgent", "agent_names", "bot_names", "make_agent"]


def __getattr__(name: str) -> object:
    """A name of ``__all__``, imported on first use, so that commands can handle Ctrl-C before anything slow begins."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "agent" if name.endswith("Agent") else "registry"
    return getattr(importlib.import_module(f"{__name__}.{module}"), name)
