"""Bots for Schwarze Katze."""

from __future__ import annotations

from blackjacky_agents.bots.schwarze_katze import counter, low

BOTS = {
    "low": (low.choose, None),
    "counter": (counter.choose, counter.PARAMETERS),
}
"""Policy and parameters by name, the weakest first."""
