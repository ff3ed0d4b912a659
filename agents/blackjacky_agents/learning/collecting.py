"""Collecting decisions for policy gradients: whole stretches of play in one compiled call, the network included.

Every seat that the learner has in a game learns. A decision leads to the next decision of the same seat, to which
rewards, values and advantages are linked. Forced decisions are played, but neither learned from nor counted.

Beside the result, a seat earns its score less the mean score of the table, weighted: what this lead changes by from one
decision to the next is paid at once, as by a potential (Ng, Harada and Russell, "Policy invariance under reward
transformations", ICML 1999) that is not taken back at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.kit.encoding import Encoding
from blackjacky_agents.networks.network import WIDEST, forward, softmax, widest
from blackjacky_env.compiled import (
    Policy,
    ask,
    below,
    compiled,
    draw,
    entry,
    inlined,
    make_cast,
    scratch,
    spread,
    stream,
)
from blackjacky_env.compiled.purposes import FOR_LINEUPS, FOR_POLICIES
from blackjacky_env.declare import Game, Vector
from blackjacky_env.play import (
    LEARNER,
    NONE,
    STUCK,
    checked,
    is_running,
    make_answer,
    make_begin_for_learner,
    make_lead,
    make_look,
    make_shared_step,
    only_legal,
    raise_illegal,
)

NOT_DECIDED = -1


class Tables(NamedTuple):
    """N games that go on from one stretch to the next, with up to P seats."""

    states: npt.NDArray[Any]  # records with their options, (N,)
    seating: npt.NDArray[np.int64]  # who has each seat, (N, P): the number of an opponent, or `LEARNER`
    decisions: npt.NDArray[np.int64]  # decisions in the running game, (N,)
    started: npt.NDArray[np.int64]  # games started so far, (N,)
    others: npt.NDArray[np.int64]  # decisions of opponents so far, forced ones left out, (N,)


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
    """How the decisions of a stretch are linked, in N games of T decisions and P seats."""

    rewards: npt.NDArray[np.float64]  # what the decision has earned until the next one of its seat, (N, T)
    following: npt.NDArray[np.int64]  # the next decision of the same seat in the stretch, (N, T), or `NONE`
    last: npt.NDArray[np.int64]  # the last decision of each seat, (N, P), or `NOT_DECIDED`
    potentials: npt.NDArray[np.float64]  # of each seat at its last decision, (N, P)
    seats: npt.NDArray[np.int64]  # whose decision it is, (N, T)
    games: npt.NDArray[np.int64]  # how many games had started when it was taken, (N, T)


class Buffers(NamedTuple):
    """Buffers for what the player to act sees, (K,) and (A,), and for what the network makes of it."""

    observation: Vector
    mask: npt.NDArray[np.int8]
    values: npt.NDArray[np.float32]  # of `forward`
    rows: npt.NDArray[np.int64]  # of `forward`
    numbers: npt.NDArray[np.float64]  # (max(A, P),), for probabilities of the actions and results of the seats


class Returns(NamedTuple):
    """How rewards are added up."""

    gamma: float  # discount per decision of a seat
    gae_lambda: float  # lambda of generalised advantage estimation (Schulman et al., ICLR 2016)
    score_weight: float  # of the score beside the result


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
        self.seed, self.threads = np.uint64(seed), threads
        states["player"] = -1  # no game is running
        count, seats, numbers = len(states), (len(states), game.max_players), (len(states), length)
        integers: Any = partial(np.zeros, dtype=np.int64)
        self.tables = Tables(states, integers(seats), *(integers(count) for _ in range(3)))
        earned, following, last, potentials = np.empty(numbers), integers(numbers), integers(seats), np.empty(seats)
        self.links = Links(earned, following, last, potentials, integers(numbers), integers(numbers))

    def collect(
        self, network: npt.NDArray[np.float32], opponents: Sequence[CompiledAgent], lineups: npt.NDArray[np.int64]
    ) -> Stretch:
        """Play until every game has T further decisions of the learner.

        ``network`` is packed; its outputs are the logits of the actions, then the value. ``lineups``: who has the seats
        clockwise of one of the learner's, (L, P - 1); each game draws that seat and a row. Raises `IllegalActionError`
        if an opponent chooses an illegal action.
        """
        stretch, play = self._new_stretch(np.empty), _collect_entry(self.game, self.encoding)
        cast = make_cast(self.game, opponents)
        given = (self.tables, stretch, self.links, network, cast, lineups, self.returns, self.seed)
        spread(lambda first, last: play(*given, first, last), len(self.tables.states), self.threads)
        raise_illegal(opponents, cast)
        return stretch

    def regularise(self, stretch: Stretch, costs: npt.NDArray[np.float64]) -> None:
        """Make the decisions of the last stretch cost something, (N, T), and estimate its advantages again.

        The other seats receive equal parts of each cost.
        """
        sizes = np.array(self.tables.states["num_players"], np.int64)
        _regularise_all(stretch.values, stretch.advantages, self.links, costs, sizes, self.returns)

    def _new_stretch(self, new: Callable[..., Any]) -> Stretch:
        shape = (len(self.tables.states), self.length)
        return Stretch(
            new((*shape, self.encoding.size), np.float32),
            new((*shape, self.game.num_actions), np.bool_),
            new(shape, np.int64),
            *(new(shape, np.float32) for _ in range(3)),
        )


@cache
def _collect_entry(game: Game, encoding: Encoding) -> Callable[..., None]:
    """Entry that plays a stretch of the games first .. last - 1."""
    collect = make_collect(game, encoding, ask, forward, go_on)

    def collect_games(tables, stretch, links, network, cast, lineups, returns, seed, first, last):
        for i in range(first, last):
            collect(i, tables, stretch, links, network, cast, lineups, returns, seed)

    return entry(collect_games)


@inlined
def go_on():
    """The games of a CPU wait for nobody."""


def make_collect(
    game: Game, encoding: Encoding, ask: Policy, forward: Callable[..., int], wait: Callable[[], None]
) -> Callable[..., None]:
    """Compiled (i, tables, stretch, links, network, cast, lineups, returns, seed): play a stretch of game i.

    ``ask`` is that of `make_answer`; ``forward`` (values, rows, network) evaluates the learner's network. ``wait`` is
    called before each choice and view.
    """
    size, dtype, num_actions = game.layout.size, game.layout.dtype, game.num_actions
    most, numbers = max(encoding.size, WIDEST), max(num_actions, game.max_players)
    both, longest = (2, most), most + 1
    legal, encode, answer = game.rules.legal, game.rules.encode, make_answer(ask)
    evaluate, potential = _make_evaluate(encoding, forward), _make_potential(game)
    start, decide, move = _make_start(game), _make_decide(evaluate, potential), _make_move(game, potential)
    look_ahead = _make_look_ahead(game, evaluate, potential, wait)

    def collect(i, tables, stretch, links, network, cast, lineups, returns, seed):
        s, t, length, units = tables.states[i], 0, stretch.actions.shape[1], widest(network)
        seen = Buffers(
            scratch(size, dtype),
            scratch(num_actions, np.int8),
            scratch((2, units), np.float32, both),
            scratch(units + 1, np.int64, longest),
            scratch(numbers, np.float64),
        )
        links.last[i] = NOT_DECIDED
        while is_running(s) or t < length:
            if not is_running(s):
                start(s, i, tables, lineups, seed)
            agent, decision = tables.seating[i, s.player], tables.decisions[i]
            legal(s, seen.mask)
            action = only_legal(seen.mask)
            if action == NONE:
                if agent == LEARNER and t == length:
                    break
                wait()
                encode(s, s.player, seen.observation)
                if agent != LEARNER:
                    tables.others[i] += 1
                    chosen = answer(s, agent, decision, cast, seen.observation, seen.mask)
                    action = checked(chosen, seen.mask)
                    if action == STUCK:
                        cast.illegal[agent] = chosen
                else:
                    links.games[i, t] = tables.started[i]
                    action = decide(s, i, t, decision, stretch, links, network, returns, seen)
                    t += 1
            move(s, i, action, tables, links, returns, seen.numbers)
        if is_running(s):
            look_ahead(s, i, links, network, returns, seen)
        estimate(stretch.values[i], stretch.advantages[i], links.rewards[i], links.following[i], returns)

    return compiled(collect)


def _make_evaluate(encoding: Encoding, forward: Callable[..., int]) -> Callable[..., Any]:
    """Compiled (network, seen, inputs) -> row of ``seen.values`` with the network's outputs; it is shown ``inputs``."""
    show, features = encoding.function, encoding.size

    def evaluate(network, seen, inputs):
        show(seen.observation, seen.mask, seen.values[0][:features])
        for feature in range(len(inputs)):
            inputs[feature] = seen.values[0][feature]
        return forward(seen.values, seen.rows, network)

    return compiled(evaluate)


