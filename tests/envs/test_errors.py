"""What bad input gets: an error that names the option, the value and what is allowed, and an unchanged game."""

import math
import re

import numpy as np
import pytest

from blackjacky_env import IllegalActionError, black_jacky_v0
from tests.envs.playing import fingerprint, fresh
from tests.games.black_jacky.rigging import (
    DRAW,
    KNOCKS,
    NO_TRICK,
    Table,
    exchange,
    give,
    lay,
    losing,
    one_round,
    plus_one,
    swap_discard,
    swap_draw,
    tip,
)


def unchanged(env, action, error=IllegalActionError):
    """Assert that the action is refused and nothing has changed; return what was said."""
    before, state = fingerprint(env), env.get_state()
    with pytest.raises(error) as caught:  # what it says, callers look at
        env.step(action)
    assert fingerprint(env) == before
    assert env.get_state() == state
    return str(caught.value)


# Actions


def tipping():
    return Table([losing([1, 2], range(5))], players=5, hearts=1).knock_all()


def no_cards_left():
    return one_round([[1], [2]], hand_size=1, max_card=2).play(NO_TRICK)


REASONS = {
    "a zock after no trick": (lambda: one_round([[3, 7], [8, 8], [6, 6]]).play(NO_TRICK), swap_discard(8), "8"),
    "a second trick": (lambda: one_round([[3, 7], [8, 8], [6, 6]]).play(NO_TRICK), lay(7), "trick"),
    "R13, a target": (lambda: one_round([[7, 7], [3, 6], [8, 8]]).play(KNOCKS), exchange(0, 2), "knocked|active"),
    "R13, +1": (lambda: one_round([[7, 7], [3, 6], [8, 8]]).play(KNOCKS), plus_one(2), "knocked|active"),
    "P1, a tip": (tipping, tip(1), r"left\+1"),  # seat 2 is wanted, too
    "P1, a tip for oneself": (tipping, tip(5), ""),
    "P1, a trick": (tipping, NO_TRICK, ""),
    "T3, a gift": (lambda: one_round([[3, 8], [7, 7], [6, 6]]).play(exchange(1, 2)), give(8), "8"),
    "T3, a zock": (lambda: one_round([[3, 8], [7, 7], [6, 6]]).play(exchange(1, 2)), DRAW, ""),
    "R14, drawing": (no_cards_left, DRAW, "draw pile|card"),
    "R14, a swap": (no_cards_left, swap_draw(1), ""),
    "a trick switched off": (lambda: one_round([[2, 8], [3, 6]], tricks=[8]), lay(2), "disabled|switched off|enabled"),
}


@pytest.mark.parametrize(("begin", "action", "why"), REASONS.values(), ids=REASONS)
def test_an_illegal_action_says_why_in_the_words_of_the_rules(begin, action, why):
    assert re.search(why, unchanged(begin().env, action))


@pytest.mark.parametrize("action", [-1, 61, 1000, np.int64(61), -(2**70), 2**70])
def test_an_action_out_of_range_is_refused(action):
    assert "60" in unchanged(fresh(1, num_players=3), action)


@pytest.mark.parametrize(
    "action", [1.5, 0.0, "draw", None, np.float64(0), [0], np.array([0]), np.zeros(2, int), math.nan]
)
def test_an_action_that_is_no_integer_is_refused(action):
    assert "int" in unchanged(fresh(1, num_players=3), action, (TypeError, ValueError))


# Before the reset, after the end


USES = ["state", "snapshot", "record", "get_state", "last", "agent_iter", "render", "observe", "view", "step"]


@pytest.mark.parametrize("name", USES)
def test_using_an_environment_before_reset_says_so(name):
    given = {"observe": ["player_0"], "view": [None], "step": [0]}.get(name, [])
    with pytest.raises(Exception, match="reset"):
        next(iter(getattr(black_jacky_v0.env(num_players=4, render_mode="ansi"), name)(*given)))


@pytest.mark.parametrize("length", [0, 5, 61])
def test_a_vector_of_another_length_is_no_observation(length):
    vector = np.zeros(length, np.int8)
    with pytest.raises(ValueError, match=str(length)):
        black_jacky_v0.decode(vector)
    with pytest.raises(ValueError, match=str(length)):
        black_jacky_v0.sample_state(vector, np.random.default_rng(0))


def test_a_view_of_nobody_is_refused():
    with pytest.raises(ValueError, match="unknown agent 'player_9'; agents are player_0, player_1, player_2"):
        fresh(1, num_players=3).draw("player_9")
