"""Which variant a table gets: some are for fewer table sizes than others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from blackjacky_env import make_batch
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.seat import SeatEnv
from blackjacky_env.envs.vector import SeatVectorEnv
from tests.every_game import TINY

SIZES = "2 .. 3 \\('classic'\\), 2 \\('duel'\\)"
MAKERS: dict[str, Callable[..., Any]] = {
    "table": lambda **options: TableEnv(TINY, **options),
    "seat": lambda **options: SeatEnv(TINY, **options).table,
    "seats": lambda **options: SeatVectorEnv(TINY, 4, **options),
    "batch": lambda **options: make_batch(TINY, 4, **options),
}

pytestmark = pytest.mark.usefixtures("tiny")
everywhere = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@everywhere
@pytest.mark.parametrize(
    ("options", "size", "variant"),
    [
        ({}, 3, "classic"),
        ({"num_players": 2}, 2, "classic"),
        ({"variant": "duel"}, 2, "duel"),
        ({"variant": "duel", "num_players": 2}, 2, "duel"),
    ],
    ids=str,
)
def test_size_and_variant_are_chosen_alike_everywhere(
    make: Callable[..., Any], options: dict[str, Any], size: int, variant: str
) -> None:
    made = make(**options)
    assert made.variant == variant
    sizes = made._states["num_players"] if isinstance(made, SeatVectorEnv) else made.num_players
    assert set(np.atleast_1d(sizes)) == {size}


@everywhere
@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        (
            {"num_players": 3, "variant": "duel"},
            ValueError,
            f"=3 is out of range for variant='duel'; allowed are {SIZES}",
        ),
        ({"num_players": 4}, ValueError, f"num_players=4 is out of range; allowed are {SIZES}"),
        ({"num_players": 2.5}, TypeError, f"num_players=2.5 is not an integer; allowed are {SIZES}"),
    ],
    ids=str,
)
def test_what_the_variant_does_not_allow_is_refused_with_what_is_possible(
    make: Callable[..., Any], options: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        make(**options)


def test_mixed_sizes_get_the_first_variant_that_allows_all() -> None:
    batch = make_batch(TINY, 4, num_players=[2, 3])
    assert (batch.num_players.tolist(), batch.variant) == ([2, 3, 2, 3], "classic")
    with pytest.raises(ValueError, match="each of num_players=3 is out of range for variant='duel'"):
        make_batch(TINY, 4, num_players=[2, 3], variant="duel")
