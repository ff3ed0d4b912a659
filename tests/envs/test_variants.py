"""Which variant a table gets: some are for fewer table sizes than others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from blackjacky_env import make_batch
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.seat import SeatEnv
from blackjacky_env.envs.vector import SeatVectorEnv
from tests.every_game import TINY

SIZES = "2 .. 3 \\('classic'\\), 2 \\('duel'\\)"
Made = tuple[list[int], str]
"""Table sizes and the variant."""


pytestmark = pytest.mark.usefixtures("tiny")


def table(**options: Any) -> Made:
    """What an environment chooses."""
    env = TableEnv(TINY, **options)
    return [env.num_players], env.variant


def seat(**options: Any) -> Made:
    """What the environment of one seat chooses."""
    env = SeatEnv(TINY, **options).table
    return [env.num_players], env.variant


def vector(**options: Any) -> Made:
    """What seats of many tables choose."""
    envs = SeatVectorEnv(TINY, 4, **options)
    return envs._states["num_players"].tolist(), envs.variant


def batch(**options: Any) -> Made:
    """What many games at once choose."""
    games = make_batch(TINY, 4, **options)
    return games.num_players.tolist(), games.variant


ONE_TABLE: list[Callable[..., Made]] = [table, seat, vector, batch]
MANY_TABLES: list[Callable[..., Made]] = [vector, batch]


@pytest.mark.parametrize("make", ONE_TABLE)
@pytest.mark.parametrize(
    ("options", "size", "variant"),
    [
        ({}, 3, "classic"),
        ({"num_players": 2}, 2, "classic"),
        ({"num_players": 3}, 3, "classic"),
        ({"variant": "duel"}, 2, "duel"),
        ({"variant": "duel", "num_players": 2}, 2, "duel"),
    ],
    ids=str,
)
def test_size_and_variant_are_chosen_alike_everywhere(
    make: Callable[..., Made], options: dict[str, Any], size: int, variant: str
) -> None:
    sizes, chosen = make(**options)
    assert (set(sizes), chosen) == ({size}, variant)


@pytest.mark.parametrize("make", ONE_TABLE)
def test_a_size_that_the_variant_does_not_allow_is_refused_with_what_is_possible(make: Callable[..., Made]) -> None:
    with pytest.raises(ValueError, match=f"num_players=3 is out of range for variant='duel'; allowed are {SIZES}"):
        make(num_players=3, variant="duel")
    with pytest.raises(ValueError, match=f"num_players=4 is out of range; allowed are {SIZES}"):
        make(num_players=4)
    with pytest.raises(TypeError, match=f"num_players=2.5 is not an integer; allowed are {SIZES}"):
        make(num_players=2.5)
    with pytest.raises(ValueError, match="variant='blitz' is unknown; allowed are 'classic', 'duel'"):
        make(variant="blitz")


@pytest.mark.parametrize("make", MANY_TABLES)
def test_mixed_sizes_get_the_first_variant_that_allows_all(make: Callable[..., Made]) -> None:
    assert make(num_players=[2, 3]) == ([2, 3, 2, 3], "classic")
    assert make(num_players=[2, 2]) == ([2, 2, 2, 2], "classic")
    with pytest.raises(ValueError, match="each of num_players=3 is out of range for variant='duel'"):
        make(num_players=[2, 3], variant="duel")
