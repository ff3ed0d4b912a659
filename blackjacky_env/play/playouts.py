"""Many games with policies in all seats, played to their end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_env.compiled.callbacks import LEGAL, Cast, ask, make_cast
from blackjacky_env.compiled.compiling import compiled, entry, inlined, zeros
from blackjacky_env.compiled.policies import CompiledOpponent, Policy, PythonPolicy, name_of
from blackjacky_env.compiled.purposes import FOR_COPIES, FOR_POLICIES
from blackjacky_env.compiled.random import game_key, stream
from blackjacky_env.compiled.results import score_of
from blackjacky_env.compiled.threads import spread
from blackjacky_env.declare.fields import NOBODY
from blackjacky_env.declare.game import Game, IllegalActionError
from blackjacky_env.play.recall import listener, make_listen, make_phase, new_ear
from blackjacky_env.play.step import (
    DRAWN,
    NONE,
    STUCK,
    checked,
    first_illegal,
    is_running,
    make_begin,
    make_look,
    make_shared_step,
    only_legal,
)

KEEP = -2  # in place of an action: go on without one
LONGEST = 10**6  # decisions of a playout; longer ones, by policies that never end a game, have no winner
_LOG_SIZE = 256  # initial capacity of the log, in decisions of a game
Asked = npt.NDArray[np.integer[Any]]
FailedGames = dict[int, tuple[int, Exception]]
"""By index of a game in which an agent has failed: its seat and its error."""
_CHUNK = 512  # games that a thread plays before Python can react to Ctrl-C


@cache
def make_choose(game: Game, ask: Policy = ask) -> Callable[..., int]:
    """Inlined (s, agent, decision, cast, observation, mask) -> action: the agent's choice for the player to act.

    ``ask`` asks a policy by its entry in ``cast.addresses``; the only legal action is taken unasked. `STUCK`, which
    ends the game, if there is none, or for an illegal choice, which is noted in ``cast.illegal``: `raise_illegal`.
    """
    encode, legal, answer = game.rules.encode, game.rules.legal, make_answer(ask)

    def choose(s, agent, decision, cast, observation, mask):
        legal(s, mask)
        action = chosen = only_legal(mask)
        several = action == NONE
        if several:
            encode(s, s.player, observation)
            chosen = answer(s, agent, decision, cast, observation, mask)
            action = checked(chosen, mask)
        if several and action == STUCK:  # here, not above, where it costs a fifth of the speed of random playouts
            cast.illegal[agent] = chosen
        return action

    return inlined(choose)


@cache
def make_answer(ask: Policy = ask) -> Callable[..., int]:
    """Inlined (s, agent, decision, cast, observation, mask) -> what the agent chooses, legal or not."""

    def answer(s, agent, decision, cast, observation, mask):
        own = cast.parameters[cast.offsets[agent] : cast.offsets[agent + 1]]
        bits = stream(s.key, FOR_POLICIES, decision, 0)
        return np.int64(ask(cast.addresses[agent], observation, mask, bits, own))

    return inlined(answer)


def raise_illegal(agents: Sequence[CompiledOpponent | PythonPolicy], cast: Cast) -> None:
    """Raise `IllegalActionError`, with the agent's name, if one of a cast has chosen an illegal action."""
    for agent, action in zip(agents, cast.illegal.tolist(), strict=True):
        if action != LEGAL:
            raise IllegalActionError(f"agent {name_of(agent)!r} chose action {action}, which its mask does not allow")


@cache
def begin_all(game: Game) -> Callable[..., None]:
    """Entry (states, seeds): begin a game in each state, as ``reset`` with its seed does."""
    begin = make_begin(game)

    def begin_all(states, seeds):
        for i in range(len(states)):
            begin(states[i], game_key(seeds[i]), DRAWN)

    return entry(begin_all)


@cache
def make_run_on(game: Game, ask: Policy = ask, step: Callable[..., Any] | None = None) -> Callable[..., int]:
    """Inlined (s, seats, decision, most, cast, observation, mask, *more) -> decision: compiled agents play on.

    ``seats`` (P,) names the agent in each seat; at a negative one, whom others ask, they stop, as at the end of the
    game and at decision number ``most``. ``step``: compiled (s, action, decision, *more), which takes their actions.
    """
    choose, silent_step = make_choose(game, ask), make_shared_step(game)

    def plain_step(s, action, decision):
        silent_step(s, action)

    take = step or compiled(plain_step)

    def run_on(s, seats, decision, most, cast, observation, mask, *more):
        while is_running(s) and decision < most and seats[s.player] >= 0:
            take(s, choose(s, seats[s.player], decision, cast, observation, mask), decision, *more)
            decision += 1
        return decision

    return inlined(run_on)


