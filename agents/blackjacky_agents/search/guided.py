"""Search guided by a network: its most probable actions are played out from the same positions by the network.

This is the rollout algorithm (Tesauro and Galperin, "On-line policy improvement using Monte-Carlo search", NIPS 1996)
with a network as the policy that is improved, on sampled positions, with three ideas against noise, which is what
search in such games suffers from:

- Common random numbers: all actions face the same hidden cards and the same future draws, so that their differences
  vary less than their values.
- Sequential halving (Karnin, Koren and Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013): after
  each phase the worse half of the actions is dropped.
- The network's logits are the prior. The advantage of an action over the network's favourite has a normal prior, with a
  lower mean for a lower logit, and the action with the highest posterior mean is taken. So with few simulations, or
  results that hardly differ, the network's choice stands.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.games import find_encoding, get_kit
from blackjacky_agents.kit.encoding import Encoding
from blackjacky_agents.kit.search import PROPOSALS, SearchConfig
from blackjacky_agents.networks.network import check_network, forward, network_policy, softmax, widest
from blackjacky_agents.search.playing_on import WIN, make_new_scratch, make_play_on, one_policy, searched
from blackjacky_agents.search.search_tree import check_budget
from blackjacky_env.compiled import Policy, compiled
from blackjacky_env.declare import Game
from blackjacky_env.games import get_game
from blackjacky_env.play import NONE, only_legal

SIMULATIONS, LEAST, NOISE = range(3)
HEAD = 3  # parameters before those of the network
MOST_ACTIONS = 8  # that are tried
SCALE = 0.004
"""Prior mean: how much less of a win reward an action is worth than another with a logit higher by 1."""
SPREAD = 0.06
"""Prior standard deviation of that difference."""


class Candidates(NamedTuple):
    """The actions that are tried, the network's favourite first, and how they did; up to `MOST_ACTIONS` of them."""

    actions: npt.NDArray[np.int64]
    chances: npt.NDArray[np.float64]  # the network's probability of each
    sums: npt.NDArray[np.float64]
    """Sums of what each has won more than the favourite; of the favourite, what it has won."""
    squares: npt.NDArray[np.float64]  # sums of the squares of these
    counts: npt.NDArray[np.float64]  # number of positions in which each was tried
    worth: npt.NDArray[np.float64]  # posterior mean of what each wins more than the favourite; 0 for the favourite
    size: npt.NDArray[np.int64]  # number of actions, of those not given up, and of positions so far, (3,)


ACTIONS, ALIVE, POSITIONS = range(3)  # in `Candidates.size`


@compiled
def new_trial():
    """No actions yet."""
    rows, size = np.zeros((5, MOST_ACTIONS)), np.zeros(3, np.int64)
    return Candidates(np.zeros(MOST_ACTIONS, np.int64), rows[0], rows[1], rows[2], rows[3], rows[4], size)


@cache
def guided_policy(game: Game, config: SearchConfig, encoding: Encoding) -> Policy:
    """Search with a network of this encoding, whose parameters `guided_parameters` makes."""
    search = make_search(game, config, encoding)

    def choose(observation, mask, random_state, parameters):
        only = only_legal(mask)
        if only != NONE:
            return only
        return best_of(search(observation, mask, random_state, parameters))

    def check(parameters: npt.NDArray[np.float32], game: Game) -> None:
        check_network(encoding.size, parameters[HEAD:], game)
        check_budget(parameters[SIMULATIONS])

    policy = compiled(choose)
    policy.check_parameters = check  # type: ignore[attr-defined]
    return policy


def policy_of(game: str, encoding: str) -> Policy:
    """`guided_policy` by names, for other processes."""
    return guided_policy(get_game(game), get_kit(game).search, find_encoding(encoding, game))


def guided_parameters(simulations: int, config: SearchConfig, network: CompiledAgent) -> npt.NDArray[np.float32]:
    """Parameters of `guided_policy`: `SIMULATIONS` .. `NOISE`, then a network that samples."""
    head = [simulations, config.least, config.noise]
    packed = network.parameters.copy()
    packed[0] = 0
    return np.concatenate([head, packed]).astype(np.float32)


