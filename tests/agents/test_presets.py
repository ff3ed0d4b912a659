"""Every agent of a game plays its small tables."""

from __future__ import annotations

import numpy as np
import pytest

from blackjacky_agents import make_agent
from blackjacky_agents.arena.evaluation import shares_at_one_table
from blackjacky_agents.games import agent_names
from blackjacky_env.games import GAMES, get_game

PRESETS = [(name, preset) for name in GAMES for preset in get_game(name).presets]


@pytest.mark.parametrize(("game", "preset"), PRESETS)
def test_bots_trained_agents_and_search_play_every_preset(game: str, preset: str) -> None:
    table = get_game(game).presets[preset]
    for name in (*agent_names(game), "search:3"):
        agents = [make_agent(each, game) for each in (name, *["random"] * (table.num_players - 1))]
        shares = shares_at_one_table(agents, 6, seed=1, game=game, variant=table.variant, **table.options)
        assert shares.shape == (6, table.num_players)
        assert np.isin(shares.sum(axis=1).round(9), (0.0, 1.0)).all()
