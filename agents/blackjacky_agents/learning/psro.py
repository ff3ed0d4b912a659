"""Policy-space response oracles for two players: each policy responds to a mixture of those before it.

Lanctot et al., "A Unified Game-Theoretic Approach to Multiagent Reinforcement Learning" (2017). PPO learns a response,
in games whose opponent is drawn from the policies so far by their mixture. It then plays all of them, and the next
mixture is an equilibrium of the game in which each player chooses one of the policies.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.kit.settings import SelfPlaySettings
from blackjacky_agents.learning.collecting import Collector, Stretch
from blackjacky_agents.learning.self_play import SelfPlay
from blackjacky_agents.networks.network import layers_of, pack
from blackjacky_agents.solving.asking import ask_views
from blackjacky_agents.solving.game_tree import GameTree
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.strategies import Strategies, normalised, reach_of
from blackjacky_agents.solving.views import Views
from blackjacky_env import make_batch

_LINEUPS = 256  # drawn for each stretch
_ITERATIONS = 5_000  # of CFR+, for a mixture of policies
Floats = npt.NDArray[np.float64]


class Response(SelfPlay):
    """PPO against a mixture of policies that do not change."""

    def __init__(self, settings: SelfPlaySettings, policies: list[CompiledAgent], mixture: Floats) -> None:
        super().__init__(settings, Path(), "")
        self.opponents, self.mixture, self.others = policies, mixture, 0

    def _new_collector(self, count: int) -> Collector:
        self._collector = super()._new_collector(count)
        return self._collector

    def _next_players(self) -> tuple[npt.NDArray[np.float32], list[CompiledAgent], npt.NDArray[np.int64]]:
        shape = (_LINEUPS, self.game.max_players - 1)
        drawn = self.rng.choice(len(self.mixture), shape, p=self.mixture)
        return pack(layers_of(self.network), False), self.opponents, drawn

    def _take(self, stretch: Stretch) -> None:
        super()._take(stretch)
        self.others = int(self._collector.tables.others.sum())  # the next stretch has not begun


class Psro:
    """Policy-space response oracles at one table; `ValueError` for more than two players.

    Args:
        table: the table.
        settings: of the training of each response.
        games: between each response and each policy before it.
    """

    def __init__(self, table: SmallTable, settings: SelfPlaySettings, games: int) -> None:
        if table.num_players != 2:
            raise ValueError(f"psro is for two players, not for {table.num_players}")
        self.table, self.settings, self.games, self.steps = table, settings, games, 0
        self.rng = np.random.default_rng(settings.seed)
        self.policies = [SelfPlay(settings, Path(), "").agent(greedy=False)]
        self.payoffs, self.mixture = np.zeros((1, 1)), np.ones(1)

    def respond(self) -> None:
        """Learn a response to the mixture, and mix all policies anew."""
        settings = replace(self.settings, seed=int(self.rng.integers(2**32)))
        response = Response(settings, self.policies, self.mixture)
        deque(response.updates(), 0)
        new, self.steps = response.agent(greedy=False), self.steps + response.steps + response.others
        results = np.array([self._result(new, policy) for policy in self.policies])
        self.policies = [*self.policies, new]
        self.payoffs = np.block([[self.payoffs, -results[:, None]], [results[None], np.zeros((1, 1))]])
        self.mixture = equilibrium(self.payoffs)

    def _result(self, new: CompiledAgent, old: CompiledAgent) -> float:
        """The mean result of a policy against another one, in either seat."""
        table, count = self.table, self.games
        seeds = [int(seed) for seed in self.rng.integers(2**62, size=3)]
        batch = make_batch(table.game.name, count, 2, seeds[0], variant=table.variant, threads=1, **dict(table.options))
        new.reset(seeds[1])
        old.reset(seeds[2])
        own, results, is_open = np.arange(count) % 2, np.zeros(count), np.ones(count, bool)
        while is_open.any():
            shown = batch.observations, batch.action_masks
            self.steps += int((shown[1][is_open].sum(axis=1) > 1).sum())
            actions = np.where(np.asarray(batch.current_player) == own, new.act_batch(*shown), old.act_batch(*shown))
            batch.step(actions)
            ended = np.flatnonzero(is_open & np.asarray(batch.terminated))
            results[ended] = np.asarray(batch.rewards)[ended, own[ended]]
            is_open[ended] = False
        return float(results.mean())

    def strategies(self, tree: GameTree, views: Views) -> Strategies:
        """The mixture, drawn once for each game, as probabilities in each information state."""
        sums = [np.zeros(len(seat.after) - 1) for seat in tree.seats]
        for policy, share in zip(self.policies, self.mixture, strict=True):
            for i, strategy in enumerate(ask_views(views, policy).strategies):
                sums[i] += share * reach_of(tree.seats[i], strategy, np.zeros(len(strategy)))
        return tuple(normalised(seat.first, own) for seat, own in zip(tree.seats, sums, strict=True))


def equilibrium(payoffs: Floats) -> Floats:
    """A strategy of an equilibrium, given what each policy wins from each, by CFR+ (Tammelin 2014)."""
    regrets, total = np.ones(len(payoffs)), np.zeros(len(payoffs))
    for t in range(1, _ITERATIONS + 1):
        chances = regrets / regrets.sum() if regrets.any() else np.full(len(payoffs), 1 / len(payoffs))
        total += t * chances
        regrets = np.maximum(regrets + payoffs @ chances, 0)  # a mixture wins nothing from itself
    mixture: Floats = total / total.sum()
    return mixture
