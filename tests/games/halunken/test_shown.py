"""The table as picture and as story: all that its viewer may know, and nothing more. Playthroughs show it as text."""

import pytest

from blackjacky_env import halunken_v0
from blackjacky_env.draw.picture import draw_svg
from tests.drawings import SVG, parsed, told
from tests.games.tables import positions
from tests.phrases import assert_every_sentence_occurs, stories

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
every_game = pytest.mark.parametrize("options", GAMES)


def groups(part, **attributes):
    """The groups of a picture, or a part of it, with these data attributes."""
    wanted = {f"data-{name}": value for name, value in attributes.items()}
    return [group for group in part.iter(f"{SVG}g") if wanted.items() <= group.attrib.items()]


@pytest.mark.parametrize("options", GAMES[::3])
def test_all_cards_of_harbour_and_taverns_are_shown(options):
    for now in positions(halunken_v0.env(**options), seed=7, every=9):
        view, svg = now.view(None), draw_svg(now.unwrapped.scene())
        if view["harbour"]:
            (harbour,) = groups(parsed(svg), pile="harbour")
            assert [card.get("data-card") for card in harbour if card.get("data-card")] == view["harbour"]
        fields = sorted(groups(parsed(svg), kind="field"), key=lambda group: int(group.attrib["data-number"]))
        for group, tavern in zip(fields, view["taverns"], strict=True):
            values = 2 * [tavern["top"][1:]] if tavern["top"] else []
            below = [str(tavern["hidden"])] if tavern["hidden"] else []
            assert told(group)[1:] == ([*values, *below] or ["empty"])


@every_game
def test_a_movement_card_is_told_to_nobody_else_before_all_are_revealed(options):
    for before, _, phrases in stories("halunken", options, range(2), reader=0):
        if before["phase"].startswith("choose") and before["player"] != 0:
            assert phrases[0]["values"] == {"actor": {"seat": before["player"]}}


def test_every_sentence_occurs_and_has_all_its_values():
    assert_every_sentence_occurs("halunken", GAMES, range(10))
