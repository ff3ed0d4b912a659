"""Deep CFR on compiled games: counterfactual regret minimisation in which networks take the place of tables.

Brown, Lerer, Gross and Sandholm, "Deep Counterfactual Regret Minimization" (2019). In each iteration every seat in turn
tries all of its actions in games whose deals and other players' actions are sampled (external sampling, as in
`blackjacky_agents.solving.sampled`). Its network then learns how much better than the strategy each action has been in
all iterations so far, and plays by regret matching in the next; where no action has been better, it takes the best.
Another network learns the average of all strategies: the policy that comes close to an equilibrium. Both learn from
uniform samples of bounded size, in which iteration t has the weight t, as in linear CFR (Brown and Sandholm 2019).

A seat's network goes on from its weights of the iteration before, not from new ones as in the paper, so it needs fewer
updates. The average is learnt anew whenever it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.games import find_encoding
from blackjacky_agents.kit.encoding import Encoding
from blackjacky_agents.kit.settings import MAX_UNITS, Count, Fraction, check_ranges
from blackjacky_agents.learning.modules import Narrowed, linear_layers, mlp
from blackjacky_agents.networks.network import encode_all, forward, layers_of, network_agent, pack, widest
from blackjacky_agents.solving.sampled import (
    DECISIONS,
    LEGAL,
    MOST_DECISIONS,
    Learner,
    make_list_legal,
    make_try_all,
    new_bench,
    too_many_decisions,
)
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_env.compiled import below, compiled, draw, entry, game_key, stream, zeros
from blackjacky_env.compiled.purposes import FOR_SAMPLED
from blackjacky_env.declare import Game, Range
from blackjacky_env.play import make_begin, make_shared_step

_ILLEGAL = -1e9
_AT_ONCE = 50  # minibatches that are drawn
Array = npt.NDArray[Any]
Loss = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]
"""(outputs, numbers of a `Sample`, masks) -> the loss of each decision."""


@dataclass(frozen=True, kw_only=True)
class DeepCfrSettings:
    """Settings of deep CFR."""

    seed: Annotated[int, Range(0, 2**32 - 1)] = 0
    encoding: str = "raw"
    hidden_sizes: Annotated[tuple[int, ...], Range(1, MAX_UNITS)] = (64, 64)
    decisions_per_iteration: Count = 1_000
    """Decisions in the games of one seat in one iteration, at least."""
    updates: Count = 50
    """Minibatches of a seat's network in each iteration."""
    average_updates: Count = 2_000
    """Minibatches from which the average is learnt, each time."""
    batch_size: Count = 512
    learning_rate: Fraction = 0.012
    """Initial Adam learning rate of an iteration, divided by the fourth root of its number; it is
    annealed linearly to 0."""
    average_rate: Fraction = 0.01
    """Initial Adam learning rate of the average, annealed linearly to 0."""
    memory_size: Count = 1_000_000
    """Decisions that each network draws from, a uniform sample of all."""

    def __post_init__(self) -> None:
        """Raise `TypeError` or `ValueError` for a number that is not in the range declared with its setting."""
        check_ranges(self)


class Sample(NamedTuple):
    """Decisions of which all so far are equally likely to be kept (reservoir sampling, Vitter 1985), N places."""

    observations: Array  # (N, K)
    masks: npt.NDArray[np.int8]  # (N, A)
    numbers: npt.NDArray[np.float32]  # an advantage or a probability of each action, (N, A)
    weights: npt.NDArray[np.float32]  # the iteration, (N,)
    met: npt.NDArray[np.int64]  # decisions so far, (1,)


class Known(NamedTuple):
    """What takes the place of `sampled.Known` in games of one seat."""

    networks: npt.NDArray[np.float32]  # packed, of each seat, (P, size)
    advantages: Sample  # of the seat
    strategies: Sample  # of the next seat
    units: npt.NDArray[np.float32]  # for `forward`, (2, U)
    rows: npt.NDArray[np.int64]  # for `forward`, (U + 1,)
    draws: npt.NDArray[np.uint64]  # a stream for samples, (1,)
    counts: npt.NDArray[np.int64]  # the last is that of decisions, (4,)


