"""Bots for Schwarze Katze."""

from __future__ import annotations

from typing import Any

from blackjacky_agents.bots.schwarze_katze import counter, low

BOTS: dict[str, tuple[Any, ...]] = {
    "low": (low.choose,),
    "counter": (counter.choose, counter.PARAMETERS),
}
"""Policy and parameters, if it has any, by name, the weakest first."""
