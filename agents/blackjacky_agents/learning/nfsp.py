"""Neural fictitious self-play on batches of compiled games.

Heinrich and Silver, "Deep Reinforcement Learning from Self-Play in Imperfect-Information Games" (2016). Two networks
see a position as its seat does. One learns by deep Q-learning what actions are worth and answers greedily; the other
imitates all answers so far, which makes it their average: the policy that comes close to an equilibrium. In each game a
seat answers with probability ``eta``, and plays the average otherwise. Q-values of the next decision are those that a
copy of the network gives to the action which the network prefers (van Hasselt, Guez and Silver 2016).
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.games import find_encoding
from blackjacky_agents.kit.settings import MAX_UNITS, Count, Fraction, check_ranges
from blackjacky_agents.learning.modules import mlp
from blackjacky_agents.learning.replay_buffer import ReplayBuffer, Reservoir
from blackjacky_agents.networks.network import encode_all, layers_of, network_agent, pack
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_env import make_batch
from blackjacky_env.declare import Range

_ILLEGAL = -1e9
_NOT_DECIDED = -1
Array = npt.NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class NfspSettings:
    """Settings of neural fictitious self-play; rates and exploration are annealed linearly to 0."""

    steps: Count
    """Decisions in all: moves of players with more than one legal action."""
    seed: Annotated[int, Range(0, 2**32 - 1)] = 0
    encoding: str = "raw"
    hidden_sizes: Annotated[tuple[int, ...], Range(1, MAX_UNITS)] = (64, 64)
    eta: Fraction = 0.1
    """Probability that a seat answers in a game."""
    epsilon: Fraction = 0.1
    """Probability that an answer is drawn at random."""
    learning_rate: Fraction = 1e-3
    """Initial Adam learning rate of the Q-network."""
    average_rate: Fraction = 1e-3
    """The same of the average."""
    num_envs: Count = 256
    batch_size: Count = 512
    decisions_per_update: Count = 128
    """Decisions between two minibatches of each network."""
    replay_size: Count = 200_000
    """Latest transitions that Q-learning draws from."""
    reservoir_size: Count = 1_000_000
    """Answers that the average draws from, a uniform sample of all."""
    target_every: Count = 300
    """Updates between two copies of the network that values the next decision."""

    def __post_init__(self) -> None:
        """Raise `TypeError` or `ValueError` for a number that is not in the range declared with its setting."""
        check_ranges(self)


class Nfsp:
    """Neural fictitious self-play at one table, in all seats."""

    def __init__(self, table: SmallTable, settings: NfspSettings) -> None:
        game, players = table.game.name, table.num_players
        torch.set_num_threads(1)  # with networks this small more of them only wait for each other
        self.settings, self.steps, self.updates, self._owed = settings, 0, 0, 0
        self.rng, self.encoding = np.random.default_rng(settings.seed), find_encoding(settings.encoding, game)
        seed = int(self.rng.integers(2**62))
        how: dict[str, Any] = {"variant": table.variant, "per_seat": True, "threads": 1, **table.options}
        self.batch = make_batch(game, settings.num_envs, players, seed, **how)
        shape, actions = (settings.num_envs, players), self.batch.action_masks.shape[1]
        with torch.random.fork_rng():
            torch.manual_seed(settings.seed)
            self.values, self.average = (mlp([self.encoding.size, *settings.hidden_sizes, actions]) for _ in range(2))
        self.target = deepcopy(self.values).requires_grad_(False)
        self._adams = [
            torch.optim.Adam(network.parameters(), rate, fused=True)
            for network, rate in ((self.values, settings.learning_rate), (self.average, settings.average_rate))
        ]
        self._best_responds = self.rng.random(shape) < settings.eta
        self._seen = np.zeros((*shape, self.encoding.size), np.float32)
        self._done = np.full(shape, _NOT_DECIDED)
        seen, may, number = ((self.encoding.size,), np.float32), ((actions,), np.bool_), ((), np.float32)
        self.replay = ReplayBuffer(settings.replay_size, seen, number, seen, may, number, number)
        self.reservoir = Reservoir(settings.reservoir_size, seen, may, number)

    @property
    def left(self) -> float:
        """The fraction of the decisions that is left, 0 .. 1."""
        return max(0.0, 1 - self.steps / self.settings.steps)

    def agent(self) -> CompiledAgent:
        """The average, which draws its actions."""
        return network_agent(self.batch.game.name, self.encoding, pack(layers_of(self.average), False))

    def run(self, steps: int) -> None:
        """Play and learn until so many decisions have been made."""
        while self.steps < steps:
            self._play()
            while self._owed >= self.settings.decisions_per_update and len(self.replay):
                self._owed -= self.settings.decisions_per_update
                self._learn()

    @torch.no_grad()
    def _play(self) -> None:
        """One action in each game."""
        batch, may = self.batch, self.batch.action_masks > 0
        rows = np.flatnonzero(may.sum(axis=1) > 1)
        actions, seats = may.argmax(axis=1), np.asarray(batch.current_player)
        own, seen = seats[rows], encode_all(self.encoding, batch.observations, batch.action_masks)[rows]
        waiting = self._done[rows, own] != _NOT_DECIDED
        self._remember(rows[waiting], own[waiting], np.zeros(waiting.sum()), seen[waiting], may[rows[waiting]], False)
        answers = self._best_responds[rows, own]
        actions[rows] = self._choose(torch.from_numpy(seen), torch.from_numpy(may[rows]), answers)
        self.reservoir.sample_in(self.rng, seen[answers], may[rows[answers]], actions[rows[answers]])
        self._seen[rows, own], self._done[rows, own] = seen, actions[rows]
        batch.step(actions)
        self.steps, self._owed = self.steps + len(rows), self._owed + len(rows)
        games, places = np.nonzero((self._done != _NOT_DECIDED) & np.asarray(batch.terminated)[:, None])
        nothing = np.zeros((len(games), may.shape[1]), bool)
        earned = np.asarray(batch.cumulative_rewards)[games, places]
        self._remember(games, places, earned, np.zeros((len(games), self.encoding.size), np.float32), nothing, True)
        over = np.flatnonzero(batch.terminated)
        self._done[over] = _NOT_DECIDED
        self._best_responds[over] = self.rng.random((len(over), self._done.shape[1])) < self.settings.eta

    def _remember(self, games: Array, seats: Array, rewards: Any, after: Array, may: Array, ended: bool) -> None:
        """Keep what came of the last decisions of these seats."""
        ends = np.full(len(games), ended)
        self.replay.add(self._seen[games, seats], self._done[games, seats], after, may, rewards, ends)

    def _choose(self, seen: torch.Tensor, may: torch.Tensor, answers: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """The greedy answer, sometimes a random one, where ``answers`` says so, and else an action of the average."""
        chances = torch.softmax(self.average(seen).masked_fill(~may, _ILLEGAL), 1).double().numpy()
        at_random = self.rng.random(len(answers)) < self.settings.epsilon * self.left
        chances[answers & at_random] = may.numpy()[answers & at_random]
        bounds = chances.cumsum(axis=1)
        drawn = (bounds > self.rng.random((len(answers), 1)) * bounds[:, -1:]).argmax(axis=1)
        greedy = self.values(seen).masked_fill(~may, _ILLEGAL).argmax(1).numpy()
        chosen: npt.NDArray[np.int64] = np.where(answers & ~at_random, greedy, drawn)
        return chosen

    def _learn(self) -> None:
        """A minibatch for each network."""
        size, settings = self.settings.batch_size, self.settings
        seen, actions, after, may, rewards, ended = map(torch.from_numpy, self.replay.sample(size, self.rng))
        with torch.no_grad():
            best = self.values(after).masked_fill(~may, _ILLEGAL).argmax(1, keepdim=True)
            later = self.target(after).gather(1, best)[:, 0] * (1 - ended)
        guessed = self.values(seen).gather(1, actions.long()[:, None])[:, 0]
        losses = [(guessed - rewards - later).square().mean()]
        if len(self.reservoir):
            seen, may, actions = map(torch.from_numpy, self.reservoir.sample(size, self.rng))
            logits = self.average(seen).masked_fill(~may, _ILLEGAL)
            losses.append(nn.functional.cross_entropy(logits, actions.long()))
        rates = settings.learning_rate, settings.average_rate
        for loss, adam, rate in zip(losses, self._adams, rates, strict=False):
            adam.param_groups[0]["lr"] = rate * self.left
            adam.zero_grad()
            loss.backward()
            adam.step()
        self.updates += 1
        if self.updates % settings.target_every == 0:
            self.target.load_state_dict(self.values.state_dict())
