"""What a game says of its face-down pile is true: nobody knows its order, and cards are drawn from the top alone."""

from __future__ import annotations

import numpy as np
import pytest

from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, get_game

WITH_PILE = [name for name in GAMES if get_game(name).pile is not None]


@pytest.mark.parametrize("game", WITH_PILE)
def test_cards_below_those_that_are_drawn_change_nothing_but_their_places(game: str) -> None:
    """In random games of every size: below what an action takes, the pile is shuffled before the action."""
    pile = get_game(game).pile
    assert pile is not None
    rng, compared = np.random.default_rng(0), 0
    for variant in get_game(game).variants:
        for players in variant.sizes:
            env, other = (TableEnv(game, players, variant.name) for _ in range(2))
            env.reset(seed=players)
            other.reset(seed=players)
            for _ in range(60):
                if env.terminations[env.agent_selection]:
                    break
                action = int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])))
                before = env._states[:1].copy()
                env.step(action)
                after = env._states[:1].copy()
                left = int(after[pile.count][0])
                if after["deals"][0] > before["deals"][0] or left > before[pile.count][0]:
                    continue  # dealt or reshuffled, which the key decides
                shuffled = before.copy()
                shuffled[pile.cards][0, :left] = rng.permutation(before[pile.cards][0, :left])
                other._put(shuffled)
                other._states["key"] = before["key"]
                assert_looks_the_same(before, shuffled, other)
                other.step(action)
                expected = after.copy()
                expected[pile.cards][0, :left] = shuffled[pile.cards][0, :left]
                for field in expected.dtype.names or ():
                    np.testing.assert_array_equal(other._states[field][0], expected[field][0], field)
                compared += 1
    assert compared > 100


def assert_looks_the_same(before: np.ndarray, shuffled: np.ndarray, env: TableEnv) -> None:
    """No seat sees the difference."""
    seen = [env.observe(agent) for agent in env.possible_agents]
    env._put(before)
    for agent, shown in zip(env.possible_agents, seen, strict=True):
        for name, array in env.observe(agent).items():
            np.testing.assert_array_equal(array, shown[name])
    env._put(shuffled)