@cache
def make_play_copy(game: Game, ask: Policy) -> Callable[..., None]:
    """Compiled (states, seating, cast, seed, copies, k, observation, mask, results, number): play a copy.

    It is played in the record ``copies[k]``; ``number`` counts the copies of the first state, then of the second.
    """
    run_on, returns = make_run_on(game, ask), game.rules.returns

    def play_copy(states, seating, cast, seed, copies, k, observation, mask, results, number):
        games = results.shape[1]
        i, repeat = number // games, number % games
        copies[k] = states[i]
        s = copies[k]
        s.key = stream(game_key(seed), FOR_COPIES, i, repeat)
        run_on(s, seating[i], 0, LONGEST, cast, observation, mask)
        returns(s, results[i, repeat])

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


def play_copies(
    game: Game,
    states: npt.NDArray[Any],
    games: int,
    seating: npt.NDArray[np.int64],
    agents: Sequence[CompiledOpponent],
    seed: int,
    threads: int = 1,
) -> npt.NDArray[np.float64]:
    """Play copies of N running games to their end, ``games`` copies of each, every copy with its own key.

    A key depends only on the seed, the index of the state and the index of the copy. ``states`` (N,) are not changed;
    ``seating`` (N, max_players), ``agents`` and ``threads`` are as for `play_out`. Returns the zero-sum "win" rewards
    (N, games, max_players). Raises `IllegalActionError` if an agent chooses an illegal action.
    """
    results = np.zeros((len(states), games, game.max_players))
    play, cast = _play_copies(game), make_cast(game, agents)

    def work(start: int, first: int, last: int) -> None:
        copy = zeros(1, game.state_dtype)
        play(states, seating, cast, seed, copy, results, start + first, start + last)

    for start in range(0, len(states) * games, _CHUNK * threads):
        spread(partial(work, start), min(_CHUNK * threads, len(states) * games - start), threads)
        raise_illegal(agents, cast)
    return results


class _Games(NamedTuple):
    """What `play_out` keeps of N games."""

    actions: npt.NDArray[np.int64]
    """To be taken next by agents that are not compiled, or `KEEP`, (N,)."""
    decisions: npt.NDArray[np.int64]
    """Number of decisions so far, (N,)."""
    log: npt.NDArray[np.int16]
    """All actions so far, (N, D)."""
    observations: npt.NDArray[Any]
    masks: npt.NDArray[np.int8]
    keys: npt.NDArray[np.uint64]
    """What all seats recall, (N, P, 2)."""

    def ask(self, agent: PythonPolicy, games: Asked, seats: Asked, failed: FailedGames | None) -> None:
        """Get the next action of these games, in which it is the agent's turn; ``seats``: those to act, (N,).

        ``failed`` gets its errors, which are raised without it; after one about many games each is asked for alone.
        """
        for asked in [games] if agent.hear is None else games[:, None]:
            try:
                self._ask(agent, asked, seats)
            except Exception as error:
                if failed is None:
                    raise
                if len(asked) == 1:
                    failed[int(asked[0])] = int(seats[asked[0]]), error
                for one in asked[:, None] if len(asked) > 1 else ():
                    self.ask(agent, one, seats, failed)

    def find_illegal(self, failed: FailedGames) -> None:
        """Put games into ``failed`` that have ended at an illegal choice of a compiled agent; it is no decision."""
        last = self.log[np.arange(len(self.log)), np.maximum(self.decisions, 1) - 1]
        for game in np.flatnonzero((last <= STUCK) & (self.decisions > 0)).tolist():
            failed[game] = int(STUCK - last[game]), IllegalActionError("its policy chose an illegal action")
            self.decisions[game] -= 1

    def _ask(self, agent: PythonPolicy, asked: Asked, seats: Asked) -> None:
        if agent.hear is not None:
            agent.hear(int(asked[0]), self.log[asked[0], : self.decisions[asked[0]]])
        recalled = (self.keys[asked, seats[asked]],) if agent.recalls else ()
        given = np.asarray(agent.act_batch(self.observations[asked], self.masks[asked], *recalled))
        self.actions[asked] = _checked(given, self.masks[asked], agent.name)


