"""League training."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.kit.settings import LeagueSettings
from blackjacky_agents.learning.league.learner import Learner
from blackjacky_agents.learning.league.pool import Pool, PoolMember, record_results
from blackjacky_agents.learning.league.seating import draw_seating, start_games
from blackjacky_agents.learning.lookahead import Studies
from blackjacky_agents.learning.training_run import TrainingRun
from blackjacky_agents.networks.agent_file import initial_layers
from blackjacky_agents.networks.network import Layers, layers_of
from blackjacky_agents.storage.checkpoint import read_count
from blackjacky_env.play import LEARNER

_INITIAL_VALUE_UPDATES = 50  # before training, so that rollouts are not valued by a random network


class _Running(NamedTuple):
    """Games that are being played."""

    opponents: list[PoolMember]  # the pool when they were seated
    seating: npt.NDArray[np.int64]
    results: Callable[[], Studies]


class League(TrainingRun):
    """League training; arguments and errors are those of `TrainingRun`."""

    settings: LeagueSettings

    def __init__(self, settings: LeagueSettings, folder: Path, command: str) -> None:
        super().__init__(settings, folder, command)
        self.learner = Learner(settings, initial_layers(settings))
        self.networks, self.optimizers = self.learner.networks, self.learner.optimizers
        bots = [PoolMember(name, bot) for name, bot in zip(settings.bots, self.opponents, strict=True)]
        self.pool = Pool(bots, settings.pool_size, settings.bot_fraction)
        self._playing: deque[_Running] = deque()
        self._iteration = 0

    def layers(self) -> Layers:
        """The current averaged policy network."""
        return layers_of(self.learner.averaged)

    # ------------------------------------------------------------ training

    def _prepare(self) -> None:
        """Compile before the clock starts, and fit the value network if anything will ask it."""
        self._against_bots(1)
        few = np.full((self.cluster.cores if self.cluster else 1, self.game.max_players), LEARNER)
        own = np.random.default_rng(0)  # how many draws there are depends on the cluster
        for fraction in {0.0, self.settings.bot_playouts}:
            start_games(self.learner, self._agents(), few, own, self.cluster, bot_playouts=fraction)()
        self.clock.set(0)
        if self.settings.positions:
            return
        seating = np.full((self.settings.games_per_update, self.game.max_players), LEARNER)
        self.learner.remember(
            start_games(self.learner, self._agents(), seating, self.rng, self.cluster, study_fraction=0.0)()
        )
        self.learner.learn_values(_INITIAL_VALUE_UPDATES, 1.0)

    def _learn(self) -> None:
        if self.steps:  # resumed
            self.learner.rng = np.random.default_rng([self.settings.seed, 2, self.steps])
        while self._goes_on:
            self._begin_update()
            done = (1 - self.left) * self.settings.iterations
            if self._iteration != int(done):  # smaller in a run that is resumed for longer
                self._iteration = int(done)
                self.learner.renew_expert()
                while self._playing:  # games of the expert before
                    self._playing.popleft().results()
            left = max(0.0, self._iteration + 1 - done) if self.settings.iterations else self.left
            self._play_and_update(left)

    def _agents(self) -> list[CompiledAgent]:
        """The agent that plays for the learner, followed by the opponents of the pool."""
        return [self.learner.expert_agent(), *(opponent.agent for opponent in self.pool.opponents)]

    def _play_and_update(self, left: float) -> None:
        """Learn from the next batch of games, while those after it are played if there is a cluster."""
        while len(self._playing) <= self.settings.max_staleness:
            self._playing.append(self._start_games())
        opponents, seating, results = self._playing.popleft()
        studies = results()
        record_results(opponents, seating, studies.shares)
        self.learner.remember(studies)
        figures = self.learner.learn(len(studies.values), left)
        self.steps += studies.rolled_out
        self._end_update(figures)

    def _start_games(self) -> _Running:
        seating = draw_seating(self.settings, self.pool.probabilities(), self.rng)
        bot_playouts = float(1 - self.left < self.settings.bot_playouts)  # all or none of these games
        results = start_games(self.learner, self._agents(), seating, self.rng, self.cluster, bot_playouts=bot_playouts)
        return _Running(list(self.pool.opponents), seating, results)

    def _take_snapshot(self) -> None:
        """Add a snapshot of the learner to the pool."""
        if self.settings.pool_size:
            number = self.steps // self.settings.snapshot_every + 1
            self.pool.add(PoolMember(f"snapshot {number}", self.agent(greedy=False)))
            self.snapshots = [opponent.agent for opponent in self.pool.learned]

    def _more_progress(self) -> dict[str, Any]:
        return {"pool": {opponent.name: round(opponent.learner_win_rate, 3) for opponent in self.pool.opponents}}

    # ------------------------------------------------------------ checkpoints; replay buffers refill

    def _state(self) -> dict[str, Any]:
        results = [[opponent.name, opponent.won, opponent.lost] for opponent in self.pool.opponents]
        return {"iteration": self._iteration, "pool": results}

    def _restore(self, state: dict[str, Any], snapshots: list[CompiledAgent]) -> None:
        iteration, agents = read_count(state, "iteration"), [*self.opponents, *snapshots]
        pool = [
            PoolMember(name, agent, won, lost) for (name, won, lost), agent in zip(state["pool"], agents, strict=True)
        ]
        self.snapshots, self.pool.opponents, self._iteration = snapshots, pool, iteration
