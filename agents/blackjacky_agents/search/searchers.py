"""Agents that search, by name: `rollout:256`, `ismcts:1000` and `ismcts:0.1s`, for any game."""

from __future__ import annotations

import re
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import Agent, CompiledAgent, check_asked
from blackjacky_agents.games import get_kit
from blackjacky_agents.search.config import Numbers, SearchConfig
from blackjacky_agents.search.tree import (
    NONE,
    PLAYOUTS,
    ROLLOUT_HEAD,
    TREE_HEAD,
    Tree,
    clocked,
    rollout_policy,
    tree_policy,
)
from blackjacky_env.engine.layout import Vector
from blackjacky_env.engine.table import table_functions
from blackjacky_env.games import get_game
from blackjacky_env.replay import Thoughts, chance_to_win

SEARCHERS = {"rollout": ("PLAYOUTS",), "ismcts": ("SIMULATIONS", "SECONDSs")}
"""What follows the colon of each name."""
MOST = 1_000_000  # simulations, play-outs
LONGEST = 3600.0  # seconds
EXPLORATION, PRIOR, PROPOSALS = 1.0, 0.65, 3
"""Set by hand; the strength of search depends little on them."""
_AT_ONCE = 16  # simulations between two looks at the clock


def make_searcher(name: str, game: str) -> Agent:
    """The searching agent called ``name``; `ValueError` says which budgets there are."""
    kind, _, budget = name.partition(":")
    if kind == "rollout":
        return Searcher(name, game, _count(name, budget))
    if budget.endswith("s"):
        return TimedSearcher(name, game, _seconds(name, budget))
    return Searcher(name, game, _count(name, budget))


def _count(name: str, budget: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", budget) or not 1 <= int(budget) <= MOST:
        raise ValueError(f"agent {name!r}: {budget!r} is no budget; {_allowed(name)}")
    return int(budget)


def _seconds(name: str, budget: str) -> float:
    if not re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,6})?s", budget) or not 0 < float(budget[:-1]) <= LONGEST:
        raise ValueError(f"agent {name!r}: {budget!r} is no budget; {_allowed(name)}")
    return float(budget[:-1])


def _allowed(name: str) -> str:
    if name.startswith("rollout"):
        return f"allowed are 1 .. {MOST} play-outs for each legal action, such as 'rollout:256'"
    return (
        f"allowed are 1 .. {MOST} simulations a move, such as 'ismcts:1000', "
        f"and up to {LONGEST:.0f} seconds a move, such as 'ismcts:0.1s'"
    )


