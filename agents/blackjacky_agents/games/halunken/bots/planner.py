"""`planner`: plays every action out to the end of the round, in positions that it imagines, and takes the best one.

The unseen rogue cards, Black Jack's movement cards and the others' secret choices are imagined, choices by the chances
that `greedy` with a temperature gives them. From then on that policy plays for everybody, and `prospects.value` says
what the position at the end is worth. All actions are tried in the same positions with the same random numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from blackjacky_agents.games.halunken.bots.crew import WORK, imagine, play, shows
from blackjacky_agents.games.halunken.bots.greedy import LOOT, RUM_KEPT, TEMPERATURE, choose_move, decide
from blackjacky_agents.games.halunken.prospects import stage, value
from blackjacky_agents.kit.search import Value
from blackjacky_env.compiled import compiled, inlined, scratch, stream
from blackjacky_env.games.halunken import state

NUM_ACTIONS, SEATS, STATE = state.NUM_ACTIONS, state.SEATS, state.STATE  # a GPU takes names of constants as sizes

# Indices of the parameters: playouts of a decision, shared by its legal actions; then the parameters of `greedy`.
PLAYOUTS, HEAD = range(2)

PARAMETERS = np.array([64, 6.0, 4.0, 0.8], np.float32)
"""Chosen by hand."""
MOST = 10_000  # playouts of an action, whatever the parameters say

_FOR_CHOICES, _FOR_ACTIONS = 0, 1  # what random numbers are drawn for, beside the position itself


@inlined
def imagine_choices(s, bits, parameters, work):
    """Choose others' secret cards again, as `greedy` would."""
    for p in range(1, s.num_players):
        if s.choices[p]:
            s.choices[p] = choose_move(s, p, p, stream(bits, _FOR_CHOICES, p, 0), parameters, work)
    if s.jack_choice and s.buyer != 0:
        bits = stream(bits, _FOR_CHOICES, state.JACK, 0)
        s.jack_choice = choose_move(s, state.JACK, int(s.buyer), bits, parameters, work)


@inlined
def play_round(s, action, bits, parameters, work):
    """Take the action, then let `greedy` play for everybody until the round is over.

    Choices that follow a secret choice do not depend on it: ``work`` keeps them for other actions.
    """
    before, number, secret = stage(s), 0, is_choice(s)
    play(s, action)
    while s.decision < state.OVER and stage(s) == before:
        secret &= is_choice(s)
        if secret and work.choices[number]:
            action = int(work.choices[number])
        else:
            action = decide(s, stream(bits, _FOR_ACTIONS, number, 0), parameters, work)
            if secret:
                work.choices[number] = action
        play(s, action)
        number += 1


@inlined
def is_choice(s):
    """Whether a movement card is to be chosen in secret."""
    return s.decision in (state.CHOOSE, state.CHOOSE_FOR_JACK)


@cache
def make_estimate(value: Value) -> Callable[..., None]:
    """Compiled (observation, mask, random_state, values, parameters), with ``value`` at the end of the round.

    It fills ``values`` (float64, (74,)) with the mean value of each legal action, -1 .. 1; minus infinity elsewhere.
    """

    def estimate(observation, mask, random_state, values, parameters):
        actions, legal = scratch(NUM_ACTIONS, np.int8), 0
        for action in range(len(mask)):
            values[action] = 0.0 if mask[action] else -np.inf
            if mask[action]:
                actions[legal] = action
                legal += 1
        if legal <= 1:
            return
        samples = min(max(1, int(parameters[PLAYOUTS]) // legal), MOST)
        policy = (parameters[HEAD + TEMPERATURE], parameters[HEAD + RUM_KEPT], parameters[HEAD + LOOT])
        positions, copies = scratch(1, STATE), scratch(1, STATE)
        result, may, works = scratch(SEATS, np.float64), scratch(NUM_ACTIONS, np.int8), scratch(1, WORK)
        work = works[0]
        result[:] = 0.0
        for number in range(samples):
            bits = stream(random_state, number, 0, 0)
            imagine(observation, bits, positions[0])
            if number == 0 and not shows(positions[0], observation, may):
                return  # the observation contradicts itself: nothing can be played out
            imagine_choices(positions[0], bits, policy, work)
            work.choices[:] = 0
            for i in range(legal):
                action = int(actions[i])
                if not may[action]:  # a mask that contradicts the observation
                    values[action] = -1.0
                    continue
                copies[0] = positions[0]
                play_round(copies[0], action, bits, policy, work)
                value(copies[0], result)
                values[action] += result[0] / samples

    return compiled(estimate)


estimate = make_estimate(value)
"""With `prospects.value`."""


@compiled
def choose(observation, mask, random_state, parameters):
    """The action with the highest mean value."""
    values = scratch(NUM_ACTIONS, np.float64)
    estimate(observation, mask, random_state, values, parameters)
    return np.argmax(values)
