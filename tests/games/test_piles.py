"""What a game says of its face-down pile is true: nobody knows its order, and cards are drawn from the top alone."""

import numpy as np
import pytest

from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, get_game
from blackjacky_env.testing.tables import state_with
from tests.games.tables import SIZES

WITH_PILE = [name for name in GAMES if get_game(name).pile is not None]


@pytest.mark.parametrize("game", WITH_PILE)
def test_cards_below_those_that_are_drawn_change_nothing_but_their_places(game):
    """In random games of every size: below what an action takes, the pile is shuffled before the action."""
    pile = get_game(game).pile
    rng, compared = np.random.default_rng(0), 0
    for options in (options for name, options in SIZES if name == game):
        env, other = TableEnv(game, **options), TableEnv(game, **options)
        env.reset(seed=options["num_players"])
        other.reset(seed=options["num_players"])
        for _ in range(60):
            if env.terminations[env.agent_selection]:
                break
            action = int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])))
            seen, before = [env.observe(agent) for agent in env.possible_agents], env._states[:1].copy()
            env.step(action)
            after = env._states[:1].copy()
            left = int(after[pile.count][0])
            if after["deals"][0] > before["deals"][0] or left > before[pile.count][0]:
                continue  # dealt or reshuffled, which the key decides
            shuffled, expected = before.copy(), after.copy()
            shuffled[pile.cards][0, :left] = rng.permutation(before[pile.cards][0, :left])
            expected[pile.cards][0, :left] = shuffled[pile.cards][0, :left]
            other.set_state(state_with(other, shuffled))
            other._states["key"] = before["key"]
            for agent, shown in zip(env.possible_agents, seen, strict=True):
                again = other.observe(agent)
                assert all(np.array_equal(again[name], shown[name]) for name in shown)
            other.step(action)
            for field in expected.dtype.names or ():
                np.testing.assert_array_equal(other._states[field][0], expected[field][0], field)
            compared += 1
    assert compared > 100
