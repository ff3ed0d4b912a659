"""The observation of Black Spy: all that a player may know, seen from the own seat, and nothing else (O3)."""

import pytest

from blackjacky_env.games.black_spy.rules import kind_of
from tests.games.black_spy.rigging import CARDS, KINDS, Table, cards_of, last_card, short


def test_black_7s_that_were_passed_are_counted_down_as_the_receiver_plays_any():
    """O3: the receiver had one before; nobody can tell them apart, and the count stops at 0; those of others stay."""
    game = Table("k7 k7 b1", "k7 r1 r11 b5 b6 b7", "", passed=False).play("k7 k7 b1 b5 b6 b7").first_legal(3)
    known = [cards_of(game.seen(0)["passed"])]
    for card in ("r11", "k7", "k7", "k7"):
        game.play(card).first_legal(2)
        assert game.now["leader"] == 1
        known.append(cards_of(game.seen(0)["passed"]))
    assert known == [["b1", "k7", "k7"], ["b1", "k7", "k7"], ["b1", "k7"], ["b1"], ["b1"]]
    assert cards_of(game.seen(1)["received"]) == ["b1", "k7", "k7"]
    game = Table("k7 r1 r11 k7 b1 b2", "b3 b4 b5", "b6 b8 b9", passed=False).play("k7 b1 b2 b3 b4 b5 b6 b8 b9")
    game.play("r11").first_legal(2).play("k7")
    assert cards_of(game.seen(0)["passed"]) == ["b1", "b2", "k7"]


LACKS_RED_5 = "k1 k2 k3 y1 y2 y3 y4 y6 y8 y10 g1 g2 g3 g4"


R, LAST = {"rank_follow": True}, {"rank_follow": True, "rank_follow_strict": True}


@pytest.mark.parametrize(
    ("others", "options", "played", "lacks"),
    [
        *(("b9", {}, f"r5 r9 {card}", ["r", 5]) for card in ("k1", "y1", "y10", "b9")),  # neither colour nor number
        *((f"{card} r8", {}, f"r5 r9 {card}", []) for card in ("r6", "b5", "k5")),
        *(("b9", options, "r5 r9 b9", []) for options in (R, LAST)),  # V5: the last number
        ("b9", R, "r5 r9 y10", ["r", 5]),  # it need not be followed
        ("b8", LAST, "r5 r11 k1", ["r", 5, 11]),  # unless that is strict
        ("b8", {"rank_follow_strict": True}, "r5 r11 k1", ["r", 5]),  # which without its parent has no effect
    ],
)
def test_who_follows_neither_colour_nor_number_is_known_to_have_none_of_them(others, options, played, lacks):
    """O3, V5: player_3, then player_0, play to the red 5."""
    hand = f"{others} {LACKS_RED_5}".split()[:15]
    game = Table(" ".join(hand), "b1", "r1 r5", played.split()[1], **options).play(played)
    for _ in range(2):
        game.shows(lacks=[[{"r": "red"}.get(lack, lack) for lack in lacks], [], [], []])
        game.first_legal()


def test_the_state_vector_says_where_every_card_is_and_has_no_traces_of_earlier_deals():
    """V2, V3; the last five card numbers are black 7s (B1)."""
    assert [KINDS[kind_of(card)] for card in range(60)] == CARDS
    game = last_card(3, mole=True).arrange(moon=60, taken_at=[3] * 60).first_legal()
    parts, now = game.state_parts(), game.now
    for place, cards in [*enumerate(now["hands"]), (16, now["pile"])]:
        lying = [card for card, where in zip(CARDS, parts["where"], strict=True) if where == place]
        assert sorted(lying) == sorted(map(short, cards))
    cleared = {"taken_at": [0] * 60, "passed_by": [-1] * 60, "table": [-1] * 6, "moon": 0, "called": -1, "star": -1}
    cleared |= {"leader": -1, "picks": 0, "trick": 0, "deal_number": 1, "deals": 2}
    assert {name: parts[name] for name in cleared} == cleared
    assert game.seen(0)["called"] == 0
    game = last_card(3, mole=True, max_deals=1).arrange(taken_at=[3] * 60).first_legal().shows(phase="over")
    assert not any(game.state_parts()["taken_at"])
