"""The table as text: the same in colour and without, within 80 columns, and nothing that is secret."""

import re

import numpy as np
import pytest

from blackjacky_env import halunken_v0
from blackjacky_env.games.halunken.terminal import draw_text
from tests.drawings import positions, views
from tests.games.halunken.rigging import Table
from tests.games.halunken.test_drawing import TABLES, robbery

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def drawn(table, agent=None):
    return draw_text(table.env.view(agent), table.env.config_dict(), False)


def row(text, seat):
    """Return the line of the table that shows this seat."""
    return next(line for line in text.splitlines() if re.search(rf"^│.{{5}}player_{seat} ", line))


@pytest.mark.parametrize("options", TABLES)
def test_colour_changes_nothing_but_escape_codes_and_every_line_fits_80_columns(options):
    for env in positions(halunken_v0.env(**options), seed=3, every=3):
        for view in views(env):
            plain = draw_text(view, env.config_dict(), colour=False)
            assert "\x1b" not in plain
            assert ESCAPE.sub("", draw_text(view, env.config_dict(), colour=True)) == plain
            assert {len(line) for line in plain.splitlines()} == {79}, f"the frame is crooked:\n{plain}"


@pytest.mark.parametrize("options", TABLES)
def test_positions_that_differ_in_what_is_hidden_are_drawn_alike(options):
    rng, other = np.random.default_rng(0), halunken_v0.env(**options)
    for env in positions(halunken_v0.env(**options), seed=5, every=2):
        other.set_state(halunken_v0.sample_state(env.observe("player_0")["observation"], rng))
        shown = [draw_text(each.view("player_0"), each.config_dict(), False) for each in (env, other)]
        assert shown[0] == shown[1]


def test_the_ring_shows_taverns_face_down_cards_and_figures():
    table = Table(0, 3, 6, jack=9).arrange(["R4", "V5", "Y6"], taverns={1: "R15 Y1 Y2", 2: ""})
    lines = drawn(table).splitlines()
    field, tavern, below, figures = (line.removeprefix("│ ").split() for line in lines[1:5])
    assert field[1:15] == [str(number) for number in range(14)]
    assert tavern[1:4] == [table.now["taverns"][0]["top"], "R15", "-"]
    assert below[2:4] == ["2", "2"]
    assert figures[1:5] == ["0", "1", "2", "J"]


def test_seats_show_crews_by_colour_movement_cards_and_cancelled_ones():
    table = Table(0, 3, 6, 9, variant="basic").arrange(["R4 R15 Y12", "", "", ""])
    assert "1234567R" in row(drawn(table), 0)
    assert row(drawn(table), 0).endswith("R 4 15 Y 12                             │")
    table.choose(4, 5, 4, "Rum")
    text = drawn(table)
    assert [row(text, seat).split("player_")[1].split()[4] for seat in range(4)] == ["(4)", "5", "(4)", "Rum"]
    assert "123·567R" in row(text, 0)
    assert "player_3 names a number for Rum." in text


def test_a_chosen_card_is_seen_by_its_owner_only():
    table = Table(0, 3, 6, variant="basic").play("move 3")
    assert "[3]" in row(drawn(table, "player_0"), 0)
    assert "[?]" in row(drawn(table, "player_1"), 0)
    assert "[?]" in row(drawn(table), 0)


def test_robbers_and_robbed_are_named():
    text = drawn(robbery())
    assert "player_0 robs player_1 of a card." in text
    assert [line.split()[1] for line in text.splitlines() if line.split()[1] in ("robs", "robbed")] == [
        "robs",
        "robbed",
    ]


def test_offers_and_passes_are_shown_in_the_auction():
    table = Table(0, 3, 6, jack=9).arrange(["R4", "V5", "Y6"])
    first = table.now["player"]
    table.play("pass")
    assert row(drawn(table), first).split()[5] == "pass"
    second = table.now["player"]
    table.play(["R4", "V5", "Y6"][second])
    assert row(drawn(table), second).split()[5] == ["R4", "V5", "Y6"][second]
    assert f"of player_{second} for Black Jack." in drawn(table)


def test_options_and_winners_are_named():
    table = Table(0, 3, three_games=True, rob_count="before_pick", duel_black_jack="standard")
    assert "three games · robbers are counted before they take · Black Jack overtakes" in drawn(table)
    assert "game 1 of 3 · round 1 of 8 · auction" in drawn(table)
    table.finish()
    assert "game over" in drawn(table)
    assert re.search(r"player_\d wins?\.|player_0 and player_1 win\.", drawn(table))
