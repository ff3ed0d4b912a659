"""The picture of the table: well-formed, with all that its viewer may know, and nothing more."""

from blackjacky_env.games.black_jacky.drawing import draw_svg
from tests.drawings import boxes, cards, seat, shapes, told
from tests.games.black_jacky.rigging import (
    DRAW,
    DRAWS,
    KNOCK,
    KNOCKS,
    NO_TRICK,
    Table,
    deal,
    exchange,
    give,
    lay,
    losing,
    one_round,
    plus_one,
    swap_discard,
    tip,
    worked_example,
)

MINUS = "\N{MINUS SIGN}"


def test_a_hand_of_all_cards_stays_in_its_panel():
    table = one_round([[8, 8], [7, 7]], max_turns_per_round=127).play(*[DRAWS] * 31)
    assert "x 17" in told(seat(table.drawn("player_0"), 1))
    own = seat(table.drawn("player_0"), 0)
    lefts = [float(group.get("transform", "(0 0)").split("(")[1].split()[0]) for group in own if group.get("data-card")]
    assert len(lefts) == 18
    assert max(lefts) + 80 <= 620


def test_a_known_card_of_a_hidden_hand_shines_through_its_back():
    env = one_round([[8, 5], [7, 7], [6, 6]], top=2).play(NO_TRICK, swap_discard(8)).env
    assert [env.draw(agent).count('opacity="0.7"') for agent in ("player_0", "player_1", None)] == [0, 1, 1]
    assert "[2] [?]" in env.draw_text("player_1")


def test_the_own_hand_lies_below_and_can_be_clicked():
    table = one_round([[1, 2], [8, 8], [7, 7]], top=3)
    assert cards(table.drawn("player_1")) == [("8", "1"), ("8", "1")]
    assert cards(table.drawn("player_2")) == [("7", "2"), ("7", "2")]
    assert cards(table.drawn()) == []
    own, others = boxes(table.drawn("player_1"))[-1], boxes(table.drawn("player_1"))[:-1]
    assert all(own[1] > other[1] for other in others)


def test_cards_that_others_hold_are_face_down():
    table = one_round([[1, 2], [8, 8], [7, 7]], top=3)
    for q in (1, 2):
        assert shapes(seat(table.drawn("player_0"), q)).count("back") == 2
        assert told(seat(table.drawn("player_0"), q)) == [f"player_{q}"]
    everything = draw_svg(table.env.snapshot(), table.env.config_dict())
    assert told(seat(everything, 1)) == ["player_1", "8", "8", "16.0"]
    assert "all cards open" in told(everything)


def test_seats_show_turn_hearts_knocks_and_last_turns():
    svg = one_round([[7, 7], [8, 8], [6, 6]]).play(KNOCKS, KNOCKS).drawn("player_0", last_action="player_1: knock")
    assert "first knock" in told(seat(svg, 0))
    assert "knocked" in told(seat(svg, 1))
    assert "last turn" in told(seat(svg, 2))
    assert [shapes(seat(svg, q)).count("heart") for q in range(3)] == [3, 3, 3]
    assert [any(rect.get("class") == "panel now" for rect in seat(svg, q)) for q in range(3)] == [False, False, True]
    assert {"player_1: knock", "Last turns: player_2.", "seen by player_0"} <= set(told(svg))


def test_sums_count_as_in_the_settlement_and_others_show_what_lies_open():
    table = one_round([[8, 7], [5, 6], [6, 4]], draw=[1, 2])
    table.play((lay(8), DRAW), (lay(5), DRAW), (plus_one(1), KNOCKS[1]))
    assert told(seat(table.drawn("player_0"), 0)) == ["player_0", "last turn", "17.1", "1", "7", "8", "+1", "laid out"]
    assert told(seat(table.drawn("player_1"), 0)) == ["player_0", "last turn", "8", "+1", "9.1 + ?"]
    assert told(seat(table.drawn("player_0"), 1)) == ["player_1", "last turn", "5"]


def test_a_given_card_is_seen_by_its_giver_only():
    table = one_round([[3, 1], [6, 7], [8, 8]]).play(exchange(0, 1), give(1))
    assert "player_1 chooses a card to give; player_0 has given 1." in told(table.drawn("player_0"))
    for agent in ("player_1", "player_2", None):
        assert "player_1 chooses a card to give; player_0 has given a card." in told(table.drawn(agent))
    assert ["exchanges" in told(seat(table.drawn(), q)) for q in range(3)] == [True, True, False]


def test_a_settlement_is_laid_open_until_the_next_move():
    table = worked_example()
    parts = [told(seat(table.drawn(), q)) for q in range(3)]
    assert parts[1] == ["player_1", "5", "8", "6", "+1", "20.0", "before"]
    assert parts[2][1:] == ["2", "6", "7", "6", MINUS, "21.0 bust", "before"]
    assert "20.1" in parts[0]
    assert "before" not in told(table.play(NO_TRICK).drawn())


def test_when_the_game_is_over_all_hands_lie_open_and_the_winner_is_named():
    svg = worked_example(hearts=1, variant="schnell_duell").drawn()
    assert "player_0 wins." in told(svg)
    assert {"winner", "5", "7", "8", "20.1"} <= set(told(seat(svg, 0)))
    assert told(seat(svg, 2)) == ["player_2", "out", "2", "6", "7", "6", MINUS, "21.0 bust"]
    assert "asleep" in shapes(seat(svg, 2))


def test_tips_posters_and_black_hearts_are_shown():
    decks = [losing([1], range(4)), losing([2], [0, 2, 3], start=2), deal({0: [8, 8], 1: [7, 7], 3: [6, 6]}, start=3)]
    table = Table(decks, players=4, hearts=1).knock_all()
    assert "player_1 tips who will lose a heart in this round." in told(table.drawn())
    svg = table.play(tip(1)).drawn()
    assert told(seat(svg, 1)) == ["player_1", "wanted", "3", "5", MINUS, "8.0 lowest", "tips player_2"]
    svg = table.play(NO_TRICK).drawn()
    assert told(seat(svg, 1)) == ["player_1", "wanted", "tips player_2"]
    assert "poster" in shapes(seat(svg, 1))
    table.play(KNOCK, KNOCKS, KNOCKS)
    assert "last chance" in told(seat(table.drawn(), 1))
    assert "last chance" not in told(seat(table.drawn(), 0))


def test_options_that_are_not_the_sheets_are_named():
    table = one_round([[1], [3]], hand_size=1, bust_at=15, tricks=[1, 2], max_turns_per_round=None, max_card=5)
    assert "cards 1..5 · bust at 15 · hands of 1 · tricks 1 2 · no turn limit" in told(table.drawn())
