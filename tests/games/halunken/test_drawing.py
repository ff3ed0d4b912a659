"""The picture of the table: well-formed, with all that lies open, and nothing that is secret."""

import pytest

from blackjacky_env import halunken_v0
from blackjacky_env.games.halunken.drawing import draw_svg
from tests.drawings import SVG, boxes, cards, parsed, seat, shapes, told
from tests.games.halunken.rigging import Table
from tests.games.tables import positions

TABLES = [
    {"num_players": 4},
    {"num_players": 3, "rob_count": "before_pick", "three_games": True},
    {"num_players": 4, "variant": "basic"},
    {"num_players": 2},
    {"num_players": 2, "duel_black_jack": "standard"},
]


def fields(svg):
    """Return the groups of the fields, in order."""
    found = [group for group in parsed(svg).findall(f"{SVG}g") if group.get("data-kind") == "field"]
    return sorted(found, key=lambda group: int(group.attrib["data-number"]))


def labels(svg, number):
    """Return the words on the upper edge of a seat's panel."""
    return {"buyer", "robs", "robbed", "overtaken", "winner"} & set(told(seat(svg, number)))


@pytest.mark.parametrize("options", TABLES)
def test_all_cards_of_all_crews_and_taverns_are_shown(options):
    for now in positions(halunken_v0.env(**options), seed=7, every=9):
        view, svg = now.view(None), draw_svg(now.view(None), now.config_dict())
        owned = [(card, str(each)) for each, crew in enumerate(view["crews"]) for card in crew]
        assert sorted(cards(svg)) == sorted(owned)
        harbour = [group.get("data-card") for group in parsed(svg).iter(f"{SVG}g") if group.get("data-seat") is None]
        assert [card for card in harbour if card] == view["harbour"]
        for group, tavern in zip(fields(svg), view["taverns"], strict=True):
            values = [tavern["top"][1:]] if tavern["top"] else []
            below = [str(tavern["hidden"])] if tavern["hidden"] else []
            assert told(group)[1:] == [*values, *below] or told(group)[1:] == ["empty"]


def test_everything_includes_the_cards_face_down():
    table = Table(0, 3, 6, taverns={1: "R15 Y1 Y12"})
    everything = draw_svg(table.now, table.env.config_dict())
    assert told(fields(everything)[1]) == ["1", "15", "1", "12"]
    assert told(fields(table.drawn())[1]) == ["1", "15", "2"]
    assert "all cards open" in told(everything)


def laid(svg):
    """Return how many movement cards are struck out, and all words between the ring and the seats."""
    groups = [group for group in parsed(svg).findall(f"{SVG}g") if not group.attrib.keys() & {"class", "data-kind"}]
    struck = sum(path.get("d") == "M22 43 56 1" for group in groups for path in group.iter(f"{SVG}path"))
    return struck, [word for group in groups for word in told(group)]


def test_the_cards_laid_lie_side_by_side_and_cancelled_ones_are_struck():
    table = Table(0, 3, 6, 9, variant="basic").choose(4, 5, 4, "Rum")
    assert table.asked == ("name", 3)
    assert laid(table.drawn()) == (2, ["4", "5", "4"])
    assert shapes(parsed(table.drawn())).count("bottle") == 1 + 4 - 1, "Rum lies, and three captains have theirs left"


def robbery(**options):
    """Player_0 has landed on player_1, who has more cards (H7); the others are still to move."""
    return Table(0, 3, 8, variant="basic", **options).arrange(["R4", "Y1 Y2 Y3", "G2"]).choose(3, 7, 5)


def test_a_robbery_shows_who_robs_whom_and_who_is_still_to_move_where():
    table = robbery()
    assert table.asked == ("rob", 0)
    svg = table.drawn()
    assert [labels(svg, each) for each in range(3)] == [{"robs"}, {"robbed"}, set()]
    assert "player_0 robs player_1 of a card." in told(svg)
    dashed = [sum("stroke-dasharray" in ring.attrib for ring in field.iter(f"{SVG}circle")) for field in fields(svg)]
    assert [field for field, rings in enumerate(dashed) if rings] == [13], "player_2 moves 5; player_1 is pushed first"


