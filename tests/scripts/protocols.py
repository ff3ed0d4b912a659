"""A small protocol in place of a game's published one."""

from __future__ import annotations

from dataclasses import replace

from blackjacky_agents.arena.protocol import Protocol, Rate, ScoreTable, custom_protocol

GAME = "black_jacky"


def small_protocol() -> Protocol:
    """A protocol of two small tables, version 7."""
    tables = (ScoreTable(2, "classic", ("threshold",)), ScoreTable(3, "classic", ("random", "threshold")))
    rates = {"random": (Rate(0.03, 0.001), Rate(0.1, 0.001)), "champion": (Rate(0.96, 0.001), Rate(0.8, 0.001))}
    return replace(custom_protocol(GAME), name=f"{GAME}/7", tables=tables, references=rates)
