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
from blackjacky_agents.kit.search import SearchConfig, with_parameters
from blackjacky_agents.networks.network import forward, network_policy, softmax, widest
from blackjacky_agents.search.tree import steps_of
from blackjacky_env.compiled import Policy, compiled, entry, record_maker, stream
from blackjacky_env.compiled.purposes import FOR_DECISIONS, FOR_POSITIONS
from blackjacky_env.declare import Game
from blackjacky_env.games import get_game
from blackjacky_env.play import NONE, only_legal

SIMULATIONS, LEAST, NOISE, SCALE, SPREAD, PROPOSALS = range(6)
HEAD = 6  # parameters before those of the network
MOST_ACTIONS = 8  # that are tried


class Trial(NamedTuple):
    """The actions that are tried, the network's favourite first, and how they did; up to `MOST_ACTIONS` of them."""

    actions: npt.NDArray[np.int64]
    chances: npt.NDArray[np.float64]
    """The network's probability of each."""
    sums: npt.NDArray[np.float64]
    """Sums of what each has won more than the favourite; of the favourite, what it has won."""
    squares: npt.NDArray[np.float64]
    """Sums of the squares of these."""
    counts: npt.NDArray[np.float64]
    """Number of positions in which each was tried."""
    worth: npt.NDArray[np.float64]
    """Posterior mean of what each wins more than the favourite; 0 for the favourite."""
    size: npt.NDArray[np.int64]
    """Number of actions, of those not given up, of positions so far, and of players at the table, (4,)."""


ACTIONS, ALIVE, POSITIONS, PLAYERS = range(4)  # in `Trial.size`


@compiled
def new_trial():
    """No actions yet."""
    return Trial(
        np.zeros(MOST_ACTIONS, np.int64),
        np.zeros(MOST_ACTIONS),
        np.zeros(MOST_ACTIONS),
        np.zeros(MOST_ACTIONS),
        np.zeros(MOST_ACTIONS),
        np.zeros(MOST_ACTIONS),
        np.zeros(4, np.int64),
    )


@cache
def guided_policy(game: Game, config: SearchConfig, encoding: Encoding) -> Policy:
    """Search with a network of this encoding, whose parameters `guided_parameters` makes."""
    search = make_search(game, config, encoding)

    def choose(observation, mask, random_state, parameters):
        only = only_legal(mask)
        if only != NONE:
            return only
        return best_of(search(observation, mask, observation, random_state, parameters))

    return compiled(choose)


def policy_of(game: str, encoding: str) -> Policy:
    """`guided_policy` by names, for other processes."""
    return guided_policy(get_game(game), get_kit(game).search, find_encoding(encoding, game))


def guided_parameters(simulations: int, config: SearchConfig, network: CompiledAgent) -> npt.NDArray[np.float32]:
    """Parameters of `guided_policy` and `clocked_guide`: `SIMULATIONS` .. `PROPOSALS`, then a network that samples."""
    head = [simulations, config.least, config.noise, config.scale, config.spread, config.proposals]
    packed = network.parameters.copy()
    packed[0] = 0
    return np.concatenate([head, packed]).astype(np.float32)