def _make_keep(game: Game) -> Callable[..., None]:
    """Compiled (known, sample, bench, d, numbers, weight): perhaps keep a decision in a sample, with these numbers."""
    observe = game.rules.encode

    def keep(known, sample, bench, d, numbers, weight):  # type: ignore[no-untyped-def]  # compiled
        met, count = sample.met[0], bench.at[d, LEGAL]
        sample.met[0] += count > 1
        place = met if met < len(sample.weights) else np.int64(below(draw(known.draws[0], met), met + 1))
        if count == 1 or place >= len(sample.weights):
            return
        observe(bench.records[d], bench.records[d].player, sample.observations[place])
        sample.masks[place], sample.numbers[place], sample.weights[place] = 0, 0, weight
        for i in range(count):
            action = bench.actions[d, i]
            sample.masks[place, action], sample.numbers[place, action] = 1, numbers[i]

    return compiled(keep)


@cache
def _deep(game: Game, encoding: Encoding) -> Learner:
    """What learns by networks; no seat hears anything, as networks see only the present."""
    list_legal, step, keep = make_list_legal(game), make_shared_step(game), _make_keep(game)
    observe, encode, features = game.rules.encode, encoding.function, encoding.size

    def decide(s, known, bench, d):  # type: ignore[no-untyped-def]  # compiled
        count = list_legal(s, bench, d)
        chances, actions, total, best = bench.chances[d], bench.actions[d], 0.0, 0
        if count == 1:
            chances[0] = 1.0
            return count
        observe(s, s.player, bench.ear.seen)
        encode(bench.ear.seen, bench.ear.mask, known.units[0][:features])
        advantages = known.units[forward(known.units, known.rows, known.networks[s.player])]
        for i in range(count):
            chances[i] = max(advantages[actions[i]], np.float32(0))
            total += chances[i]
            best = i if advantages[actions[i]] > advantages[actions[best]] else best
        for i in range(count):
            chances[i] = chances[i] / total if total > 0 else 1.0 * (i == best)
        return count

    def note(known, bench, d, weight):  # type: ignore[no-untyped-def]  # compiled
        keep(known, known.strategies, bench, d, bench.chances[d], weight)

    def learn(known, bench, d, weight, mean):  # type: ignore[no-untyped-def]  # compiled
        for i in range(bench.at[d, LEGAL]):
            bench.values[d, i] -= mean
        keep(known, known.advantages, bench, d, bench.values[d], weight)

    def act(s, bench, action):  # type: ignore[no-untyped-def]  # compiled
        step(s, np.int64(action))

    return Learner(compiled(decide), compiled(note), compiled(learn), compiled(act))


@cache
def _playing(game: Game, encoding: Encoding) -> Callable[..., int]:
    """Entry (blank, known, bench, seat, weight, key, number, due, most) -> the number of the next game.

    Plays games from ``number`` on until the count of decisions is ``due``; -1 if one has more than ``most``.
    """
    begin, try_all = make_begin(game), make_try_all(game, _deep(game, encoding))

    def play(blank, known, bench, seat, weight, key, number, due, most):  # type: ignore[no-untyped-def]  # compiled
        while known.counts[DECISIONS] < due:
            draws = stream(key, FOR_SAMPLED, number, seat)
            bench.records[-1] = blank[0]
            begin(bench.records[-1], draw(draws, 0), 0)
            if not try_all(known, bench, seat, weight, draws, most):
                return -1
            number += 1
        return number

    return entry(play)


