"""`random`: a uniformly random legal action, in any game."""

from __future__ import annotations

from blackjacky_env.compiled import below, compiled, draw


@compiled
def choose(observation, mask, random_state, parameters):
    """Any legal action, each equally likely."""
    legal = 0
    for action in range(len(mask)):
        legal += mask[action]
    wanted = below(draw(random_state, 0), legal)
    for action in range(len(mask)):
        if mask[action]:
            if wanted == 0:
                return action
            wanted -= 1
    return -1
