"""A measuring stick, not an agent: it sees all cards, so no fair agent can be expected to do as well.

It plays flat Monte Carlo from the true position: hands and the order of the draw pile as they are, with other luck in
what is drawn later (reshuffles, next deals). Its play-outs are played by the very opponent that it meets, in all seats.
Agents are given observations only, and do not know whom they play; that is why it stands here and not among them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.arena.evaluation import Score, score_of
from blackjacky_agents.games import get_kit
from blackjacky_agents.search.config import SearchConfig
from blackjacky_agents.search.tree import NONE, best_legal, make_weigh, only_legal
from blackjacky_env.engine.backend_cpu import make_cast, spread
from blackjacky_env.engine.compiling import entry, record_maker, zeros
from blackjacky_env.engine.game import Game
from blackjacky_env.engine.play import begin_all, make_choose
from blackjacky_env.engine.policies import Policy
from blackjacky_env.engine.purposes import FOR_LUCK
from blackjacky_env.engine.random import stream
from blackjacky_env.engine.step import is_running, make_shared_step
from blackjacky_env.games import get_game

SEEING = -1
"""The stick's number in a seating."""
PLAYOUTS = 1024  # for each legal action


@cache
def _player(game: Game, config: SearchConfig) -> Callable[..., None]:
    """Entry (states, seating, cast, playouts, parameters, results, first, last): play begun games to their end."""
    size, dtype, num_actions = game.layout.size, game.layout.dtype, game.num_actions
    legal, returns, step = game.rules.legal, game.rules.returns, make_shared_step(game)
    choose, weigh = make_choose(game), make_weigh(game, config)
    new_record = record_maker(1, game.state_dtype)

    def play(states, seating, cast, playouts, parameters, results, first, last):  # type: ignore[no-untyped-def]  # compiled
        seen, mask, may = np.empty(size, dtype), np.empty(num_actions, np.int8), np.empty(num_actions, np.int8)
        position, totals = new_record(), np.zeros(num_actions)
        for i in range(first, last):
            s, decisions = states[i], 0
            while is_running(s):
                if seating[i, s.player] == SEEING:
                    legal(s, mask)
                    action = only_legal(mask)
                    if action == NONE:
                        position[0] = states[i]
                        totals[:] = 0.0
                        for number in range(playouts):
                            position[0].key = stream(s.key, FOR_LUCK, decisions, number)
                            weigh(position, mask, parameters, seen, may, totals)
                        action = best_legal(totals, mask)
                else:
                    action = choose(s, seating[i, s.player], decisions, cast, seen, mask)
                step(s, action)
                decisions += 1
            returns(s, results[i])

    return entry(play)


def play_seeing(
    game: Game,
    states: npt.NDArray[Any],
    seeds: npt.NDArray[np.int64],
    seating: npt.NDArray[np.int64],
    agents: Sequence[tuple[Policy, npt.NDArray[np.float32]]],
    playouts: int = PLAYOUTS,
    threads: int = 1,
) -> npt.NDArray[np.float64]:
    """Whole games as `blackjacky_env.engine.play.play_out`, with the stick where ``seating`` says `SEEING`.

    The first of the agents plays the stick's play-outs. Returns the zero-sum "win" rewards, (N, max_players).
    """
    policy, numbers = agents[0]
    config = SearchConfig(policy, (), policy, get_kit(game.name).search.value)
    cast = make_cast(game, agents)
    results = np.zeros((len(states), game.max_players))
    begin_all(game)(states, seeds)
    play = _player(game, config)
    spread(lambda *part: play(states, seating, cast, playouts, numbers, results, *part), len(states), threads)
    return results


def seeing_against_copies(
    opponent: CompiledAgent,
    num_players: int,
    games: int,
    seed: int = 0,
    playouts: int = PLAYOUTS,
    threads: int = 2,
) -> Score:
    """The stick in the seats and games in which `against_copies` puts an agent, against copies of one opponent."""
    game = get_game(opponent.game)
    _, variant = game.choose_table(num_players)
    options = game.check_options(num_players, variant, {})
    states = zeros(games, game.state_dtype)
    states[:] = game.new_state(num_players, variant, options)
    seats, rows = np.random.default_rng(seed).integers(num_players, size=games), np.arange(games)
    seating = np.zeros((games, num_players), np.int64)
    seating[rows, seats] = SEEING
    cast = [(opponent.policy, opponent.parameters)]
    results = play_seeing(game, states, np.arange(seed, seed + games), seating, cast, playouts, threads)
    shares = np.where(results > 0, results, 0.0)
    return score_of(shares[rows, seats], shares.sum(axis=1) == 0, num_players)


def share_of_the_way(agent: Score, random: Score, seeing: Score) -> float:
    """How far ``agent`` stands on the way from ``random`` (0) to the stick (1), all against the same opponents."""
    return (agent.win_rate - random.win_rate) / (seeing.win_rate - random.win_rate)
