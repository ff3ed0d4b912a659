"""Search agents for any game: `search:400`, `rollout:256`, `ismcts:1000`, `ismcts:0.1s` and others."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import Agent, CompiledAgent, Origin, check_asked
from blackjacky_agents.games import find_encoding, get_kit
from blackjacky_agents.kit.search import Numbers, SearchConfig
from blackjacky_agents.networks.network import find_network, is_network
from blackjacky_agents.search.guided import (
    Trial,
    clocked_guide,
    guided_parameters,
    guided_policy,
    improved,
    policy_of,
    thinking,
)
from blackjacky_agents.search.tree import Tree, clocked, rollout_policy, tree_policy
from blackjacky_env.compiled import Policy
from blackjacky_env.declare import Vector
from blackjacky_env.games import get_game
from blackjacky_env.play import NONE, sample_record
from blackjacky_env.replay import Thoughts, chance_to_win

SEARCHERS = {
    "rollout": ("PLAYOUTS",),
    "ismcts": ("SIMULATIONS", "SECONDSs"),
    "search": ("SIMULATIONS", "SECONDSs", "SIMULATIONS+AGENT"),
}
"""Placeholders of the budget after the colon of each name."""
MOST = 1_000_000  # simulations, playouts
LONGEST = 3600.0  # seconds
_AT_ONCE = 16  # simulations between two checks of the clock


def make_searcher(name: str, game: str, load: Callable[[str, str], CompiledAgent]) -> Agent:
    """The search agent called ``name``.

    ``load``: (name, game) -> a trained agent, for `search`.

    Raises `ValueError` for an invalid budget, or if the agent that is to guide the search is not a network.
    """
    kind, _, rest = name.partition(":")
    budget, _, guide = rest.partition("+") if kind == "search" else (rest, "", "")
    is_number = re.fullmatch("[0-9]{1,9}", budget) and 1 <= int(budget) <= MOST
    is_time = re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,6})?s", budget) and 0 < float(budget[:-1]) <= LONGEST
    if not is_number and (kind == "rollout" or not is_time):
        allowed = f"1 .. {MOST} playouts per legal action, such as 'rollout:256'"
        if kind != "rollout":
            allowed = (
                f"1 .. {MOST} simulations per move, such as '{kind}:1000', "
                f"and up to {LONGEST:.0f} seconds per move, such as '{kind}:0.1s'"
            )
        raise ValueError(f"agent {name!r}: {budget!r} is not a budget; allowed are {allowed}")
    network = _find_guide(name, game, guide, load) if kind == "search" else None
    if is_time:
        return TimedSearcher(name, game, float(budget[:-1]), network)
    return Searcher(name, game, int(budget), network)


def _find_guide(name: str, game: str, guide: str, load: Callable[[str, str], CompiledAgent]) -> CompiledAgent:
    trained = list(get_kit(game).trained)
    if not guide and not trained:
        raise ValueError(
            f"agent {name!r}: {game} has no trained agent to guide the search; name one: '{name}+ppo:PATH'"
        )
    network = load(guide or trained[-1], game)
    if not is_network(network):
        raise ValueError(f"agent {name!r}: only a trained network can guide a search, and {guide!r} is none")
    return network


class Searcher(CompiledAgent):
    """Search with a fixed number of simulations per move, or of playouts per legal action: the number in its name."""

    def __init__(self, name: str, game: str, budget: int, network: CompiledAgent | None = None) -> None:
        config, rules = get_kit(game).search, get_game(game)
        self._encoding = ""  # of the network
        if network is not None:
            encoding = find_network(network)[1]
            self._encoding = encoding.name
            parameters = guided_parameters(budget, config, network)
            origin: Origin = (policy_of, (game, encoding.name))
            super().__init__(name, game, guided_policy(rules, config, encoding), parameters, origin)
        else:
            parameters = playout_parameters(budget, config)
            super().__init__(name, game, _policy_of(name, game), parameters, (_policy_of, (name, game)))

    def act_batch(self, observations: npt.NDArray[Any], masks: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """As `CompiledAgent.act_batch`; also raises `ValueError` for observations that no position can have."""
        check_positions(self, observations, masks)
        return super().act_batch(observations, masks)

    def explain(self, observation: dict[str, npt.NDArray[Any]]) -> Thoughts | None:
        """What the search that `act` would run now finds; None for rollouts."""
        if self.name.startswith("rollout"):
            return None
        seen, mask, players = check_alone(self, observation)
        game, config = get_game(self.game), get_kit(self.game).search
        if self._encoding:
            think = thinking(game, config, find_encoding(self._encoding, self.game))
            trial = think(seen, mask, self._key, self._decisions, self.parameters)
            return thoughts_of_trial(trial, mask, players)
        begin, go_on = clocked(game, config)
        only, tree = begin(seen, mask, self._key, self._decisions, self.parameters)
        if only == NONE:
            go_on(tree, seen, mask, self._key, self._decisions, self.parameters)
        return thoughts_of_root(tree, mask, players)


def _policy_of(name: str, game: str) -> Policy:
    """The policy of a search that no network guides, for other processes."""
    make = rollout_policy if name.startswith("rollout") else tree_policy
    return make(get_game(game), get_kit(game).search)


def playout_parameters(budget: int, config: SearchConfig) -> Numbers:
    """Parameters of a search that no network guides."""
    return np.array([budget, *config.playout_parameters], np.float32)


def check_positions(
    agent: Searcher | TimedSearcher, observations: npt.NDArray[Any], masks: npt.NDArray[Any]
) -> tuple[Vector, npt.NDArray[np.int8]]:
    """As `check_asked`; also refuses impossible observations, from which the compiled rules might never terminate."""
    vectors, masks = check_asked(agent.name, agent.game, observations, masks)
    for vector, mask in zip(vectors, masks, strict=True):
        _, may = sample_record(get_game(agent.game), vector, np.random.default_rng(0))
        if (mask > may).any():
            raise ValueError("the action mask allows an action that is illegal given the observation")
    return vectors, masks


def check_alone(
    agent: Searcher | TimedSearcher, observation: dict[str, npt.NDArray[Any]]
) -> tuple[Vector, npt.NDArray[np.int8], int]:
    """Vector and mask of a single observation, checked, and the number of players at its table."""
    seen, masks = check_positions(agent, observation["observation"][None], observation["action_mask"][None])
    record, _ = sample_record(get_game(agent.game), seen[0], np.random.default_rng(0))
    return seen[0], masks[0], int(record["num_players"][0])


def thoughts_of_root(tree: Tree, mask: npt.NDArray[np.int8], players: int) -> Thoughts:
    """Visit fractions at the root and the mean result; for a single legal action, that one."""
    if mask.sum() == 1:
        return Thoughts(mask.astype(np.float64))
    visits = tree.visits[0].astype(np.float64)
    result = float(tree.totals[0].sum()) / float(visits.sum())
    return Thoughts(visits / visits.sum(), chance_to_win(result, players))


def thoughts_of_trial(trial: Trial, mask: npt.NDArray[np.int8], players: int) -> Thoughts:
    """The network's probabilities as improved by the search, and what the best action wins."""
    chances = improved(trial, len(mask))
    if not trial.counts[0]:
        return Thoughts(chances)
    won = float(trial.sums[0] / trial.counts[0] + trial.worth.max())
    return Thoughts(chances, chance_to_win(won, players))


