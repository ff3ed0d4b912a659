"""Collecting decisions for policy gradients: whole stretches of play in one compiled call, the network included.

Every seat that the learner has in a game learns. A decision leads to the next decision of the same seat, to which
rewards, values and advantages are linked. Forced decisions are played, but neither learned from nor counted.

Rewards are shaped by a potential of each seat, its score less the mean score of the table (Ng, Harada and Russell,
"Policy invariance under reward transformations", ICML 1999).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.kit.encoding import Encoding
from blackjacky_agents.kit.settings import LeagueSettings, SelfPlaySettings
from blackjacky_agents.networks.network import forward, softmax, widest
from blackjacky_env.compiled import below, compiled, draw, entry, game_key, make_cast, score_of, spread, stream
from blackjacky_env.compiled.purposes import FOR_LINEUPS, FOR_POLICIES
from blackjacky_env.declare import Game, Vector
from blackjacky_env.play import DRAWN, NONE, is_running, make_begin, make_choose, make_shared_step, only_legal

LEARNER = 0
"""The learner's number at a table; 1 + i is opponent i."""
NOT_DECIDED = -1


class Tables(NamedTuple):
    """N games that go on from one stretch to the next, with up to P seats."""

    states: npt.NDArray[Any]  # records with their options, (N,)
    seating: npt.NDArray[np.int64]  # who has each seat, (N, P): `LEARNER`, or 1 + the number of an opponent
    decisions: npt.NDArray[np.int64]  # decisions in the running game, (N,)
    started: npt.NDArray[np.int64]  # games started so far, (N,)


class Stretch(NamedTuple):
    """T decisions of the learner in each of N games."""

    inputs: npt.NDArray[np.float32]  # what the network saw, (N, T, F)
    masks: npt.NDArray[np.bool_]  # legal actions, (N, T, A)
    actions: npt.NDArray[np.int64]  # (N, T)
    log_probs: npt.NDArray[np.float32]  # of the actions, when they were taken, (N, T)
    values: npt.NDArray[np.float32]  # of the positions, as the network estimated them, (N, T)
    advantages: npt.NDArray[np.float32]
    """Generalised advantage estimates, (N, T); values plus these are what the values should have been."""


class Links(NamedTuple):
    """How the decisions of a stretch are linked, for one game of T decisions and P seats."""

    rewards: npt.NDArray[np.float64]  # what the decision has earned until the next one of its seat, (T,)
    following: npt.NDArray[np.int64]  # the next decision of the same seat in the stretch, (T,), or `NONE`
    last: npt.NDArray[np.int64]  # the last decision of each seat, (P,), or `NOT_DECIDED`
    potentials: npt.NDArray[np.float64]  # of each seat at its last decision, (P,)


class Seen(NamedTuple):
    """Buffers for what the player to act sees, (K,) and (A,), and for what the network makes of it."""

    observation: Vector
    mask: npt.NDArray[np.int8]
    inputs: npt.NDArray[np.float32]
    values: npt.NDArray[np.float32]  # of `forward`
    rows: npt.NDArray[np.int64]  # of `forward`
    probabilities: npt.NDArray[np.float64]  # of the actions, (A,)


class Returns(NamedTuple):
    """How rewards are added up."""

    gamma: float  # discount per decision of a seat
    gae_lambda: float  # lambda of generalised advantage estimation (Schulman et al., ICLR 2016)
    score_shaping: float  # weight of the score as a potential


class Collector:
    """Plays N games with the learner in some of the seats, on any number of threads with the same results.

    ``states`` are records with options written, (N,); the games start in the first stretch. ``length``: decisions of
    the learner in each game in a stretch, T.
    """

    def __init__(
        self,
        game: Game,
        encoding: Encoding,
        states: npt.NDArray[Any],
        length: int,
        returns: Returns,
        seed: int,
        threads: int,
    ) -> None:
        self.game, self.encoding, self.length, self.returns = game, encoding, length, returns
        self.seed, self.threads = seed, threads
        count = len(states)
        self.tables = Tables(
            states,
            seating=np.zeros((count, game.max_players), np.int64),
            decisions=np.zeros(count, np.int64),
            started=np.zeros(count, np.int64),
        )
        states["player"] = -1  # no game is running
        self._play = _make_collect(game, encoding)

    def collect(
        self,
        network: npt.NDArray[np.float32],
        opponents: Sequence[CompiledAgent],
        lineups: npt.NDArray[np.int64],
    ) -> Stretch:
        """Play until every game has T further decisions of the learner.

        ``network`` is packed; its outputs are the logits of the actions, then the value. ``lineups``: who has the seats
        clockwise of one of the learner's, (L, P - 1); each game draws that seat and a row.
        """
        count, length = len(self.tables.states), self.length
        stretch = Stretch(
            np.empty((count, length, self.encoding.size), np.float32),
            np.empty((count, length, self.game.num_actions), np.bool_),
            np.empty((count, length), np.int64),
            *np.empty((3, count, length), np.float32),
        )
        cast = make_cast(self.game, [(agent.policy, agent.parameters) for agent in opponents])
        more = (self.returns, np.uint64(self.seed))

        def work(first: int, last: int) -> None:
            self._play(self.tables, stretch, network, cast, lineups, *more, first, last)

        spread(work, count, self.threads)
        return stretch


