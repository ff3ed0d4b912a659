"""The picture of the table: all that its viewer may know, and nothing more. Playthroughs show it as text."""

import pytest

from blackjacky_env import schwarze_katze_v0
from blackjacky_env.draw.picture import draw_svg
from tests.drawings import SVG, assert_apart, boxes, cards, parsed, seat, told
from tests.games.tables import positions

pytestmark = pytest.mark.prove


@pytest.mark.parametrize("players", range(3, 11))
def test_the_cards_of_a_trick_lie_apart_and_of_hands_only_the_own_one_is_drawn(players):
    width, height = (44.2, 66.3) if players <= 4 else (34.3, 51.5) if players < 8 else (28, 42.1)
    for now in positions(schwarze_katze_v0.env(num_players=players, deals=1), seed=1, every=players - 1):
        lying = [(card, str(owner)) for owner, card in now.snapshot()["table"]]
        for owner, agent in [(None, None), *enumerate(now.possible_agents)]:
            svg = draw_svg(now.unwrapped.scene(agent))
            own = [(card, str(owner)) for card in now.snapshot()["hands"][owner]] if agent else []
            assert sorted(cards(svg)) == sorted([*lying, *own])
        groups = [group for group in parsed(svg).findall(f"{SVG}g") if group.get("class") == "card"]
        places = [tuple(map(float, group.attrib["transform"].split("(")[1].split(")")[0].split())) for group in groups]
        assert len(places) == len(lying)
        assert_apart([*((left, top, left + width, top + height) for left, top in places), *boxes(svg)])
    assert {q for q in range(players) if "winner" in told(seat(svg, q))} == set(now.snapshot()["winners"])
