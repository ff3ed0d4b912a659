"""Deals, passing, tricks and scoring of Black Spy, rule by rule; the variants are in `test_variants.py`."""

from collections import Counter

import numpy as np
import pytest

from blackjacky_env import black_spy_v0
from tests.envs.playing import fresh
from tests.games.black_spy import rigging
from tests.games.black_spy.rigging import MYSELF, OTHERS, Table, dealt, laid_out, last_card, moon, shoot, shooter


@pytest.mark.parametrize("players", rigging.SIZES)
def test_all_60_cards_are_dealt_and_hands_are_equal(players):
    """B1, B2: four colours from 1 to 11, and sixteen black cards with six 7s."""
    hands = fresh(players, "black_spy", num_players=players).snapshot()["hands"]
    assert [len(hand) for hand in hands] == [rigging.SIZES[players]] * players
    assert sorted(rigging.short(card) for hand in hands for card in hand) == sorted(rigging.DECK)
    assert Counter(card[0] for card in rigging.DECK) == {"b": 11, "y": 11, "g": 11, "r": 11, "k": 16}
    assert Counter(rigging.DECK) - Counter(set(rigging.DECK)) == {"k7": 5}


ACROSS_LAST, ACROSS_SECOND, LEFT = "left_right_across", "left_across_right", "left"
DIRECTIONS = [
    *((4, ACROSS_LAST, deal, places) for deal, places in ((0, 1), (1, 3), (2, 2), (3, 1))),
    *((players, ACROSS_LAST, deal, places) for players in (3, 5, 6) for deal, places in ((1, players - 1), (2, 1))),
    (5, ACROSS_SECOND, 1, 4),
    *((4, ACROSS_SECOND, deal, places) for deal, places in ((1, 2), (2, 3))),
    *((players, LEFT, 1, 1) for players in rigging.SIZES),
]


@pytest.mark.parametrize(("players", "cycle", "deal", "places"), DIRECTIONS)
def test_three_cards_of_everybody_go_to_the_player_in_that_direction(players, cycle, deal, places):
    """B3, O2: chosen clockwise from the dealer's left, all at once when the last one has chosen."""
    game = dealt(players, first=1, pass_cycle=cycle).arrange(deal_number=deal)
    before = [game.hand(p) for p in range(players)]
    given = [[hand[0], hand[4], hand[-1]] for hand in before]
    for i in range(players):
        game.shows(asked=("pass", (1 + i) % players))
        assert [game.hand(p) for p in range(players)] == before
        game.play(" ".join(given[(1 + i) % players]))
    for p in range(players):
        received = given[(p - places) % players]
        assert Counter(game.hand(p)) == Counter(before[p]) - Counter(given[p]) + Counter(received)
        assert [rigging.short(card) for card in game.now["passed"][p]] == given[p]
        assert [rigging.short(card) for card in game.now["received"][p]] == received


def test_any_card_of_the_hand_may_be_passed_but_none_twice():
    """B3, O2: black 7s as often as they are held."""
    game = Table("k7 k7 k7 k7 b5", "", "", "", passed=False)
    assert game.legal == set(game.hand(0))
    assert "k7" in game.play("k7 k7").legal
    game = Table("k7 k7 b5", "", "", "", passed=False).play("b5 k7")
    assert "k7" in game.legal
    game.refuses("b5", "it has been chosen to be passed already (B3)")
    game = Table("k7 k7 b5", "", "", "", passed=False).play("k7 k7")
    game.refuses("k7", "it has been chosen to be passed already (B3)")
    game.refuses("k1", "it is not in the hand")
    game.refuses("call green", "the choice now is a card to pass (B3)")


def test_black_7s_that_are_passed_lie_with_the_receiver():
    """B3: as many as were chosen; the only one of a hand can be played, whoever gave it."""
    game = Table("k7 k7 k7 k7", "k7", "", "k7 b1", passed=False).play("k7 k7 k7")
    for p in (1, 2, 3):
        game.play(" ".join(game.hand(p)[:3]))
    assert [game.hand(p).count("k7") for p in range(4)] == [1, 4, 0, 1]
    for giver in range(4):
        receiver = (giver + 1) % 4
        hands = ["k7" if p == receiver else f"b{p + 1}" for p in range(4)]
        game = laid_out(*hands, player=receiver, passed=[(giver, receiver, "k7")]).play("k7")
        assert game.hand(receiver) == []


def test_a_black_7_that_was_passed_to_a_lower_seat_can_be_played():
    """B3: it is the second of two, so that it is not the card by which the others are named."""
    game = Table("b1 b2 b3 r1 r11", "k7", "", "y1 y2 k7", passed=False).play("b1 b2 b3")
    for p in (1, 2):
        game.play(" ".join(game.hand(p)[:3]))
    game.play("y1 y2 k7").play("r11").first_legal(3).shows(asked=("play", 0))
    assert "k7" in game.legal == set(game.hand(0))


