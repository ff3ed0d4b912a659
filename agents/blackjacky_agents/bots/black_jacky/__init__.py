"""Bots for Black Jacky."""

from __future__ import annotations

from typing import Any

from blackjacky_agents.bots.black_jacky import counter, threshold, trickster

BOTS: dict[str, tuple[Any, ...]] = {
    "threshold": (threshold.choose, threshold.LIMITS),
    "trickster": (trickster.choose, trickster.PARAMETERS),
    "counter": (counter.choose, counter.PARAMETERS),
}
"""Policy and parameters, if it has any, by name, the weakest first."""
