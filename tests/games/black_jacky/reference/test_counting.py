"""Trees of small games: engine and reference implementation find the same numbers of lines."""

from dataclasses import replace
from pathlib import Path

import pytest

from blackjacky_agents.reports import markdown_table

from . import count_positions

pytestmark = pytest.mark.prove
WRITTEN = (
    (Path(__file__).parent / "README.md").read_text(encoding="utf-8").partition("## Exact figures")[2].splitlines()
)
TREES = {tree.name: tree for tree in count_positions.TREES}

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


@pytest.mark.parametrize("name", DEPTHS)
def test_both_count_as_many_lines_and_positions_as_are_written_down(name):
    rows = count_positions.rows_of_lines(replace(TREES[name], depth=DEPTHS[name]))
    assert len(rows) == 1 + (DEPTHS[name] or 8)
    assert {*markdown_table([], rows).splitlines()[2:]} <= {*WRITTEN}


def test_every_tree_is_written_down_and_nothing_else():
    names = {line.split(" | ")[0].removeprefix("| ") for line in WRITTEN if line.startswith("| ")}
    assert names == TREES.keys() | {"game", "--"}