class Searcher(CompiledAgent):
    """An agent that searches with a number of simulations, or of play-outs for each action.

    Args:
        name: that `make_agent` knows, ``"rollout:256"`` or ``"ismcts:1000"``.
        game: the game that it plays.
        budget: the number in the name.
    """

    def __init__(self, name: str, game: str, budget: int) -> None:
        config = get_kit(game).search
        if name.startswith("rollout"):
            super().__init__(name, game, rollout_policy(get_game(game), config), rollout_parameters(budget, config))
        else:
            super().__init__(name, game, tree_policy(get_game(game), config), tree_parameters(budget, config))

    def act_batch(self, observations: npt.NDArray[Any], masks: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """As every compiled agent; `ValueError` as well for observations that no position shows."""
        check_positions(self.game, *check_asked(self.name, self.game, observations, masks))
        return super().act_batch(observations, masks)

    def explain(self, observation: dict[str, npt.NDArray[Any]]) -> Thoughts | None:
        """What the search finds with which `act` would choose now, see `thoughts_of_root`; of roll-outs None."""
        if self.name.startswith("rollout"):
            return None
        seen, mask = check_alone(self.name, self.game, observation)
        begin, go_on = clocked(get_game(self.game), get_kit(self.game).search)
        action, tree = begin(seen, mask, self._key, self._decisions, self.parameters)
        if action == NONE:
            go_on(tree, seen, mask, self._key, self._decisions, self.parameters)
        return thoughts_of_root(tree, mask, action)


def rollout_parameters(playouts: int, config: SearchConfig) -> Numbers:
    """The parameters of `rollout_policy`."""
    head = np.zeros(ROLLOUT_HEAD, np.float32)
    head[PLAYOUTS] = playouts
    return np.append(head, np.array(config.playout_parameters, np.float32))


def tree_parameters(simulations: int, config: SearchConfig) -> Numbers:
    """The parameters of `tree_policy`."""
    head = np.array([simulations, EXPLORATION, PRIOR, PROPOSALS], np.float32)
    assert len(head) == TREE_HEAD
    return np.append(head, np.array(config.playout_parameters, np.float32))


def check_positions(game: str, observations: Vector, masks: npt.NDArray[np.int8]) -> None:
    """Raise a `ValueError` unless search can start from them: rules that run on what cannot be may never end."""
    rules = get_game(game)
    shown, may = np.empty(rules.layout.size, rules.layout.dtype), np.empty(rules.num_actions, np.int8)
    for observation, mask in zip(observations, masks, strict=True):
        states = rules.sample_state(observation, np.random.default_rng(0))
        table_functions(rules).look(states, 0, shown, may)
        if not np.array_equal(shown, observation):
            raise ValueError("no legal position shows this observation: its parts contradict each other")
        if (mask.astype(bool) > may.astype(bool)).any():
            raise ValueError("the action mask allows what is illegal in every position that shows this observation")


def check_alone(name: str, game: str, observation: dict[str, npt.NDArray[Any]]) -> tuple[Vector, npt.NDArray[np.int8]]:
    """Vector and mask of one observation, checked as `Searcher.act_batch` does."""
    seen, masks = check_asked(name, game, observation["observation"][None], observation["action_mask"][None])
    check_positions(game, seen, masks)
    return seen[0], masks[0]


def thoughts_of_root(tree: Tree, mask: npt.NDArray[np.int8], only: int) -> Thoughts:
    """How often the search tried each action, and its mean result; ``only``: the one legal action or `NONE`."""
    if only != NONE:
        return Thoughts(mask.astype(np.float64))
    visits = tree.visits[0].astype(np.float64)
    result = float(tree.totals[0].sum()) / float(visits.sum())
    return Thoughts(visits / visits.sum(), chance_to_win(result, int(tree.chain[0]["num_players"])))


# ---------------------------------------------------------------- by the clock


class TimedSearcher:
    """An agent that searches for so many seconds a move; what it finds depends on the speed of the machine.

    Args:
        name: that `make_agent` knows, ``"ismcts:0.1s"``.
        game: the game that it plays.
        seconds: the number in the name.
    """

    def __init__(self, name: str, game: str, seconds: float) -> None:
        config = get_kit(game).search
        self.name, self.game, self.seconds = name, game, seconds
        self.parameters = tree_parameters(_AT_ONCE, config)
        self.simulations = 0
        """Of the last move."""
        self._begin, self._go_on = clocked(get_game(game), config)
        self.reset()

    def reset(self, seed: int | None = None) -> None:
        """Start over with the same random numbers for the same seed (None: a seed from the system)."""
        self._key = np.random.default_rng(seed).integers(2**64, dtype=np.uint64)
        self._decisions = 0

    def act(self, observation: dict[str, npt.NDArray[Any]]) -> int:
        """A legal action; `ValueError` if nothing is legal (off turn or game over)."""
        return int(self.act_batch(observation["observation"][None], observation["action_mask"][None])[0])

    def act_batch(self, observations: npt.NDArray[Any], masks: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Actions (N,) int64 for observations (N, K) and masks (N, A), one after the other."""
        observations, masks = check_asked(self.name, self.game, observations, masks)
        check_positions(self.game, observations, masks)
        pairs = zip(observations, masks, strict=True)
        return np.array([self._search(seen, mask) for seen, mask in pairs], np.int64)

    def explain(self, observation: dict[str, npt.NDArray[Any]]) -> Thoughts:
        """What a search of so many seconds finds, see `thoughts_of_root`."""
        seen, mask = check_alone(self.name, self.game, observation)
        action, tree = self._grow(seen, mask, self._decisions + 1)
        return thoughts_of_root(tree, mask, action if mask.sum() == 1 else NONE)

    def _search(self, observation: Vector, mask: npt.NDArray[np.int8]) -> int:
        self._decisions += 1
        return self._grow(observation, mask, self._decisions)[0]

    def _grow(self, observation: Vector, mask: npt.NDArray[np.int8], decision: int) -> tuple[int, Tree]:
        """The action that is found, and the tree."""
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
        """Pickled by the name, as `CompiledAgent` is."""
        from blackjacky_agents import make_agent

        return make_agent, (self.name, self.game), (self._key, self._decisions)

    def __setstate__(self, state: tuple[np.uint64, int]) -> None:
        self._key, self._decisions = state
