"""Positions of games, and what becomes of them: who wins, and what the next settlement does to each seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_env.compiled import ask, below, compiled, draw, entry, game_key, make_cast, spread, stream, zeros
from blackjacky_env.compiled.purposes import FOR_COPIES, FOR_POSITIONS, FOR_QUESTIONS
from blackjacky_env.declare import Game, Vector
from blackjacky_env.games import get_game
from blackjacky_env.play import DRAWN, LONGEST, is_running, make_choose, make_look, make_shared_step, make_step

WIN, QUESTION = 0, 1  # rows of outcomes


def draw_positions(
    game: Game,
    states: npt.NDArray[np.void],
    seeds: npt.NDArray[np.int64],
    seating: npt.NDArray[np.int64],
    agents: Sequence[CompiledAgent],
    threads: int = 1,
) -> tuple[npt.NDArray[np.void], Vector, npt.NDArray[np.int8]]:
    """Play games between compiled agents, and keep one position of each, every decision being equally likely.

    Args:
        game: the game.
        states: records with options written, (N,); left as the games ended.
        seeds: seed of each game as for ``reset``, (N,).
        seating: index of the agent in each seat, (N, max_players).
        agents: the agents.
        threads: CPU threads; results do not depend on it.

    Returns:
        The positions, records (N,), and what the player to act observes in each, (N, K), and may do, (N, A).
    """
    kept, shown = zeros(len(states), game.state_dtype), np.zeros((len(states), game.layout.size), game.layout.dtype)
    may = np.zeros((len(states), game.num_actions), np.int8)
    play, cast = _draw_positions(game), make_cast(game, [(agent.policy, agent.parameters) for agent in agents])
    spread(lambda *part: play(states, kept, shown, may, seeds, seating, cast, *part), len(states), threads)
    return kept, shown, may


@cache
def _draw_positions(game: Game) -> Callable[..., None]:
    choose, step, look, begin = make_choose(game, ask), make_shared_step(game), make_look(game), game.rules.begin
    size, dtype, num_actions = game.layout.size, game.layout.dtype, game.num_actions

    def play(states, kept, shown, may, seeds, seating, cast, first, last):
        observation, mask = np.empty(size, dtype), np.empty(num_actions, np.int8)
        for i in range(first, last):
            s, decision = states[i], 0
            begin(s, game_key(seeds[i]), DRAWN)
            while is_running(s):
                if below(draw(stream(s.key, FOR_QUESTIONS, decision, 0), 0), decision + 1) == 0:
                    kept[i] = states[i]
                step(s, choose(s, seating[i, s.player], decision, cast, observation, mask))
                decision += 1
            look(kept[i], kept[i].player, shown[i], may[i])

    return entry(play)


def outcomes_of(
    agent: CompiledAgent,
    position: npt.NDArray[np.void] | Vector,
    games: int,
    seed: int = 0,
    number: int = 0,
    threads: int = 1,
) -> npt.NDArray[np.float32]:
    """Play on from a position many times, with the agent in all seats.

    Args:
        agent: the agent.
        position: a record (1,), of which nothing is changed but what chance and the agent decide from now on; or an
            observation (K,) of the player to act, for which the hidden cards are drawn each time, all that are
            consistent with it being equally likely.
        games: number of playouts, G.
        seed: seed of the playouts, 0 .. 2**63 - 1.
        number: number of the position, so that each has its own random numbers.
        threads: CPU threads; results do not depend on it.

    Returns:
        Float32, (G, 2, max_players), the player to act first and the others clockwise: `WIN`, the share of the win, or
        an equal one for all if nobody wins; and `QUESTION`, 1 if the next settlement does to the seat
        what the game's `Question` is about, else 0. Empty seats have 0.
    """
    game = get_game(agent.game)
    records, seen = zeros(1, game.state_dtype), np.zeros(game.layout.size, game.layout.dtype)
    sampled = position.dtype != game.state_dtype
    (seen if sampled else records)[:] = position
    results = np.zeros((games, 2, game.max_players), np.float32)
    play, cast = _play_on(game), make_cast(game, [(agent.policy, agent.parameters)])
    key = np.uint64(game_key(seed))

    def work(first: int, last: int) -> None:
        play(records, seen, sampled, cast, key, number, zeros(1, game.state_dtype), results, first, last)

    spread(work, games, threads)
    if not sampled:
        players = int(records["num_players"][0])
        results[:, :, :players] = np.roll(results[:, :, :players], -int(records["player"][0]), axis=2)
    return results


@cache
def _play_on(game: Game) -> Callable[..., None]:
    sample, finish = game.rules.sample, _make_finish(game)
    size, dtype, num_actions = game.layout.size, game.layout.dtype, game.num_actions

    def play(records, seen, sampled, cast, key, number, copy, results, first, last):
        observation, mask = np.empty(size, dtype), np.empty(num_actions, np.int8)
        for repeat in range(first, last):
            if sampled:
                sample(seen, stream(key, FOR_POSITIONS, number, repeat), copy[0])
            else:
                copy[0] = records[0]
                copy[0].key = stream(key, FOR_COPIES, number, repeat)
            finish(copy[0], cast, observation, mask, results[repeat])

    return entry(play)


def _make_finish(game: Game) -> Callable[..., None]:
    """Compiled (s, cast, observation, mask, result): play to the end, and write `WIN` and `QUESTION` by seat."""
    happens = game.question.happens if game.question is not None else _never

    def note(s, result, noted):
        if noted[0] == 0:
            noted[0] = 1
            for p in range(s.num_players):
                result[QUESTION, p] = happens(s, p)

    choose, step = make_choose(game, ask), make_step(game, compiled(note))

    def finish(s, cast, observation, mask, result):
        decision, won, noted = 0, 0, np.zeros(1, np.int8)
        while is_running(s) and decision < LONGEST:
            step(s, choose(s, 0, decision, cast, observation, mask), result, noted)
            decision += 1
        for p in range(s.num_players):
            won += s.winners[p]
        for p in range(s.num_players):
            result[WIN, p] = s.winners[p] / won if won else 1 / s.num_players

    return compiled(finish)


@compiled
def _never(s, p):
    return False