def _make_start(game: Game) -> Callable[..., None]:
    """Compiled (s, i, tables, lineups, seed): start the next game at index i and seat the players."""
    begin = make_begin_for_learner(game)

    def start(s, i, tables, lineups, seed):
        draws = stream(seed, FOR_LINEUPS, i, tables.started[i])
        tables.started[i] += 1
        tables.decisions[i] = 0
        own, lineup = begin(s, draws), below(draw(draws, 2), len(lineups))
        for relative in range(s.num_players):
            seat = own + relative
            if seat >= s.num_players:
                seat -= s.num_players
            tables.seating[i, seat] = LEARNER if relative == 0 else lineups[lineup, relative - 1]

    return compiled(start)


def _make_decide(evaluate: Callable[..., Any], potential: Callable[..., float]) -> Callable[..., int]:
    """Compiled -> action: the learner's decision number t in game i, noted in the stretch."""

    def decide(s, i, t, decision, stretch, links, network, returns, seen):
        seat, num_actions = s.player, len(seen.mask)
        outputs = seen.values[evaluate(network, seen, stretch.inputs[i, t])]
        uniform = (draw(stream(s.key, FOR_POLICIES, decision, 0), 0) >> np.uint64(11)) / 2.0**53
        softmax(outputs, seen.mask, seen.numbers)
        action = sampled(seen.numbers, seen.mask, uniform)
        stretch.log_probs[i, t] = np.log(seen.numbers[action])
        for each in range(num_actions):
            stretch.masks[i, t, each] = seen.mask[each] > 0
        stretch.values[i, t] = outputs[num_actions]
        stretch.actions[i, t] = action
        link(links, i, seat, t, potential(s, seat, returns), returns.gamma)
        return action

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
def link(links, i, seat, t, potential, gamma):
    """Link the seat's last decision in game i to this one, its number t."""
    before = links.last[i, seat]
    if before != NOT_DECIDED:
        links.rewards[i, before] = gamma * potential - links.potentials[i, seat]
        links.following[i, before] = t
    links.last[i, seat] = t
    links.potentials[i, seat] = potential
    links.seats[i, t] = seat


