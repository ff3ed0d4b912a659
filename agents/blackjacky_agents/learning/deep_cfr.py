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
from blackjacky_agents.learning.modules import mlp
from blackjacky_agents.networks.network import encode_all, forward, layers_of, network_agent, pack
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_env.compiled import below, compiled, draw, entry, game_key, stream, zeros
from blackjacky_env.compiled.purposes import FOR_SAMPLED
from blackjacky_env.declare import Game, Range
from blackjacky_env.play import is_running, make_begin, make_shared_step

_DEEPEST = 1024  # own decisions of a seat in a game
_MOST = 1 << 19  # decisions in a game of which a seat tries all actions
_NO_ACTION = -1
Array = npt.NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class DeepCfrSettings:
    """Settings of deep CFR."""

    seed: Annotated[int, Range(0, 2**32 - 1)] = 0
    encoding: str = "raw"
    hidden_sizes: Annotated[tuple[int, ...], Range(1, MAX_UNITS)] = (64, 64)
    decisions_per_iteration: Count = 4_000
    """Decisions in the games of one seat in one iteration, at least."""
    updates: Count = 200
    """Minibatches of a seat's network in each iteration."""
    average_updates: Count = 4_000
    """Minibatches from which the average is learnt, each time."""
    batch_size: Count = 512
    learning_rate: Fraction = 1e-3
    """Adam learning rate; that of the average falls linearly to 0."""
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


class Bench(NamedTuple):
    """Arrays with which a game is played: a place for each own decision of the seat that tries all actions.

    The last place is the present position.
    """

    records: Array
    observations: Array  # (D, K)
    masks: npt.NDArray[np.int8]  # (D, A)
    chances: npt.NDArray[np.float64]  # (D, A)
    values: npt.NDArray[np.float64]  # what each action has brought, (D, A)
    tried: npt.NDArray[np.int64]  # the present action, (D,)
    units: npt.NDArray[np.float32]  # of a network, (2, U)
    rows: npt.NDArray[np.int64]  # (U + 1,)
    results: npt.NDArray[np.float64]  # (max_players,)


@compiled
def match_regrets(advantages, mask, chances):  # type: ignore[no-untyped-def]  # compiled
    """Fill ``chances`` in proportion to positive advantages; without any, the action with the highest is certain."""
    total, best = 0.0, _NO_ACTION
    for action in range(len(mask)):
        chances[action] = max(advantages[action], np.float32(0)) if mask[action] else 0.0
        total += chances[action]
        if mask[action] and (best == _NO_ACTION or advantages[action] > advantages[best]):
            best = action
    for action in range(len(mask)):
        chances[action] = chances[action] / total if total > 0 else 1.0 * (action == best)


@compiled
def pick(chances, bits):  # type: ignore[no-untyped-def]  # compiled
    """An action by its probability."""
    left, last = (bits >> np.uint64(11)) / 2.0**53, _NO_ACTION
    for action in range(len(chances)):
        if chances[action] > 0:
            left, last = left - chances[action], action
            if left < 0:
                break
    return last


@compiled
def keep(sample, bench, d, numbers, weight, bits):  # type: ignore[no-untyped-def]  # compiled
    """Put a decision into a sample, or leave it out."""
    size, met = len(sample.weights), sample.met[0]
    place = met if met < size else np.int64(below(bits, met + 1))
    sample.met[0] = met + 1
    if place < size:
        sample.observations[place], sample.masks[place] = bench.observations[d], bench.masks[d]
        for action in range(len(numbers)):
            sample.numbers[place, action] = numbers[action]
        sample.weights[place] = weight


@compiled
def next_action(mask, action):  # type: ignore[no-untyped-def]  # compiled
    """The legal action after this one, or the number of all actions."""
    action += 1
    while action < len(mask) and not mask[action]:
        action += 1
    return action


