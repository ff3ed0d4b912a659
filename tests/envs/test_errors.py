"""What bad input gets: an error that names the option, the value and what is allowed, and an unchanged game."""

import math

import numpy as np
import pytest

from blackjacky_env import black_jacky_v0
from tests.envs.playing import fingerprint, fresh, play_randomly

OUT_OF_RANGE = [-1, 61, 1000, np.int64(61), -(2**70), 2**70]
NO_INTEGERS = [1.5, 0.0, "draw", None, np.float64(0), [0], np.array([0]), np.zeros(2, int), math.nan]


@pytest.mark.parametrize("action", [*OUT_OF_RANGE, *NO_INTEGERS])
def test_an_action_out_of_range_or_that_is_no_integer_is_refused_and_changes_nothing(action):
    env = fresh(1, num_players=3)
    before = fingerprint(env)
    with pytest.raises((TypeError, ValueError), match=r"is not an integer|allowed are 0 \.\. 60"):
        env.step(action)
    assert fingerprint(env) == before


USES = ["state", "snapshot", "record", "get_state", "last", "agent_iter", "render", "observe", "view", "step"]


@pytest.mark.parametrize("name", USES)
def test_using_an_environment_before_reset_says_so(name):
    given = {"observe": ["player_0"], "view": [None], "step": [0]}.get(name, [])
    with pytest.raises(Exception, match="reset"):
        next(iter(getattr(black_jacky_v0.env(num_players=4, render_mode="ansi"), name)(*given)))


def test_a_vector_of_another_length_is_no_observation_and_nobody_has_no_view():
    for length in (0, 5, 61):
        vector = np.zeros(length, np.int8)
        with pytest.raises(ValueError, match=str(length)):
            black_jacky_v0.decode(vector)
        with pytest.raises(ValueError, match=str(length)):
            black_jacky_v0.sample_state(vector, np.random.default_rng(0))
    with pytest.raises(ValueError, match="unknown agent 'player_9'; agents are player_0, player_1, player_2"):
        fresh(1, num_players=3).draw("player_9")
    with pytest.raises(ValueError, match="unknown agent None"):
        play_randomly(fresh(1), 1).observe(None)  # of a game that is over
    vector = np.full(black_jacky_v0.env().observation_space("player_0")["observation"].shape, 0.5)
    with pytest.raises(ValueError, match="outside the ranges"):
        black_jacky_v0.sample_state(vector, np.random.default_rng(0))
    with pytest.raises(TypeError, match=r"rng=0 is not a numpy.random.Generator"):
        fresh(1).reseed(0)


def test_what_an_environment_tells_of_its_options_is_the_callers():
    env = fresh(1)
    for told in (env.config_dict(), env.record()["options"]):
        told["tricks"].clear()
    env.set_state(env.get_state())
    assert env.options["tricks"]
