"""Tables with a name, `Game.presets`: the same in every kind of environment, and refused with what there is."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from blackjacky_env import make_batch
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.module import GameModule
from blackjacky_env.envs.seat import SeatEnv
from blackjacky_env.envs.vector import SeatVectorEnv
from blackjacky_env.games import GAMES, get_game
from blackjacky_env.replay import new_table
from tests.envs.playing import legal

pytestmark = pytest.mark.prove

PRESETS = [(name, preset) for name in GAMES for preset in get_game(name).presets]


@pytest.mark.parametrize(("game", "preset"), PRESETS)
def test_a_preset_is_the_table_of_its_options_and_every_position_is_saved_sampled_and_replayed(
    game: str, preset: str
) -> None:
    declared = get_game(game).presets[preset]
    env = TableEnv(game, preset=preset)
    assert (env.num_players, env.variant) == (declared.num_players, declared.variant)
    assert declared.options.items() <= env.options.items()
    same = TableEnv(game, declared.num_players, declared.variant, **declared.options)
    assert same.config_dict() == env.config_dict()
    for seed in range(4):
        rng = np.random.default_rng(seed)
        env.reset(seed=seed)
        while not env.terminations[env.agent_selection]:
            state = env.get_state()
            same.set_state(state)
            assert same.snapshot() == env.snapshot()
            for seat, agent in enumerate(env.possible_agents):
                seen = env.observe(agent)["observation"]
                same.set_state(GameModule(game).sample_state(seen, rng, seat))
                np.testing.assert_array_equal(same.observe(agent)["observation"], seen)
            env.step(int(rng.choice(legal(env))))
        record = env.record()
        again = new_table(record)
        again.replay(record)
        assert again.snapshot() == env.snapshot()
        assert pickle.loads(pickle.dumps(env)).snapshot() == env.snapshot()


@pytest.mark.parametrize(("game", "preset"), PRESETS)
def test_batches_and_seats_play_a_preset(game: str, preset: str) -> None:
    env = TableEnv(game, preset=preset)
    batch = make_batch(game, num_games=3, seed=7, preset=preset)
    assert batch.num_players.tolist() == [env.num_players] * 3
    env.reset(seed=int(batch.seeds[1]))
    while not env.terminations[env.agent_selection]:
        seen = env.observe(env.agent_selection)
        np.testing.assert_array_equal(batch.observations[1], seen["observation"])
        np.testing.assert_array_equal(batch.action_masks[1], seen["action_mask"])
        actions = batch.random_actions()
        batch.step(actions)
        env.step(int(actions[1]))
    np.testing.assert_array_equal(batch.rewards[1, : env.num_players], list(env.rewards.values()))
    others = ["random"] * (env.num_players - 1)
    seat = SeatEnv(game, others, preset=preset)
    seat.reset(seed=1)
    assert seat.table.options == env.options
    seats = SeatVectorEnv(game, 2, others, preset=preset)
    seats.reset(seed=1)
    assert get_game(game).read_options(seats._states[0])[2] == env.options


@pytest.mark.parametrize(
    ("game", "options", "said"),
    [
        ("black_jacky", {"preset": "mini-0"}, "preset='mini-0' is unknown; allowed are 'mini-1', 'mini-2'"),
        ("halunken", {"preset": "mini-1"}, "preset='mini-1' is unknown: halunken has no presets"),
        (
            "black_jacky",
            {"preset": "mini-1", "num_players": 3},
            "num_players=3 contradicts preset='mini-1', which has num_players=2; leave one of them out",
        ),
        (
            "black_jacky",
            {"preset": "mini-1", "bust_at": 9},
            "bust_at=9 contradicts preset='mini-1', which has bust_at=5",
        ),
        ("black_jacky", {"preset": "mini-1", "deck": [2, 3, 3]}, r"deck=\[2, 3, 3\] contradicts preset='mini-1'"),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "make", [TableEnv, lambda game, **options: make_batch(game, 2, **options)], ids=["env", "batch"]
)
def test_what_is_unknown_or_contradicts_a_preset_is_refused(
    make: Any, game: str, options: dict[str, Any], said: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        make(game, **options)
