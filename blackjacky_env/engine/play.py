"""Many games with compiled policies in the seats: whole play-outs, and games in which one seat waits for a learner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_env.engine import random
from blackjacky_env.engine.compiling import compiled, entry, zeros
from blackjacky_env.engine.game import Game, IllegalActionError
from blackjacky_env.engine.policies import OUTSIDE, Inside, Outside, ask, make_cast
from blackjacky_env.engine.threads import spread

Encoder = Callable[..., None]
"""(observation int8 or int16 (K,), mask int8 (A,), out float32 (F,)): what a learner is shown instead of it."""

FOR_POLICIES = 100  # purposes of random numbers; games use small numbers for theirs
FOR_LINEUPS = 101
FOR_COPIES = 104
BEGIN, KEEP = -1, -2  # instead of a learner's action: start a game; only show the game
DRAWN = -1  # start player or learner's seat: drawn for each game
NONE = -1  # no illegal action, no agent
_LOGGED = 256  # decisions of a game for which there is room at first
_CHUNK = 512  # games that a thread plays before Python can react to Ctrl-C


class Desk(NamedTuple):
    """What N games with a learner need beside their states."""

    fixed_seat: int
    """The learner's seat, or DRAWN."""
    lineups: npt.NDArray[np.int64]
    """Agents of the seats clockwise of the learner, shape (L, max_players - 1); each game draws a row."""
    mixed: bool
    """Each seat draws a row of its own instead."""
    keys: npt.NDArray[np.uint64]
    """Seeds, seats and opponents of the games at place i follow from ``keys[i]`` and i, shape (N,)."""
    seats: npt.NDArray[np.int64]
    """The learner's seat in each game, shape (N,)."""
    seating: npt.NDArray[np.int64]
    """The agent in each other seat, shape (N, max_players)."""
    played: npt.NDArray[np.int64]
    """Games begun at each place, shape (N,)."""
    decisions: npt.NDArray[np.int64]
    """Decisions of opponents in the running game, shape (N,)."""


@cache
def mover(game: Game) -> Callable[..., int]:
    """Compiled (s, agent, decision, cast, observation, mask) -> action: one move of the player to act."""
    encode, legal, apply = game.rules.encode, game.rules.legal, game.rules.apply
    stream = random.stream

    def move(s, agent, decision, cast, observation, mask):
        encode(s, s.player, observation)
        legal(s, mask)
        own = cast.parameters[cast.offsets[agent] : cast.offsets[agent + 1]]
        action = ask(cast.addresses[agent], observation, mask, stream(s.key, FOR_POLICIES, decision, 0), own)
        apply(s, action)
        return action

    return compiled(move)


@cache
def begin_all(game: Game) -> Callable[..., None]:
    """Entry (states, seeds): begin a game in each state, as ``reset`` with its seed does."""
    begin, game_key = game.rules.begin, random.game_key

    def begin_all(states, seeds):
        for i in range(len(states)):
            begin(states[i], game_key(seeds[i]), DRAWN)

    return entry(begin_all)


@cache
def _finisher(game: Game) -> Callable[..., int]:
    """Compiled (s, seats, cast, observation, mask, result) -> decisions: play a running game to its end."""
    rules, move = game.rules, mover(game)
    is_settled, settle, is_over, returns = rules.is_settled, rules.settle, rules.is_over, rules.returns

    def finish(s, seats, cast, observation, mask, result):
        decisions = 0
        while not is_over(s):
            move(s, seats[s.player], decisions, cast, observation, mask)
            decisions += 1
            if is_settled(s):
                settle(s)
        returns(s, result)
        return decisions

    return compiled(finish)


@cache
def _play_on(game: Game) -> Callable[..., None]:
    size, dtype, num_actions, finish = game.layout.size, game.layout.dtype, game.num_actions, _finisher(game)

    def play(states, seating, cast, results, decisions, first, last):
        observation, mask = np.empty(size, dtype), np.empty(num_actions, np.int8)
        for i in range(first, last):
            decisions[i] = finish(states[i], seating[i], cast, observation, mask, results[i])

    return entry(play)


