"""The picture of the table: well-formed, with all that its viewer may know, and nothing more."""

import pytest

from blackjacky_env import black_spy_v0
from blackjacky_env.games.black_spy.drawing import draw_svg
from tests.drawings import SVG, cards, parsed, seat, shapes, told
from tests.games.black_spy.rigging import Table, dealt, full, second_deal, shooter
from tests.games.tables import positions

VARIANTS = {"mole": True, "call_colour": True, "rank_follow": True, "exact_limit": True, "max_deals": 2}
TABLES = [{"num_players": players, **VARIANTS} for players in (3, 4, 5, 6)]


def lying(svg, kind):
    """The cards of this kind: ``played``, ``chosen``, ``held``, or ``card`` for those of the pile."""
    groups = parsed(svg).iter(f"{SVG}g")
    return [group.attrib["data-card"] for group in groups if group.get("data-kind") == kind]


def clickable(svg, owner):
    """The cards in this seat's hand that belong to actions."""
    groups = [group for group in seat(svg, owner).iter(f"{SVG}g") if group.get("class") == "card"]
    return [group.attrib["data-card"] for group in groups if group.get("data-kind") is None]


@pytest.mark.parametrize("options", TABLES)
def test_all_cards_of_the_own_hand_are_shown(options):
    for now in positions(black_spy_v0.env(**options), seed=3, every=17):
        hands = now.snapshot()["hands"]
        for owner, agent in enumerate(now.possible_agents):
            shown = [group for group in cards(draw_svg(now.view(agent), now.config_dict())) if group[1] == str(owner)]
            played = [name for each, name in now.snapshot()["table"] if each == owner]
            assert sorted(name for name, _ in shown) == sorted([*hands[owner], *played])


def test_six_black_spies_in_a_hand_are_six_cards():
    svg = shooter().drawn("player_0")
    assert clickable(svg, 0).count("black 7") == 6
    assert shapes(seat(svg, 0)).count("spy") == 1 + 6, "one is the player's own figure"


def test_chosen_cards_are_lifted_for_their_owner_and_lie_face_down_for_others():
    svgs = []
    for choice in ("b1 y2 k7", "g3 r4 k8"):
        game = Table("b1 y2 g3 r4 k7 k7 k8", "", "", passed=False).play(choice)
        svgs.append([game.drawn(f"player_{each}") for each in range(3)])
    assert lying(svgs[0][0], "chosen") == ["blue 1", "yellow 2", "black 7"]
    assert clickable(svgs[0][0], 0).count("black 7") == 1, "the other black 7 can still be chosen"
    assert svgs[0][1:] == svgs[1][1:]
    assert svgs[0][0] != svgs[1][0]


@pytest.mark.parametrize(
    ("deal", "direction", "words"), [(0, "left", "to the left"), (1, "right", "to the right"), (2, "across", "across")]
)
def test_the_direction_of_the_pass_is_shown(deal, direction, words):
    game = Table("", "", "", "", passed=False).arrange(deal_number=deal)
    assert game.now["pass_to"] == direction
    assert direction in told(game.drawn())
    assert told(game.drawn())[-1].endswith(f"cards to pass {words}.")


def test_the_moles_pile_is_open_to_the_player_who_takes():
    game = second_deal(4, (5, 40, 20, 0))
    taker = game.now["player"]
    svg = game.drawn(f"player_{taker}")
    assert lying(svg, "card") == game.now["pile"]
    assert clickable(svg, taker) == [], "a card of the hand is not one to take"
    other = game.drawn(f"player_{(taker + 1) % 4}")
    assert lying(other, "card") == []
    assert "12" in told(other)
    assert "the mole's pile" in told(other)
    game.first_legal(3)
    assert "left there" in told(game.drawn(f"player_{taker}"))
    assert "left there" not in told(game.drawn(f"player_{(taker + 1) % 4}"))


