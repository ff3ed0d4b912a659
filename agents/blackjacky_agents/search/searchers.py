"""Search agents for any game: `rollout:256`, `ismcts:1000` and `ismcts:0.1s`."""

from __future__ import annotations

import re
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import Agent, CompiledAgent, check_asked
from blackjacky_agents.games import get_kit
from blackjacky_agents.search.config import Numbers, SearchConfig
from blackjacky_agents.search.tree import NONE, Tree, clocked, rollout_policy, tree_policy
from blackjacky_env.engine.layout import Vector
from blackjacky_env.engine.observations import sample_record
from blackjacky_env.games import get_game
from blackjacky_env.replay import Thoughts, chance_to_win

SEARCHERS = {"rollout": ("PLAYOUTS",), "ismcts": ("SIMULATIONS", "SECONDSs")}
"""Placeholders of the budget after the colon of each name."""
MOST = 1_000_000  # simulations, playouts
LONGEST = 3600.0  # seconds
EXPLORATION, PRIOR, PROPOSALS = 1.0, 0.65, 3
"""Chosen by hand; playing strength is not sensitive to them."""
_AT_ONCE = 16  # simulations between two checks of the clock


def make_searcher(name: str, game: str) -> Agent:
    """The search agent called ``name``; `ValueError` for an invalid budget."""
    kind, _, budget = name.partition(":")
    if re.fullmatch("[0-9]{1,9}", budget) and 1 <= int(budget) <= MOST:
        return Searcher(name, game, int(budget))
    if kind == "rollout":
        allowed = f"1 .. {MOST} playouts per legal action, such as 'rollout:256'"
    else:
        if re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,6})?s", budget) and 0 < float(budget[:-1]) <= LONGEST:
            return TimedSearcher(name, game, float(budget[:-1]))
        allowed = (
            f"1 .. {MOST} simulations per move, such as 'ismcts:1000', "
            f"and up to {LONGEST:.0f} seconds per move, such as 'ismcts:0.1s'"
        )
    raise ValueError(f"agent {name!r}: {budget!r} is not a budget; allowed are {allowed}")


class Searcher(CompiledAgent):
    """Search with a fixed number of simulations per move, or of playouts per legal action.

    Args:
        name: name as for `make_agent`, ``"rollout:256"`` or ``"ismcts:1000"``.
        game: name of the game.
        budget: the number in the name.
    """

    def __init__(self, name: str, game: str, budget: int) -> None:
        config = get_kit(game).search
        if name.startswith("rollout"):
            parameters = np.array([budget, *config.playout_parameters], np.float32)
            super().__init__(name, game, rollout_policy(get_game(game), config), parameters)
        else:
            super().__init__(name, game, tree_policy(get_game(game), config), tree_parameters(budget, config))

    def act_batch(self, observations: npt.NDArray[Any], masks: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """As `CompiledAgent.act_batch`; also raises `ValueError` for observations that no position can have."""
        check_positions(self, observations, masks)
        return super().act_batch(observations, masks)

    def explain(self, observation: dict[str, npt.NDArray[Any]]) -> Thoughts | None:
        """`thoughts_of_root` of the search that `act` would run now; None for rollouts."""
        if self.name.startswith("rollout"):
            return None
        seen, mask = check_alone(self, observation)
        begin, go_on = clocked(get_game(self.game), get_kit(self.game).search)
        only, tree = begin(seen, mask, self._key, self._decisions, self.parameters)
        if only == NONE:
            go_on(tree, seen, mask, self._key, self._decisions, self.parameters)
        return thoughts_of_root(tree, mask)


def tree_parameters(simulations: int, config: SearchConfig) -> Numbers:
    """Parameters for `tree_policy`."""
    return np.array([simulations, EXPLORATION, PRIOR, PROPOSALS, *config.playout_parameters], np.float32)


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
) -> tuple[Vector, npt.NDArray[np.int8]]:
    """Vector and mask of a single observation, checked."""
    seen, masks = check_positions(agent, observation["observation"][None], observation["action_mask"][None])
    return seen[0], masks[0]


def thoughts_of_root(tree: Tree, mask: npt.NDArray[np.int8]) -> Thoughts:
    """Visit fractions at the root and the mean result; for a single legal action, that one."""
    if mask.sum() == 1:
        return Thoughts(mask.astype(np.float64))
    visits = tree.visits[0].astype(np.float64)
    result = float(tree.totals[0].sum()) / float(visits.sum())
    return Thoughts(visits / visits.sum(), chance_to_win(result, int(tree.chain[0]["num_players"])))


# ---------------------------------------------------------------- time limits


class TimedSearcher:
    """Search with a time limit per move; its moves depend on the speed of the machine.

    Args:
        name: name as for `make_agent`, ``"ismcts:0.1s"``.
        game: name of the game.
        seconds: the number in the name.
    """

    one_game_at_a_time = True

    def __init__(self, name: str, game: str, seconds: float) -> None:
        config = get_kit(game).search
        self.name, self.game, self.seconds = name, game, seconds
        self.parameters = tree_parameters(_AT_ONCE, config)
        self.simulations = 0
        """Number of simulations of the last move."""
        self._begin, self._go_on = clocked(get_game(game), config)
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
        """`thoughts_of_root` of a search with the same time limit."""
        seen, mask = check_alone(self, observation)
        return thoughts_of_root(self._grow(seen, mask, self._decisions + 1)[1], mask)

    def _grow(self, observation: Vector, mask: npt.NDArray[np.int8], decision: int) -> tuple[int, Tree]:
        deadline = time.perf_counter() + self.seconds
        self.simulations = 0
        action, tree = self._begin(observation, mask, self._key, decision, self.parameters)
        if action != NONE:
            return int(action), tree
        while self.simulations == 0 or time.perf_counter() < deadline:
            action = self._go_on(tree, observation, mask, self._key, decision, self.parameters)
            self.simulations += _AT_ONCE
        return int(action), tree

    def __reduce__(self) -> tuple[Any, ...]:
        """Made again, since compiled functions cannot be pickled."""
        return TimedSearcher, (self.name, self.game, self.seconds), (self._key, self._decisions)

    def __setstate__(self, state: tuple[np.uint64, int]) -> None:
        self._key, self._decisions = state
