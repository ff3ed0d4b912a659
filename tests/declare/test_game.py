"""The declaration of a game: what contradicts itself is refused when it is imported."""

from dataclasses import replace

import numpy as np
import pytest

from blackjacky_env.compiled.compiling import entry, zeros
from blackjacky_env.compiled.results import share_result
from blackjacky_env.declare.fields import Fields, by_seat, hidden, number, role
from blackjacky_env.declare.options import Variant
from tests.tiny_game import GAME

PLAYER, WINNERS, DEALS = role("player", "to act"), by_seat("winners", 0, 1, "has won"), hidden("deals", 0, 9)
COINS = lambda num_players, options: [("heads", "tails")] * num_players  # noqa: E731  # as games are written
TWO, THREE = (Variant(name, 2, size, default_players=2) for size, name in ((2, "duel"), (3, "classic")))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"fields": Fields([THREE], [PLAYER, WINNERS], ["player winners"])}, "lacks the fields deals"),
        ({"fields": Fields([THREE], [PLAYER, DEALS, hidden("winners", 0, 1)], ["player"])}, r"need the shape \(3,\)"),
        ({"num_actions": 4}, "has 4 actions and describes 3"),
        ({"draws": COINS, "deck": COINS}, "declares draws and deck; a deal is either"),
        ({"draws": COINS, "rules": replace(GAME.rules, redeal=None)}, r"declares draws, but no `Rules.redeal`"),
    ],
)
def test_a_declaration_that_contradicts_itself_is_refused(change, said):
    with pytest.raises(ValueError, match=said):
        replace(GAME, **change)


@pytest.mark.parametrize(
    ("variants", "fields", "observed", "said"),
    [
        ([], [], [], "one or more with distinct names are required"),
        ([THREE, THREE], [], [], "with distinct names"),
        ([TWO], [DEALS, DEALS], [], "two fields are called 'deals'"),
        ([TWO], [hidden("num_players", 2, 2)], [], "called 'num_players'; num_players and rule options are fields by"),
        ([TWO], [DEALS], ["deals"], "differ in deals"),  # what nobody sees cannot be shown by mistake
        ([TWO], [PLAYER], [], "differ in player"),
        ([TWO], [number("stake", 0, 2**40, "")], ["stake"], "'stake' .* does not fit"),
        *(([TWO], [hidden(name, 0, 1)], [], f"called '{name}'") for name in ("view", "my cards", "in", "_deals")),
    ],
)
def test_fields_that_contradict_themselves_are_refused(variants, fields, observed, said):
    with pytest.raises(ValueError, match=said):
        Fields(variants, fields, observed)


@pytest.mark.parametrize("sizes", [(1, 4, 2), (3, 2, 2), (2, 4, 5), (3, 4, 2)])
def test_impossible_sizes_of_a_variant_are_refused(sizes):
    with pytest.raises(ValueError, match="required is 2 <= min_players <= default_players <= max_players"):
        Variant("classic", *sizes)


@pytest.mark.parametrize(
    ("winners", "rewards"),
    [
        ([0, 1, 0], [-1 / 2, 1, -1 / 2]),
        ([1, 1, 0], [1 / 2, 1 / 2, -1]),
        ([0, 0, 0], [0, 0, 0]),
        ([1, 1, 1], [0, 0, 0]),
        ([0, 1], [-1, 1, 0]),
    ],
)
def test_winners_share_1_and_the_others_lose_as_much(winners, rewards):
    states, found = zeros(1, GAME.state_dtype), np.zeros(3)
    states["num_players"], states["winners"][0, : len(winners)] = len(winners), winners
    entry(lambda states, rewards: share_result(states[0], rewards))(states, found)
    assert found.tolist() == rewards