def _make_potential(game: Game) -> Callable[..., float]:
    """Compiled (s, seat, returns) -> `make_lead`, weighted."""
    lead = make_lead(game)

    def potential(s, seat, returns):
        return returns.score_weight * lead(s, seat)

    return compiled(potential)


def _make_move(game: Game, potential: Callable[..., float]) -> Callable[..., None]:
    """Compiled (s, i, action, tables, links, returns, result): take an action in game i; at its end pay the last ones.

    What the last decisions of the seats have led to is the result and the final score.
    """
    step, pay, seats = make_shared_step(game), game.rules.returns, game.max_players

    def move(s, i, action, tables, links, returns, result):
        tables.decisions[i] += 1
        step(s, action)
        if is_running(s):
            return
        result[:] = 0.0
        pay(s, result[:seats])
        for seat in range(s.num_players):
            before = links.last[i, seat]
            if before != NOT_DECIDED:
                earned = result[seat] + potential(s, seat, returns)
                links.rewards[i, before] = earned - links.potentials[i, seat]
                links.following[i, before] = NONE
            links.last[i, seat] = NOT_DECIDED

    return compiled(move)


def _make_look_ahead(
    game: Game, evaluate: Callable[..., Any], potential: Callable[..., float], wait: Callable[[], None]
) -> Callable[..., None]:
    """Compiled (s, i, links, network, returns, seen): value what seats that have decided see at the end."""
    look = make_look(game)

    def look_ahead(s, i, links, network, returns, seen):
        for seat in range(s.num_players):
            before = links.last[i, seat]
            if before != NOT_DECIDED:
                wait()
                look(s, seat, seen.observation, seen.mask)
                value = seen.values[evaluate(network, seen, seen.values[1][:0]), len(seen.mask)]
                worth = potential(s, seat, returns) + value
                links.rewards[i, before] = returns.gamma * worth - links.potentials[i, seat]
                links.following[i, before] = NONE

    return compiled(look_ahead)


@compiled
def estimate(values, advantages, rewards, following, returns):
    """Fill in the advantages (T,) of the decisions of one game, from the last to the first."""
    for t in range(len(values) - 1, -1, -1):
        after = following[t]
        advantages[t] = rewards[t] - values[t]
        if after != NONE:
            advantages[t] += returns.gamma * (values[after] + returns.gae_lambda * advantages[after])


@compiled
def regularise(rewards, seats, games, costs, last, num_players):
    """Take from the rewards (T,) of decisions at one table their costs, and pay the last decisions of the other seats.

    Seats that have not decided yet in a game, or do not learn, receive nothing. ``last``: (P,), overwritten.
    """
    for t in range(len(rewards)):
        if t == 0 or games[t] != games[t - 1]:
            last[:] = NOT_DECIDED
        rewards[t] -= costs[t]
        for seat in range(num_players):
            if seat != seats[t] and last[seat] != NOT_DECIDED:
                rewards[last[seat]] += costs[t] / (num_players - 1)
        last[seats[t]] = t


@entry
def _regularise_all(values, advantages, links, costs, sizes, returns):
    for i in range(len(costs)):
        regularise(links.rewards[i], links.seats[i], links.games[i], costs[i], links.last[i], sizes[i])
        estimate(values[i], advantages[i], links.rewards[i], links.following[i], returns)