def test_black_jack_overtakes_and_robs_for_his_buyer():
    table = Table(0, 1, 2, jack_deck="5")
    table.arrange(["R15", "V3 V4", "Y1 Y2"], captains=[0, 1, 2], jack=13, taverns={0: "", 1: "", 2: ""})
    table.buys(0, "R15").choose(1, 1, 1)
    assert table.asked == ("rob", 0)
    svg = table.drawn()
    assert [labels(svg, each) for each in range(3)] == [{"robs", "buyer"}, {"robbed"}, {"overtaken"}]
    assert "player_0 robs player_1 of a card through Black Jack." in told(svg)


def test_an_auction_shows_offers_and_passes():
    table = Table(0, 3, 6, jack=9).arrange(["R4", "V5", "Y6"])
    bidders = [(table.now["player"] + i) % 3 for i in range(3)]
    table.play("pass", ["R4", "V5", "Y6"][bidders[1]])
    svg = table.drawn()
    assert "pass" in laid(svg)[1]
    assert ["4", "5", "6"][bidders[1]] in laid(svg)[1]
    assert any("may offer a card higher than" in text for text in told(svg))


def test_the_harbour_and_fields_belong_to_actions():
    table = Table(0, 3, 6, jack=9).arrange(["R4", "V5", "Y6"], harbour="G13 Y12")
    (harbour,) = (group for group in parsed(table.drawn()).iter(f"{SVG}g") if group.get("data-pile") == "harbour")
    assert [card.get("data-card") for card in harbour if card.get("data-card")] == ["G13", "Y12"]
    assert [field.get("data-number") for field in fields(table.drawn())] == [str(field) for field in range(14)]


def test_the_movement_cards_of_the_player_who_chooses_belong_to_actions():
    table = Table(0, 3, variant="duel")
    buyer = table.now["opener"]
    table.buys(buyer, table.now["crews"][buyer][0])
    assert moves(parsed(table.drawn())) == [*map(str, range(1, 8)), "Rum"], "of Black Jack"
    assert moves(seat(table.drawn(), buyer)) == []
    table.play("move 3")
    assert moves(seat(table.drawn(), buyer)) == moves(parsed(table.drawn())) == [*map(str, range(1, 8)), "Rum"]


def moves(part):
    return [group.get("data-number") for group in part.iter(f"{SVG}g") if group.get("data-kind") == "move"]


def test_seats_show_scores_turn_winners_and_the_colour_that_counts_double():
    table = Table(0, 3, 6, jack=9).arrange(["R4 R5 Y12", "V5", ""])
    svg = table.drawn()
    assert {"player_0", "score 30", "x 2"} <= set(told(seat(svg, 0)))
    assert "x 2" not in told(seat(svg, 2))
    on_turn = [any(rect.get("class") == "panel now" for rect in seat(svg, each)) for each in range(3)]
    assert on_turn == [each == table.now["player"] for each in range(3)]
    table.finish()
    assert {each for each in range(3) if labels(table.drawn(), each)} == set(table.now["winners"])
    assert "game over" in told(table.drawn())[0]


def test_a_crew_of_one_colour_stays_in_its_panel():
    yellow = " ".join(f"Y{value}" for value in range(1, 13))
    svg = Table(0, 3, 6, 9, jack=12).arrange([yellow, "", "", ""]).drawn()
    lefts = [
        float(group.attrib["transform"].split("(")[1].split()[0]) for group in seat(svg, 0) if group.get("data-card")
    ]
    assert len(lefts) == 12
    assert max(lefts) + 25 <= boxes(svg)[0][2] - boxes(svg)[0][0]


def test_options_are_named():
    table = Table(0, 3, 6, variant="basic", rob_count="before_pick")
    svg = table.drawn()
    assert "robbers are counted before they take" in told(svg)
    assert "basic" in told(svg)[0]