@cache
def _play_copies(game: Game) -> Callable[..., None]:
    size, dtype, num_actions, finish = game.layout.size, game.layout.dtype, game.num_actions, _finisher(game)
    game_key, stream = random.game_key, random.stream

    def play(states, seating, cast, seed, copy, results, first, last):
        observation, mask = np.empty(size, dtype), np.empty(num_actions, np.int8)
        games = results.shape[1]
        for number in range(first, last):
            i, repeat = number // games, number % games
            copy[0] = states[i]
            s = copy[0]
            s.key = stream(game_key(seed), FOR_COPIES, i, repeat)
            finish(s, seating[i], cast, observation, mask, results[i, repeat])

    return entry(play)


def play_out(
    game: Game,
    states: npt.NDArray[Any],
    seeds: npt.NDArray[np.int64],
    seating: npt.NDArray[np.int64],
    agents: Sequence[Inside],
    threads: int = 1,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Play whole games between compiled agents without coming back to Python.

    Args:
        game: the game.
        states: records with options written, shape (N,); left as the games ended.
        seeds: seed of each game as for ``reset``, shape (N,).
        seating: number of the agent in each seat, shape (N, max_players).
        agents: (policy, parameters) of each agent.
        threads: CPU threads; they change nothing in the games.

    Returns:
        Results (N, max_players), the zero-sum "win" rewards, and decisions (N,), how many were taken.
    """
    begin_all(game)(states, seeds)
    return play_on(game, states, seating, agents, threads)


def play_on(
    game: Game,
    states: npt.NDArray[Any],
    seating: npt.NDArray[np.int64],
    agents: Sequence[Inside],
    threads: int = 1,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Play running games to their end, as `play_out` does; a random choice follows from a game's key."""
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
    agents: Sequence[Inside],
    seed: int,
    threads: int = 1,
) -> npt.NDArray[np.float64]:
    """Play copies of N running games to their end, ``games`` of each, every copy with a key of its own.

    A key depends on the seed, the number of the state and that of the copy alone. ``states`` (N,), which stay as they
    are, ``seating`` (N, max_players), ``agents`` and ``threads`` as for `play_out`; returns results
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
def _turn_function(game: Game) -> Callable[..., None]:
    """Entry for games that run on until an agent that is not compiled is to act, or the log is full.

    ``play(states, seating, cast, actions, decisions, log, observations, masks, first, last)`` makes ``actions`` (N,),
    none where it is `KEEP`, in games first .. last - 1.
    """
    is_settled, settle, is_over, apply = game.rules.is_settled, game.rules.settle, game.rules.is_over, game.rules.apply
    encode, legal, move = game.rules.encode, game.rules.legal, mover(game)

    def run_on(s, seats, cast, log, decision, observation, mask):
        while not is_over(s) and decision < len(log):
            if cast.addresses[seats[s.player]] == OUTSIDE:
                encode(s, s.player, observation)
                legal(s, mask)
                break
            log[decision] = move(s, seats[s.player], decision, cast, observation, mask)
            decision += 1
            if is_settled(s):
                settle(s)
        return decision

    run_on = compiled(run_on)

    def play(states, seating, cast, actions, decisions, log, observations, masks, first, last):
        for i in range(first, last):
            s = states[i]
            if actions[i] != KEEP:
                log[i, decisions[i]] = actions[i]
                decisions[i] += 1
                apply(s, actions[i])
                if is_settled(s):
                    settle(s)
            decisions[i] = run_on(s, seating[i], cast, log[i], decisions[i], observations[i], masks[i])

    return entry(play)


@cache
def _score_all(game: Game) -> Callable[..., None]:
    score, seats = game.rules.score, game.max_players

    def read(states, scores):
        for i in range(len(states)):
            for seat in range(seats):
                scores[i, seat] = score(states[i], seat)

    return entry(read)


class Played(NamedTuple):
    """Games that have ended."""

    scores: npt.NDArray[np.int64]
    """`Rules.score` at the end, shape (N, max_players)."""
    decisions: npt.NDArray[np.int64]
    """How many were taken, shape (N,)."""
    log: npt.NDArray[np.int16]
    """The actions, shape (N, D), ``decisions`` of each row."""


def play_logged(
    game: Game,
    states: npt.NDArray[Any],
    seeds: npt.NDArray[np.int64],
    seating: npt.NDArray[np.int64],
    agents: Sequence[Inside | Outside],
) -> Played:
    """Play whole games between agents of which some may not be compiled, and keep every action.

    Compiled agents play as in `play_out`, move by move. The others are asked for all games at once in which it is
    their turn.

    Args:
        game: the game.
        states: records with options written, shape (N,); left as the games ended.
        seeds: seed of each game as for ``reset``, shape (N,).
        seating: number of the agent in each seat, shape (N, max_players).
        agents: (policy, parameters) of each agent, or `Outside`.

    Raises `IllegalActionError` if an action of an agent that is not compiled is not legal; the message names the agent.
    """
    cast = make_cast(game, agents)
    begin_all(game)(states, seeds)
    count = len(states)
    rows = _Rows(count, game)
    play = _turn_function(game)
    while True:  # no games: compiled all the same
        play(states, seating, cast, rows.actions, rows.decisions, rows.log, rows.observations, rows.masks, 0, count)
        running = states["player"] >= 0
        if not running.any():
            break
        rows.ask(np.where(running, seating[np.arange(count), states["player"]], NONE), agents)
    scores = np.zeros((count, game.max_players), np.int64)
    _score_all(game)(states, scores)
    return Played(scores, rows.decisions, rows.log)


class _Rows:
    """What is kept for each game of `play_logged`."""

    def __init__(self, count: int, game: Game) -> None:
        self.actions = np.full(count, KEEP, np.int64)
        self.decisions = np.zeros(count, np.int64)
        self.log = np.zeros((count, _LOGGED), np.int16)
        self.observations = np.zeros((count, game.layout.size), game.layout.dtype)
        self.masks = np.zeros((count, game.num_actions), np.int8)

    def ask(self, to_act: npt.NDArray[np.int64], agents: Sequence[Inside | Outside]) -> None:
        """The next action of each game whose player (to_act, (N,), NONE where it is over) is not compiled."""
        self.actions[:] = KEEP
        full = (to_act != NONE) & (self.decisions == self.log.shape[1])
        if full.any():
            self.log = np.concatenate([self.log, np.zeros_like(self.log)], axis=1)
        for number, agent in enumerate(agents):
            games = np.flatnonzero((to_act == number) & ~full)
            if isinstance(agent, Outside) and len(games):
                given = np.asarray(agent.act_batch(self.observations[games], self.masks[games]))
                self.actions[games] = _checked(given, self.masks[games], agent.name)


def _checked(actions: npt.NDArray[Any], masks: npt.NDArray[np.int8], agent: str) -> npt.NDArray[np.int64]:
    """Actions (M,) of an agent if they are legal; else an `IllegalActionError`."""
    if actions.shape != masks.shape[:1] or actions.dtype.kind not in "iu":
        needed = f"allowed are integers of shape {masks.shape[:1]}"
        raise IllegalActionError(f"agent {agent!r} gave {actions.dtype} of shape {actions.shape}; {needed}")
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
"""(actions int64 (N,), masks int8 (N, A), ignored bool (N,)): the first game whose action is not legal, or `NONE`."""


@cache
def learner_function(game: Game, encoder: Encoder | None) -> Callable[..., None]:
    """Entry for N games that run on, compiled opponents playing, until the learner is to act.

    ``step(states, desk, cast, actions, starts_anew, shown, masks, results, score_changes, ended, last_shown, first,
    last)`` makes the learner's actions (N,) in games first .. last - 1; games with action `BEGIN` are begun (those that
    end before the learner's first decision are skipped). With ``starts_anew`` ended games are begun in the same step,
    and ``last_shown`` (as ``shown``) is their final view. ``results`` (float64, (N,)), ``score_changes`` (float64,
    (N,)) and ``ended`` (bool, (N,)) belong to the move just made; ``shown`` (what ``encoder`` makes, float32, (N, F),
    or without one the observation, (N, K)) and ``masks`` (int8, (N, A), zeros where the game has ended) belong to
    the position now.
    """
    is_over, returns, apply = game.rules.is_over, game.rules.returns, game.rules.apply
    size, dtype, max_players = game.layout.size, game.layout.dtype, game.max_players
    settle_up, run_on = _runner(game)
    start_game, show = _starter(game, run_on), _shower(game, encoder)

    def step(
        states, desk, cast, actions, starts_anew, shown, masks, results, score_changes, ended, last_shown, first, last
    ):
        raw, result = np.empty(size, dtype), np.zeros(max_players)
        for i in range(first, last):
            s, begins = states[i], actions[i] == BEGIN
            results[i] = 0.0
            score_changes[i] = 0.0
            if not begins and actions[i] != KEEP:
                seat = desk.seats[i]
                apply(s, actions[i])
                score_changes[i] += settle_up(s, seat)
                score_changes[i] += run_on(s, i, desk, cast, raw, masks[i])
                if is_over(s):
                    result[:] = 0.0
                    returns(s, result)
                    results[i] = result[seat]
            ended[i] = is_over(s) and not begins
            if ended[i] and starts_anew:
                show(s, desk.seats[i], raw, masks[i], last_shown[i])
                begins = True
            if begins:
                start_game(s, i, desk, cast, raw, masks[i])
            show(s, desk.seats[i], raw, masks[i], shown[i])

    return entry(step)


def _runner(game: Game) -> tuple[Callable[..., int], Callable[..., int]]:
    """Compiled: settle if due; let the opponents play until the learner is to act. Both give his change of score."""
    is_settled, settle, is_over, score = (
        game.rules.is_settled,
        game.rules.settle,
        game.rules.is_over,
        game.rules.score,
    )
    move = mover(game)

    def settle_up(s, seat):
        if not is_settled(s):
            return 0
        before = score(s, seat)
        settle(s)
        return score(s, seat) - before

    settle_up = compiled(settle_up)

    def run_on(s, i, desk, cast, observation, mask):
        change = 0
        while not is_over(s) and s.player != desk.seats[i]:
            move(s, desk.seating[i, s.player], desk.decisions[i], cast, observation, mask)
            desk.decisions[i] += 1
            change += settle_up(s, desk.seats[i])
        return change

    return settle_up, compiled(run_on)


def _starter(game: Game, run_on: Callable[..., int]) -> Callable[..., None]:
    """Compiled: start games at place i until one reaches a decision of the learner."""
    begin, is_over = game.rules.begin, game.rules.is_over
    game_key, stream, draw, below = random.game_key, random.stream, random.draw, random.below

    def start_game(s, i, desk, cast, observation, mask):
        while True:
            lots = stream(desk.keys[i], FOR_LINEUPS, i, desk.played[i])
            begin(s, game_key(draw(lots, 0) >> np.uint64(1)), DRAWN)
            seat = desk.fixed_seat if desk.fixed_seat != DRAWN else np.int64(below(draw(lots, 1), s.num_players))
            lineup = below(draw(lots, 2), len(desk.lineups))
            for relative in range(1, s.num_players):
                if desk.mixed:
                    lineup = below(draw(lots, 2 + relative), len(desk.lineups))
                desk.seating[i, (seat + relative) % s.num_players] = desk.lineups[lineup, relative - 1]
            desk.seats[i] = seat
            desk.decisions[i] = 0
            desk.played[i] += 1
            run_on(s, i, desk, cast, observation, mask)
            if not is_over(s):
                return

    return compiled(start_game)


def _shower(game: Game, encoder: Encoder | None) -> Callable[..., None]:
    """Compiled (s, seat, raw, mask, out): the mask of a seat, and its observation, by way of ``raw`` if encoded."""
    encode, legal = game.rules.encode, game.rules.legal

    def show_mask(s, seat, mask):
        if s.player == seat:
            legal(s, mask)
        else:
            mask[:] = 0

    show_mask = compiled(show_mask)

    if encoder is None:

        def show(s, seat, raw, mask, out):
            encode(s, seat, out)
            show_mask(s, seat, mask)

    else:

        def show(s, seat, raw, mask, out):
            encode(s, seat, raw)
            show_mask(s, seat, mask)
            encoder(raw, mask, out)

    return compiled(show)
