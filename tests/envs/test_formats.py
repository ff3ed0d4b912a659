"""Formats of observations and masks, the same three options on the table, the seat and many seats."""

from itertools import product

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from blackjacky_env import black_jacky_v0
from blackjacky_env.envs.formats import DTYPES, FORMATS, MASK_DTYPES
from blackjacky_env.envs.vector import SeatVectorEnv
from blackjacky_env.games import DEFAULT
from tests.envs.playing import assert_same, random_legal
from tests.envs.test_vector import play

NAMES = ("observation_format", "observation_dtype", "mask_dtype")
COMBINATIONS = [dict(zip(NAMES, values, strict=True)) for values in product(FORMATS, DTYPES, MASK_DTYPES)]
FAR_FROM_DEFAULT = {"observation_format": "dict", "observation_dtype": "float32", "mask_dtype": "bool"}

every_format = pytest.mark.parametrize(
    "form",
    [pytest.param(form, marks=[] if form == FAR_FROM_DEFAULT else pytest.mark.prove) for form in COMBINATIONS],
    ids=["-".join(form.values()) for form in COMBINATIONS],
)


def shown(form, vectors, masks):
    if form["observation_dtype"] == "float32":
        vectors = vectors.astype(np.float32)
    if form["observation_format"] == "flat":
        return vectors
    return {"observation": vectors, "action_mask": masks.astype(form["mask_dtype"])}


@every_format
def test_a_table_shows_the_same_in_every_format(form):
    env, plain = black_jacky_v0.env(num_players=3, hearts=1, **form), black_jacky_v0.env(num_players=3, hearts=1)
    env.reset(seed=1)
    plain.reset(seed=1)
    rng = np.random.default_rng(0)
    while True:
        for agent in plain.possible_agents:
            seen = plain.observe(agent)
            assert_same(env.observe(agent), shown(form, *seen.values()))
            assert env.observe(agent) in env.observation_space(agent)
            assert_same(env.infos[agent]["action_mask"], plain.infos[agent]["action_mask"].astype(form["mask_dtype"]))
        if all(plain.terminations.values()):
            break
        assert_same(env.last()[0], shown(form, *plain.last()[0].values()))
        action = random_legal(plain.last()[0]["action_mask"], rng)
        env.step(action)
        plain.step(action)
    assert env.rewards == plain.rewards


@every_format
def test_many_seats_show_the_same_in_every_format(form):
    options = {"num_players": 3, "hearts": 1, "autoreset_mode": AutoresetMode.SAME_STEP}
    env, plain, finals = SeatVectorEnv(DEFAULT, 5, **options, **form), SeatVectorEnv(DEFAULT, 5, **options), 0
    for (observations, *paid, info), (vectors, *others, default) in zip(play(env, 60), play(plain, 60), strict=True):
        assert_same(observations, shown(form, vectors, default["action_mask"]))
        assert_same(paid, others)
        assert observations in env.observation_space
        assert_same(info["action_mask"], default["action_mask"].astype(form["mask_dtype"]))
        assert_same(env.action_masks(), info["action_mask"])
        for final, vector in zip(info.get("final_obs", []), default.get("final_obs", []), strict=True):
            if vector is not None:
                assert_same(final, shown(form, vector, np.zeros(61, np.int8)))
                finals += 1
        if finals:
            masks = default["final_info"]["action_mask"].astype(form["mask_dtype"])
            assert_same(info["final_info"]["action_mask"], masks)
            break
    assert finals


def test_float_observations_can_be_decoded_and_sampled_from():
    env, plain = black_jacky_v0.env(**FAR_FROM_DEFAULT), black_jacky_v0.env()
    env.reset(seed=3)
    plain.reset(seed=3)
    vector, integers = (each.observe("player_1")["observation"] for each in (env, plain))
    assert black_jacky_v0.decode(vector) == black_jacky_v0.decode(integers)
    states = [black_jacky_v0.sample_state(each, np.random.default_rng(0)) for each in (vector, integers)]
    assert states[0] == states[1]
