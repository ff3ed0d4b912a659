"""Bots for Black Jacky."""

from __future__ import annotations

from blackjacky_agents.bots.black_jacky import counter, threshold, trickster

BOTS = {
    "threshold": (threshold.choose, threshold.LIMITS),
    "trickster": (trickster.choose, trickster.PARAMETERS),
    "counter": (counter.choose, counter.PARAMETERS),
}
"""Policy and parameters by name, the weakest first."""
