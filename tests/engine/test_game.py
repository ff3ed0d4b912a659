"""The declaration of a game: what contradicts itself is refused when it is imported."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from blackjacky_env.engine.game import Variant
from tests.tiny_game import GAME, STATE

WITHOUT_DEALS = np.dtype([(name, *STATE.fields[name][:1]) for name in STATE.names if name != "deals"])
TWO, THREE = (Variant(name, 2, size, default_players=2) for size, name in ((2, "duel"), (3, "classic")))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"variants": ()}, "one or more with distinct names are required"),
        ({"variants": (THREE, THREE)}, "with distinct names"),
        ({"state_dtype": WITHOUT_DEALS}, "lacks the fields deals"),
        ({"variants": (TWO,)}, r"winners .* need the shape \(2,\)"),
        ({"num_actions": 4}, "has 4 actions and describes 3"),
    ],
)
def test_a_declaration_that_contradicts_itself_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        replace(GAME, **change)


@pytest.mark.parametrize("sizes", [(1, 4, 2), (3, 2, 2), (2, 4, 5), (3, 4, 2)])
def test_impossible_sizes_of_a_variant_are_refused(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="required is 2 <= min_players <= default_players <= max_players"):
        Variant("classic", *sizes)
