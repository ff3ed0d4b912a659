"""Policies are compiled once and called by their address, whoever plays with them."""

import numpy as np
import pytest

from blackjacky_env.engine import play
from blackjacky_env.engine.backend_cpu import address_of, ask
from blackjacky_env.engine.compiling import PLAIN, compiled, entry, zeros
from blackjacky_env.games import get_game
from tests.policies import first_legal, last_legal

GAMES = ["black_jacky", "schwarze_katze"]  # observations of int8 and of int16


@compiled
def told(observation, mask, random_state, parameters):
    """Return what it was asked with, as one number."""
    numbers = 0.0
    for number in parameters:
        numbers = 10 * numbers + number
    shown = int(observation[-1]) + 1000 * int(mask[-1])
    return shown + 10_000 * np.int64(random_state) + 1_000_000 * np.int64(numbers)


@entry
def asked(address, observation, mask, random_state, parameters):
    """Ask from compiled code."""
    return ask(address, observation, mask, random_state, parameters)


def results(game, agents, games=20):
    """Play games of four, the agents taking the seats in turn."""
    states = zeros(games, game.state_dtype)
    states[:] = game.new_state(4, "classic", game.check_options(4, "classic", {}))
    seating = np.zeros((games, game.max_players), np.int64)
    seating[:, :4] = np.arange(4) % len(agents)
    return play.play_out(game, states, np.arange(games), seating, agents)[0]


@pytest.mark.parametrize("name", GAMES)
def test_a_policy_is_asked_with_everything_that_it_is_called_with(name):
    game = get_game(name)
    observation, mask = np.zeros(game.layout.size, game.layout.dtype), np.zeros(game.num_actions, np.int8)
    observation[-1], mask[-1] = -7, 1
    address = address_of(told, game)
    assert address == address_of(told, game) != address_of(first_legal, game)
    assert asked(address, observation, mask, np.uint64(21), np.array([3, 4], np.float32)) == 34_210_993
    assert asked(address, observation, mask, np.uint64(21), np.zeros(0, np.float32)) == 210_993


@pytest.mark.skipif(PLAIN, reason="nothing is compiled in plain mode")
@pytest.mark.parametrize("name", GAMES)
def test_games_with_other_agents_compile_nothing_anew(name):
    game, numbers = get_game(name), np.zeros(0, np.float32)
    first, last = (first_legal, numbers), (last_legal, numbers)
    alone, together = results(game, [first]), results(game, [first, last])
    assert (alone != together).any()
    assert (results(game, [last, first])[:, :4] != together[:, :4]).any()
    assert len(play._play_on(game).signatures) == 1


