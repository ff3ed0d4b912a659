"""Trees of small games: engine and reference implementation find the same numbers of lines and the same chances."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from blackjacky_agents.reports import markdown_table
from blackjacky_env import make_batch
from tests.chances import UNLIKELY, fit

from . import count_positions
from .count_positions import PLAYED, TREES

pytestmark = pytest.mark.prove
WRITTEN = (
    (Path(__file__).parent / "README.md").read_text(encoding="utf-8").partition("## Exact figures")[2].splitlines()
)

# Depths that take a second or less. The ten cards with all decks are left to the script: 12,600 begin.
DEPTHS = {
    "six cards, one each, three turns": None,
    "six cards, one each, five turns": 8,
    "six cards, two each, four turns": 6,
    "ten cards, three players, three turns": 8,
    "all cards, two players": 7,
    "all cards, four players": 7,
    "all cards, five players, one turn a round": 7,
}


def is_written(rows):
    return {*markdown_table([], rows).splitlines()[2:]} <= {*WRITTEN}


@pytest.mark.parametrize("name", DEPTHS)
def test_both_count_as_many_lines_and_positions_as_are_written_down(name):
    (tree,) = (tree for tree in TREES if tree.name == name)
    rows = count_positions.rows_of_lines(replace(tree, depth=DEPTHS[name]))
    assert len(rows) == 1 + (DEPTHS[name] or 8)
    assert is_written(rows)


def test_every_tree_is_written_down_and_nothing_else():
    names = {line.split(" | ")[0].removeprefix("| ") for line in WRITTEN if line.startswith("| ")}
    assert names == {tree.name for tree in (*TREES, *PLAYED)} | {"game", "--"}


@pytest.mark.parametrize("place", [0, 1])
def test_both_find_the_chances_that_are_written_down(place):
    assert is_written([count_positions.row_of_chances(PLAYED[place], pairing) for pairing in count_positions.PAIRINGS])


def test_who_knocks_at_once_wins_by_the_higher_card():
    """S2: by hand. Of 15 pairs of the cards 1, 2, 2, 3, 3, 3 four are equal, and then nobody wins (E2)."""
    pairs = list(combinations([1, 2, 2, 3, 3, 3], 2))
    nobody = Fraction(sum(a == b for a, b in pairs), len(pairs))
    found = count_positions.chances(PLAYED[0], [count_positions.knock_at_once] * 2)
    assert nobody == Fraction(4, 15)
    assert found == {(): nobody, (0,): (1 - nobody) / 2, (1,): (1 - nobody) / 2}


def test_real_games_of_random_moves_end_as_often_as_the_tree_says():
    """Decks from the random key, moves from the mask: the exact chances are met by chance."""
    exact = count_positions.chances(PLAYED[0], [count_positions.anything] * 2)
    batch, rng = make_batch("black_jacky", 30_000, seed=3, **PLAYED[0].options), np.random.default_rng(3)
    starts, results = batch.current_player.copy(), np.full(30_000, np.nan)
    while np.isnan(results).any():
        batch.step((rng.random(batch.action_masks.shape) * batch.action_masks).argmax(axis=1))
        ended = batch.terminated & np.isnan(results)
        results[ended] = batch.rewards[ended, starts[ended]]
    counts = [(results == result).sum() for result in (1, -1, 0)]  # the start player, the other, nobody
    assert fit(counts, [float(exact[winners]) for winners in ((0,), (1,), ())]) > UNLIKELY