def _new_games(game: Game, count: int) -> _Games:
    return _Games(
        np.full(count, KEEP, np.int64),
        np.zeros(count, np.int64),
        np.zeros((count, _LOG_SIZE), np.int16),
        np.zeros((count, game.layout.size), game.layout.dtype),
        np.zeros((count, game.num_actions), np.int8),
        np.zeros((count, game.max_players, 2), np.uint64),
    )


@cache
def _play_to_a_question(game: Game, recalls: bool) -> Callable[..., None]:
    """Entry (states, seating, cast, *games, ear, first, last): play games until a seat asked outside is to act.

    ``actions`` are taken first. Games also stop when the log is full. Keys follow if ``recalls``.
    """
    look, silent_step, listen, phase = make_look(game), make_shared_step(game), make_listen(game), make_phase(game)

    def heard_step(s, action, decision, log, keys, ear):
        actor, before = int(s.player), phase(s)
        unheard_step(s, action, decision, log, keys, ear)
        if action != STUCK:
            listen(s, actor, action, before, keys, ear)

    @compiled
    def unheard_step(s, action, decision, log, keys, ear):
        log[decision] = action if action != STUCK else STUCK - s.player  # who has chosen illegally
        silent_step(s, action)

    step = compiled(heard_step) if recalls else unheard_step
    run_on = make_run_on(game, ask, step)

    def play(states, seating, cast, actions, decisions, log, observations, masks, keys, ear, first, last):
        most = min(log.shape[1], LONGEST)
        for i in range(first, last):
            s = states[i]
            if actions[i] != KEEP:
                step(s, actions[i], decisions[i], log[i], keys[i], ear)
                decisions[i] += 1
            decisions[i] = run_on(
                s, seating[i], decisions[i], most, cast, observations[i], masks[i], log[i], keys[i], ear
            )
            if is_running(s):
                look(s, s.player, observations[i], masks[i])

    return entry(play)


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


def play_out(
    game: Game,
    states: npt.NDArray[Any],
    seeds: npt.NDArray[np.int64],
    seating: npt.NDArray[np.int64],
    agents: Sequence[CompiledOpponent | PythonPolicy],
    threads: int = 1,
    failed: FailedGames | None = None,
) -> Played:
    """Play whole games between agents, compiled or not, and log every action.

    Agents that are not compiled are asked in batches, for all games in which they are to act.

    Args:
        game: the game.
        states: records with options written, shape (N,); left as the games ended.
        seeds: seed of each game as for ``reset``, shape (N,).
        seating: index of the agent in each seat, shape (N, max_players).
        agents: the compiled ones, and the others as `PythonPolicy`.
        threads: CPU threads of compiled agents; results do not depend on it.
        failed: games that are not played, because an agent has failed before. Others in which one raises or chooses
            illegally end there and are added. None: errors are raised.

    Raises `IllegalActionError` if an agent chooses an illegal action; the message names the agent.
    """
    cast, games = make_cast(game, agents), _new_games(game, len(states))
    begin_all(game)(states, seeds)
    states["player"][list(failed or ())] = NOBODY
    recalls = any(isinstance(agent, PythonPolicy) and agent.recalls for agent in agents)
    for i in range(len(states) if recalls else 0):
        listener(game)(states[i : i + 1], NOBODY, 0, 0, games.keys[i], new_ear(game))
    play, outside = _play_to_a_question(game, recalls), np.array([isinstance(agent, PythonPolicy) for agent in agents])
    inside = np.where(outside[seating], -1, seating)

    def play_on(first: int, last: int) -> None:
        play(states, inside, cast, *games, new_ear(game), first, last)

    while True:
        spread(play_on, len(states), threads)
        if failed is None:
            raise_illegal(agents, cast)
        else:
            games.find_illegal(failed)
        running = (states["player"] >= 0) & (games.decisions < LONGEST)
        if not running.any():
            break
        full = running & (games.decisions == games.log.shape[1])
        if full.any():
            games = games._replace(log=np.concatenate([games.log, np.zeros_like(games.log)], axis=1))
        to_act = np.where(running & ~full, seating[np.arange(len(states)), states["player"]], NONE)
        games.actions[:] = KEEP
        for number, agent in enumerate(agents):
            if isinstance(agent, PythonPolicy) and (mine := np.flatnonzero(to_act == number)).size:
                games.ask(agent, mine, states["player"], failed)
        states["player"][list(failed or ())] = NOBODY
    scores = np.zeros((len(states), game.max_players), np.int64)
    score_all(game)(states, scores)
    return Played(scores, games.decisions, games.log)


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
