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
from blackjacky_agents.networks.network import encode_all, layers_of, network_agent, pack
from blackjacky_env import make_batch
from blackjacky_env.declare import Range

_ILLEGAL = -1e9
_NOT_DECIDED = -1
Array = npt.NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class NfspSettings:
    """Settings of neural fictitious self-play; rates and exploration fall linearly to 0."""

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
    """Initial Adam learning rate of the network that answers."""
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
    """Neural fictitious self-play at one table, in all seats; ``table`` is (game, players, variant, rule options).

    Raises `TypeError` or `ValueError` for a table or settings that are out of range.
    """

    def __init__(self, table: tuple[str, int, str, dict[str, Any]], settings: NfspSettings) -> None:
        game, players, variant, options = table
        torch.set_num_threads(1)  # with networks this small more of them only wait for each other
        self.settings, self.steps, self.updates, self._owed = settings, 0, 0, 0
        self.rng, self.encoding = np.random.default_rng(settings.seed), find_encoding(settings.encoding, game)
        seed = int(self.rng.integers(2**62))
        self.batch = make_batch(
            game, settings.num_envs, players, seed, variant=variant, per_seat=True, threads=1, **options
        )
        shape, actions = (settings.num_envs, players), self.batch.action_masks.shape[1]
        with torch.random.fork_rng():
            torch.manual_seed(settings.seed)
            self.values, self.average = (mlp([self.encoding.size, *settings.hidden_sizes, actions]) for _ in range(2))
        self.target = deepcopy(self.values).requires_grad_(False)
        self._adams = [
            torch.optim.Adam(network.parameters(), rate, fused=True)
            for network, rate in ((self.values, settings.learning_rate), (self.average, settings.average_rate))
        ]
        self._answers = self.rng.random(shape) < settings.eta
        self._seen = np.zeros((*shape, self.encoding.size), np.float32)
        self._done = np.full(shape, _NOT_DECIDED)
        widths = {"seen": self.encoding.size, "next": self.encoding.size, "may": actions}
        self.replay = _Memory(settings.replay_size, widths, ("action", "reward", "ended"))
        self.reservoir = _Memory(settings.reservoir_size, {"seen": self.encoding.size, "may": actions}, ("action",))

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
            while self._owed >= self.settings.decisions_per_update and self.replay.count:
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
        self._remember(rows[waiting], own[waiting], 0.0, seen[waiting], may[rows[waiting]], 0.0)
        actions[rows] = self._choose(torch.from_numpy(seen), torch.from_numpy(may[rows]), self._answers[rows, own])
        answers = self._answers[rows, own]
        drawn = {"seen": seen[answers], "may": may[rows[answers]], "action": actions[rows[answers]]}
        self.reservoir.sample_in(self.rng, drawn)
        self._seen[rows, own], self._done[rows, own] = seen, actions[rows]
        batch.step(actions)
        self.steps, self._owed = self.steps + len(rows), self._owed + len(rows)
        games, places = np.nonzero((self._done != _NOT_DECIDED) & np.asarray(batch.terminated)[:, None])
        nothing = np.zeros((len(games), may.shape[1]), bool)
        earned = np.asarray(batch.cumulative_rewards)[games, places]
        self._remember(games, places, earned, np.zeros((len(games), self.encoding.size), np.float32), nothing, 1.0)
        over = np.flatnonzero(batch.terminated)
        self._done[over] = _NOT_DECIDED
        self._answers[over] = self.rng.random((len(over), self._answers.shape[1])) < self.settings.eta

    def _remember(self, games: Array, seats: Array, rewards: Any, after: Array, may: Array, ended: float) -> None:
        """Keep what came of the last decisions of these seats."""
        kept = {"seen": self._seen[games, seats], "action": self._done[games, seats], "next": after, "may": may}
        self.replay.add({**kept, "reward": rewards, "ended": ended})

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
        told = {name: torch.from_numpy(array) for name, array in self.replay.draw(self.rng, size).items()}
        with torch.no_grad():
            best = self.values(told["next"]).masked_fill(~told["may"], _ILLEGAL).argmax(1, keepdim=True)
            later = self.target(told["next"]).gather(1, best)[:, 0] * (1 - told["ended"])
        guessed = self.values(told["seen"]).gather(1, told["action"].long()[:, None])[:, 0]
        losses = [(guessed - told["reward"] - later).square().mean()]
        if self.reservoir.count:
            told = {name: torch.from_numpy(array) for name, array in self.reservoir.draw(self.rng, size).items()}
            logits = self.average(told["seen"]).masked_fill(~told["may"], _ILLEGAL)
            losses.append(nn.functional.cross_entropy(logits, told["action"].long()))
        rates = settings.learning_rate, settings.average_rate
        for loss, adam, rate in zip(losses, self._adams, rates, strict=False):
            adam.param_groups[0]["lr"] = rate * self.left
            adam.zero_grad()
            loss.backward()
            adam.step()
        self.updates += 1
        if self.updates % settings.target_every == 0:
            self.target.load_state_dict(self.values.state_dict())


class _Memory:
    """Rows of a limited number: the latest, or a uniform sample of all (reservoir sampling, Vitter 1985)."""

    def __init__(self, size: int, widths: dict[str, int], numbers: tuple[str, ...]) -> None:
        self.size, self.count, self.met = size, 0, 0
        self._arrays: dict[str, Array] = {name: np.zeros(size, np.float32) for name in numbers}
        for name, width in widths.items():
            self._arrays[name] = np.zeros((size, width), bool if name == "may" else np.float32)

    def add(self, rows: dict[str, Any]) -> None:
        """Keep rows in place of the oldest."""
        count = len(rows["seen"])
        self._put((self.met + np.arange(count)) % self.size, rows, count)

    def sample_in(self, rng: np.random.Generator, rows: dict[str, Any]) -> None:
        """Keep each row with the probability that makes all rows so far equally likely to be kept."""
        count = len(rows["seen"])
        numbers = self.met + np.arange(count)
        places = np.where(numbers < self.size, numbers, rng.integers(0, numbers + 1))
        kept = places < self.size
        self._put(places[kept], {name: value[kept] for name, value in rows.items()}, count)

    def _put(self, places: Array, rows: dict[str, Any], count: int) -> None:
        for name, value in rows.items():
            self._arrays[name][places] = value
        self.met += count
        self.count = min(self.size, self.met)

    def draw(self, rng: np.random.Generator, count: int) -> dict[str, Array]:
        """Some rows, drawn with repetition."""
        rows = rng.integers(0, self.count, count)
        return {name: array[rows] for name, array in self._arrays.items()}
