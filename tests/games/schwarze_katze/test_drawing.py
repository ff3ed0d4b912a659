"""The picture of the table: well-formed, with all that its viewer may know, and nothing more."""

import pytest

from blackjacky_env import schwarze_katze_v0
from blackjacky_env.games.schwarze_katze.drawing import draw_svg
from tests.drawings import SVG, assert_apart, boxes, cards, parsed, seat, shapes, told
from tests.games.schwarze_katze.rigging import Table
from tests.games.tables import positions


def on_table(svg):
    """Return where the cards of the trick lie: left and top by seat."""
    found = {}
    for group in parsed(svg).findall(f"{SVG}g"):
        if group.get("class") == "card":
            x, y = group.attrib["transform"].split("(")[1].split(")")[0].split()
            found[int(group.attrib["data-seat"])] = (float(x), float(y))
    return found


@pytest.mark.parametrize("players", range(3, 11))
def test_the_cards_of_a_trick_lie_apart_in_the_order_of_the_seats(players):
    env = schwarze_katze_v0.env(num_players=players, deals=1)
    for now in positions(env, seed=1):
        svg = draw_svg(now.view(None), now.config_dict())
        if len(now.view(None)["table"]) == players - 1:
            break
    width, height = (50, 70) if players <= 6 else (36, 50.4)
    places = on_table(svg)
    seats = [(left, top, left + width, top + height) for left, top in places.values()]
    assert len(places) == players - 1
    assert_apart([*seats, *boxes(svg)])


def test_the_own_hand_can_be_clicked_and_others_are_numbers():
    table = Table("5C KH", "3C AH", "4C QS")
    svg = table.drawn("player_1")
    assert [card for card, owner in cards(svg) if owner == "1"] == table.now["hands"][1]
    assert {owner for _, owner in cards(svg)} == {"1"}
    assert "17" in told(seat(svg, 0))
    assert cards(table.drawn()) == []
    everything = draw_svg(table.now, table.env.config_dict())
    spades = " ".join(card[:-1] for card in table.now["hands"][2] if card.endswith("S"))
    assert spades in told(seat(everything, 2))
    assert "all cards open" in told(everything)


def test_the_trick_tells_who_played_what_and_what_was_led():
    table = Table("3C KH", "4C AH", "5C QS").play("3C 4C")
    svg = table.drawn("player_0", last_action="player_1: 4C")
    assert [entry for entry in cards(svg) if entry[0] in ("3C", "4C")] == [("3C", "0"), ("4C", "1")]
    assert {"led", "player_1: 4C", "player_2 plays to clubs and must follow if possible."} <= set(told(svg))
    assert on_table(svg)[1][0] < on_table(svg)[0][0], "the left neighbour's card lies on the left"


def test_seats_tell_dealer_leader_tricks_penalties_and_turn():
    table = Table("AC KH", "3C AH", "4C QS").play("AC 3C 4C")
    svg = table.drawn("player_0")
    assert {"leads", "1 trick, penalty 0", "total 0"} <= set(told(seat(svg, 0)))
    assert {"dealer", "0 tricks, penalty 0"} <= set(told(seat(svg, 2)))
    assert [any(rect.get("class") == "panel now" for rect in seat(svg, q)) for q in range(3)] == [True, False, False]


def test_totals_the_last_deal_and_winners_are_shown():
    table = Table("5C KH", "3C AH", "4C QS").finish()
    now, svg = table.now, table.drawn()
    for q in range(3):
        points = str(now["last_deal"][q]).replace("-", "\N{MINUS SIGN}")
        assert f"total {points} (last {points})" in told(seat(svg, q))
        assert ("winner" in told(seat(svg, q))) == (q in now["winners"])
    assert "game over" in told(svg)[0]


def test_the_black_cat_is_a_cat_and_suits_differ_in_shape():
    table = Table("QS KS AH 2D 3C", "3S", "4S")
    assert {"S", "H", "D", "C", "cat"} <= set(shapes(seat(table.drawn("player_0"), 0)))


def test_options_are_named():
    assert "ace of hearts 10" in told(Table("5C", "3C", "4C", piatnik_heart_lead=True, heart_ace=10).drawn())[0]
