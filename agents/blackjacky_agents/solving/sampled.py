"""Counterfactual regret minimisation by sampled games, for tables whose tree does not fit: MCCFR.

Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo Sampling for Regret Minimization in Extensive Games" (2009). In each
iteration every seat in turn tries all of its actions in a game whose deals and other players' actions are sampled
(external sampling), or a single one each time (outcome sampling). Iteration t has the weight t, as in linear CFR (Brown
and Sandholm 2019). Only information states that occur are kept, in a table of bounded size; in all others every action
is equally likely.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.solution import TabularPolicy, sorted_policy
from blackjacky_agents.solving.strategies import normalised
from blackjacky_agents.solving.walk import fill_table, look_up
from blackjacky_env.compiled import compiled, draw, entry, game_key, stream, zeros
from blackjacky_env.compiled.purposes import FOR_SAMPLED
from blackjacky_env.declare import NOBODY, Game
from blackjacky_env.play import (
    NONE,
    Ear,
    check_arrays,
    check_entries,
    is_running,
    make_begin,
    make_listen,
    make_phase,
    make_shared_step,
    new_ear,
)

MOST_DECISIONS = 1 << 19  # that a seat meets by trying all of its actions in a game
_DEEPEST = 1024  # own decisions of a seat in a game
_BYTES_OF_STATE, _BYTES_OF_SEQUENCE = 16 + 8 + 2 * 4, 8 + 8 + 2  # keys, first, table; regrets, sums, action
_EXPLORED = 0.6  # of the actions that outcome sampling tries, as in the paper
_ACTIONS_PER_STATE = 6  # places for actions by information state


class Known(NamedTuple):
    """Information states that have occurred, I places, and their actions, S places."""

    keys: npt.NDArray[np.uint64]
    first: npt.NDArray[np.int64]  # where the actions of each begin, (I + 1,)
    actions: npt.NDArray[np.int16]
    regrets: npt.NDArray[np.float64]
    sums: npt.NDArray[np.float64]  # of the average strategy, (S,)
    table: npt.NDArray[np.int32]  # as `walk.look_up` reads it
    counts: npt.NDArray[np.int64]
    """States, actions, visits of states for which there was no place, and decisions, (4,)."""


DECISIONS = 3  # in `Known.counts`
LEGAL, TRIED, BEGIN = range(3)


class Bench(NamedTuple):
    """Arrays with which a thread plays a game: a place for each own decision of the seat that tries all actions."""

    records: npt.NDArray[Any]  # positions before own decisions; the last is the present one
    keys: npt.NDArray[np.uint64]  # what all seats recall there, (D, P, 2)
    actions: npt.NDArray[np.int16]  # legal actions, (D, A)
    chances: npt.NDArray[np.float64]  # their probabilities, (D, A)
    values: npt.NDArray[np.float64]  # what each has brought, (D, A)
    at: npt.NDArray[np.int64]
    """`LEGAL` and `TRIED`, numbers of actions, and `BEGIN`, where they begin among those known, or `NONE`, (D, 3).

    Where a single action is tried, `TRIED` is its index."""
    ear: Ear
    results: npt.NDArray[np.float64]  # (max_players,)


class Learner(NamedTuple):
    """Compiled functions of what learns from sampled games; ``known`` has ``counts`` with a place `DECISIONS`."""

    decide: Callable[..., int]
    """(s, known, bench, d) -> legal actions of the player to act; all about them is written at ``d``."""
    note: Callable[..., None]
    """(known, bench, d, weight): add the probabilities there to the average strategy."""
    learn: Callable[..., None]
    """(known, bench, d, weight, mean): learn from the values of all actions there."""
    act: Callable[..., None]
    """(s, bench, action): take an action in the present position."""


@cache
def _tabular(game: Game) -> Learner:
    """What learns by the table of `Known`."""

    def note(known, bench, d, weight):
        begin = bench.at[d, BEGIN]
        for i in range(bench.at[d, LEGAL] if begin != NONE else 0):
            known.sums[begin + i] += weight * bench.chances[d, i]

    def learn(known, bench, d, weight, mean):
        begin = bench.at[d, BEGIN]
        for i in range(bench.at[d, LEGAL] if begin != NONE else 0):
            known.regrets[begin + i] += weight * (bench.values[d, i] - mean)

    return Learner(_make_decide(game), compiled(note), compiled(learn), _make_act(game))


@cache
def _make_decide(game: Game) -> Callable[..., int]:
    """`Learner.decide` by regret matching."""
    list_legal = make_list_legal(game)

    def decide(s, known, bench, d):
        count, total = list_legal(s, bench, d), 0.0
        begin = place_of(known, bench.keys[-1, s.player], bench.actions[d], count)
        bench.at[d, BEGIN] = begin
        for i in range(count):
            bench.chances[d, i] = max(known.regrets[begin + i], 0.0) if begin != NONE else 0.0
            total += bench.chances[d, i]
        for i in range(count):
            bench.chances[d, i] = bench.chances[d, i] / total if total > 0 else 1.0 / count
        return count

    return compiled(decide)


@cache
def make_list_legal(game: Game) -> Callable[..., int]:
    """Compiled (s, bench, d) -> legal actions of the player to act, which are written at ``d``, none of them tried."""
    legal = game.rules.legal

    def list_legal(s, bench, d):
        legal(s, bench.ear.mask)
        count = 0
        for action in range(len(bench.ear.mask)):
            if bench.ear.mask[action]:
                bench.actions[d, count] = action
                count += 1
        bench.at[d, LEGAL], bench.at[d, TRIED] = count, 0
        return count

    return compiled(list_legal)


@compiled
def place_of(known, key, actions, count):
    """Where the actions of an information state begin, which is added if it is new; `NONE` if there is no place."""
    state, place = look_up(known.table, known.keys, key)
    if state == NOBODY:
        state, begin = known.counts[0], known.counts[1]
        if state < len(known.keys) and begin + count <= len(known.actions):
            known.keys[state], known.table[place] = key, state
            known.first[state], known.first[state + 1] = begin, begin + count
            known.actions[begin : begin + count] = actions[:count]
            known.counts[0], known.counts[1] = state + 1, begin + count
            return begin
    elif known.first[state + 1] - known.first[state] == count:  # not so in a wrong checkpoint
        return known.first[state]
    known.counts[2] += 1
    return np.int64(NONE)


@compiled
def pick(chances, count, bits):
    """The index of an action by its probability."""
    left = (bits >> np.uint64(11)) / 2.0**53
    for i in range(count - 1):
        left -= chances[i]
        if left < 0:
            return i
    return count - 1


@cache
def _sampling(game: Game, by_outcome: bool) -> Callable[..., bool]:
    """Entry (blank, known, bench, seed, first, last, most) -> whether no seat met more than ``most`` decisions.

    Samples the iterations first .. last - 1, counted from 0.
    """
    begin, listen = make_begin(game), make_listen(game)
    attempt = _make_try_one(game) if by_outcome else make_try_all(game, _tabular(game))

    def sample(blank, known, bench, seed, first, last, most):
        here = len(bench.records) - 1
        for t in range(first, last):
            for seat in range(bench.keys.shape[1]):
                draws = stream(game_key(seed), FOR_SAMPLED, t, seat)
                bench.records[here] = blank[0]
                begin(bench.records[here], draw(draws, 0), 0)
                bench.keys[here] = 0
                listen(bench.records[here], NOBODY, 0, 0, bench.keys[here], bench.ear)
                if not attempt(known, bench, seat, t + 1.0, draws, most):
                    return False
        return True

    return entry(sample)


@cache
def make_try_all(game: Game, learner: Learner) -> Callable[..., bool]:
    """Compiled (known, bench, seat, weight, draws, most) -> whether there were no more decisions than ``most``.

    Tries all actions of a seat in a game, which is the present position of the bench.
    """
    returns, decide, act = game.rules.returns, learner.decide, learner.act
    play_on, go_back = _make_play_on(learner), _make_go_back(learner.learn)

    def try_all(known, bench, seat, weight, draws, most):
        here, depth, met, drawn = len(bench.records) - 1, 0, 0, 1
        s = bench.records[here]
        while True:
            drawn = play_on(known, bench, seat, weight, draws, drawn)
            if is_running(s):
                met += 1
                if depth == here or met + drawn > most:
                    return False
                count = decide(s, known, bench, depth)
                known.counts[DECISIONS] += count if count > 1 else 0  # each action is tried
                bench.records[depth] = s
                bench.keys[depth] = bench.keys[here]
                depth += 1
            else:
                bench.results[:] = 0.0
                returns(s, bench.results)
                depth = go_back(known, bench, weight, depth, bench.results[seat])
                if depth == 0:
                    return True
                bench.records[here] = bench.records[depth - 1]
                bench.keys[here] = bench.keys[depth - 1]
            act(s, bench, bench.actions[depth - 1, bench.at[depth - 1, TRIED]])

    return compiled(try_all)


@cache
def _make_try_one(game: Game) -> Callable[..., bool]:
    """Compiled, as `make_try_all`: try a single action at each own decision, `_EXPLORED` of the time any."""
    learner, returns = _tabular(game), game.rules.returns
    decide, act, play_on = learner.decide, learner.act, _make_play_on(learner)

    def try_one(known, bench, seat, weight, draws, most):
        here, depth, drawn, chance = len(bench.records) - 1, 0, 1, 1.0
        s = bench.records[here]
        while True:
            drawn = play_on(known, bench, seat, weight / chance, draws, drawn)
            if not is_running(s):
                break
            if depth == here or depth + drawn > most:
                return False
            count = decide(s, known, bench, depth)
            known.counts[DECISIONS] += count > 1
            for i in range(count):
                bench.values[depth, i] = _EXPLORED / count + (1 - _EXPLORED) * bench.chances[depth, i]
            tried = pick(bench.values[depth], count, draw(draws, drawn))
            bench.at[depth, TRIED] = tried
            chance *= bench.values[depth, tried]
            act(s, bench, bench.actions[depth, tried])
            depth, drawn = depth + 1, drawn + 1
        bench.results[:] = 0.0
        returns(s, bench.results)
        value = bench.results[seat] / chance  # of the rest of the game, weighted by how likely it was tried
        for d in range(depth - 1, -1, -1):
            gained, tried, begin = value, bench.at[d, TRIED], bench.at[d, BEGIN]
            value *= bench.chances[d, tried]
            if begin != NONE:
                for i in range(bench.at[d, LEGAL]):
                    known.regrets[begin + i] += weight * ((gained if i == tried else 0.0) - value)
        return True

    return compiled(try_one)


@cache
def _make_go_back(learn: Callable[..., None]) -> Callable[..., int]:
    """Compiled (known, bench, weight, depth, value) -> own decisions of which some actions have not been tried.

    Notes the value of the last own action, and learns from those decisions of which all have been tried.
    """

    def go_back(known, bench, weight, depth, value):
        while depth > 0:
            d = depth - 1
            bench.values[d, bench.at[d, TRIED]] = value
            bench.at[d, TRIED] += 1
            if bench.at[d, TRIED] < bench.at[d, LEGAL]:
                break
            value = 0.0
            for i in range(bench.at[d, LEGAL]):
                value += bench.chances[d, i] * bench.values[d, i]
            learn(known, bench, d, weight, value)
            depth = d
        return depth

    return compiled(go_back)


@cache
def _make_play_on(learner: Learner) -> Callable[..., int]:
    """Compiled (known, bench, seat, weight, draws, drawn) -> draws made: play until the seat is to act.

    The next seat's probabilities are added to its average strategy.
    """
    decide, note, act = learner.decide, learner.note, learner.act

    def play_on(known, bench, seat, weight, draws, drawn):
        here = len(bench.records) - 1
        s = bench.records[here]
        while is_running(s) and s.player != seat:
            count = decide(s, known, bench, here)
            known.counts[DECISIONS] += count > 1
            if s.player == (seat + 1) % s.num_players:
                note(known, bench, here, weight)
            act(s, bench, bench.actions[here, pick(bench.chances[here], count, draw(draws, drawn))])
            drawn += 1
        return drawn

    return compiled(play_on)


@cache
def _make_act(game: Game) -> Callable[..., None]:
    """`Learner.act`, which all seats hear."""
    step, phase, listen = make_shared_step(game), make_phase(game), make_listen(game)

    def act(s, bench, action):
        actor, before = int(s.player), phase(s)
        step(s, np.int64(action))
        if is_running(s):
            listen(s, actor, np.int64(action), before, bench.keys[len(bench.records) - 1], bench.ear)

    return compiled(act)


class SampledSolver:
    """Iterations of MCCFR, on one thread.

    Args:
        table: the table; seat 0 starts.
        seed: 0 .. 2**63 - 1; the same seed gives the same strategies.
        memory: bytes for information states; those that find no place keep equal probabilities.
        by_outcome: try a single action at each decision, instead of all.

    Raises `ValueError` if a game has so many own decisions that trying all of them takes too long.
    """

    def __init__(self, table: SmallTable, seed: int = 0, memory: float = 2**30, by_outcome: bool = False) -> None:
        self.table, self.seed, self.by_outcome = table, seed, by_outcome
        self.iterations = 0
        game = table.game
        self._blank = zeros(1, game.state_dtype)
        self._blank[:] = game.new_state(table.num_players, table.variant, table.options)
        self._bench = new_bench(game, table.num_players)
        self.known = _new_known(_places(0))
        self._sample(0, 1)  # whether that is possible
        self.known = _new_known(_places(memory))

    @property
    def num_states(self) -> int:
        """Information states met so far."""
        return int(self.known.counts[0])

    @property
    def decisions(self) -> int:
        """Moves of players with more than one legal action so far; by external sampling, every action tried there."""
        return int(self.known.counts[DECISIONS])

    @property
    def left_out(self) -> int:
        """Visits of information states for which there was no place."""
        return int(self.known.counts[2])

    def run(self, iterations: int) -> None:
        """Do more iterations; `ValueError` as for a new solver."""
        self._sample(self.iterations, self.iterations + iterations)
        self.iterations += iterations

    def _sample(self, first: int, last: int) -> None:
        arrays = (self._blank, self.known, self._bench)
        if not _sampling(self.table.game, self.by_outcome)(*arrays, self.seed, first, last, MOST_DECISIONS):
            raise too_many_decisions(self.table)

    def policy(self) -> TabularPolicy:
        """The average strategies in the information states met so far."""
        count, size = self.known.counts[:2]
        first = self.known.first[: count + 1]
        chances = normalised(first, self.known.sums[:size])
        return sorted_policy(self.known.keys[:count], np.diff(first), self.known.actions, chances)

    def save(self) -> dict[str, npt.NDArray[Any]]:
        """What `restore` needs, as arrays by name."""
        return self._arrays(*self.known.counts[:2].tolist())

    def _arrays(self, count: int, size: int) -> dict[str, npt.NDArray[Any]]:
        known = self.known
        states: dict[str, npt.NDArray[Any]] = {"keys": known.keys[:count], "first": known.first[: count + 1]}
        rows = {name: getattr(known, name)[:size] for name in ("actions", "regrets", "sums")}
        return {**states, **rows, "counts": known.counts, "iterations": np.array([self.iterations])}

    def restore(self, kept: dict[str, npt.NDArray[Any]]) -> None:
        """Continue from what `save` returned; `TypeError` or `ValueError`, and no change, if it does not fit."""
        count, size = (len(np.atleast_1d(kept.get(name, ()))) for name in ("keys", "actions"))
        if count > len(self.known.keys) or size > len(self.known.actions):
            raise ValueError(
                f"the checkpoint has {count:,} information states, for which there is no place; allow more memory"
            )
        checked = check_arrays("the checkpoint", kept, self._arrays(count, size))
        first, counts = checked["first"], checked["counts"]
        if counts[:2].tolist() != [count, size] or first[0] != 0 or first[-1] != size or (np.diff(first) < 1).any():
            raise ValueError("the checkpoint does not say where the actions of each information state begin")
        check_entries("actions of the checkpoint", checked["actions"], self.table.game.num_actions - 1)
        for name in ("iterations", "counts", "sums"):
            check_entries(f"{name} of the checkpoint", checked[name], 2**62)
        for name, array in self._arrays(count, size).items():
            array[:] = checked[name]
        fill_table(self.known.table, self.known.keys[:count])
        self.iterations = int(checked["iterations"][0])


def too_many_decisions(table: SmallTable) -> ValueError:
    """The error for a table where a game goes on for too long."""
    return ValueError(
        f"a game of {table.game.title} at this table has too many decisions: a seat that tries all of its actions "
        f"meets more than {MOST_DECISIONS:,}; choose rule options with fewer turns or rounds"
    )


def _places(memory: float) -> int:
    """Information states for which there is memory, a power of 2."""
    each = _BYTES_OF_STATE + _ACTIONS_PER_STATE * _BYTES_OF_SEQUENCE
    return 1 << int(np.log2(max(memory / each, 1024)))


def _new_known(places: int) -> Known:
    size = _ACTIONS_PER_STATE * places
    keys, first, actions = np.zeros((places, 2), np.uint64), np.zeros(places + 1, np.int64), np.zeros(size, np.int16)
    table = np.full(2 * places, NOBODY, np.int32)
    return Known(keys, first, actions, np.zeros(size), np.zeros(size), table, np.zeros(4, np.int64))


def new_bench(game: Game, players: int) -> Bench:
    """Arrays for one thread."""
    shape = (_DEEPEST + 1, game.num_actions)
    keys, at = np.zeros((_DEEPEST + 1, players, 2), np.uint64), np.zeros((_DEEPEST + 1, 3), np.int64)
    numbers = np.zeros(shape, np.int16), np.zeros(shape), np.zeros(shape)
    return Bench(zeros(_DEEPEST + 1, game.state_dtype), keys, *numbers, at, new_ear(game), np.zeros(game.max_players))