def test_the_holder_of_the_red_1_and_then_the_winner_of_a_trick_lead_with_any_card_but_a_black_one_first():
    """B4; the table is empty at once."""
    game = Table("", "", f"r1 {rigging.BLACKS[:40]}", "", first=3).shows(asked=("play", 2), leader=2, red_star=2)
    assert game.legal == {card for card in game.hand(2) if card[0] != "k"}
    game.refuses("k11", "not led with a black card (B4)")
    game = Table("b1 b2 b3", "r1 y2 y3", "g1 g2 g3", "k1 k2 k3", passed=False)  # it counts where it is after passing
    game.play("b1 b2 b3 r1 y2 y3 g1 g2 g3 k1 k2 k3").shows(asked=("play", 2))
    game = Table("r1 r5", "r4", "r9 k3", "r2").play("r5 r4 r9 r2").shows(leader=2, player=2, trick=1, table=[])
    assert game.legal == set(game.hand(2)) > {"k3"}


def test_the_player_left_of_the_dealer_leads_if_that_is_the_rule():
    """B4, O4: option opener; whoever holds nothing but black may lead it."""
    game = Table("r1", "", f"b1 {rigging.BLACKS[:40]}", "", first=2, opener="left_of_dealer")
    game.shows(asked=("play", 2), red_star=None)
    assert game.legal == {card for card in game.hand(2) if card[0] != "k"}
    game = Table(rigging.BLACKS[:-12], "r1", "", "", "", opener="left_of_dealer")
    game.shows(asked=("play", 0), legal="k11 k10 k9 k8 k7 k6 k5")
    for card in ("b1", "r11"):
        laid_out(f"k1 {card} k11", "b2 b3 b4", "y1 y2 y3", trick=0, opener="left_of_dealer").shows(legal=card)


RED_5, BLACK_7 = ("r1 r5", "r5"), ("r1 r11 k7", "r11 r2 r3 r4 k7")
BLACK_5 = ("r1 r11 k5 k7 k7 k7 k7 k7", "r11 r2 r3 r4 k5")


@pytest.mark.parametrize(
    ("led", "hand", "legal"),
    [
        (RED_5, "r2 r11 b5 k5 b6 k6 b1 b2 b3 b4 b8 b9 b10 b11 g1", "r2 r11 b5 k5"),  # colour or number, as one likes
        (RED_5, rigging.COLOURLESS, rigging.COLOURLESS),  # neither: any card, black ones in the first trick too (B4)
        *((RED_5, rigging.COLOURLESS.replace("k1", card), card) for card in ("b5", "k5", "r11")),  # one card binds
        *((("r1 r7", "r7"), rigging.COLOURLESS[3 * n :] + " k7" * n, "k7") for n in (1, 3)),  # a black 7 is a 7
        *((("r1 r7" + " k7" * n, "r7"), rigging.COLOURLESS.replace("k1", "k7"), "k7") for n in (1, 5)),  # any of six
        (BLACK_7, "r2 k7 b7 k3 y5 b1 b2 b3 b4 b5 b6 b8 b9 b10 b11", "k7 b7 k3"),  # and black
        (BLACK_5, rigging.COLOURLESS.replace("k1 k2 k3", "r2 b1 k7"), "k7"),
    ],
)
def test_the_led_colour_or_the_led_number_must_be_followed(led, hand, legal):
    """B5: of 15 cards."""
    hands, cards = led
    Table(hands, hand, "r3", "r4").play(cards).shows(legal=legal)


WINNERS = {
    0: "b5 b4 b3 b2, b5 y5 g5 k5, y1 k1 b1 g1, k7 b7 y7 g7, b7 k7 k7 k7, g11 b11 k11 y11, k7 k7 k7 k7, k7 k6 k7 k7",
    1: "b1 b2 k1 y1, b10 b11 g10 y10, k6 k7 k7 k5",
    2: "b5 b4 b11 b10, g5 y5 g6 k5, k5 b5 k6 k4, k6 k5 k7 k7, k7 k7 k8 k7",
    3: "b2 b3 b4 b5, k6 k5 k4 k7, k7 b7 k7 k9",
}
"""By the place of the winner: the cards of a trick. The number may be followed, but does not win."""


@pytest.mark.parametrize(
    ("cards", "winner"), [(each, p) for p, tricks in WINNERS.items() for each in tricks.split(", ")]
)
def test_the_highest_card_of_the_led_colour_wins_and_the_first_of_several_black_7s(cards, winner):
    """B6: in the second trick of four players."""
    led, *others = cards.split()
    hands = [f"r1 r11 {led}", *(f"{red} {card}" for red, card in zip(("r2", "r3", "r4"), others, strict=True))]
    Table(*hands).play(f"r11 r2 r3 r4 {cards}").shows(trick=2, leader=winner)


