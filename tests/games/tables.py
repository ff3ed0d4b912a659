"""The tables of the tests that all games share: every variant and size, and the further ones that a game declares."""

import numpy as np
import pytest

from blackjacky_env.draw.scene import EVERYTHING
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import DEFAULT, GAMES, get_game
from tests.games.fixtures import examples_of

SIZES = [
    (name, {"variant": variant.name, "num_players": players})
    for name in GAMES
    for variant in get_game(name).variants
    for players in variant.sizes
]
USUAL = [(n, {"variant": get_game(n).variant_names[0], "num_players": get_game(n).default_players}) for n in GAMES]
"""Those that `make test` takes."""
TABLES = [*SIZES, *((name, dict(options)) for name in GAMES for options in examples_of(name).tables)]


every_table = pytest.mark.parametrize(
    ("game", "options"),
    [
        pytest.param(
            *table,
            id=f"{table[0]} {' '.join(map(str, table[1].values()))}",
            marks=[] if table in USUAL else pytest.mark.prove,
        )
        for table in TABLES
    ],
)
every_game = pytest.mark.parametrize(
    "game", [pytest.param(name, marks=[] if name == DEFAULT else pytest.mark.prove) for name in GAMES]
)
"""Every game; `make test` takes the default one."""


def seated(game, **options):
    return TableEnv(game, **{**examples_of(game).short, **options})


def positions(env, seed, every=1):
    """The environment at every so many positions of a random game, the last included."""
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for turn in range(10**6):
        mask = env.infos[env.agent_selection]["action_mask"]
        if turn % every == 0 or not mask.any():
            yield env
        if not mask.any():
            return
        env.step(int(rng.choice(np.flatnonzero(mask))))


def scenes(env):
    everything = env.game.scene(env.snapshot(), env.config_dict(), EVERYTHING)
    return [*map(env.scene, [*env.possible_agents, None]), everything]
