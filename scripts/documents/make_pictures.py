"""The picture of each game's table, table.svg in the game's folder."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from parts import ROOMS, Part

from blackjacky_env.envs.aec import TableEnv


def parts() -> Iterator[Part]:
    """The pictures of all games."""
    for game, room in ROOMS.items():
        yield Part(room / "table.svg", "", picture(game))


def picture(game: str) -> str:
    """The game's example position, after random moves, seen by player_0; follows the reader's light or dark mode."""
    env = TableEnv(game)
    position = env.game.examples.picture
    env.reset(seed=position.seed)
    rng = np.random.default_rng(position.seed)
    for _ in range(position.moves):
        env.step(int(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"]))))
    return env.draw("player_0")
