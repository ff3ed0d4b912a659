"""Games expanded from their moves: nothing is trusted. That they are those of the environment, datasets show."""

import numpy as np
import pytest

from blackjacky_env.compiled.compiling import zeros
from blackjacky_env.declare.game import IllegalActionError
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import DEFAULT
from blackjacky_env.play.expanding import expand_games, new_decisions
from tests.envs.playing import play_randomly

pytestmark = pytest.mark.prove

SEED = 5


def expand(env, moves):
    states = zeros(1, env.game.state_dtype)
    states[:] = env.game.new_state(env.num_players, env.variant, env.options)
    given, starts, decisions = (
        np.array(moves, np.uint16),
        np.array([0, len(moves)]),
        new_decisions(env.game, len(moves)),
    )
    expand_games(env.game, states, np.array([SEED]), given, starts, decisions, env.reward, 1, 100)


def test_every_single_move_is_looked_up_in_its_mask():
    env = TableEnv(DEFAULT, 2)
    env.reset(seed=SEED)
    moves = play_randomly(env, SEED).record()["actions"]
    assert len(moves) > 10
    env.reset(seed=SEED)
    for number, move in enumerate(moves):
        illegal = int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"] == 0)[-1])
        with pytest.raises(IllegalActionError, match=rf"game 100: move {number} \({illegal}\) cannot be played"):
            expand(env, [*moves[:number], illegal, *moves[number + 1 :]])
        env.step(move)
