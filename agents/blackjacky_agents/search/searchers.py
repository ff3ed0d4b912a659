"""Search agents for any game: `search:400`, `rollout:256`, `ismcts:1000`, `ismcts:0.1s` and others."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import Agent, CompiledAgent, Origin, check_asked, one_by_one
from blackjacky_agents.games import find_encoding, get_kit
from blackjacky_agents.networks.network import find_network, is_network
from blackjacky_agents.search.guided import SIMULATIONS, guided_parameters, improved, make_search, policy_of
from blackjacky_agents.search.search_tree import MOST, make_tree_search, rollout_policy, tree_policy
from blackjacky_env.compiled import Policy, entry, stream
from blackjacky_env.compiled.purposes import FOR_DECISIONS
from blackjacky_env.declare import Vector
from blackjacky_env.games import get_game
from blackjacky_env.play import sample_record
from blackjacky_env.replay import Thoughts, chance_to_win

SEARCHERS = {
    "rollout": ("PLAYOUTS",),
    "ismcts": ("SIMULATIONS", "SECONDSs"),
    "search": ("SIMULATIONS", "SECONDSs", "SIMULATIONS+AGENT"),
}
"""Placeholders of the budget after the colon of each name."""
LONGEST = 3600.0  # seconds
_AT_FIRST, _MOST_MORE = 16, 16  # simulations of the first search within a time, and how many times more the next has
_CAREFUL = 0.9  # fraction of the time left that a search is expected to take

T = TypeVar("T")


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
        return TimedSearcher(Searcher(name, game, _AT_FIRST, network), float(budget[:-1]))
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
    """Search with a number of simulations per move, or of playouts per legal action, which is its first parameter."""

    def __init__(self, name: str, game: str, budget: int, network: CompiledAgent | None = None) -> None:
        config = get_kit(game).search
        self._encoding = ""  # of the network
        if network is None:
            parameters = np.array([budget, *config.playout_parameters], np.float32)
            origin: Origin = (_policy_of, (name, game))
        else:
            self._encoding = find_network(network)[1].name
            parameters = guided_parameters(budget, config, network)
            origin = (policy_of, (game, self._encoding))
        super().__init__(name, game, origin[0](*origin[1]), parameters, origin)

    def act_batch(self, observations: npt.NDArray[Any], masks: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """As `CompiledAgent.act_batch`; also raises `ValueError` for observations that no position can have."""
        self.check_positions(observations, masks)
        return super().act_batch(observations, masks)

    def check_positions(
        self, observations: npt.NDArray[Any], masks: npt.NDArray[Any]
    ) -> tuple[Vector, npt.NDArray[np.int8], int]:
        """As `check_asked`, and the players at the last table; refuses what the compiled rules might never end."""
        vectors, masks = check_asked(self.name, self.game, observations, masks)
        players = 0
        for vector, mask in zip(vectors, masks, strict=True):
            record, may = sample_record(get_game(self.game), vector, np.random.default_rng(0))
            players = int(record["num_players"][0])
            if (mask > may).any():
                raise ValueError("the action mask allows an action that is illegal given the observation")
        return vectors, masks, players

    def explain(self, observation: dict[str, npt.NDArray[Any]]) -> Thoughts | None:
        """What the search that `act` would run now finds; None for rollouts."""
        if self.name.startswith("rollout"):
            return None
        seen, masks, players = self.check_positions(observation["observation"][None], observation["action_mask"][None])
        if masks.sum() == 1:
            return Thoughts(masks[0].astype(np.float64))
        game, config = get_game(self.game), get_kit(self.game).search
        given = seen[0], masks[0], self._key, self._decisions, self.parameters
        if not self._encoding:
            tree = _thinking(make_tree_search(game, config))(*given)
            visits = tree.visits[0].astype(np.float64)
            return Thoughts(visits / visits.sum(), chance_to_win(float(tree.totals[0].sum()) / visits.sum(), players))
        trial = _thinking(make_search(game, config, find_encoding(self._encoding, self.game)))(*given)
        chances = improved(trial, masks.shape[1])
        if not trial.counts[0]:
            return Thoughts(chances)
        won = float(trial.sums[0] / trial.counts[0] + trial.worth.max())
        return Thoughts(chances, chance_to_win(won, players))


@cache
def _thinking(search: Callable[..., Any]) -> Callable[..., Any]:
    """Entry (observation, mask, key, decision, parameters) -> what a compiled search finds at that decision."""

    def think(observation, mask, key, decision, parameters):
        return search(observation, mask, stream(key, FOR_DECISIONS, decision, 0), parameters)

    return entry(think)


def _policy_of(name: str, game: str) -> Policy:
    """The policy of a search that no network guides, for other processes."""
    make = rollout_policy if name.startswith("rollout") else tree_policy
    return make(get_game(game), get_kit(game).search)


class TimedSearcher:
    """Search with a time limit per move: with more and more simulations, as many as take the time that is left.

    Its moves depend on the speed of the machine.
    """

    one_game_at_a_time = True

    def __init__(self, searcher: Searcher, seconds: float) -> None:
        self.name, self.game, self.searcher, self.seconds = searcher.name, searcher.game, searcher, seconds

    def reset(self, seed: int | None = None) -> None:
        """Reseed the agent; the same seed gives the same random numbers (None: a seed from the operating system)."""
        self.searcher.reset(seed)

    def act(self, observation: dict[str, npt.NDArray[Any]]) -> int:
        """A legal action; `ValueError` if nothing is legal (off turn or game over)."""
        return self._search(lambda: self.searcher.act(observation))

    def act_batch(self, observations: npt.NDArray[Any], masks: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Actions (N,) int64 for observations (N, K) and masks (N, A), searched one after the other."""
        return one_by_one(self.act, observations, masks)

    def explain(self, observation: dict[str, npt.NDArray[Any]]) -> Thoughts | None:
        """What a search with the same time limit finds."""
        return self._search(lambda: self.searcher.explain(observation))

    def _search(self, ask: Callable[[], T]) -> T:
        """What the last search finds that has begun in time."""
        deadline, simulations = time.perf_counter() + self.seconds, _AT_FIRST
        while True:
            begun = time.perf_counter()
            self.searcher.parameters[SIMULATIONS] = simulations
            found = ask()
            now = time.perf_counter()
            possible = int(_CAREFUL * simulations * (deadline - now) / (now - begun))
            if possible <= simulations or simulations == MOST:
                return found
            simulations = min(possible, _MOST_MORE * simulations, MOST)
