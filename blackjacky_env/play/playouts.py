"""Many games with compiled policies in the seats: whole playouts, and games with a learner in one seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_env.compiled.callbacks import NOT_COMPILED, ask, make_cast
from blackjacky_env.compiled.compiling import compiled, entry, zeros
from blackjacky_env.compiled.policies import CompiledPolicy, Policy, PythonPolicy
from blackjacky_env.compiled.purposes import FOR_COPIES, FOR_LINEUPS, FOR_POLICIES
from blackjacky_env.compiled.random import below, draw, game_key, stream
from blackjacky_env.compiled.results import score_of
from blackjacky_env.compiled.threads import spread
from blackjacky_env.declare.fields import NOBODY
from blackjacky_env.declare.game import Game, IllegalActionError
from blackjacky_env.play.recall import make_listen, make_phase, new_ear
from blackjacky_env.play.step import DRAWN, NONE, checked, is_running, make_look, make_shared_step, only_legal

Encoder = Callable[..., None]
"""(observation int8 or int16 (K,), mask int8 (A,), out float32 (F,)): write the learner's input made from them."""

BEGIN, KEEP = -1, -2  # in place of a learner's action: start a game; only observe the running one
LONGEST = 10**6  # decisions of a playout; longer ones, by policies that never end a game, have no winner
_LOG_SIZE = 256  # initial capacity of the log, in decisions of a game
_CHUNK = 512  # games that a thread plays before Python can react to Ctrl-C


class LearnerArrays(NamedTuple):
    """Arrays of N games with a learner, besides their states."""

    fixed_seat: int
    """The learner's seat, or DRAWN."""
    lineups: npt.NDArray[np.int64]
    """Agents in the seats clockwise of the learner, shape (L, max_players - 1); each game draws a row."""
    mixed: bool
    """True: each seat draws its own row instead."""
    keys: npt.NDArray[np.uint64]
    """Random keys, shape (N,): ``keys[i]`` and i determine seeds, seats and opponents of the games at index i."""
    seats: npt.NDArray[np.int64]
    """The learner's seat in each game, shape (N,)."""
    seating: npt.NDArray[np.int64]
    """The agent in every other seat, shape (N, max_players)."""
    played: npt.NDArray[np.int64]
    """Number of games started at each index, shape (N,)."""
    decisions: npt.NDArray[np.int64]
    """Number of opponents' decisions in the running game, shape (N,)."""


@cache
def make_choose(game: Game, ask: Policy = ask) -> Callable[..., int]:
    """Compiled (s, agent, decision, cast, observation, mask) -> action: the agent's choice for the player to act.

    ``ask`` asks a policy by its entry in ``cast.addresses``; the only legal action is taken unasked. `STUCK`, which
    ends the game, if there is none, or for an illegal choice.
    """
    encode, legal = game.rules.encode, game.rules.legal

    def choose(s, agent, decision, cast, observation, mask):
        legal(s, mask)
        action = only_legal(mask)
        if action != NONE:
            return action
        encode(s, s.player, observation)
        own = cast.parameters[cast.offsets[agent] : cast.offsets[agent + 1]]
        bits = stream(s.key, FOR_POLICIES, decision, 0)
        return checked(np.int64(ask(cast.addresses[agent], observation, mask, bits, own)), mask)

    return compiled(choose)


@cache
def begin_all(game: Game) -> Callable[..., None]:
    """Entry (states, seeds): begin a game in each state, as ``reset`` with its seed does."""
    begin = game.rules.begin

    def begin_all(states, seeds):
        for i in range(len(states)):
            begin(states[i], game_key(seeds[i]), DRAWN)

    return entry(begin_all)


@cache
def _make_finish(game: Game, ask: Policy) -> Callable[..., int]:
    """Compiled (s, seats, cast, observation, mask, result) -> decisions: play a running game to its end."""
    choose, step, returns = make_choose(game, ask), make_shared_step(game), game.rules.returns

    def finish(s, seats, cast, observation, mask, result):
        decisions = 0
        while is_running(s) and decisions < LONGEST:
            step(s, choose(s, seats[s.player], decisions, cast, observation, mask))
            decisions += 1
        returns(s, result)
        return decisions

    return compiled(finish)


