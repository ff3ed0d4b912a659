"""Deals, tricks and scoring of Schwarze Katze, rule by rule."""

from itertools import pairwise

import numpy as np
import pytest

from blackjacky_env import schwarze_katze_v0
from blackjacky_env.games import trick_taking
from tests.envs.playing import fresh
from tests.games.schwarze_katze.rigging import CARDS, Table, in_game

TABLES = {
    3: (6, "2C"),
    4: (8, ""),
    5: (5, "2C 2D"),
    6: (6, "2C 2D 2S 3C"),
    7: (7, "2C 2D 2S"),
    8: (8, "2C 2D 2S 3C"),
    9: (9, "2C 2D 2S 3C 3D 3S 4C"),
    10: (10, "2C 2D"),
}
"""By players: deals if nothing is said (K7), and the cards that are taken out (K2)."""

# Whole suits: three hands that follow nobody but themselves.
CLUBS, DIAMONDS, HEARTS, SPADES = (" ".join(card for card in CARDS if card.endswith(suit)) for suit in "CDHS")
SUITS = CLUBS, DIAMONDS, HEARTS, SPADES


@pytest.mark.parametrize("players", TABLES)
def test_the_lowest_cards_that_are_not_hearts_are_taken_out_and_hands_are_equal(players):
    """K2, with the table of the rules; K7: all deal equally often in 5 deals or more."""
    env = fresh(players, "schwarze_katze", num_players=players)
    hands, (deals, taken_out) = env.snapshot()["hands"], TABLES[players]
    assert {len(hand) for hand in hands} == {52 // players}
    assert sorted(card for hand in hands for card in hand) == sorted(in_game(players))
    assert set(CARDS) - set(in_game(players)) == set(taken_out.split())
    assert env.config_dict()["deals"] == deals


@pytest.mark.parametrize("players", [3, 7, 10])
def test_the_player_left_of_the_dealer_leads_and_the_deal_goes_round(players):
    """K3, K7: with the default number of deals all deal equally often."""
    env = schwarze_katze_v0.env(num_players=players)
    env.reset(seed=1, options={"start_player": 1})
    dealers = []
    while not all(env.terminations.values()):
        now = env.snapshot()
        if now["trick"] == 0 and not now["table"]:
            assert now["leader"] == now["player"] == (now["dealer"] + 1) % players
            dealers.append(now["dealer"])
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    assert dealers == [deal % players for deal in range(len(dealers))]
    assert {dealers.count(seat) for seat in range(players)} == {len(dealers) // players}


FOLLOWED = [
    ([CLUBS[:12] + " 2H QS AD", "", "", ""], "", {}, None),  # K3: any card may be led, hearts and the queen, too
    (["5C", "2C AC KD 3S", "", ""], "5C", {}, "C"),  # K4: the suit must be followed, but nobody has to win
    (SUITS, "5C", {}, None),  # K4: without it any card may be played
    (SUITS, "5C AD", {}, None),
    (["2H 3H 4C", "", "", ""], "", {"piatnik_heart_lead": True}, "CDS"),  # K9: hearts are led only ...
    *(([HEARTS[3:] + other, "", "", ""], "", {"piatnik_heart_lead": True}, "CDS") for other in (" 4C", " 4S")),
    ([HEARTS, CLUBS, DIAMONDS, SPADES], "", {"piatnik_heart_lead": True}, None),  # by who holds nothing else
    ([CLUBS, HEARTS, DIAMONDS, SPADES], "2C", {"piatnik_heart_lead": True}, None),  # thrown off they may be
]


@pytest.mark.parametrize(("hands", "cards", "options", "suits"), FOLLOWED)
def test_the_led_suit_must_be_followed_and_with_piatnik_hearts_are_led_last(hands, cards, options, suits):
    """K3, K4, K9; ``suits``: those of the hand that are legal, None: the whole hand."""
    table = Table(*hands, **options).play(cards)
    assert table.legal == {card for card in table.now["hands"][table.now["player"]] if card[-1] in (suits or "CDHS")}


def test_the_highest_card_of_the_led_suit_wins_whatever_else_is_played_and_leads_the_next_trick():
    """K1, K3, K5: there is no trump, and the ace is high; the table is empty at once."""
    Table(*SUITS).play("2C AD AH AS").shows(tricks_taken=[1, 0, 0, 0])
    spades = SPADES.split()
    for low, high in pairwise(spades):
        Table(low, high, CLUBS, HEARTS).play(f"{low} {high} AC AH").shows(tricks_taken=[0, 1, 0, 0])
    table = Table("2C", "3C", "AC", "4C").play("2C 3C AC 4C")
    table.shows(leader=2, player=2, table=[], trick=1, tricks_taken=[0, 0, 1, 0])


def test_an_illegal_card_is_refused_in_the_words_of_the_game_and_changes_nothing():
    table = Table("5C", "3C AD", "QS", "", "").play("5C")
    table.refuses("AD", "clubs were led and there are clubs in the hand (K4)").refuses("QS", "not in the hand")
    table.refuses("2D", "with 5 players it is not in the game (K2)")
    table = Table("2H 3H 4C", "", "", "", piatnik_heart_lead=True)
    table.refuses("2H", "a heart may be led only by a player who holds nothing else (K9)")


@pytest.mark.parametrize("ace", [10, 11])
def test_hearts_count_their_numbers_and_the_queen_of_spades_40(ace):
    """K6; the 50 comes only at the end of the deal, and who takes everything gets no bonus: 135 - 50 k in all."""
    points, taken = [2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, ace], 0
    table = Table(*SUITS, heart_ace=ace)
    for i, (club, diamond, heart, spade) in enumerate(zip(*map(str.split, SUITS), strict=True)):
        taken += points[i] + 40 * (spade == "QS")
        table.play(f"{club} {diamond} {heart} {spade}")
        if i < 12:
            table.shows(penalties=[taken, 0, 0, 0], totals=[0, 0, 0, 0])
            assert table.rewards() == [0, 0, 0, 0]
    assert taken == 124 + ace
    table.shows(last_deal=[taken, -50, -50, -50], totals=[taken, -50, -50, -50])
    assert table.rewards() == [-taken, 50, 50, 50]


def test_a_tie_is_shared_and_the_result_sums_to_zero():
    """K8: three players without a trick."""
    table = Table(*SUITS, reward="win").finish().shows(winners=[1, 2, 3])
    assert table.rewards() == pytest.approx([-1, 1 / 3, 1 / 3, 1 / 3])


def void(table, observer):
    """The suits that a seat is known to this observer not to have."""
    voids, players = np.reshape(table.seen(observer)["voids"], (10, 4)), len(table.now["hands"])
    suits = ("".join(suit for suit, none in zip("CDHS", seat, strict=True) if none) for seat in voids)
    return {(observer + place) % players: none for place, none in enumerate(suits) if none}


def test_who_does_not_follow_is_known_to_have_none_of_the_suit():
    """K4; K9: with Piatnik who leads a heart has nothing else."""
    hands = "AC KC 3C 4C 5C 5D", "QC JC 6C 7C 8C 6D", "2C 9C 10C 7D QS", "8D 9D 10H 2H 3H"
    table = Table(*hands).play("AC QC 2C 10H")
    assert [void(table, observer) for observer in (3, 0)] == [{3: "C"}] * 2
    for options, known in (({"piatnik_heart_lead": True}, {0: "CDS"}), ({}, {})):
        assert void(Table(HEARTS, "", "", "", **options).play("AH"), 1) == known


def test_a_pile_is_dealt_before_the_seats_in_games_that_have_one():
    s = fresh(game="schwarze_katze", num_players=4)._states[0]
    trick_taking.deal_shuffled(s, 3, 99, np.uint64(1))
    assert [int((s["where"] == place).sum()) for place in (99, 0, 1, 2, 3)] == [3, 13, 12, 12, 12]
