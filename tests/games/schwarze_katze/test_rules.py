"""Deals, tricks and scoring of Schwarze Katze, rule by rule."""

from __future__ import annotations

import numpy as np
import pytest

from blackjacky_env import IllegalActionError, schwarze_katze_v0
from tests.envs.playing import fresh
from tests.games.schwarze_katze.rigging import CARDS, Table, in_game

TAKEN_OUT = {
    3: "2C",
    4: "",
    5: "2C 2D",
    6: "2C 2D 2S 3C",
    7: "2C 2D 2S",
    8: "2C 2D 2S 3C",
    9: "2C 2D 2S 3C 3D 3S 4C",
    10: "2C 2D",
}

# Whole suits: three hands that follow nobody but themselves.
CLUBS, DIAMONDS, HEARTS, SPADES = (" ".join(card for card in CARDS if card.endswith(suit)) for suit in "CDHS")


# ---------------------------------------------------------------- K1, K2: cards


@pytest.mark.parametrize("players", range(3, 11))
def test_the_lowest_cards_that_are_not_hearts_are_taken_out_and_hands_are_equal(players):
    """K2, with the table of the rules."""
    env = fresh(players, "schwarze_katze", num_players=players)
    hands = env.snapshot()["hands"]
    assert {len(hand) for hand in hands} == {52 // players}
    assert sorted(card for hand in hands for card in hand) == sorted(in_game(players))
    assert set(CARDS) - set(in_game(players)) == set(TAKEN_OUT[players].split())


# ---------------------------------------------------------------- K3: who deals and leads


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


def test_a_seed_means_the_same_leader_and_the_same_cards_for_ever():
    """Results that name a seed can be made again; another meaning of seeds is another version of the game."""
    env = schwarze_katze_v0.env(num_players=10, deals=2)
    leaders = []
    for seed in range(12):
        env.reset(seed=seed)
        leaders.append(env.snapshot()["leader"])
    assert leaders == [4, 2, 4, 7, 3, 0, 9, 0, 9, 6, 9, 2]
    env.reset(seed=2026)
    first = [" ".join(hand) for hand in env.snapshot()["hands"]]
    while env.snapshot()["deal"] == 0:
        env.step(int(np.argmax(env.last()[0]["action_mask"])))
    second = [" ".join(hand) for hand in env.snapshot()["hands"]]
    assert first[:2] == ["10C QC 8D 8S 10S", "9D 10D AD 8H 2S"]
    assert second[:2] == ["4D QD KD 5H 7H", "3C KC 9D QH 4S"]


def test_any_card_may_be_led():
    """K3: hearts and the queen of spades, too."""
    table = Table(CLUBS[:12] + " 2H QS AD", "", "", "")
    assert table.legal == set(table.now["hands"][0])


def test_the_winner_of_a_trick_leads_the_next():
    """K3; the table is empty at once."""
    table = Table("2C", "3C", "AC", "4C").play("2C 3C AC 4C")
    assert table.now["leader"] == table.now["player"] == 2
    assert table.now["table"] == []
    assert table.now["trick"] == 1
    assert table.now["tricks_taken"] == [0, 0, 1, 0]


# ---------------------------------------------------------------- K4, K5: following and winning


def test_the_suit_must_be_followed_but_nobody_has_to_win():
    """K4."""
    table = Table("5C", "2C AC KD 3S", "", "").play("5C")
    assert {"2C", "AC"} <= table.legal
    assert all(card.endswith("C") for card in table.legal)


def test_without_the_suit_any_card_may_be_played():
    """K4."""
    table = Table(CLUBS, DIAMONDS, HEARTS, SPADES).play("5C")
    assert table.legal == set(DIAMONDS.split())
    table.play("AD")
    assert table.legal == set(HEARTS.split())


def test_the_highest_card_of_the_led_suit_wins_whatever_else_is_played():
    """K5: there is no trump."""
    table = Table(CLUBS, DIAMONDS, HEARTS, SPADES).play("2C AD AH AS")
    assert table.now["tricks_taken"] == [1, 0, 0, 0]


@pytest.mark.parametrize("card", range(12))
def test_a_suit_ranks_from_2_to_ace(card):
    """K1, K5: ace high."""
    spades = SPADES.split()
    table = Table(spades[card], spades[card + 1], CLUBS, HEARTS).play(f"{spades[card]} {spades[card + 1]} AC AH")
    assert table.now["tricks_taken"] == [0, 1, 0, 0]


def test_an_illegal_card_is_refused_in_the_words_of_the_game_and_changes_nothing():
    table = Table("5C", "3C AD", "QS", "", "").play("5C")
    before = table.env.get_state()
    for card, reason in (("AD", r"clubs were led and there are clubs in the hand \(K4\)"), ("QS", "not in the hand")):
        with pytest.raises(IllegalActionError, match=reason):
            table.play(card)
    with pytest.raises(IllegalActionError, match=r"with 5 players it is not in the game \(K2\)"):
        table.play("2D")
    assert table.env.get_state() == before


# ---------------------------------------------------------------- K6: scoring


def points_of_hearts(ace=11):
    """Return K6's list."""
    return [2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, ace]


@pytest.mark.parametrize("ace", [10, 11])
def test_hearts_count_their_numbers_and_the_queen_of_spades_40(ace):
    """K6."""
    hearts = HEARTS.split()
    table = Table(CLUBS, DIAMONDS, HEARTS, SPADES, heart_ace=ace)
    taken = 0
    for i in range(13):
        table.play(f"{CLUBS.split()[i]} {DIAMONDS.split()[i]} {hearts[i]}")
        spade = SPADES.split()[i]
        taken += points_of_hearts(ace)[i] + 40 * (spade == "QS")
        if i < 12:
            assert table.play(spade).now["penalties"] == [taken, 0, 0, 0]
    table.play(spade)
    assert taken == 124 + ace
    assert table.now["last_deal"] == table.now["totals"] == [taken, -50, -50, -50]
    assert table.rewards() == [-taken, 50, 50, 50]


def test_who_takes_everything_gets_no_bonus():
    """K6, by silence; the penalties of a deal are 135 - 50 k."""
    table = Table(CLUBS, DIAMONDS, HEARTS, SPADES).finish()
    assert table.now["totals"] == [135, -50, -50, -50]
    assert sum(table.now["totals"]) == 135 - 3 * 50


def test_the_50_comes_only_at_the_end_of_the_deal():
    """K6."""
    table = Table(CLUBS, DIAMONDS, HEARTS, SPADES)
    for i in range(12):
        table.play(" ".join(suit.split()[i] for suit in (CLUBS, DIAMONDS, HEARTS, SPADES)))
        assert table.now["totals"] == [0, 0, 0, 0]
        assert table.now["penalties"][1:] == [0, 0, 0]
        assert table.rewards() == [0, 0, 0, 0]


# ---------------------------------------------------------------- K7, K8: the game


@pytest.mark.parametrize(("players", "deals"), [*zip(range(3, 11), (6, 8, 5, 6, 7, 8, 9, 10), strict=True)])
def test_by_default_all_deal_equally_often_in_5_deals_or_more(players, deals):
    """K7."""
    assert schwarze_katze_v0.env(num_players=players).config_dict()["deals"] == deals


def test_a_tie_is_shared_and_the_result_sums_to_zero():
    """K8: three players without a trick."""
    table = Table(CLUBS, DIAMONDS, HEARTS, SPADES, reward="win").finish()
    assert table.now["winners"] == [1, 2, 3]
    assert table.rewards() == pytest.approx([-1, 1 / 3, 1 / 3, 1 / 3])


def test_after_the_last_card_of_a_deal_the_next_deal_is_dealt():
    table = Table(CLUBS, DIAMONDS, HEARTS, SPADES, deals=2, leader=3)
    first = table.now
    while table.now["deal"] == 0:
        before = table.now
        table.play(min(table.legal))
    assert first["dealer"] == before["dealer"] == 2
    now = table.now
    assert (now["deal"], now["trick"], now["dealer"], now["leader"], now["player"]) == (1, 0, 3, 0, 0)
    assert now["tricks_taken"] == now["penalties"] == [0, 0, 0, 0]
    assert now["last_deal"] == now["totals"]
    assert {len(hand) for hand in now["hands"]} == {13}


# ---------------------------------------------------------------- K9: variant of Piatnik


def test_with_piatnik_a_heart_is_led_only_by_who_holds_nothing_else():
    """K9, in every trick."""
    table = Table("2H 3H 4C", "", "", "", piatnik_heart_lead=True)
    assert table.legal == {card for card in table.now["hands"][0] if not card.endswith("H")}
    with pytest.raises(IllegalActionError, match=r"a heart may be led only by a player who holds nothing else \(K9\)"):
        table.play("2H")
    assert Table(HEARTS, CLUBS, DIAMONDS, SPADES, piatnik_heart_lead=True).legal == set(HEARTS.split())


def test_with_piatnik_hearts_may_be_thrown_off():
    """K9 is about leading only."""
    table = Table(CLUBS, HEARTS, DIAMONDS, SPADES, piatnik_heart_lead=True).play("2C")
    assert table.legal == set(HEARTS.split())


# ---------------------------------------------------------------- words


def test_cards_are_written_and_read_as_people_write_them():
    env = schwarze_katze_v0.env()
    assert [env.action_name(action) for action in range(52)] == CARDS
    assert [env.parse_action(f" {name.lower()} ") for name in CARDS] == list(range(52))
    with pytest.raises(ValueError, match=r"no action is called 'QX'; examples of names are '2C', '2H', 'AS'"):
        env.parse_action("QX")