POINTS = {
    **{f"k{rank}": 1 for rank in range(1, 7)},
    **{"k7": 10, "k8": 2, "k9": 3, "k10": 4, "k11": 5},
    **dict.fromkeys(["b7", "y7", "g7", "r7"], -5),
}


def test_every_card_has_its_points():
    """B7: 80 for the black cards, -20 for the coloured 7s."""
    assert sum(POINTS.get(card, 0) for card in rigging.DECK) == 60
    for card in rigging.KINDS:
        others = (other for other in ("b2", "y3", "g4", "r5", "b6", "y8", "g9", "r10") if other[0] != card[0])
        one, two, *rest = (other for other in others if other[1:] != card[1:])
        game = laid_out(f"{card} {rest[0]}", f"{one} {rest[1]}", f"{two} {rest[2]}").play(f"{card} {one} {two}")
        game.shows(points=[POINTS.get(card, 0), 0, 0])


def test_who_takes_all_black_cards_scores_0_and_everybody_else_60():
    """B8: the shooter's coloured 7s do not count, either."""
    game = shoot(shooter()).shows(last_deal=[0, 60, 60], totals=[0, 60, 60])
    assert game.rewards() == [0, -60, -60]
    for seat in range(3):
        moon((0, 0, 0), seat).shows(last_deal=[60 * (p != seat) for p in range(3)])


@pytest.mark.parametrize("spies", [(4, 0, 0), (1, 3, 0), (0, 1, 3), (2, 1, 1)])
def test_coloured_7s_of_the_others_count_minus_five_even_then(spies):
    """B8: 60 (n - 1) - 5 (4 - s) in all."""
    moon(spies).shows(last_deal=[0, 60 - 5 * spies[1], 60 - 5 * spies[2]])


def test_all_black_cards_of_a_deal_are_needed():
    """B8: fifteen are not all, player_1 takes the black 1; of a small deck one may be all."""
    others = "y1 y2 y3 y4 y5 y6 y7 y8 y9 y10 g1 g2 g3 g4 g5 g6 g7 g8 g9"
    game = Table(f"b1 r11 r10 r9 r8 {rigging.BLACKS[:-3]}", "r1 b11", f"k1 {others}").play("b11 k1 b1 r1 y1 r11")
    for card in rigging.BLACKS[:-3].split():
        game.play(card)
        for _ in range(2):
            game.play(min(game.legal, key=rigging.KINDS.index))
    game.shows(black_taken=[15, 1, 0]).finish("deal").shows(last_deal=[79 - 20, 1, 0])
    deck = [*(f"{colour} {rank}" for colour in ("blue", "red") for rank in range(1, 5)), "black 7"]
    env, rng = black_spy_v0.env(num_players=3, max_deals=1, deck=deck), np.random.default_rng(0)
    env.reset(seed=0)
    while not env.terminations[env.agent_selection]:
        env.step(rng.choice(np.flatnonzero(env.last()[0]["action_mask"])))
    assert sorted(env.snapshot()["last_deal"]) == [0, 60, 60]


@pytest.mark.parametrize(("players", "limit"), rigging.LIMITS.items())
@pytest.mark.parametrize("short_by", [-1, 0, 1])
def test_the_game_ends_after_the_deal_in_which_a_total_reaches_the_limit(players, limit, short_by):
    """B9: a total that is one point short does not end it."""
    points = last_card(players).first_legal().now["last_deal"]
    for p in range(players):
        totals = [(limit - points[p] - short_by) * (q == p) for q in range(players)]
        game = last_card(players).arrange(totals=totals).first_legal().shows(deal=int(short_by > 0))
        assert game.now["totals"][p] == limit - short_by
        assert (game.now["phase"] == "over") == (game.now["player"] is None) == (short_by <= 0)


def test_the_lowest_total_wins_at_last_after_max_deals():
    """B9: not who took the fewest points in the last deal."""
    game = last_card(4, max_deals=1, reward="win").arrange(totals=[-20, -90, -70, 10]).first_legal().shows(winners=[1])
    assert game.now["totals"][1] == min(game.now["totals"])
    assert game.rewards() == pytest.approx([-1 / 3, 1, -1 / 3, -1 / 3])
    game = last_card(5, max_deals=2).first_legal().shows(phase="pass", deal=1)
    totals = game.finish("deal").shows(phase="over", deal=1).now["totals"]
    assert max(totals) < rigging.LIMITS[5]
    game.shows(winners=[p for p in range(5) if totals[p] == min(totals)])


def test_other_actions_are_refused_with_what_is_asked():
    game = Table("r1 r5", "r2 b6", "", "").play("r5")
    for action, name in ((58, "call red"), (59, OTHERS), (60, MYSELF)):
        game.refuses(name, f"(action {action}) is illegal: the choice now is a card to play (B5)")
    game.refuses("k11", "it is not in the hand")
    game.refuses("b6", "red 5 was led; of the hand, only red cards and 5s follow (B5)")
