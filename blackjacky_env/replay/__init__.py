"""Replays: a recorded game as a single HTML file that plays it back.

Examples:
    >>> from blackjacky_env import black_jacky_v0, replay_html
    >>> env = black_jacky_v0.env(num_players=3)
    >>> env.reset(seed=0)
    >>> env.step(int(env.last()[0]["action_mask"].argmax()))
    >>> page = replay_html(env.record(), names=["Ada", "Bob", "Cem"])
    >>> page.startswith("<!doctype html>")
    True

Write the page to a file, or make it the last line of a notebook cell to show it there.
"""

from __future__ import annotations

from blackjacky_env.replay.film import ENGLISH, Translation, new_table
from blackjacky_env.replay.page import ReplayPage, late_judgement, replay_html
from blackjacky_env.replay.thoughts import Thoughts, WinCurve, chance_to_win

__all__ = [
    "ENGLISH",
    "ReplayPage",
    "Thoughts",
    "Translation",
    "WinCurve",
    "chance_to_win",
    "late_judgement",
    "new_table",
    "replay_html",
]
