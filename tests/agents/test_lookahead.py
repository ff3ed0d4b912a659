"""What each legal action leads to, as `lookahead.study` finds it in games between bots."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from blackjacky_agents import CompiledAgent, make_agent
from blackjacky_agents.games import get_kit
from blackjacky_agents.learning.encoding import find_encoding
from blackjacky_agents.learning.lookahead import Studies, study
from blackjacky_agents.learning.network import network_policy, pack
from blackjacky_env import black_jacky_v0
from blackjacky_env.engine.compiling import zeros
from blackjacky_env.games import get_game

GAME = get_game("black_jacky")
STANDING, CARDS = get_kit("black_jacky").standing_encoding, find_encoding("cards", "black_jacky")
DRAW, KNOCK = 30, 47


def knocks_or_draws() -> CompiledAgent:
    """A network that takes its likeliest action: by what its cards are, and sooner a knock than a swap."""
    rng = np.random.default_rng(0)
    weight = rng.normal(0, 0.1, (CARDS.size, GAME.num_actions)).astype(np.float32)
    bias = np.zeros(GAME.num_actions, np.float32)
    bias[KNOCK] = 1.0
    return CompiledAgent("player", "black_jacky", network_policy(CARDS), pack([(weight, bias)], True))


PLAYER = knocks_or_draws()
"""Leaves nothing to chance."""


def network(logit: float) -> npt.NDArray[np.float32]:
    """A packed network for standings that always says the same."""
    weight, bias = np.zeros((STANDING.size, 1), np.float32), np.full(1, logit, np.float32)
    return pack([(weight, bias)], True)


def studied(
    num_players: int = 4,
    variant: str = "classic",
    games: int = 20,
    rate: float = 1.0,
    logit: float = 0.0,
    threads: int = 1,
    parameters: npt.NDArray[np.float32] = PLAYER.parameters,
    floor: float = 0.0,
    certain_fraction: float = 0.0,
    positions: int = 0,
    **options: Any,
) -> tuple[Studies, Any]:
    """Studies of games between copies of a network, and the games as they ended.

    `threshold` is present as in other tests, so nothing is compiled anew.
    """
    states = zeros(games, GAME.state_dtype)
    states[:] = GAME.new_state(num_players, variant, GAME.check_options(num_players, variant, options))
    bot = make_agent("threshold")
    assert isinstance(bot, CompiledAgent)
    agents = [(network_policy(CARDS), parameters), (bot.policy, bot.parameters)]
    seeds, seating, whose = np.arange(100, 100 + games), np.zeros((games, 6), np.int64), np.array([True, False])
    value, likely, more = (STANDING, network(logit)), (CARDS, floor), (threads, certain_fraction, positions)
    return study(GAME, states, seeds, seating, agents, whose, rate, 200, value, likely, *more), states


def test_every_legal_action_is_tried_and_no_other():
    found, _ = studied(3, games=1)
    env = black_jacky_v0.env(num_players=3)
    env.reset(seed=100)
    bot, number = PLAYER, 0
    for _ in env.agent_iter():
        observation, _, over, _, info = env.last()
        if over:
            break
        if info["action_mask"].sum() > 1:
            assert (found.observations[number] == observation["observation"]).all()
            assert (np.isfinite(found.values[number]) == info["action_mask"]).all()
            number += 1
        env.step(bot.act(observation))
    assert number == len(found.values) > 5


def test_where_the_round_ends_the_game_the_value_of_what_was_done_is_what_it_won():
    found, states = studied(2, "schnell_duell", games=1, hearts=1)  # Q1: the first settlement ends it
    env = black_jacky_v0.env(num_players=2, variant="schnell_duell", hearts=1)
    env.reset(seed=100)
    bot, number = PLAYER, 0
    winners = states["winners"][0]
    for agent in env.agent_iter():
        observation, _, over, _, info = env.last()
        if over:
            break
        action = bot.act(observation)
        if info["action_mask"].sum() > 1:
            won = winners[int(agent[-1])] / winners.sum()
            assert found.values[number, action] == (0 if winners[:2].all() else won)
            number += 1
        env.step(action)
    assert number == len(found.values) > 3
    assert len(found.standings) == 1  # one round


def test_after_the_round_counts_what_the_standing_is_worth():
    even, _ = studied(logit=0.0)
    better, _ = studied(logit=2.0)
    assert (even.observations == better.observations).all()
    gone_on = even.values == 0.5
    assert gone_on.sum() > 100
    assert better.values[gone_on] == pytest.approx(1 / (1 + np.exp(-2.0)), abs=1e-5)
    assert set(even.values[np.isfinite(even.values)].tolist()) <= {0.0, 0.25, 1 / 3, 0.5, 1.0}


def test_threads_change_nothing():
    one, first = studied(threads=1, rate=0.5)
    two, second = studied(threads=2, rate=0.5)
    assert (first == second).all()
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def test_the_rate_says_how_many_decisions_are_tried_out():
    everything, _ = studied()
    some, _ = studied(rate=0.25)
    none, _ = studied(rate=0.0)
    assert 0.15 < len(some.values) / len(everything.values) < 0.35
    assert len(none.values) == 0
    assert len(none.standings) == len(everything.standings) > 20


def test_actions_that_a_network_hardly_ever_draws_are_not_tried_out():
    bias = np.zeros(GAME.num_actions, np.float32)
    bias[KNOCK] = -3.0  # twenty times as seldom as drawing
    bias[DRAW + 1 : KNOCK] = -20.0  # never swap
    parameters = pack([(np.zeros((CARDS.size, GAME.num_actions), np.float32), bias)], False)

    def games_of_two(floor: float, certain_fraction: float = 0.0) -> Studies:
        return studied(2, parameters=parameters, floor=floor, certain_fraction=certain_fraction)[0]

    found = games_of_two(0.01)
    tried, legal = np.isfinite(found.values), ~np.isnan(found.values)
    zocks = legal[:, KNOCK]
    assert zocks.any()
    assert (tried.sum(axis=1) > 1).all()
    assert (tried == legal)[~zocks].all()
    assert not tried[:, DRAW + 1 : KNOCK].any()
    assert tried[zocks][:, [DRAW, KNOCK]].all()
    decided = games_of_two(0.1)
    assert np.isnan(decided.values[:, KNOCK]).all()  # to draw is all that is left
    with_certain = games_of_two(0.1, certain_fraction=1.0)
    certain = ~np.isfinite(with_certain.values).any(axis=1)
    assert (~np.isnan(with_certain.values[certain, KNOCK])).all()  # a choice, of which one action is likely
    assert certain.sum() > 0
    assert with_certain.rolled_out == (~certain).sum() == len(decided.values) == decided.rolled_out
    assert 0 < len(games_of_two(0.1, certain_fraction=0.3).values) - len(decided.values) < certain.sum()


def sampling() -> npt.NDArray[np.float32]:
    """As `PLAYER`, but it draws its actions by their probabilities."""
    parameters = PLAYER.parameters.copy()
    parameters[0] = 0
    return parameters


def test_in_sampled_positions_the_likely_actions_are_compared_with_the_likeliest():
    found, _ = studied(2, "schnell_duell", 40, parameters=sampling(), floor=0.02, hearts=1, positions=4)
    tried = np.isfinite(found.values)
    assert len(tried) > 100
    assert (tried.sum(axis=1) > 1).all()
    assert (found.values == 0).any(axis=1).all()  # the likeliest, with which the others are compared
    assert np.abs(found.values[tried]).max() <= 1
    again, _ = studied(2, "schnell_duell", 40, parameters=sampling(), floor=0.02, hearts=1, positions=4, threads=2)
    assert np.array_equal(found.values, again.values, equal_nan=True)


def test_sampled_positions_say_in_the_mean_what_the_true_ones_do_with_less_noise():
    """One round decides the game, so that both are results and no estimates."""
    few, _ = studied(2, "schnell_duell", 300, parameters=sampling(), floor=0.02, hearts=1)
    many, _ = studied(2, "schnell_duell", 300, parameters=sampling(), floor=0.02, hearts=1, positions=16)
    assert np.array_equal(few.observations, many.observations)
    both = np.isfinite(few.values) & np.isfinite(many.values) & (few.values != 0.5)
    first = np.argmax(both, axis=1)
    rows = np.arange(len(first))
    true = (few.values - few.values[rows, first][:, None])[both]
    sampled = (many.values - many.values[rows, first][:, None])[both]
    assert sampled.std() < true.std()
    assert np.corrcoef(true, sampled)[0, 1] > 0.2