class DeepCfr:
    """Deep CFR at one table, in all seats."""

    def __init__(self, table: SmallTable, settings: DeepCfrSettings) -> None:
        torch.set_num_threads(1)  # with networks this small more of them only wait for each other
        self.table, self.settings, game = table, settings, table.game
        self.iterations = self._games = 0
        self.encoding = find_encoding(settings.encoding, game.name)
        self._rng, self._key = np.random.default_rng(settings.seed), np.uint64(game_key(settings.seed))
        self.networks = [self._new_network() for _ in range(table.num_players)]
        for network in self.networks:
            last = linear_layers(network)[-1]  # at first all actions are equally likely
            nn.init.zeros_(last.weight)
            nn.init.ones_(last.bias)
        self._adams = [torch.optim.Adam(each.parameters(), fused=True) for each in self.networks]
        self._advantages = [_new_sample(game, settings.memory_size) for _ in self.networks]
        self._strategies = _new_sample(game, settings.memory_size)
        self._counts, self._bench = np.zeros(DECISIONS + 1, np.int64), new_bench(game, table.num_players)
        self._blank = zeros(1, game.state_dtype)
        self._blank[:] = game.new_state(table.num_players, table.variant, table.options)

    @property
    def steps(self) -> int:
        """Decisions so far: moves of players with more than one legal action, and those that a seat has tried."""
        return int(self._counts[DECISIONS])

    def run(self, steps: int) -> None:
        """Play and learn until so many decisions have been made.

        Raises `ValueError` for a table whose games have so many own decisions that trying all actions takes too long.
        """
        while self.steps < steps:
            self.iterations += 1
            for seat in range(len(self.networks)):
                self._play(seat)
                self._learn(seat)

    def _play(self, seat: int) -> None:
        """Games in which a seat tries all of its actions."""
        networks, game = np.stack([pack(layers_of(network), False) for network in self.networks]), self.table.game
        units = np.zeros((2, widest(networks[0])), np.float32)
        rows = np.zeros(units.shape[1] + 1, np.int64)
        draws = np.array([stream(self._key, FOR_SAMPLED, 0, seat)], np.uint64)
        known = Known(networks, self._advantages[seat], self._strategies, units, rows, draws, self._counts)
        given, due = (self._blank, known, self._bench, seat), self.steps + self.settings.decisions_per_iteration
        play, weight = _playing(game, self.encoding), float(self.iterations)
        self._games = play(*given, weight, self._key, self._games + 1, due, MOST_DECISIONS)
        if self._games < 0:
            raise too_many_decisions(self.table)

    def _learn(self, seat: int) -> None:
        """Fit a seat's network to the mean advantages of all iterations."""

        def loss(told: torch.Tensor, numbers: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
            return ((told - numbers).square() * masks).sum(1)

        rate = self.settings.learning_rate / self.iterations**0.25
        self._fit(self.networks[seat], self._adams[seat], self._advantages[seat], loss, rate, self.settings.updates)

    def agent(self) -> CompiledAgent:
        """The average strategy, which is learnt now."""

        def loss(told: torch.Tensor, numbers: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
            return -(numbers * torch.log_softmax(told.masked_fill(masks == 0, _ILLEGAL), 1)).sum(1)

        average, settings = self._new_network(), self.settings
        adam = torch.optim.Adam(average.parameters(), fused=True)
        self._fit(average, adam, self._strategies, loss, settings.average_rate, settings.average_updates)
        return network_agent(self.table.game.name, self.encoding, pack(layers_of(average), False))

    def _fit(
        self, network: nn.Sequential, adam: torch.optim.Adam, sample: Sample, loss: Loss, rate: float, updates: int
    ) -> None:
        """Fit a network to a sample by minibatches, in which iteration t has the weight t; the rate falls to 0."""
        size = self.settings.batch_size
        for update in range(updates):
            if update % _AT_ONCE == 0:
                count = min(_AT_ONCE, updates - update) * size
                rows = self._rng.integers(0, min(len(sample.weights), sample.met[0]), count)
                seen = torch.from_numpy(encode_all(self.encoding, sample.observations[rows], sample.masks[rows]))
                masks, numbers, weights = (torch.from_numpy(each[rows]) for each in sample[1:4])
                outputs = Narrowed(seen, masks)
                told = [*outputs.narrow(seen, masks, numbers), weights / self.iterations]
            seen, masks, numbers, weights = (each[update % _AT_ONCE * size :][:size] for each in told)
            adam.param_groups[0]["lr"] = rate * (1 - update / updates)
            adam.zero_grad()
            (weights * loss(outputs(network, seen), numbers, masks)).mean().backward()  # type: ignore[no-untyped-call]
            adam.step()

    def _new_network(self) -> nn.Sequential:
        with torch.random.fork_rng():
            torch.manual_seed(int(self._rng.integers(2**62)))
            return mlp([self.encoding.size, *self.settings.hidden_sizes, self.table.game.num_actions])


def _new_sample(game: Game, size: int) -> Sample:
    seen, rows = np.zeros((size, game.layout.size), game.layout.dtype), (size, game.num_actions)
    return Sample(
        seen, np.zeros(rows, np.int8), np.zeros(rows, np.float32), np.zeros(size, np.float32), np.zeros(1, int)
    )
