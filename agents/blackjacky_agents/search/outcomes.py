"""Outcomes of actions: one agent plays all seats of sampled positions to the end of the round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.games import get_kit
from blackjacky_agents.search.tree import LONGEST, steps_of
from blackjacky_env.compiled import address_of, ask, entry, record_maker, stream
from blackjacky_env.compiled.purposes import FOR_MOVES, FOR_POSITIONS
from blackjacky_env.declare import Game
from blackjacky_env.games import get_game
from blackjacky_env.play import NONE, checked

_KEY = np.uint64(0)


def outcomes(
    agent: CompiledAgent, vector: npt.NDArray[Any], actions: Sequence[int], samples: int
) -> npt.NDArray[np.float64]:
    """The observer's expected "win" rewards after each action, in positions with resampled hidden cards.

    Each position is played on by the agent in all seats to where the game's search ends its simulations, which is the
    end of the game, or of a round that the game can evaluate. The random numbers are the same after each action and in
    each call.

    Args:
        agent: plays all seats.
        vector: the observation of any seat, on turn or not, from a running game.
        actions: actions of the player to act; `NONE`: what the agent does.
        samples: number of positions, which are independent of each other.

    Returns:
        Float64, (samples, len(actions)).
    """
    game = get_game(agent.game)
    results = np.empty((samples, len(actions)))
    chosen, address = np.array(actions, np.int64), address_of(agent.policy, game)
    _play_on(game)(vector, chosen, address, agent.parameters, results)
    return results


@cache
def _play_on(game: Game) -> Callable[..., None]:
    """The entry that fills the results of `outcomes`."""
    steps, sample = steps_of(game, get_kit(game.name).search), game.rules.sample
    look, advance, num_actions, max_players = steps.look, steps.advance, game.num_actions, game.max_players
    new_records = record_maker(2, game.state_dtype)

    def play_on(vector, actions, address, parameters, results):
        records, result = new_records(), np.zeros(max_players)
        seen, may = np.empty_like(vector), np.empty(num_actions, np.int8)
        for number in range(len(results)):
            sample(vector, stream(_KEY, FOR_POSITIONS, number, 0), records[0])
            for i in range(len(actions)):
                records[1] = records[0]
                s, made = records[1], 0
                result[:] = 0.0
                done = actions[i] != NONE and advance(s, actions[i], result)
                while not done and made < LONGEST:
                    move = look(s, seen, may)
                    if move == NONE:
                        bits = stream(s.key, FOR_MOVES, made, 0)
                        move = checked(int(ask(address, seen, may, bits, parameters)), may)
                    done = advance(s, move, result)
                    made += 1
                results[number, i] = result[0]

    return entry(play_on)