@cache
def _play_on(game: Game) -> Callable[..., None]:
    size, dtype, num_actions = game.layout.size, game.layout.dtype, game.num_actions
    finish = _make_finish(game, ask)

    def play(states, seating, cast, results, decisions, first, last):
        observation, mask = np.empty(size, dtype), np.empty(num_actions, np.int8)
        for i in range(first, last):
            decisions[i] = finish(states[i], seating[i], cast, observation, mask, results[i])

    return entry(play)


@cache
def make_play_copy(game: Game, ask: Policy) -> Callable[..., None]:
    """Compiled (states, seating, cast, seed, copies, k, observation, mask, results, number): play a copy.

    It is played in the record ``copies[k]``; ``number`` counts the copies of the first state, then of the second.
    """
    finish = _make_finish(game, ask)

    def play_copy(states, seating, cast, seed, copies, k, observation, mask, results, number):
        games = results.shape[1]
        i, repeat = number // games, number % games
        copies[k] = states[i]
        s = copies[k]
        s.key = stream(game_key(seed), FOR_COPIES, i, repeat)
        finish(s, seating[i], cast, observation, mask, results[i, repeat])

    return compiled(play_copy)


@cache
def _play_copies(game: Game) -> Callable[..., None]:
    size, dtype, num_actions = game.layout.size, game.layout.dtype, game.num_actions
    play_copy = make_play_copy(game, ask)

    def play(states, seating, cast, seed, copy, results, first, last):
        observation, mask = np.empty(size, dtype), np.empty(num_actions, np.int8)
        for number in range(first, last):
            play_copy(states, seating, cast, seed, copy, 0, observation, mask, results, number)

    return entry(play)


