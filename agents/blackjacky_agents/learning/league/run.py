"""League training."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from tqdm import tqdm

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.checkpoint import Arrays, grouped, read_count, read_rng
from blackjacky_agents.kit.settings import LeagueSettings
from blackjacky_agents.learning.league.games import Played, draw_seating, possible_variants, start_games
from blackjacky_agents.learning.league.imitation import Demonstrations
from blackjacky_agents.learning.league.learner import Learner
from blackjacky_agents.learning.league.pool import Opponent, Pool, record_results
from blackjacky_agents.learning.modules import arrays_of, read_arrays
from blackjacky_agents.learning.run import TrainingRun
from blackjacky_agents.networks.agent_file import initial_layers
from blackjacky_agents.networks.network import Layers, network_agent, pack, read_packed
from blackjacky_agents.registry import display_names, make_compiled_agent

_INITIAL_VALUE_UPDATES = 50  # before training, so that rollouts are not valued by a random network
_IMITATION_UPDATES = 8  # per move in all games
_IMITATION_FRACTION = 0.3  # of the time, at most
# Each league seed has its own range of game seeds below 2**62, and another range above it for its exploiters.
_RUN_SEEDS, _EXPLOITER_SEEDS, _HALF = 2**40, 2**24, 2**62


class _Batch(NamedTuple):
    """Games that are being played."""

    opponents: list[Opponent]  # the pool when they were seated
    results: Callable[[], Played]


class League(TrainingRun):
    """League training; arguments and errors are those of `TrainingRun`."""

    settings: LeagueSettings

    def __init__(self, settings: LeagueSettings, folder: Path, command: str) -> None:
        super().__init__(settings, folder, command)
        torch.set_num_threads(settings.threads)
        self.learner = Learner(settings, settings.seed, initial_layers(settings))
        bots = [Opponent(name, make_compiled_agent(name, settings.game)) for name in settings.bots]
        self.pool = Pool(bots, settings.pool_size, settings.bot_fraction)
        self._playing: deque[_Batch] = deque()
        self._steps = self._batches = self._snapshots = self._iteration = 0
        self._exploiting = 0  # number of the exploiter in training, if there is one

    @property
    def steps(self) -> int:
        """Number of studied decisions so far."""
        return self._steps

    def layers(self) -> Layers:
        """The current averaged policy network."""
        return self.learner.layers()

    def variants(self) -> list[str]:
        """The variants played in training."""
        played = {name for size in self.settings.table_sizes for name in possible_variants(self.settings, size)}
        return [name for name in self.game.variant_names if name in played]

    # ------------------------------------------------------------ training

    def _prepare(self) -> None:
        """Compile before the clock starts, imitate the teacher, and fit the value network."""
        self._against_bots(1)
        few = np.zeros((self.cluster.cores if self.cluster else 1, self.game.max_players), np.int64)
        start_games(self.learner, self._agents(), few, 0, cluster=self.cluster)()
        self.clock.set(0)
        self._imitate()
        if self.settings.iterations:
            self.learner.renew_expert()
        seating = np.zeros((self.settings.games_per_update, self.game.max_players), np.int64)
        played = start_games(self.learner, self._agents(), seating, self.settings.seed, 0.0, self.cluster)()
        self.learner.remember(played.studies)
        self.learner.learn_values(_INITIAL_VALUE_UPDATES, 1.0)

    def _imitate(self) -> None:
        wanted, collected = self.settings.imitation_steps, 0
        if not wanted or not self.settings.teacher or self.settings.init_from:
            return
        demonstrations = Demonstrations(self.settings)
        (teacher,) = display_names([self.settings.teacher])
        pause = 0.5 if sys.stderr.isatty() else 15
        with tqdm(total=wanted, desc=f"imitating {teacher}", unit=" moves", unit_scale=True, mininterval=pause) as bar:
            while collected < wanted and self.left > 1 - _IMITATION_FRACTION:
                new = demonstrations.collect()
                collected += new
                for _ in range(_IMITATION_UPDATES):
                    accuracy = self.learner.imitate(demonstrations, max(0.0, 1 - collected / wanted))
                bar.update(new)
                bar.set_postfix(accuracy=f"{accuracy:.1%}")

    def _learn(self) -> None:
        if self._exploiting and self.left > 0:  # when the training was stopped
            self._add_exploiter(self._exploiting)
        while self.left > 0 and not self.interrupted:
            if self._steps >= self._snapshots * self.settings.snapshot_every:
                self.take_snapshot()
            elif self._is_evaluation_due:
                self.evaluate()
            if self._iteration != int(self._iterations_done):  # smaller in a run that is resumed for longer
                self._iteration = int(self._iterations_done)
                self.learner.renew_expert()
            self._play_and_update()
            self._save_if_due()

    def _agents(self) -> list[CompiledAgent]:
        """The agent that plays for the learner, followed by the opponents of the pool."""
        return [self.learner.expert_agent(), *(opponent.agent for opponent in self.pool.opponents)]

    @property
    def _iterations_done(self) -> float:
        """Iterations of expert iteration so far."""
        return (1 - self.left) * self.settings.iterations

    @property
    def _iteration_left(self) -> float:
        """Remaining fraction of the iteration, or of the training if there are none."""
        return max(0.0, self._iteration + 1 - self._iterations_done) if self.settings.iterations else self.left

    def _play_and_update(self) -> None:
        """Learn from the next batch of games, while those after it are played if there is a cluster."""
        while len(self._playing) <= self.settings.max_staleness:
            self._playing.append(self._start_games())
        opponents, results = self._playing.popleft()
        played = results()
        record_results(opponents, played)
        self.learner.remember(played.studies)
        figures = self.learner.learn(len(played.studies.values), self._iteration_left)
        self._steps += played.studies.rolled_out
        self._log(figures)
        self._batches += 1
        self.show_progress()

    def _start_games(self) -> _Batch:
        settings, number = self.settings, self._batches + len(self._playing)
        seating = draw_seating(settings, self.pool.probabilities(), self.rng)
        first_seed = settings.seed * _RUN_SEEDS + number * settings.games_per_update
        results = start_games(self.learner, self._agents(), seating, first_seed % _HALF, cluster=self.cluster)
        return _Batch(list(self.pool.opponents), results)

    def take_snapshot(self) -> None:
        """Evaluate, and add a snapshot of the learner and periodically an exploiter to the pool."""
        self._snapshots = self._steps // self.settings.snapshot_every + 1
        self.evaluate()
        if not self.settings.pool_size:
            return
        self.pool.add(Opponent(f"snapshot {self._snapshots}", self.agent(greedy=False)))
        every = self.settings.exploiter_every
        if every and self._snapshots % every == 0:
            self._add_exploiter(self._snapshots)

    def _add_exploiter(self, number: int) -> None:
        """Train a copy of the learner in one seat against the learner alone, and add it to the pool.

        One that is interrupted begins again when the run is resumed.
        """
        self._exploiting = number
        steps, made = self.settings.exploiter_steps, 0
        learner, opponent = self.learner.successor(self.settings.seed + number), self.agent(greedy=False)
        next_seed = _HALF + (self.settings.seed * _RUN_SEEDS + number * _EXPLOITER_SEEDS) % _HALF
        rng = np.random.default_rng([next_seed, 4])
        tables = replace(self.settings, self_play_fraction=0.0, single_opponent_fraction=1.0)
        while made < steps and not self.interrupted:
            seating, agents = draw_seating(tables, np.ones(1), rng), [learner.agent(greedy=False), opponent]
            studies = start_games(learner, agents, seating, next_seed, cluster=self.cluster)().studies
            next_seed += len(seating)
            studied = len(studies.values)
            if not studied:  # the policy is certain of every action
                break
            learner.remember(studies)
            made += studied
            learner.learn(studied, max(0.0, 1 - made / steps))
            self.show_progress(f"exploiter {min(made / steps, 1):.0%}")
        if not self.interrupted:
            self.pool.add(Opponent(f"exploiter {number}", learner.agent(greedy=False)))
            self._exploiting = 0

    def _progress(self) -> dict[str, Any]:
        return {"pool": {opponent.name: round(opponent.learner_win_rate, 3) for opponent in self.pool.opponents}}

    # ------------------------------------------------------------ checkpoints

    @property
    def _optimizers(self) -> dict[str, torch.optim.Optimizer]:
        return {f"adam_{name}": each for name, each in self.learner.optimizers.items()}

    def _arrays(self) -> Arrays:
        return {
            **arrays_of(self.learner.networks, self._optimizers),
            **{f"pool.{i}": opponent.agent.parameters for i, opponent in enumerate(self.pool.learned)},
        }

    def _state(self) -> dict[str, Any]:
        return {
            "steps": self._steps,
            "batches": self._batches,
            "snapshots": self._snapshots,
            "exploiting": self._exploiting,
            "iteration": self._iteration,
            "seconds": self.clock.seconds,
            "pool": self.pool.state(),
            "generator": self.rng.bit_generator.state,
            "learner_generator": self.learner.rng.bit_generator.state,
        }

    def _restore(self, arrays: Arrays, state: dict[str, Any]) -> None:
        """Restore weights, pool and generators; the replay buffers are not saved and refill."""
        groups = grouped(arrays, (*self.learner.networks, *self._optimizers, "pool"))
        restore = read_arrays(groups, self.learner.networks, self._optimizers)
        learned = read_packed("the pool", groups["pool"], pack(self.layers(), False), self.settings.pool_size)
        counts = {
            name: read_count(state, name) for name in ("steps", "batches", "snapshots", "exploiting", "iteration")
        }
        rng, learner_rng = read_rng(state, "generator"), read_rng(state, "learner_generator")
        agents = [network_agent(self.game.name, self.encoding, each) for each in learned]
        self.pool.set_state(state.get("pool"), agents)
        restore()
        self._steps, self._batches, self._snapshots, self._exploiting, self._iteration = counts.values()
        self.rng, self.learner.rng = rng, learner_rng
