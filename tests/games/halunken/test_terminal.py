"""The table as text: the same in colour and without, within 80 columns, and nothing that is secret."""

import re

from tests.games.halunken.rigging import Table
from tests.games.halunken.test_drawing import robbery


def row(text, seat):
    """Return the line of the table that shows this seat."""
    return next(line for line in text.splitlines() if re.search(rf"^│.{{5}}player_{seat} ", line))


def test_the_ring_shows_taverns_face_down_cards_and_figures():
    table = Table(0, 3, 6, jack=9).arrange(["R4", "V5", "Y6"], taverns={1: "R15 Y1 Y2", 2: ""})
    lines = table.written().splitlines()
    field, tavern, below, figures = (line.removeprefix("│ ").split() for line in lines[1:5])
    assert field[1:15] == [str(number) for number in range(14)]
    assert tavern[1:4] == [table.now["taverns"][0]["top"], "R15", "-"]
    assert below[2:4] == ["2", "2"]
    assert figures[1:5] == ["0", "1", "2", "J"]


def test_seats_show_crews_by_colour_movement_cards_and_cancelled_ones():
    table = Table(0, 3, 6, 9, variant="basic").arrange(["R4 R15 Y12", "", "", ""])
    assert "1234567R" in row(table.written(), 0)
    assert row(table.written(), 0).endswith("R 4 15 Y 12                             │")
    table.choose(4, 5, 4, "Rum")
    text = table.written()
    assert [row(text, seat).split("player_")[1].split()[4] for seat in range(4)] == ["(4)", "5", "(4)", "Rum"]
    assert "123·567R" in row(text, 0)
    assert "player_3 names a number for Rum." in text


def test_robbers_and_robbed_are_named():
    text = robbery().written()
    assert "player_0 robs player_1 of a card." in text
    assert [line.split()[1] for line in text.splitlines() if line.split()[1] in ("robs", "robbed")] == [
        "robs",
        "robbed",
    ]


def test_offers_and_passes_are_shown_in_the_auction():
    table = Table(0, 3, 6, jack=9).arrange(["R4", "V5", "Y6"])
    first = table.now["player"]
    table.play("pass")
    assert row(table.written(), first).split()[5] == "pass"
    second = table.now["player"]
    table.play(["R4", "V5", "Y6"][second])
    assert row(table.written(), second).split()[5] == ["R4", "V5", "Y6"][second]
    assert f"of player_{second} for Black Jack." in table.written()


def test_options_and_winners_are_named():
    table = Table(0, 3, three_games=True, rob_count="before_pick", duel_black_jack="standard")
    assert "three games · robbers are counted before they take · Black Jack overtakes" in table.written()
    assert "game 1 of 3 · round 1 of 8 · auction" in table.written()
    table.finish()
    assert "game over" in table.written()
    assert re.search(r"player_\d wins?\.|player_0 and player_1 win\.", table.written())
