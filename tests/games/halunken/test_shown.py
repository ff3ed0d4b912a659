"""The story of a game: all sentences occur, with all their values. Playthroughs show the table as text."""

import pytest

from tests.phrases import assert_every_sentence_occurs

pytestmark = pytest.mark.prove
GAMES = [
    {"num_players": 4},
    {"num_players": 3, "rob_count": "before_pick"},
    {"num_players": 4, "variant": "basic"},
    {"num_players": 3, "variant": "basic", "three_games": True},
    {"num_players": 3, "three_games": True},
    {"num_players": 2},
    {"num_players": 2, "duel_black_jack": "standard"},
    {"num_players": 2, "rob_count": "before_pick", "three_games": True},
]


def test_every_sentence_occurs_and_has_all_its_values():
    assert_every_sentence_occurs("halunken", GAMES, range(10))
