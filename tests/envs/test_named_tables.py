"""Tables with a name, `Game.tables`: the same in every kind of environment."""

import pytest

from blackjacky_env import make_batch
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.seat import SeatEnv
from blackjacky_env.envs.vector import SeatVectorEnv
from blackjacky_env.games import GAMES, get_game

pytestmark = pytest.mark.prove

TABLES = [(game, name) for game in GAMES for name in get_game(game).tables]


@pytest.mark.parametrize(("game", "name"), TABLES)
def test_a_named_table_is_the_table_of_its_options_also_for_batches_and_seats(game, name):
    declared = get_game(game).tables[name]
    env = TableEnv(game, table=name)
    assert (env.num_players, env.variant) == (declared.num_players, declared.variant)
    assert declared.options.items() <= env.options.items()
    same = TableEnv(game, declared.num_players, declared.variant, **declared.options)
    assert same.config_dict() == env.config_dict()
    others = ["random"] * (env.num_players - 1)
    batch, seats = make_batch(game, 2, table=name), SeatVectorEnv(game, 2, others, table=name)
    seats.reset(seed=1)
    for state in (*batch._arrays.states, *seats._states):
        assert get_game(game).read_options(state) == (env.num_players, env.variant, env.options)
    assert SeatEnv(game, others, table=name).table.config_dict() == env.config_dict()
