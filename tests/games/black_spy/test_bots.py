"""The bots of Black Spy make the obvious choices; what networks and search are shown; see also ../test_bots.py."""

from __future__ import annotations

import numpy as np
import pytest

from blackjacky_agents import bot_names, make_agent
from blackjacky_agents.games.black_spy.encodings import ENCODINGS
from blackjacky_agents.games.black_spy.prospects import value
from blackjacky_agents.learning.network import encode_all
from blackjacky_env import make_batch
from blackjacky_env.engine.compiling import entry
from blackjacky_env.games.black_spy.state import CHOOSE, SEATS
from tests.games.black_spy.rigging import MYSELF, OTHERS, Table, second_deal, short
from tests.games.test_bots import BLACK_SPY

pytestmark = pytest.mark.prove
SIX = (
    "r1 r3 r4 r5 b7 y1 y2 y3 y4 y5",
    "k7 b1 b2 b3 g1 g2 g3 y6 y8 y9",
    "r2 r6 b6 k4 g4 g5 b9 b10 y10 y11",
    "r9 r10 b5 g6 g8 g9 g10 g11 k3 k5",
    "r8 b4 k1 k2 k6 k8 k9 k10 k7 k7",
    "r11 b8 b11 k11 k7 k7 k7 r7 y7 g7",
)
"""Hands of six players; the first one leads."""


def choice(name: str, game: Table) -> str:
    """What the bot does in the place of the player to act."""
    agent = make_agent(name, "black_spy")
    agent.reset(seed=0)
    return short(game.env.action_name(agent.act(game.env.observe(game.env.agent_selection))))


def picks(name: str, game: Table) -> list[str]:
    """The three cards that the bot passes, or takes from the pile."""
    chosen = []
    for _ in range(3):
        chosen.append(choice(name, game))
        game.play(chosen[-1])
    return chosen


@pytest.mark.parametrize("name", [name for name in bot_names("black_spy") if name != "random"])
def test_bots_make_the_obvious_choices(name: str) -> None:
    assert choice(name, Table(*SIX).play("r4")) == "k7", "discards it"
    assert choice(name, Table(*SIX).play("b7")) == "k7", "follows a coloured 7 with it"
    assert choice(name, Table(*SIX).play("r4 k7")) != "r6", "does not take it"
    game = second_deal(3, [0, 100, 50])  # V3
    assert "black 7" in game.now["pile"]
    assert "k7" not in picks(name, game)
    hands = ("r1 r2 r3 r4 r5 y1 y2 y3 g1 g2", "b1", "b2", "b3", "b4", "b5")
    game = Table(*hands, first=1, call_colour=True, call_timing="before_pass", passed=False)  # V4
    assert choice(name, game) == "call blue"


@pytest.mark.parametrize(("totals", "chosen"), [([80, 30, 140], OTHERS), ([120, 40, 30], MYSELF)])
def test_counter_ends_the_game_if_it_then_wins(totals: list[int], chosen: str) -> None:  # V2
    game = Table("r1", "b1", "b2", moon_choice=True)
    assert choice("counter", game.arrange(phase=CHOOSE, player=0, black_taken=[16], totals=totals)) == chosen


@entry
def _value(states, result):
    value(states[0], result)


def test_the_value_is_a_zero_sum_and_highest_for_the_lowest_total() -> None:
    game, result = Table(*SIX), np.zeros(SEATS)
    _value(game.arrange(totals=[30, 10, 80, 30, 99, 0]).records(), result)
    assert result.sum() == pytest.approx(0)
    assert np.argsort(result, kind="stable").tolist() == [4, 2, 0, 3, 1, 5]


def test_advice_names_what_counter_plays() -> None:
    batch = make_batch("black_spy", num_games=50, seed=0, **BLACK_SPY)
    agent, advice = make_agent("counter", "black_spy"), ENCODINGS[1].advice
    for _ in range(80):
        shown = encode_all(ENCODINGS[1], batch.observations, batch.action_masks)[:, advice:]
        actions = agent.act_batch(batch.observations, batch.action_masks)
        np.testing.assert_array_equal(shown.argmax(axis=1), actions)
        batch.step(actions)