@cache
def _make_collect(game: Game, encoding: Encoding) -> Callable[..., None]:
    """Entry that plays a stretch of the games first .. last - 1."""
    size, dtype, num_actions, players = game.layout.size, game.layout.dtype, game.num_actions, game.max_players
    features, evaluate, potential = encoding.size, _make_evaluate(game, encoding), _make_potential(game)
    start, end, decide = _make_start(game), _make_end(game), _make_decide(game, evaluate, potential)
    look_ahead = _make_look_ahead(game, evaluate, potential)

    def collect(tables, stretch, network, cast, lineups, returns, seed, first, last):
        length, units = stretch.actions.shape[1], widest(network)
        seen = Seen(
            np.empty(size, dtype),
            np.empty(num_actions, np.int8),
            np.empty(features, np.float32),
            np.empty((2, units), np.float32),
            np.empty(units + 1, np.int64),
            np.empty(num_actions),
        )
        links = Links(np.empty(length), np.empty(length, np.int64), np.empty(players, np.int64), np.empty(players))
        result = np.empty(players)
        for i in range(first, last):
            s, t = tables.states[i], 0
            links.last[:] = NOT_DECIDED
            while t < length:
                if not is_running(s):
                    start(s, i, tables, lineups, seed)
                t += decide(s, i, t, tables, stretch, network, cast, returns, seen, links)
                if not is_running(s):
                    end(s, result, links)
            if is_running(s):
                look_ahead(s, network, returns, seen, links)
            estimate(stretch.values[i], stretch.advantages[i], returns, links)

    return entry(collect)


def _make_evaluate(game: Game, encoding: Encoding) -> Callable[..., Any]:
    """Compiled (s, seat, network, seen, inputs) -> the network's outputs for what a seat sees, with the mask in seen.

    ``inputs``: what the network is shown.
    """
    encode, show, features = game.rules.encode, encoding.function, encoding.size

    def evaluate(s, seat, network, seen, inputs):
        encode(s, seat, seen.observation)
        show(seen.observation, seen.mask, seen.values[0][:features])
        inputs[:] = seen.values[0][:features]
        return seen.values[forward(seen.values, seen.rows, network)]

    return compiled(evaluate)


def _make_start(game: Game) -> Callable[..., None]:
    """Compiled (s, i, tables, lineups, seed): start the next game at index i and seat the players."""
    begin = make_begin(game)

    def start(s, i, tables, lineups, seed):
        draws = stream(seed, FOR_LINEUPS, i, tables.started[i])
        tables.started[i] += 1
        tables.decisions[i] = 0
        begin(s, game_key(draw(draws, 0) >> np.uint64(1)), DRAWN)
        own = np.int64(below(draw(draws, 1), s.num_players))
        lineup = below(draw(draws, 2), len(lineups))
        for relative in range(s.num_players):
            seat = own + relative
            if seat >= s.num_players:
                seat -= s.num_players
            tables.seating[i, seat] = LEARNER if relative == 0 else lineups[lineup, relative - 1]

    return compiled(start)