@compiled
def go_back(bench, depth, value, sample, weight, draws, drawn):  # type: ignore[no-untyped-def]  # compiled
    """Note the value of the last own action, and keep the decisions of which all actions have been tried.

    Returns the number of own decisions of which some have not.
    """
    count = bench.masks.shape[1]
    while depth > 0:
        d = depth - 1
        bench.values[d, bench.tried[d]] = value
        bench.tried[d] = next_action(bench.masks[d], bench.tried[d])
        if bench.tried[d] < count:
            break
        value = 0.0
        for action in range(count):
            value += bench.chances[d, action] * bench.values[d, action] if bench.masks[d, action] else 0.0
        for action in range(count):
            bench.values[d, action] = bench.values[d, action] - value if bench.masks[d, action] else 0.0
        if bench.masks[d].sum() > 1:
            keep(sample, bench, d, bench.values[d], weight, draw(draws, drawn + d))
        depth = d
    return depth


@cache
def _make_decide(game: Game, encoding: Encoding) -> Callable[..., int]:
    """Compiled (s, bench, networks, d) -> legal actions of the player to act, whose probabilities are written."""
    observe, legal, encode, size = game.rules.encode, game.rules.legal, encoding.function, encoding.size

    def decide(s, bench, networks, d):  # type: ignore[no-untyped-def]  # compiled
        observation, mask, units = bench.observations[d], bench.masks[d], bench.units
        observe(s, s.player, observation)
        legal(s, mask)
        encode(observation, mask, units[0][:size])
        match_regrets(units[forward(units, bench.rows, networks[s.player])], mask, bench.chances[d])
        return mask.sum()

    return compiled(decide)


@cache
def _playing(game: Game, encoding: Encoding) -> Callable[..., int]:
    """Entry (blank, bench, networks, samples, seat, weight, stream of draws) -> decisions, or -1 if they are too many.

    ``samples``: of the seat's advantages, and of the strategies of the next seat.
    """
    begin, step, returns = make_begin(game), make_shared_step(game), game.rules.returns
    decide = _make_decide(game, encoding)

    def play(blank, bench, networks, samples, seat, weight, seed, number):  # type: ignore[no-untyped-def]
        draws = stream(game_key(seed), FOR_SAMPLED, number, seat)
        here, depth, drawn, decisions = len(bench.records) - 1, 0, 1, 0
        bench.records[here] = blank[0]
        s = bench.records[here]
        begin(s, draw(draws, 0), 0)
        while True:
            while is_running(s) and s.player != seat:
                count, player = decide(s, bench, networks, here), int(s.player)
                decisions += count > 1
                if count > 1 and player == (seat + 1) % s.num_players:
                    keep(samples[1], bench, here, bench.chances[here], weight, draw(draws, drawn))
                step(s, np.int64(pick(bench.chances[here], draw(draws, drawn + 1))))
                drawn += 2
            if is_running(s):
                if depth == here or decisions > _MOST or drawn > _MOST:
                    return -1
                count = decide(s, bench, networks, depth)
                decisions += count if count > 1 else 0  # each action is tried
                bench.records[depth] = s
                bench.tried[depth] = next_action(bench.masks[depth], _NO_ACTION)
                depth += 1
            else:
                bench.results[:] = 0.0
                returns(s, bench.results)
                before = depth
                depth = go_back(bench, depth, bench.results[seat], samples[0], weight, draws, drawn)
                drawn += before
                if depth == 0:
                    return decisions
                bench.records[here] = bench.records[depth - 1]
            step(s, np.int64(bench.tried[depth - 1]))

    return entry(play)


