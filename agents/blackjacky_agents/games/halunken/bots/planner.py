"""`planner`: plays every action out to the end of the round, in positions that it imagines, and takes the best one.

The unseen rogue cards, Black Jack's movement cards and the others' secret choices are imagined, choices by the chances
that `greedy` with a temperature gives them. From then on that policy plays for everybody, and `prospects.value` says
what the position at the end is worth. All actions are tried in the same positions with the same random numbers.
"""

from __future__ import annotations

import numpy as np

from blackjacky_agents.games.halunken.bots.crew import imagine, play, shows
from blackjacky_agents.games.halunken.bots.greedy import choose_move, decide
from blackjacky_agents.games.halunken.prospects import stage, value
from blackjacky_env.engine.compiling import compiled, scratch
from blackjacky_env.engine.random import stream
from blackjacky_env.games.halunken.state import JACK, NUM_ACTIONS, OVER, SEATS, STATE

# Indices of the parameters: playouts of a decision, shared by its legal actions; then the parameters of `greedy`.
PLAYOUTS, HEAD = range(2)

PARAMETERS = np.array([64, 6.0, 4.0, 0.8], np.float32)
"""Chosen by hand."""

_FOR_CHOICES, _FOR_ACTIONS = 0, 1  # what random numbers are drawn for, beside the position itself


@compiled
def choose(observation, mask, random_state, parameters):
    """The action with the highest mean value."""
    values = scratch(NUM_ACTIONS, np.float64)
    estimate(observation, mask, random_state, values, parameters)
    return np.argmax(values)


@compiled
def estimate(observation, mask, random_state, values, parameters):
    """Fill ``values`` (float64, (74,)) with the mean value of each legal action, -1 .. 1; minus infinity elsewhere."""
    legal = 0
    for action in range(len(mask)):
        values[action] = 0.0 if mask[action] else -np.inf
        legal += mask[action]
    if legal <= 1:
        return
    samples = max(1, int(parameters[PLAYOUTS]) // legal)
    positions, copies = scratch(1, STATE), scratch(1, STATE)
    result, may = scratch(SEATS, np.float64), scratch(NUM_ACTIONS, np.int8)
    result[:] = 0.0
    for number in range(samples):
        bits = stream(random_state, number, 0, 0)
        imagine(observation, bits, positions[0])
        if number == 0 and not shows(positions[0], observation, may):
            return  # the observation contradicts itself: nothing can be played out
        imagine_choices(positions[0], bits, parameters[HEAD:])
        for action in range(len(mask)):
            if mask[action] and not may[action]:  # a mask that contradicts the observation
                values[action] = -1.0
            elif mask[action]:
                copies[0] = positions[0]
                play_round(copies[0], action, bits, parameters)
                value(copies[0], result)
                values[action] += result[0] / samples


@compiled
def imagine_choices(s, bits, parameters):
    """Choose others' secret cards again, as `greedy` would."""
    for p in range(1, s.num_players):
        if s.choices[p]:
            s.choices[p] = choose_move(s, p, p, stream(bits, _FOR_CHOICES, p, 0), parameters)
    if s.jack_choice and s.buyer != 0:
        bits = stream(bits, _FOR_CHOICES, JACK, 0)
        s.jack_choice = choose_move(s, JACK, int(s.buyer), bits, parameters)


@compiled
def play_round(s, action, bits, parameters):
    """Take the action, then let `greedy` play for everybody until the round is over."""
    before, number = stage(s), 0
    play(s, action)
    while s.decision < OVER and stage(s) == before:
        play(s, decide(s, stream(bits, _FOR_ACTIONS, number, 0), parameters[HEAD:]))
        number += 1
