"""The table as text: the same in colour and without, within 80 columns, and nothing that its reader may not know."""

import re

from tests.games.black_jacky.rigging import (
    DRAW,
    DRAWS,
    KNOCKS,
    NO_TRICK,
    Table,
    deal,
    lay,
    losing,
    one_round,
    plus_one,
    tip,
    worked_example,
)


def row(text, seat):
    """Return the line of the table that shows this seat."""
    return next(line for line in text.splitlines() if re.search(rf"^│.{{4}}player_{seat} ", line))


def test_a_hand_of_all_cards_fits():
    table = one_round([[8, 8], [7, 7]], max_turns_per_round=127).play(*[DRAWS] * 31)
    assert max(map(len, table.written("player_0").splitlines())) <= 80
    assert "[?] x 17" in table.written("player_0")


def test_own_sum_counts_as_in_the_settlement_and_others_show_what_lies_open():
    table = one_round([[8, 7], [5, 6], [6, 4]], draw=[1, 2])
    table.play((lay(8), DRAW), (lay(5), DRAW), (plus_one(1), KNOCKS[1]))
    assert row(table.written("player_0"), 0).endswith("[1] [7]         [8] [+1]        17.1        │")
    assert row(table.written("player_1"), 1).endswith("[2] [6]         (5)             8.0         │")
    assert row(table.written(), 0).endswith("[?] [?]         [8] [+1]        9.1 + ?     │")
    assert row(table.written(), 1).endswith("[?] [?]         (5)             ?           │")


def test_the_round_that_ends_after_this_turn_is_announced():
    assert "the round ends after this turn" in one_round([[1, 8], [4, 4]]).play(lay(1)).written()


def test_a_settlement_is_laid_open_until_the_next_move():
    table = worked_example()
    before, settlement = table.written().split("Settlement of round 1")
    assert "[8]" not in before
    rows = [row(settlement, seat) for seat in range(3)]
    assert [line.split("player_")[1].split() for line in rows] == [
        ["0", "[5]", "[7]", "[8]", "20.1", "│"],
        ["1", "[5]", "[8]", "[6]", "[+1]", "20.0", "│"],
        ["2", "[2]", "[6]", "[7]", "[6]", "21.0", "bust", "│"],
    ]
    assert ["-♥" in line for line in rows] == [False, False, True]
    assert "Settlement" not in table.play(NO_TRICK).written()


def test_tips_and_black_hearts_are_shown():
    decks = [losing([1], range(4)), losing([2], [0, 2, 3], start=2), deal({0: [8, 8], 1: [7, 7], 3: [6, 6]}, start=3)]
    table = Table(decks, players=4, hearts=1).knock_all()
    text = table.written("player_1")
    assert "player_1 tips who will lose a heart in this round." in text
    assert "·      wanted" in row(text, 1)
    assert "wanted      tips player_2" in row(table.play(tip(1)).written(), 1)
    table.knock_all()
    assert "♡      saloon" in row(table.written(), 1)
    assert "♥      saloon" in row(table.written(), 0)
    assert "black heart, the last chance" in table.written()


def test_options_that_are_not_the_sheets_are_named():
    assert "bust at" not in one_round([[1, 2], [3, 4]]).written()
    text = one_round([[1], [3]], hand_size=1, bust_at=15, tricks=[1, 2], max_turns_per_round=None, max_card=5).written()
    assert "cards 1..5 · bust at 15 · hands of 1 · tricks 1 2 · no turn limit" in text