class DeepCfr:
    """Deep CFR at one table, in all seats.

    Raises `ValueError` for a table whose games have so many own decisions that trying all actions takes too long.
    """

    def __init__(self, table: SmallTable, settings: DeepCfrSettings) -> None:
        torch.set_num_threads(1)  # with networks this small more of them only wait for each other
        self.table, self.settings, game = table, settings, table.game
        self.steps = self.iterations = self._games = 0
        self.encoding = find_encoding(settings.encoding, game.name)
        self._rng = np.random.default_rng(settings.seed)
        self.networks = [self._new_network() for _ in range(table.num_players)]
        for network in self.networks:
            nn.init.zeros_(network[-1].weight)  # at first all actions are equally likely
            nn.init.ones_(network[-1].bias)
        self._adams = [torch.optim.Adam(each.parameters(), settings.learning_rate, fused=True) for each in self.networks]
        self._advantages = [_new_sample(game, settings.memory_size) for _ in self.networks]
        self._strategies = _new_sample(game, settings.memory_size)
        self._blank, self._bench = zeros(1, game.state_dtype), _new_bench(game, self.encoding, settings)
        self._blank[:] = game.new_state(table.num_players, table.variant, table.options)

    def run(self, steps: int) -> None:
        """Play and learn until so many decisions have been made."""
        while self.steps < steps:
            self.iterations += 1
            for seat in range(len(self.networks)):
                self._play(seat)
                self._learn(seat)

    def _play(self, seat: int) -> None:
        """Games in which a seat tries all of its actions."""
        play = _playing(self.table.game, self.encoding)
        networks = np.stack([pack(layers_of(network), False) for network in self.networks])
        samples, due = (self._advantages[seat], self._strategies), self.steps + self.settings.decisions_per_iteration
        while self.steps < due:
            self._games += 1
            weight, seed = float(self.iterations), self.settings.seed
            made = play(self._blank, self._bench, networks, samples, seat, weight, seed, self._games)
            if made < 0:
                raise ValueError("too many")
            self.steps += made

    def _learn(self, seat: int) -> None:
        """Fit a seat's network to the mean advantages of all iterations."""
        network, adam = self.networks[seat], self._adams[seat]
        for _ in range(self.settings.updates):
            seen, masks, told, weights = self._draw(self._advantages[seat])
            loss = (weights * ((network(seen) - told).square() * masks).sum(1)).mean()
            adam.zero_grad()
            loss.backward()
            adam.step()

    def agent(self) -> CompiledAgent:
        """The average strategy, which is learnt now."""
        average, settings = self._new_network(), self.settings
        adam = torch.optim.Adam(average.parameters(), settings.learning_rate, fused=True)
        for update in range(settings.average_updates):
            seen, masks, told, weights = self._draw(self._strategies)
            logits = torch.log_softmax(average(seen).masked_fill(masks == 0, -1e9), 1)
            loss = -(weights * (told * logits).sum(1)).mean()
            adam.param_groups[0]["lr"] = settings.learning_rate * (1 - update / settings.average_updates)
            adam.zero_grad()
            loss.backward()
            adam.step()
        return network_agent(self.table.game.name, self.encoding, pack(layers_of(average), False))

    def _draw(self, sample: Sample) -> list[torch.Tensor]:
        """A minibatch: inputs, legal actions, numbers of a `Sample`, and weights whose mean is about 1."""
        rows = self._rng.integers(0, min(len(sample.weights), sample.met[0]), self.settings.batch_size)
        seen = encode_all(self.encoding, sample.observations[rows], sample.masks[rows])
        weights = sample.weights[rows] * (2 / (self.iterations + 1))
        return [torch.from_numpy(each) for each in (seen, sample.masks[rows], sample.numbers[rows], weights)]

    def _new_network(self) -> nn.Sequential:
        with torch.random.fork_rng():
            torch.manual_seed(int(self._rng.integers(2**62)))
            return mlp([self.encoding.size, *self.settings.hidden_sizes, self.table.game.num_actions])


def _new_sample(game: Game, size: int) -> Sample:
    seen, rows = np.zeros((size, game.layout.size), game.layout.dtype), (size, game.num_actions)
    return Sample(seen, np.zeros(rows, np.int8), np.zeros(rows, np.float32), np.zeros(size, np.float32), np.zeros(1, int))


def _new_bench(game: Game, encoding: Encoding, settings: DeepCfrSettings) -> Bench:
    places, most = _DEEPEST + 1, max(encoding.size, *settings.hidden_sizes, game.num_actions)
    shape, seen = (places, game.num_actions), np.zeros((places, game.layout.size), game.layout.dtype)
    numbers = np.zeros(shape, np.int8), np.zeros(shape), np.zeros(shape), np.zeros(places, np.int64)
    units = np.zeros((2, most), np.float32), np.zeros(most + 1, np.int64)
    return Bench(zeros(places, game.state_dtype), seen, *numbers, *units, np.zeros(game.max_players))