# ---------------------------------------------------------------- time limits


class TimedSearcher:
    """Search with a time limit per move, the number in its name; its moves depend on the speed of the machine."""

    one_game_at_a_time = True

    def __init__(self, name: str, game: str, seconds: float, network: CompiledAgent | None = None) -> None:
        config, rules = get_kit(game).search, get_game(game)
        self.name, self.game, self.seconds, self._network = name, game, seconds, network
        self._thoughts: Callable[[Any, npt.NDArray[np.int8], int], Thoughts] = thoughts_of_root
        if network is None:
            self.parameters = playout_parameters(_AT_ONCE, config)
            self._begin, self._go_on = clocked(rules, config)
        else:
            self.parameters = guided_parameters(_AT_ONCE, config, network)
            self._begin, self._go_on = clocked_guide(rules, config, find_network(network)[1])
            self._thoughts = thoughts_of_trial
        self.simulations = 0
        """Number of simulations of the last move."""
        self.reset()

    def reset(self, seed: int | None = None) -> None:
        """Reseed the agent; the same seed gives the same random numbers (None: a seed from the operating system)."""
        self._key = np.random.default_rng(seed).integers(2**64, dtype=np.uint64)
        self._decisions = 0

    def act(self, observation: dict[str, npt.NDArray[Any]]) -> int:
        """A legal action; `ValueError` if nothing is legal (off turn or game over)."""
        return int(self.act_batch(observation["observation"][None], observation["action_mask"][None])[0])

    def act_batch(self, observations: npt.NDArray[Any], masks: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Actions (N,) int64 for observations (N, K) and masks (N, A), searched one after the other."""
        observations, masks = check_positions(self, observations, masks)
        actions = np.empty(len(masks), np.int64)
        for i, (seen, mask) in enumerate(zip(observations, masks, strict=True)):
            self._decisions += 1
            actions[i], _ = self._grow(seen, mask, self._decisions)
        return actions

    def explain(self, observation: dict[str, npt.NDArray[Any]]) -> Thoughts:
        """What a search with the same time limit finds."""
        seen, mask, players = check_alone(self, observation)
        return self._thoughts(self._grow(seen, mask, self._decisions + 1)[1], mask, players)

    def _grow(self, observation: Vector, mask: npt.NDArray[np.int8], decision: int) -> tuple[int, Any]:
        deadline = time.perf_counter() + self.seconds
        self.simulations = 0
        action, found = self._begin(observation, mask, self._key, decision, self.parameters)
        if action != NONE:
            return int(action), found
        while self.simulations == 0 or time.perf_counter() < deadline:
            action = self._go_on(found, observation, mask, self._key, decision, self.parameters)
            self.simulations += _AT_ONCE
        return int(action), found

    def __reduce__(self) -> tuple[Any, ...]:
        """Made again, since compiled functions cannot be pickled."""
        return TimedSearcher, (self.name, self.game, self.seconds, self._network), (self._key, self._decisions)

    def __setstate__(self, state: tuple[np.uint64, int]) -> None:
        self._key, self._decisions = state
