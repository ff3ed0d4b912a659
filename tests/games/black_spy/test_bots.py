"""The bots of Black Spy make the obvious choices, and are a ladder; what networks and search are shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from blackjacky_agents import bot_names, make_agent
from blackjacky_agents.games.black_spy.bots.counter import PARAMETERS, estimate
from blackjacky_agents.games.black_spy.encodings import ENCODINGS
from blackjacky_agents.games.black_spy.prospects import value
from blackjacky_agents.learning.network import encode_all
from blackjacky_env import make_batch
from blackjacky_env.engine.compiling import entry
from blackjacky_env.games.black_spy.rules import PLAYED
from blackjacky_env.games.black_spy.state import BLACK_1, CHOOSE, SEATS
from tests.games.black_spy.rigging import CARDS, MYSELF, OTHERS, Table, second_deal, short
from tests.games.test_bots import BLACK_SPY

pytestmark = pytest.mark.prove
THINKERS = [name for name in bot_names("black_spy") if name != "random"]
SIX = (
    "r1 r3 r4 r5 b7 y1 y2 y3 y4 y5",
    "k7 b1 b2 b3 g1 g2 g3 y6 y8 y9",
    "r2 r6 b6 k4 g4 g5 b9 b10 y10 y11",
    "r9 r10 b5 g6 g8 g9 g10 g11 k3 k5",
    "r8 b4 k1 k2 k6 k8 k9 k10 k7 k7",
    "r11 b8 b11 k11 k7 k7 k7 r7 y7 g7",
)
"""Hands of six players; the first one leads."""
LAST_BLACK = (
    "r1 r3 r8 b1 b2 b3 b4 b5 b6 b8",
    "k2 y1 y2 y3 y4 y5 y6 y9 y10 y11",
    "r2 g1 g2 g3 g4 g5 g6 g8 g9 g10",
    "r4 y7 y8 g7 b7 b9 k3 k4 k5 k7",
    "r5 k1 k6 k7 k7 k7 k7 k7 k8 k9",
    "r6 r9 r10 r11 r7 b10 b11 g11 k10 k11",
)
"""Hands of six players; the last one can take a trick that holds the black 2."""


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


def trick_with_black_2(**fields: Any) -> Table:
    """The last player is asked; with ``fields`` of who has taken them, all other black cards have been played."""
    game = Table(*LAST_BLACK).play("r8 k2 r2 r4 r5")
    if fields:
        where = game.record()["where"].tolist()
        gone = [card for card in range(BLACK_1, len(CARDS)) if CARDS[card] != "k2"]
        game.arrange(where=[PLAYED if card in gone else place for card, place in enumerate(where)], **fields)
    return game


# ---------------------------------------------------------------- choices


@pytest.mark.parametrize("name", THINKERS)
def test_black_7s_and_points_are_avoided(name: str) -> None:
    assert choice(name, Table(*SIX).play("r4")) == "k7", "discards it"
    assert choice(name, Table(*SIX).play("b7")) == "k7", "follows a coloured 7 with it"
    assert choice(name, Table(*SIX).play("r4 k7")) != "r6", "does not take it"
    assert choice(name, trick_with_black_2()) == "r6", "ducks"
    game = second_deal(3, [0, 100, 50])  # V3
    assert "black 7" in game.now["pile"]
    assert "k7" not in picks(name, game)


@pytest.mark.parametrize("name", THINKERS)
def test_calls_a_colour_that_it_lacks(name: str) -> None:  # V4
    hands = ("r1 r2 r3 r4 r5 y1 y2 y3 g1 g2", "b1", "b2", "b3", "b4", "b5")
    game = Table(*hands, first=1, call_colour=True, call_timing="before_pass", passed=False)
    assert game.asked == ("call", 0)
    assert choice(name, game) == "call blue"


def test_what_is_passed() -> None:
    assert picks("low", Table(*SIX[5:], *SIX[:5], first=0, passed=False)) == ["k7", "k7", "k7"]
    hands = ("b11 y11 g11 b1 b2 y1 y2 g1 g2 k1", "r1", "r2", "r3", "r4", "r5")
    assert set(picks("counter", Table(*hands, passed=False))) == {"b11", "y11", "g11"}


def test_counter_takes_a_coloured_7_and_the_last_black_card() -> None:  # B8
    assert choice("counter", Table(*SIX).play("b7 b1 b6 b5 b4")) in {"b8", "b11"}
    assert choice("counter", trick_with_black_2(black_taken=[15])) == "r9", "from a player who has all others"
    assert choice("counter", trick_with_black_2(black_taken=[9, 6])) == "r6"
    for mine, points, card in ((15, 59, "r9"), (14, 58, "r6")):
        taken = [15 - mine, 0, 0, 0, 0, mine]
        assert choice("counter", trick_with_black_2(black_taken=taken, points=[0] * 5 + [points])) == card


@pytest.mark.parametrize(("totals", "chosen"), [([80, 30, 140], OTHERS), ([120, 40, 30], MYSELF)])
def test_counter_ends_the_game_if_it_then_wins(totals: list[int], chosen: str) -> None:  # V2
    game = Table("r1", "b1", "b2", moon_choice=True)
    assert choice("counter", game.arrange(phase=CHOOSE, player=0, black_taken=[16], totals=totals)) == chosen


# ---------------------------------------------------------------- estimates and features


@entry
def _estimate(observation, mask, costs, parameters):
    estimate(observation, mask, costs, parameters)


@entry
def _value(states, result):
    value(states[0], result)


def test_counter_estimates_legal_actions_only() -> None:
    for game in (Table(*SIX), Table(*SIX, passed=False), second_deal(3), trick_with_black_2()):
        shown = game.env.observe(game.env.agent_selection)
        costs = np.empty(len(shown["action_mask"]))
        _estimate(shown["observation"], shown["action_mask"], costs, PARAMETERS)
        np.testing.assert_array_equal(np.isfinite(costs), shown["action_mask"] > 0)


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
