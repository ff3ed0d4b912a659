"""Policies and agents as a user writes them, in a module of their own, so that other processes can import them."""

import numpy as np

from blackjacky_env.compiled.compiling import compiled


@compiled
def first_legal(observation, mask, random_state, parameters):
    return np.argmax(mask)


@compiled
def last_legal(observation, mask, random_state, parameters):
    return len(mask) - 1 - np.argmax(mask[::-1])


@compiled
def no_action(observation, mask, random_state, parameters):
    return -1


@compiled
def scribbling(observation, mask, random_state, parameters):
    """`first_legal`, which uses what it was shown as scratch memory."""
    action = np.argmax(mask)
    observation[:] = 0
    mask[:] = 1 - mask
    return action


@compiled
def at_times_illegal(observation, mask, random_state, parameters):
    """`first_legal`, but for what sums up to a multiple of 29."""
    return 99 if observation.sum() % 29 == 0 else np.argmax(mask)


@compiled
def cheating(observation, mask, random_state, parameters):
    """An illegal action, which the policy has written into its mask."""
    action = np.argmin(mask)
    mask[action] = 1
    return action


class Follower:
    """Plays the first legal action (or a given one) and remembers what it was shown; it is not compiled."""

    name = "follower"

    def __init__(self, action=None, game="black_jacky"):
        self.action, self.game = action, game
        self.shown = []
        self.seeds = []

    def reset(self, seed=None):
        self.seeds.append(seed)

    def act(self, observation):
        self.shown.append(observation)
        return int(np.flatnonzero(observation["action_mask"])[0]) if self.action is None else self.action
