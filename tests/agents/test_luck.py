"""How much is luck: a sighted player, and what cards and seats explain."""

from __future__ import annotations

import numpy as np
import pytest

from blackjacky_agents import make_agent
from blackjacky_agents.arena.luck import _explained, measure_luck
from blackjacky_agents.registry import make_compiled_agent

SMALL = {"hearts": 1, "deals": 40, "deals_of_copies": 40, "simulations": 20}


def test_who_sees_all_cards_wins_more_than_par_and_threads_change_nothing() -> None:
    champion = make_compiled_agent("champion")
    one, two = (measure_luck(champion, 3, threads=threads, **SMALL) for threads in (1, 2))
    assert one == two
    assert one.sighted.low > 1 / 3
    assert one.sighted.low < one.sighted.mean < one.sighted.high
    assert measure_luck(champion, 3, seed=1000, **SMALL) != one


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(ValueError, match="deals=1 is out of range"):
        measure_luck(make_compiled_agent("champion"), 3, deals=1)
    with pytest.raises(TypeError, match="agent 'counter' is not a network"):
        measure_luck(make_agent("counter"), 3)  # type: ignore[arg-type]


def test_the_explained_share_is_that_of_the_deals() -> None:
    """A seat wins by a coin of the deal with weight 0.6, else by a coin of the game."""
    rng = np.random.default_rng(0)
    deal, game = rng.integers(2, size=(4000, 1)), rng.integers(2, size=(4000, 2))
    first = np.where(rng.random((4000, 2)) < 0.6**0.5, deal, game)
    found = _explained(np.stack([first, 1 - first], axis=2).astype(float))
    assert found.low < 0.6 < found.high
    assert 0.02 < found.high - found.low < 0.12
