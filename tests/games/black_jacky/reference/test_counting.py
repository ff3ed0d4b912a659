"""Trees of small games: engine and reference implementation find the same numbers of lines and the same chances."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest

from blackjacky_agents.reports import markdown_table
from blackjacky_env import make_batch
from tests.chances import UNLIKELY, fit

from . import count_positions, counting

HERE = Path(__file__).parent
WRITTEN = (HERE / "README.md").read_text(encoding="utf-8").partition("## Exact figures")[2].splitlines()

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


def tree_called(name):
    return next(tree for tree in count_positions.TREES if tree.name == name)


@pytest.mark.parametrize("name", DEPTHS)
def test_both_count_as_many_lines_and_positions_as_are_written_down(name):
    rows = count_positions.rows_of_lines(replace(tree_called(name), depth=DEPTHS[name]))
    assert len(rows) == 1 + (DEPTHS[name] or 8)
    assert [row for row in markdown_table([], rows).splitlines()[2:] if row not in WRITTEN] == []


def test_every_tree_is_written_down_and_nothing_else():
    names = {line.split(" | ")[0].removeprefix("| ") for line in WRITTEN if line.startswith("| ")}
    assert names == {tree.name for tree in (*count_positions.TREES, *count_positions.PLAYED)} | {"game", "--"}


@pytest.mark.parametrize("place", [0, 1])
def test_both_find_the_chances_that_are_written_down(place):
    for pairing in count_positions.PAIRINGS:
        row = count_positions.row_of_chances(count_positions.PLAYED[place], pairing)
        assert markdown_table([], [row]).splitlines()[2] in WRITTEN


def test_who_knocks_at_once_wins_by_the_higher_card():
    """S2: by hand. Of 15 pairs of the cards 1, 2, 2, 3, 3, 3 four are equal, and then nobody wins (E2)."""
    pairs = list(combinations([1, 2, 2, 3, 3, 3], 2))
    nobody = Fraction(sum(a == b for a, b in pairs), len(pairs))
    found = count_positions.chances(count_positions.PLAYED[0], [count_positions.knock_at_once] * 2)
    assert nobody == Fraction(4, 15)
    assert found == {(): nobody, (0,): (1 - nobody) / 2, (1,): (1 - nobody) / 2}


def test_real_games_of_random_moves_end_as_often_as_the_tree_says():
    """Decks from the random key, moves from the mask: the exact chances are met by chance."""
    tree = count_positions.PLAYED[0]
    exact = count_positions.chances(tree, [count_positions.anything] * 2)
    counts = results_of_random_play(30_000, tree.options)
    assert fit(counts, [float(exact[winners]) for winners in ((0,), (1,), ())]) > UNLIKELY


def results_of_random_play(games, options):
    """Return how often the start player, the other and nobody wins."""
    batch, rng = make_batch("black_jacky", games, seed=3, **options), np.random.default_rng(3)
    starts, results = batch.current_player.copy(), np.full(games, np.nan)
    while np.isnan(results).any():
        moves = (rng.random(batch.action_masks.shape) * batch.action_masks).argmax(axis=1)
        batch.step(moves)
        ended = batch.terminated & np.isnan(results)
        results[ended] = batch.rewards[ended, starts[ended]]
    return [(results == result).sum() for result in (1, -1, 0)]


def test_a_difference_ends_the_count():
    with pytest.raises(SystemExit, match="six cards: the engine finds"):
        count_positions.agreed([(1, 1, 0)], [(2, 1, 0)], "six cards")


def test_a_reshuffle_goes_on_with_every_distinct_order():
    """R14: after three swaps with the draw pile it is empty, and the next shuffles 3, 1, 2: six orders, in both."""
    deck, moves = [1, 2, 3, 2, 3, 3], [0, 31, 0, 32, 0, 32, 0]
    engine = count_positions.Engine(replace(count_positions.TREES[1], deck=tuple(deck)))
    (position,) = engine.started()
    game = counting.started(count_positions.TREES[1].options, deck)
    for move in moves:
        (position,) = engine.outcomes(position, move)
        (game,) = counting.outcomes(game, move)
    assert len(set(engine.outcomes(position, 33))) == 6
    orders = {(*after.players[1].hand, *after.draw_pile) for after in counting.outcomes(game, 33)}
    assert orders == set(permutations([1, 2, 3]))
