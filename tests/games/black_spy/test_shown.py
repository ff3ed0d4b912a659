"""The story of a game: all sentences occur, with all their values. Playthroughs show the table as text."""

import pytest

from tests.games.black_spy.rigging import BLACKS, MYSELF, OTHERS, Table, full, last_card, shoot, shooter
from tests.phrases import assert_every_sentence_occurs, tell

pytestmark = pytest.mark.prove
EVERYTHING = {"mole": True, "call_colour": True, "rank_follow": True, "rank_follow_strict": True, "max_deals": 2}
GAMES = [
    {"num_players": 3, "max_deals": 3},
    {"num_players": 4, **EVERYTHING, "pass_cycle": "left_across_right"},
    {"num_players": 5, "no_good_spies": True, "max_deals": 2, "opener": "left_of_dealer"},
    {"num_players": 6, "mole": True, "moon_choice": True, "moon_choice_spies": "never_scored", "max_deals": 2},
]


def phrases(game, *names):
    env = game.env.unwrapped
    actions = (game.actions[0] if name is None else env.parse_action(name) for name in names)
    return [phrase for action in actions for phrase in tell(env, action, 1)]


def scored(wanted, **options):
    """The phrases of a deal of three after which the totals are as wanted."""
    points = last_card(3, **options).first_legal().now["last_deal"]
    totals = [total - each for total, each in zip(wanted, points, strict=True)]
    return phrases(last_card(3, **options).arrange(totals=totals), None)


def rigged():
    tricks = [name for card in ["r11", *BLACKS.split(), "r10"] for name in (full(card), None, None)]
    return [
        *(phrase for choice in (OTHERS, MYSELF) for phrase in phrases(shoot(shooter(moon_choice=True)), choice)),  # V2
        *phrases(shooter(), *tricks),  # B8
        *phrases(Table("k1", "r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11", "k4", call_colour=True), "call red"),  # V4
        *scored([200, 20, 20], exact_limit=True),  # V6
        *scored([201, 20, 20]),  # B9
        *scored([0, 0, 150], max_deals=1),  # two winners
    ]


def test_every_sentence_occurs_and_has_all_its_values():
    assert_every_sentence_occurs("black_spy", GAMES, range(2), rigged)
