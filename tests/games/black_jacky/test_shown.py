"""The picture of the table: all that its viewer may know, and nothing more. Playthroughs show it as text."""

import pytest

from blackjacky_env import black_jacky_v0
from blackjacky_env.draw.picture import draw_svg
from tests.drawings import cards, seat, shapes, told
from tests.games.black_jacky.rigging import DRAWS, NO_TRICK, exchange, give, one_round, swap_discard, worked_example
from tests.games.tables import positions

pytestmark = pytest.mark.prove


@pytest.mark.parametrize("options", [{"num_players": 2}, {"num_players": 5}, {"num_players": 6, "hearts": 1}])
def test_all_cards_of_the_own_hand_are_drawn_and_those_of_others_are_face_down(options):
    for now in positions(black_jacky_v0.env(**options), seed=3, every=7):
        table = now.snapshot()
        if table["phase"] == "over" or not table["turn"]:  # the last settlement is laid open
            continue
        for owner, agent in enumerate(now.possible_agents):
            svg = draw_svg(now.unwrapped.scene(agent))
            assert cards(svg) == [(str(card), str(owner)) for card in table["hands"][owner]]
            for other, hand in enumerate(table["hands"]):
                assert ("paw" in shapes(seat(svg, other))) == (other != owner and hand != [])


def test_a_hand_of_all_cards_stays_in_its_panel():
    table = one_round([[8, 8], [7, 7]], max_turns_per_round=127).play(*[DRAWS] * 31)
    own = seat(table.drawn("player_0"), 0)
    lefts = [float(group.get("transform", "(0 0)").split("(")[1].split()[0]) for group in own if group.get("data-card")]
    assert len(lefts) == 18
    assert max(lefts) + 52 <= 620
    assert max(map(len, table.written("player_0").splitlines())) <= 80


def test_a_known_card_of_a_hidden_hand_shines_through_its_back_and_a_given_one_is_seen_by_its_giver_only():
    table = one_round([[8, 5], [7, 7], [6, 6]], top=2).play(NO_TRICK, swap_discard(8))
    agents = ("player_0", "player_1", None)
    assert [table.drawn(agent).count('opacity="0.7"') for agent in agents] == [0, 1, 1]
    table = one_round([[3, 1], [6, 7], [8, 8]]).play(exchange(0, 1), give(1))
    assert ["player_0 has given 1." in " ".join(told(table.drawn(agent))) for agent in agents] == [True, False, False]


def test_a_settlement_is_laid_open_until_the_next_move():
    table = worked_example()
    assert "before 21.0 bust" in told(seat(table.drawn(), 2))
    assert "before" not in " ".join(told(table.play(NO_TRICK).drawn()))
