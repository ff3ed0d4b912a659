"""A perfect-information oracle, as an upper reference point for agents that do not see hidden cards.

It is flat Monte Carlo from the true position: hands and draw pile are as they are, but later random events (reshuffles,
next deals) have other random numbers. Its playouts use its opponent's policy in all seats. It is not an `Agent`, since
agents receive observations only and do not know their opponents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.arena.cluster import ClusterExecutor
from blackjacky_agents.arena.evaluation import Score, score_of
from blackjacky_agents.arena.workers import in_parts
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

ORACLE = -1
"""The oracle's index in a seating."""
PLAYOUTS = 1024  # per legal action


@cache
def _make_play(game: Game, config: SearchConfig) -> Callable[..., None]:
    """Entry (states, seating, cast, playouts, parameters, results, first, last): play started games to their end."""
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
                if seating[i, s.player] == ORACLE:
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


def play_with_oracle(
    game: Game,
    states: npt.NDArray[Any],
    seeds: npt.NDArray[np.int64],
    seating: npt.NDArray[np.int64],
    agents: Sequence[tuple[Policy, npt.NDArray[np.float32]]],
    playouts: int = PLAYOUTS,
    threads: int = 1,
) -> npt.NDArray[np.float64]:
    """Play whole games as `blackjacky_env.engine.play.play_out`, with the oracle in seats marked `ORACLE`.

    The first agent is the policy of the oracle's playouts. Returns the zero-sum "win" rewards, (N, max_players).
    """
    policy, numbers = agents[0]
    config = SearchConfig(policy, (), policy, get_kit(game.name).search.value)
    cast = make_cast(game, agents)
    results = np.zeros((len(states), game.max_players))
    begin_all(game)(states, seeds)
    play = _make_play(game, config)
    spread(lambda *part: play(states, seating, cast, playouts, numbers, results, *part), len(states), threads)
    return results


def oracle_against_copies(
    opponent: CompiledAgent,
    num_players: int,
    games: int,
    seed: int = 0,
    playouts: int = PLAYOUTS,
    threads: int = 2,
    cluster: ClusterExecutor | None = None,
) -> Score:
    """Score of the oracle against copies of one opponent, in the same seats and games as `against_copies`."""
    seats, rows = np.random.default_rng(seed).integers(num_players, size=games), np.arange(games)
    seating = np.zeros((games, num_players), np.int64)
    seating[rows, seats] = ORACLE
    arrays = (np.arange(seed, seed + games), seating)
    if cluster is None:
        results = _results(opponent, playouts, threads, *arrays)
    else:
        results = np.concatenate([*in_parts(partial(_results, opponent, playouts, 1), arrays, cluster)])
    shares = np.where(results > 0, results, 0.0)
    return score_of(shares[rows, seats], shares.sum(axis=1) == 0, num_players)


def _results(
    opponent: CompiledAgent,
    playouts: int,
    threads: int,
    seeds: npt.NDArray[np.int64],
    seating: npt.NDArray[np.int64],
) -> npt.NDArray[np.float64]:
    """`play_with_oracle` from the start of games with the usual rules."""
    game, num_players = get_game(opponent.game), seating.shape[1]
    _, variant = game.choose_table(num_players)
    states = zeros(len(seeds), game.state_dtype)
    states[:] = game.new_state(num_players, variant, game.check_options(num_players, variant, {}))
    cast = [(opponent.policy, opponent.parameters)]
    return play_with_oracle(game, states, seeds, seating, cast, playouts, threads)