def play_out(
    game: Game,
    states: npt.NDArray[Any],
    seeds: npt.NDArray[np.int64],
    seating: npt.NDArray[np.int64],
    agents: Sequence[CompiledPolicy],
    threads: int = 1,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Play whole games between compiled agents without returning to Python.

    Args:
        game: the game.
        states: records with options written, shape (N,); left as the games ended.
        seeds: seed of each game as for ``reset``, shape (N,).
        seating: index of the agent in each seat, shape (N, max_players).
        agents: (policy, parameters) of each agent.
        threads: CPU threads; results do not depend on it.

    Returns:
        Results (N, max_players), the zero-sum "win" rewards, and the number of decisions of each game (N,).
    """
    begin_all(game)(states, seeds)
    return play_on(game, states, seating, agents, threads)


def play_on(
    game: Game,
    states: npt.NDArray[Any],
    seating: npt.NDArray[np.int64],
    agents: Sequence[CompiledPolicy],
    threads: int = 1,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Play running games to their end, as `play_out` does; random choices are drawn from the games' keys."""
    results = np.zeros((len(states), game.max_players))
    decisions = np.zeros(len(states), np.int64)
    play, cast = _play_on(game), make_cast(game, agents)
    spread(lambda *part: play(states, seating, cast, results, decisions, *part), len(states), threads)
    return results, decisions


def play_copies(
    game: Game,
    states: npt.NDArray[Any],
    games: int,
    seating: npt.NDArray[np.int64],
    agents: Sequence[CompiledPolicy],
    seed: int,
    threads: int = 1,
) -> npt.NDArray[np.float64]:
    """Play copies of N running games to their end, ``games`` copies of each, every copy with its own key.

    A key depends only on the seed, the index of the state and the index of the copy. ``states`` (N,) are not changed;
    ``seating`` (N, max_players), ``agents`` and ``threads`` are as for `play_out`. Returns results
    (N, games, max_players).
    """
    results = np.zeros((len(states), games, game.max_players))
    play, cast = _play_copies(game), make_cast(game, agents)

    def work(start: int, first: int, last: int) -> None:
        copy = zeros(1, game.state_dtype)
        play(states, seating, cast, seed, copy, results, start + first, start + last)

    for start in range(0, len(states) * games, _CHUNK * threads):
        spread(partial(work, start), min(_CHUNK * threads, len(states) * games - start), threads)
    return results


@cache
def _turn_function(game: Game, recalls: bool) -> Callable[..., None]:
    """Entry that plays games until an agent that is not compiled is to act, or the log is full.

    ``play(states, seating, cast, actions, decisions, log, observations, masks, keys, ear, first, last)`` first takes
    ``actions`` (N,) in the games first .. last - 1, except where the action is `KEEP`. ``keys`` (N, max_players, 2)
    follow if ``recalls``.
    """
    encode, legal, choose, step = (
        game.rules.encode,
        game.rules.legal,
        make_choose(game, ask),
        _make_heard_step(game, recalls),
    )

    def run_on(s, seats, cast, log, decision, observation, mask, keys, ear):
        while is_running(s) and decision < len(log):
            if cast.addresses[seats[s.player]] == NOT_COMPILED:
                encode(s, s.player, observation)
                legal(s, mask)
                break
            action = choose(s, seats[s.player], decision, cast, observation, mask)
            step(s, action, keys, ear)
            log[decision] = action
            decision += 1
        return decision

    run_on = compiled(run_on)

    def play(states, seating, cast, actions, decisions, log, observations, masks, keys, ear, first, last):
        for i in range(first, last):
            s = states[i]
            if actions[i] != KEEP:
                log[i, decisions[i]] = actions[i]
                decisions[i] += 1
                step(s, actions[i], keys[i], ear)
            decisions[i] = run_on(s, seating[i], cast, log[i], decisions[i], observations[i], masks[i], keys[i], ear)

    return entry(play)


def _make_heard_step(game: Game, recalls: bool) -> Callable[..., None]:
    """Compiled (s, action, keys, ear): apply a legal action; if ``recalls``, all seats hear it."""
    step, listen, phase = make_shared_step(game), make_listen(game), make_phase(game)

    def silent_step(s, action, keys, ear):
        step(s, action)

    def heard_step(s, action, keys, ear):
        actor, before = int(s.player), phase(s)
        step(s, action)
        listen(s, actor, action, before, keys, ear)

    return compiled(heard_step if recalls else silent_step)


@cache
def _begin_listening(game: Game) -> Callable[..., None]:
    """Entry (states, keys, ear): what all seats recall at the start of each game."""
    listen = make_listen(game)

    def begin_listening(states, keys, ear):
        for i in range(len(states)):
            listen(states[i], NOBODY, 0, 0, keys[i], ear)

    return entry(begin_listening)


@cache
def score_all(game: Game) -> Callable[..., None]:
    """Entry (states, scores): write `Rules.score` of every seat, shape (N, max_players)."""
    score, seats = score_of(game.rules), game.max_players

    def read(states, scores):
        for i in range(len(states)):
            for seat in range(seats):
                scores[i, seat] = score(states[i], seat)

    return entry(read)


class Played(NamedTuple):
    """Finished games."""

    scores: npt.NDArray[np.int64]
    """`Rules.score` at the end, shape (N, max_players)."""
    decisions: npt.NDArray[np.int64]
    """Number of decisions of each game, shape (N,)."""
    log: npt.NDArray[np.int16]
    """The actions, shape (N, D); only the first ``decisions[i]`` entries of row i are used."""


def play_logged(
    game: Game,
    states: npt.NDArray[Any],
    seeds: npt.NDArray[np.int64],
    seating: npt.NDArray[np.int64],
    agents: Sequence[CompiledPolicy | PythonPolicy],
) -> Played:
    """Play whole games between agents, compiled or not, and log every action; arguments as of `play_out`.

    Compiled agents make the same moves as there. The others are asked in batches, for all games in which they are to
    act.

    Raises `IllegalActionError` if an agent that is not compiled returns an illegal action; the message names the agent.
    """
    cast = make_cast(game, agents)
    begin_all(game)(states, seeds)
    count = len(states)
    rows, ear = _Rows(count, game), new_ear(game)
    recalls = any(isinstance(agent, PythonPolicy) and agent.recalls for agent in agents)
    if recalls:
        _begin_listening(game)(states, rows.keys, ear)
    play = _turn_function(game, recalls)
    while True:  # runs once even without games, so that the functions are compiled
        play(
            *(states, seating, cast, rows.actions, rows.decisions, rows.log, rows.observations, rows.masks),
            *(rows.keys, ear, 0, count),
        )
        running = states["player"] >= 0
        if not running.any():
            break
        rows.ask(np.where(running, seating[np.arange(count), states["player"]], NONE), agents, states["player"])
    scores = np.zeros((count, game.max_players), np.int64)
    score_all(game)(states, scores)
    return Played(scores, rows.decisions, rows.log)


class _Rows:
    def __init__(self, count: int, game: Game) -> None:
        self.actions = np.full(count, KEEP, np.int64)
        self.decisions = np.zeros(count, np.int64)
        self.log = np.zeros((count, _LOG_SIZE), np.int16)
        self.observations = np.zeros((count, game.layout.size), game.layout.dtype)
        self.masks = np.zeros((count, game.num_actions), np.int8)
        self.keys = np.zeros((count, game.max_players, 2), np.uint64)  # if an agent recalls

    def ask(
        self,
        to_act: npt.NDArray[np.int64],
        agents: Sequence[CompiledPolicy | PythonPolicy],
        seats: npt.NDArray[np.integer[Any]],
    ) -> None:
        """Get the next action of each game whose agent to act (``to_act``, (N,), NONE if over) is not compiled.

        ``seats``: the seats to act, (N,).
        """
        self.actions[:] = KEEP
        full = (to_act != NONE) & (self.decisions == self.log.shape[1])
        if full.any():
            self.log = np.concatenate([self.log, np.zeros_like(self.log)], axis=1)
        for number, agent in enumerate(agents):
            games = np.flatnonzero((to_act == number) & ~full)
            if not isinstance(agent, PythonPolicy) or not len(games):
                continue
            if agent.hear is None:
                self._ask(games, agent, seats)
                continue
            for game in games:
                agent.hear(int(game), self.log[game, : self.decisions[game]])
                self._ask(np.array([game]), agent, seats)

    def _ask(self, games: npt.NDArray[np.int64], agent: PythonPolicy, seats: npt.NDArray[np.integer[Any]]) -> None:
        recalled = (self.keys[games, seats[games]],) if agent.recalls else ()
        given = np.asarray(agent.act_batch(self.observations[games], self.masks[games], *recalled))
        self.actions[games] = _checked(given, self.masks[games], agent.name)


def _checked(actions: npt.NDArray[Any], masks: npt.NDArray[np.int8], agent: str) -> npt.NDArray[np.int64]:
    if actions.shape != masks.shape[:1] or actions.dtype.kind not in "iu":
        needed = f"allowed are integers of shape {masks.shape[:1]}"
        raise IllegalActionError(f"agent {agent!r} returned {actions.dtype} of shape {actions.shape}; {needed}")
    wrong = first_illegal(actions.astype(np.int64), masks, np.zeros(len(masks), np.bool_))
    if wrong != NONE:
        legal = ", ".join(map(str, np.flatnonzero(masks[wrong])))
        raise IllegalActionError(
            f"agent {agent!r} chose action {actions[wrong]}, which is not legal; legal are {legal}"
        )
    return actions.astype(np.int64)


def _first_illegal(actions, masks, ignored):
    for i in range(len(actions)):
        in_range = 0 <= actions[i] < masks.shape[1]
        if not ignored[i] and not (in_range and masks[i, actions[i]] > 0):
            return i
    return NONE


first_illegal = entry(_first_illegal)
"""(actions int64 (N,), masks int8 (N, A), ignored bool (N,)) -> the first game with an illegal action, or `NONE`."""


@cache
def learner_function(game: Game, encoder: Encoder | None) -> Callable[..., None]:
    """Entry that steps N games: the learner's action, then the opponents' until the learner is to act again.

    ``play(states, arrays, cast, actions, starts_anew, shown, masks, results, score_changes, ended, last_shown, first,
    last)`` takes the learner's actions (N,) in the games first .. last - 1; the action `BEGIN` starts a new game (games
    that end before the learner's first decision are skipped). With ``starts_anew`` games that end are restarted in the
    same step, and ``last_shown`` gets their final observation. ``results`` (float64, (N,)), ``score_changes``
    (float64, (N,)) and ``ended`` (bool, (N,)) belong to this step; ``shown`` (the output of ``encoder``, float32,
    (N, F), or without one the observation, (N, K)) and ``masks`` (int8, (N, A), zeros where the game has ended) belong
    to the new position.
    """
    score, returns, step = score_of(game.rules), game.rules.returns, make_shared_step(game)
    size, dtype, max_players = game.layout.size, game.layout.dtype, game.max_players
    run_on, observe = _make_run_on(game), _make_observe(game, encoder)
    start_game = _make_start_game(game, run_on)

    def play(
        states, arrays, cast, actions, starts_anew, shown, masks, results, score_changes, ended, last_shown, first, last
    ):
        raw, result = np.empty(size, dtype), np.zeros(max_players)
        for i in range(first, last):
            s, begins = states[i], actions[i] == BEGIN
            results[i] = 0.0
            score_changes[i] = 0.0
            if not begins and actions[i] != KEEP:
                seat = arrays.seats[i]
                before = score(s, seat)
                step(s, actions[i])
                run_on(s, i, arrays, cast, raw, masks[i])
                score_changes[i] = score(s, seat) - before
                if not is_running(s):
                    result[:] = 0.0
                    returns(s, result)
                    results[i] = result[seat]
            ended[i] = not is_running(s) and not begins
            if ended[i] and starts_anew:
                observe(s, arrays.seats[i], raw, masks[i], last_shown[i])
                begins = True
            if begins:
                start_game(s, i, arrays, cast, raw, masks[i])
            observe(s, arrays.seats[i], raw, masks[i], shown[i])

    return entry(play)


def _make_run_on(game: Game) -> Callable[..., None]:
    """Compiled (s, i, arrays, cast, observation, mask): play the opponents' moves until the learner is to act."""
    choose, step = make_choose(game, ask), make_shared_step(game)

    def run_on(s, i, arrays, cast, observation, mask):
        while is_running(s) and s.player != arrays.seats[i]:
            step(s, choose(s, arrays.seating[i, s.player], arrays.decisions[i], cast, observation, mask))
            arrays.decisions[i] += 1

    return compiled(run_on)


def _make_start_game(game: Game, run_on: Callable[..., None]) -> Callable[..., None]:
    """Compiled (s, i, arrays, cast, observation, mask): start games at index i until the learner is to act in one."""
    begin = game.rules.begin

    def start_game(s, i, arrays, cast, observation, mask):
        while True:
            draws = stream(arrays.keys[i], FOR_LINEUPS, i, arrays.played[i])
            begin(s, game_key(draw(draws, 0) >> np.uint64(1)), DRAWN)
            _seat_players(s, i, arrays, draws)
            arrays.decisions[i] = 0
            arrays.played[i] += 1
            run_on(s, i, arrays, cast, observation, mask)
            if is_running(s):
                return

    return compiled(start_game)


@compiled
def _seat_players(s, i, arrays, draws):
    """Draw the learner's seat in game i, and a line-up clockwise of it, or one opponent per seat if ``mixed``."""
    seat = arrays.fixed_seat if arrays.fixed_seat != DRAWN else np.int64(below(draw(draws, 1), s.num_players))
    arrays.seats[i] = seat
    lineup = below(draw(draws, 2), len(arrays.lineups))
    for relative in range(1, s.num_players):
        if arrays.mixed:
            lineup = below(draw(draws, 2 + relative), len(arrays.lineups))
        arrays.seating[i, (seat + relative) % s.num_players] = arrays.lineups[lineup, relative - 1]


def _seat_everybody(states, arrays):
    for i in range(len(states)):
        if arrays.played[i] > 0:
            draws = stream(arrays.keys[i], FOR_LINEUPS, i, arrays.played[i] - 1)
            _seat_players(states[i], i, arrays, draws)


seat_everybody = entry(_seat_everybody)
"""Entry (states, arrays): seat the players of running games as if these had started with the current line-ups."""


def _make_observe(game: Game, encoder: Encoder | None) -> Callable[..., None]:
    """Compiled (s, seat, raw, mask, out): write a seat's mask and observation; ``raw`` is scratch for the encoder."""
    look = make_look(game)

    def observe(s, seat, raw, mask, out):
        look(s, seat, out, mask)

    def observe_encoded(s, seat, raw, mask, out):
        look(s, seat, raw, mask)
        encoder(raw, mask, out)  # type: ignore[misc]  # not None, or it is not compiled

    return compiled(observe_encoded if encoder else observe)
