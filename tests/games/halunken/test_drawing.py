"""The picture of the table: well-formed, with all that lies open, and nothing that is secret."""

import numpy as np
import pytest

from blackjacky_env import halunken_v0
from blackjacky_env.games.halunken.drawing import draw_svg
from blackjacky_env.games.halunken.words import PHASES
from tests.drawings import SVG, assert_apart, boxes, cards, parsed, positions, seat, shapes, told, views
from tests.games.halunken.rigging import Table

TABLES = [
    {"num_players": 4},
    {"num_players": 3, "rob_count": "before_pick", "three_games": True},
    {"num_players": 4, "variant": "basic"},
    {"num_players": 2},
    {"num_players": 2, "duel_black_jack": "standard"},
]


def drawn(table, agent=None, **options):
    return draw_svg(table.env.view(agent), table.env.config_dict(), **options)


def fields(svg):
    """Return the groups of the fields, in order."""
    found = [group for group in parsed(svg).findall(f"{SVG}g") if group.get("data-kind") == "field"]
    return sorted(found, key=lambda group: int(group.attrib["data-number"]))


def labels(svg, number):
    """Return the words on the upper edge of a seat's panel."""
    return {"buyer", "robs", "robbed", "overtaken", "winner"} & set(told(seat(svg, number)))


@pytest.mark.parametrize("options", TABLES)
def test_every_view_of_a_game_is_drawn_with_its_seats_apart(options):
    env = halunken_v0.env(**options)
    for now in positions(env, seed=3, every=5):
        for view in views(now):
            svg = draw_svg(view, now.config_dict())
            assert len(boxes(svg)) == options["num_players"]
            assert_apart(boxes(svg))
            assert len(fields(svg)) == 14
            assert len(svg) < 30_000


def test_every_phase_occurs_in_these_games():
    phases = {
        now.view(None)["phase"]
        for options in TABLES
        for seed in range(3)
        for now in positions(halunken_v0.env(**options), seed=seed)
    }
    assert phases == set(PHASES.values())


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


@pytest.mark.parametrize("options", TABLES)
def test_positions_that_differ_in_what_is_hidden_are_drawn_alike(options):
    rng, other = np.random.default_rng(0), halunken_v0.env(**options)
    secrets = 0
    for env in positions(halunken_v0.env(**options), seed=5, every=2):
        other.set_state(halunken_v0.sample_state(env.observe("player_0")["observation"], rng))
        seen = {**env.view("player_0"), "last_game": None}
        hidden = {**other.view("player_0"), "last_game": None}
        secrets += env.snapshot()["choices"] != other.snapshot()["choices"]
        assert draw_svg(hidden, other.config_dict()) == draw_svg(seen, env.config_dict())
    assert secrets


def test_a_card_chosen_in_secret_lies_face_down_but_for_its_owner():
    svgs = []
    for choice in ("move 3", "move 5"):
        table = Table(0, 3, 6, jack=9).nobody_bids()
        chooser = table.now["player"]
        table.play(choice)
        svgs.append([drawn(table, f"player_{each}") for each in range(3)])
    others = [each for each in range(3) if each != chooser]
    assert [svgs[0][each] for each in others] == [svgs[1][each] for each in others]
    assert svgs[0][chooser] != svgs[1][chooser]


def test_the_cards_laid_lie_side_by_side_and_cancelled_ones_are_struck():
    table = Table(0, 3, 6, jack=9).nobody_bids()
    for choice in ("move 4", "move 4", "move Rum"):
        table.play(choice)
    svg = drawn(table)
    assert table.asked[0] == "name"
    assert svg.count('<path d="M22 43 56 1"') == 2
    assert "bottle" in shapes(parsed(svg))
    assert f"{drawn(table.play('name 2'))}".count("anchor") < svg.count("anchor") + 1


def robbery():
    """Player_0 has landed on player_1, who has as many cards (H7), and player_2 is still to move."""
    table = Table(0, 3, 8, taverns={3: "R4 R5 R6", 0: "Y1 Y2 Y3"}, variant="basic")
    return table.play("move 3", "move 7", "move 5")