def _make_decide(game: Game, evaluate: Callable[..., Any], potential: Callable[..., float]) -> Callable[..., int]:
    """Compiled: play one move of game i; 1 if it was the learner's, with a choice, and is noted at t, else 0."""
    legal, choose, step = game.rules.legal, make_choose(game), make_shared_step(game)

    def decide(s, i, t, tables, stretch, network, cast, returns, seen, links):
        agent, seat, decision = tables.seating[i, s.player], s.player, tables.decisions[i]
        tables.decisions[i] += 1
        if agent != LEARNER:
            step(s, choose(s, agent - 1, decision, cast, seen.observation, seen.mask))
            return 0
        legal(s, seen.mask)
        only = only_legal(seen.mask)
        if only != NONE:
            step(s, only)
            return 0
        outputs = evaluate(s, seat, network, seen, stretch.inputs[i, t])
        uniform = (draw(stream(s.key, FOR_POLICIES, decision, 0), 0) >> np.uint64(11)) / 2.0**53
        softmax(outputs, seen.mask, seen.probabilities)
        action = sampled(seen.probabilities, seen.mask, uniform)
        stretch.log_probs[i, t] = np.log(seen.probabilities[action])
        stretch.masks[i, t] = seen.mask > 0
        stretch.values[i, t] = outputs[len(seen.mask)]
        stretch.actions[i, t] = action
        link(links, seat, t, potential(s, seat, returns), returns.gamma)
        step(s, action)
        return 1

    return compiled(decide)


@compiled
def sampled(probabilities, mask, uniform):
    """A legal action drawn by ``uniform``, a number in 0 .. 1."""
    last = -1
    for action in range(len(mask)):
        if mask[action]:
            last = action
            uniform -= probabilities[action]
            if uniform < 0.0:
                break
    return last


@compiled
def link(links, seat, t, potential, gamma):
    """Link the seat's last decision to this one, its number t."""
    before = links.last[seat]
    if before != NOT_DECIDED:
        links.rewards[before] = gamma * potential - links.potentials[seat]
        links.following[before] = t
    links.last[seat] = t
    links.potentials[seat] = potential


def _make_potential(game: Game) -> Callable[..., float]:
    """Compiled (s, seat, returns) -> the seat's score less the mean score of the table, weighted."""
    score = score_of(game.rules)

    def potential(s, seat, returns):
        total = 0.0
        for other in range(s.num_players):
            total += score(s, other)
        return returns.score_shaping * (score(s, seat) - total / s.num_players)

    return compiled(potential)


def _make_end(game: Game) -> Callable[..., None]:
    """Compiled (s, result, links): pay what the last decisions of the seats have led to; potentials end at 0."""
    pay = game.rules.returns

    def end(s, result, links):
        result[:] = 0.0
        pay(s, result)
        for seat in range(s.num_players):
            before = links.last[seat]
            if before != NOT_DECIDED:
                links.rewards[before] = result[seat] - links.potentials[seat]
                links.following[before] = NONE
            links.last[seat] = NOT_DECIDED

    return compiled(end)


def _make_look_ahead(game: Game, evaluate: Callable[..., Any], potential: Callable[..., float]) -> Callable[..., None]:
    """Compiled (s, network, returns, seen, links): value what seats that have decided see at the end."""
    legal = game.rules.legal

    def look_ahead(s, network, returns, seen, links):
        for seat in range(s.num_players):
            before = links.last[seat]
            if before == NOT_DECIDED:
                continue
            seen.mask[:] = 0
            if s.player == seat:
                legal(s, seen.mask)
            value = evaluate(s, seat, network, seen, seen.inputs)[len(seen.mask)]
            worth = potential(s, seat, returns) + value
            links.rewards[before] = returns.gamma * worth - links.potentials[seat]
            links.following[before] = NONE

    return compiled(look_ahead)


@compiled
def estimate(values, advantages, returns, links):
    """Fill in the advantages (T,) of the decisions of one game, from the last to the first."""
    for t in range(len(values) - 1, -1, -1):
        following = links.following[t]
        advantages[t] = links.rewards[t] - values[t]
        if following != NONE:
            advantages[t] += returns.gamma * (values[following] + returns.gae_lambda * advantages[following])


def draw_tables(
    settings: SelfPlaySettings | LeagueSettings,
    probabilities: npt.NDArray[np.float64],
    count: int,
    seats: int,
    rng: np.random.Generator,
) -> npt.NDArray[np.int64]:
    """Who has the seats of random tables, (count, seats): the learner alone, copies of one opponent, or anybody.

    ``probabilities``: those of the opponents, (M,). Fractions of the kinds of tables are those of the settings.
    """
    tables = 1 + rng.choice(len(probabilities), (count, seats), p=probabilities)
    kind = rng.random((count, 1))
    mixed = kind >= settings.self_play_fraction + settings.single_opponent_fraction
    tables = np.where(mixed, tables, tables[:, :1])
    tables[mixed & (rng.random((count, seats)) < settings.self_play_fraction)] = LEARNER
    tables[kind[:, 0] < settings.self_play_fraction] = LEARNER
    return tables.astype(np.int64)