@cache
def make_search(game: Game, config: SearchConfig, encoding: Encoding) -> Callable[..., Candidates]:
    """Compiled (observation, mask, random_state, parameters) -> the trial of as many simulations as they say."""
    propose, play = make_propose(encoding), make_play(game, config, network_policy(encoding))

    def search(observation, mask, random_state, parameters):
        trial, phases = new_trial(), 0
        propose(trial, observation, mask, parameters[LEAST], parameters[HEAD:])
        while (1 << phases) < trial.size[ALIVE]:
            phases += 1
        for _ in range(phases):
            positions = max(1, int(parameters[SIMULATIONS]) // (phases * trial.size[ALIVE]))
            play(trial, observation, random_state, parameters[HEAD:], positions)
            weigh(trial, parameters[NOISE])
            give_up(trial)
        return trial

    return compiled(search)


def improved(trial: Candidates, num_actions: int) -> npt.NDArray[np.float64]:
    """The network's probabilities (A,) improved by the search: a softmax of posterior means in units of logits.

    Without any evidence they are the network's own, but for the actions that were not tried.
    """
    tried = slice(trial.size[ACTIONS])
    weights = np.exp((trial.worth[tried] - trial.worth[tried].max()) / SCALE)
    probabilities = np.zeros(num_actions)
    probabilities[trial.actions[tried]] = weights / weights.sum()
    return probabilities


@cache
def make_chances(encoding: Encoding) -> Callable[..., Any]:
    """Compiled (observation, mask, network) -> its probabilities, float64 (A,)."""
    show, features = encoding.function, encoding.size

    def chances_of(observation, mask, network):
        units = widest(network)
        values, rows, chances = np.empty((2, units), np.float32), np.empty(units + 1, np.int64), np.empty(len(mask))
        show(observation, mask, values[0][:features])
        softmax(values[forward(values, rows, network)], mask, chances)
        return chances

    return compiled(chances_of)


@cache
def make_propose(encoding: Encoding) -> Callable[..., None]:
    """Compiled (trial, observation, mask, least, network): actions of at least this probability, most probable first.

    One is there in any case.
    """
    chances_of = make_chances(encoding)

    def propose(trial, observation, mask, least, network):
        count, chances = 0, chances_of(observation, mask, network)
        for _ in range(MOST_ACTIONS):
            best = 0
            for action in range(len(chances)):
                if chances[action] > chances[best]:
                    best = action
            if count == 0 or (chances[best] > 0.0 and chances[best] >= least):
                trial.actions[count], trial.chances[count] = best, chances[best]
                count += 1
            chances[best] = 0.0
        trial.size[ACTIONS] = trial.size[ALIVE] = count

    return compiled(propose)


@cache
def make_play(game: Game, config: SearchConfig, policy: Policy) -> Callable[..., None]:
    """Compiled (trial, observation, random_state, parameters, positions): try the actions in so many more positions.

    The policy plays on from there, with these parameters.
    """
    course = searched(game, config, one_policy(game, policy))
    play_on, new_scratch, seats = make_play_on(game, course), make_new_scratch(game), game.max_players

    def play(trial, observation, random_state, parameters, positions):
        first, actions = trial.size[POSITIONS], trial.actions[: trial.size[ALIVE]]
        results = np.empty((positions, len(actions), 1, seats))
        play_on(new_scratch(), observation, random_state, first, PROPOSALS, actions, parameters, None, results)
        trial.size[POSITIONS] += positions
        for k in range(positions):
            for i in range(len(actions)):
                more = results[k, i, WIN, 0]
                if i:
                    more -= results[k, 0, WIN, 0]
                trial.sums[i] += more
                trial.squares[i] += more * more
                trial.counts[i] += 1

    return compiled(play)


@compiled
def weigh(trial, noise):
    """The posterior means, given all positions so far; ``noise``: of `SearchConfig`."""
    for i in range(1, trial.size[ALIVE]):
        count = trial.counts[i]
        mean = trial.sums[i] / count
        squares = trial.squares[i] - trial.sums[i] * mean
        variance = (squares + np.float64(noise) ** 2) / count  # as if the noise were one more position's
        prior = SCALE * np.log(trial.chances[i] / trial.chances[0])
        weight = SPREAD**2 / (SPREAD**2 + variance / count)
        trial.worth[i] = weight * mean + (1.0 - weight) * prior


@compiled
def give_up(trial):
    """Sort the actions but the favourite by worth, and keep half of all, at least two."""
    for i in range(2, trial.size[ALIVE]):
        for j in range(i, 1, -1):
            if trial.worth[j] > trial.worth[j - 1]:
                for array in (trial.chances, trial.sums, trial.squares, trial.counts, trial.worth):
                    array[j], array[j - 1] = array[j - 1], array[j]
                trial.actions[j], trial.actions[j - 1] = trial.actions[j - 1], trial.actions[j]
    trial.size[ALIVE] = max(2, (trial.size[ALIVE] + 1) // 2)


@compiled
def best_of(trial):
    """The action of the highest posterior mean; the favourite if none is better."""
    best = 0
    for i in range(1, trial.size[ACTIONS]):
        if trial.worth[i] > trial.worth[best]:
            best = i
    return trial.actions[best]
