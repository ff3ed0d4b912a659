"""Policies as a user writes them, in a module of their own, so that other processes can import them."""

from __future__ import annotations

from blackjacky_env.engine.compiling import compiled


@compiled
def last_legal(observation, mask, random_state, parameters):
    """The legal action with the highest number."""
    chosen = -1
    for action in range(len(mask)):
        if mask[action]:
            chosen = action
    return chosen


@compiled
def no_action(observation, mask, random_state, parameters):
    """A policy that finds nothing."""
    return -1