@cache
def make_search(game: Game, config: SearchConfig, encoding: Encoding, sighted: bool = False) -> Callable[..., Trial]:
    """Compiled (observation, mask, known, random_state, parameters) -> the trial of as many simulations as they say.

    ``known``: what positions are sampled from, the observation again; or, if ``sighted``, the state itself.
    """
    propose, play = make_propose(encoding), make_play(game, config, encoding, sighted)

    def search(observation, mask, known, random_state, parameters):
        trial, phases = new_trial(), 0
        propose(trial, observation, mask, parameters[LEAST], parameters[HEAD:])
        while (1 << phases) < trial.size[ALIVE]:
            phases += 1
        for _ in range(phases):
            positions = max(1, int(parameters[SIMULATIONS]) // (phases * trial.size[ALIVE]))
            play(trial, known, random_state, parameters[PROPOSALS], parameters[HEAD:], positions)
            weigh(trial, parameters)
            give_up(trial)
        return trial

    return compiled(search)


@cache
def clocked_guide(
    game: Game, config: SearchConfig, encoding: Encoding
) -> tuple[Callable[..., Any], Callable[..., int]]:
    """Entries as `tree.clocked`, for a search that gives up the worse half of the actions whenever its time doubles."""
    propose, play = make_propose(encoding), make_play(game, config, encoding)

    def begin(observation, mask, key, decision, parameters):
        trial = new_trial()
        propose(trial, observation, mask, parameters[LEAST], parameters[HEAD:])
        return trial.actions[0] if trial.size[ACTIONS] == 1 else NONE, trial

    def go_on(trial, observation, mask, key, decision, parameters):
        before = trial.size[POSITIONS]
        bits = stream(key, FOR_DECISIONS, decision, 0)
        positions = max(1, int(parameters[SIMULATIONS]) // trial.size[ALIVE])
        play(trial, observation, bits, parameters[PROPOSALS], parameters[HEAD:], positions)
        weigh(trial, parameters)
        if before > 0 and (before ^ trial.size[POSITIONS]) > before:  # past the next power of two
            give_up(trial)
        return best_of(trial)

    return entry(begin), entry(go_on)


@cache
def thinking(game: Game, config: SearchConfig, encoding: Encoding) -> Callable[..., Trial]:
    """Entry (observation, mask, key, decision, parameters) -> the trial of the search that `guided_policy` makes."""
    search = make_search(game, config, encoding)

    def think(observation, mask, key, decision, parameters):
        return search(observation, mask, observation, stream(key, FOR_DECISIONS, decision, 0), parameters)

    return entry(think)


def improved(trial: Trial, num_actions: int, scale: float) -> npt.NDArray[np.float64]:
    """The network's probabilities (A,) improved by the search: a softmax of posterior means in units of logits.

    Without any evidence they are the network's own, but for the actions that were not tried.
    """
    tried = slice(trial.size[ACTIONS])
    weights = np.exp((trial.worth[tried] - trial.worth[tried].max()) / scale)
    probabilities = np.zeros(num_actions)
    probabilities[trial.actions[tried]] = weights / weights.sum()
    return probabilities


@cache
def make_propose(encoding: Encoding) -> Callable[..., None]:
    """Compiled (trial, observation, mask, least, network): actions of at least this probability, most probable first.

    One is there in any case.
    """
    show, features = encoding.function, encoding.size

    def propose(trial, observation, mask, least, network):
        units = widest(network)
        values, rows, chances = np.empty((2, units), np.float32), np.empty(units + 1, np.int64), np.empty(len(mask))
        show(observation, mask, values[0][:features])
        softmax(values[forward(values, rows, network)], mask, chances)
        count = 0
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
def make_play(game: Game, config: SearchConfig, encoding: Encoding, sighted: bool = False) -> Callable[..., None]:
    """Compiled (trial, known, random_state, proposals, network, positions): try the actions in so many more positions.

    They are sampled from ``known``, an observation; or, if ``sighted``, are copies of it, a state, whose future is
    drawn anew, but for the order of the cards.
    """
    own = np.array(config.playout_parameters, np.float32)
    policy = network_policy(encoding) if config.network_plays else with_parameters(config.playout_policy, own)
    config = config._replace(playout_policy=policy, playout_parameters=())
    steps, size, dtype = steps_of(game, config), game.layout.size, game.layout.dtype
    imagine, advance, play_on = _copy_state if sighted else steps.imagine, steps.advance, steps.play_on
    num_actions, max_players = game.num_actions, game.max_players
    new_chain, new_record = record_maker(2, game.state_dtype), record_maker(1, game.state_dtype)

    def play(trial, known, random_state, proposals, network, positions):
        chain, copy, likelihood, results = new_chain(), new_record(), 0.0, np.zeros(MOST_ACTIONS)
        seen, may, result = np.empty(size, dtype), np.empty(num_actions, np.int8), np.zeros(max_players)
        for _ in range(positions):
            for proposal in range(int(proposals)):
                likelihood = imagine(known, random_state, trial.size[POSITIONS], proposal, chain, likelihood)
            trial.size[POSITIONS] += 1
            trial.size[PLAYERS] = chain[0].num_players
            for i in range(trial.size[ALIVE]):
                copy[0] = chain[0]
                s = copy[0]
                result[:] = 0.0
                if not advance(s, trial.actions[i], result):
                    play_on(s, network, seen, may, result)
                results[i] = result[chain[0].player]
                more = results[i] - results[0] if i else results[0]
                trial.sums[i] += more
                trial.squares[i] += more * more
                trial.counts[i] += 1

    return compiled(play)


@compiled
def _copy_state(known, random_state, number, proposal, chain, before):
    """As `Steps.imagine`, of a player who sees everything."""
    chain[0] = known
    chain[0].key = stream(random_state, FOR_POSITIONS, number, 0)
    return 1.0


@compiled
def weigh(trial, parameters):
    """The posterior means, given all positions so far."""
    for i in range(1, trial.size[ALIVE]):
        count = trial.counts[i]
        mean = trial.sums[i] / count
        squares = trial.squares[i] - trial.sums[i] * mean
        variance = (squares + np.float64(parameters[NOISE]) ** 2) / count  # as if the noise were one more position's
        prior = np.float64(parameters[SCALE]) * np.log(trial.chances[i] / trial.chances[0])
        spread = np.float64(parameters[SPREAD]) ** 2
        weight = spread / (spread + variance / count)
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
