"""Games expanded from their moves: the same as stepping the environment, and nothing is trusted."""

import numpy as np
import pytest

from blackjacky_env.compiled.compiling import zeros
from blackjacky_env.declare.game import IllegalActionError
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import DEFAULT
from blackjacky_env.play.expanding import expand_games, new_decisions
from tests.envs.playing import play_randomly

pytestmark = pytest.mark.prove

SEEDS = (5, 6, 7)


def random_game(env, seed):
    env.reset(seed=seed)
    return play_randomly(env, seed).record()["actions"]


def expanded(env, games, threads=1):
    states = zeros(len(games), env.game.state_dtype)
    states[:] = env.game.new_state(env.num_players, env.variant, env.options)
    moves = np.array([move for game in games for move in game], np.uint16)
    starts = np.cumsum([0, *map(len, games)])
    decisions = new_decisions(env.game, len(moves))
    expand_games(env.game, states, np.array(SEEDS[: len(games)]), moves, starts, decisions, env.reward, threads, 100)
    return decisions


def stepped(env, seed, moves):
    """What the environment shows and pays: seat, mask, and the rewards of the step, for each move."""
    env.reset(seed=seed)
    rows = []
    for move in moves:
        seat, mask = env.possible_agents.index(env.agent_selection), env.infos[env.agent_selection]["action_mask"]
        env.step(move)
        rows.append((seat, mask, list(env.rewards.values())))
    return rows


def test_every_single_move_is_looked_up_in_its_mask():
    env = TableEnv(DEFAULT, 2)
    moves = random_game(env, SEEDS[0])
    assert len(moves) > 10
    for number, (_, mask, _) in enumerate(stepped(env, SEEDS[0], moves)):
        illegal = np.flatnonzero(mask == 0)
        with pytest.raises(IllegalActionError, match=rf"game 100: move {number} \({illegal[-1]}\) cannot be played"):
            expanded(env, [[*moves[:number], int(illegal[-1]), *moves[number + 1 :]]])