def test_cards_left_in_the_pile_are_remembered_until_cards_are_passed():
    for replaces in (True, False):
        game = second_deal(3, (5, 40, 20), mole_replaces_pass=replaces)
        taker = game.now["player"]
        while game.now["phase"] != "play":
            game.first_legal()
        assert ("left there" in told(game.drawn(f"player_{taker}"))) == replaces


def test_the_colours_to_call_belong_to_actions_and_the_one_called_is_shown():
    game = dealt(4, call_colour=True, call_timing="before_pass")
    assert lying_colours(game.drawn()) == ["blue", "yellow", "green", "red"]
    game.say("call green").first_legal(12)
    assert game.now["phase"] == "play"
    assert "called" in told(game.drawn())
    assert lying_colours(game.drawn()) == []


def lying_colours(svg):
    groups = parsed(svg).iter(f"{SVG}g")
    return [group.attrib["data-number"] for group in groups if group.get("data-kind") == "call"]


def trick_of_three():
    """Return a table at which player_0 leads; player_1 has neither red nor a 2."""
    return Table("r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 y2 g2 k2", "k7", "b2 k7")


def test_the_trick_tells_the_order_the_leader_and_who_wins():
    svg = trick_of_three().play("r2 k7").drawn("player_2", last_action="player_1: black 7")
    assert lying(svg, "played") == ["red 2", "black 7"]
    middle = [group for group in parsed(svg) if group.get("class") != "seat"]
    frames = [rect.get("class") for group in middle for rect in group.iter(f"{SVG}rect")].count("now")
    assert frames == 1, "around the red 2"
    assert {"1", "2"} <= {text.text for text in parsed(svg).findall(f"{SVG}text")}
    assert "player_1: black 7" in told(svg)
    assert "player_2 plays to the red 2: red or 2 if possible." in told(svg)
    assert "leads" in " ".join(told(seat(svg, 0)))


def test_seats_tell_what_they_have_taken_passed_received_and_lack():
    game = trick_of_three().play("r2 k7").first_legal()
    svg = game.drawn("player_0")
    taken = game.now["points"][0]
    assert f"{taken} points" in told(seat(svg, 0))
    assert {"passed", "received", "played", "total 0 of 200"} <= set(told(seat(svg, 0)))
    assert {"passed", "received"}.isdisjoint(told(seat(svg, 1)))
    assert game.now["lacks"][1] == ["red", 2]
    assert told(seat(svg, 1))[-3:] == ["no", "2", "7"], "what it lacks, then what it has played"
    spectator = game.drawn()
    assert {"passed", "received"}.isdisjoint(told(seat(spectator, 0)))


def test_the_red_star_marks_who_is_known_to_hold_it():
    game = Table("r1 r2", "", "")
    assert "star" in shapes(seat(game.drawn("player_1"), 0))
    assert "star" not in shapes(seat(game.play("r1").drawn("player_1"), 0))


def test_the_last_deal_the_limit_and_the_winners_are_shown():
    game = dealt(3, max_deals=1).finish("deal")
    now, svg = game.now, game.drawn()
    assert now["phase"] == "over"
    for each in range(3):
        points = str(now["last_deal"][each]).replace("-", "\N{MINUS SIGN}")
        assert f"total {points} of 200 (last {points})" in told(seat(svg, each))
        assert ("winner" in told(seat(svg, each))) == (each in now["winners"])
    assert "game over at 200" in told(svg)[0]


def test_all_cards_that_a_seat_has_played_stay_in_its_panel():
    view = dealt(3).env.view(None)
    most = [full(f"{colour}{number}") for colour in "bygrk" for number in (1, 9, 10, 11)]
    svg = draw_svg({**view, "played": [most] * 3}, dealt(3).env.config_dict())
    for number in range(3):
        ground, *chips = (rect.attrib for rect in seat(svg, number).findall(f"{SVG}rect"))
        assert len(chips) == 5
        for chip in chips:
            assert float(chip["x"]) + float(chip["width"]) < float(ground["width"])
            assert float(chip["y"]) + float(chip["height"]) < float(ground["height"])
