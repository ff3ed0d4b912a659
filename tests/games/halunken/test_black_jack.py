"""Black Jack in the standard game of Halunken & Spelunken, rule by rule."""

from __future__ import annotations

import numpy as np
import pytest

from blackjacky_env import halunken_v0
from tests.envs.playing import fresh
from tests.games.halunken.rigging import FIELDS, Table

TIES = [
    ("R10 V10 G10 Y10", 3, 3),
    ("R10 V10 G10 R9", 3, 2),
    ("R10 V10 R9 V9", 3, 1),
    ("Y9 G9 V10 R10", 0, 2),
    ("G9 R9 Y11 G11", 0, 2),
    ("R9 V9 R11 G11", 1, 3),
    ("V9 R9 V11 R11", 0, 2),
    ("R15 V14 G13 Y12", 3, 0),
]


def standing(crews, captains, jack, jack_deck, buyer=None):
    """Return a round in which all captains stand at empty taverns and Black Jack has moved; buyer: (seat, card)."""
    table = Table(*range(len(crews)), jack_deck=jack_deck)
    table.arrange(crews, captains=captains, jack=jack, taverns=dict.fromkeys(captains, ""))
    if buyer is None:
        table.nobody_bids()
    else:
        table.buys(*buyer)
    return table.choose(*[1] * len(crews))


# ---------------------------------------------------------------- J1: set-up


def test_black_jack_is_placed_on_any_free_field_by_the_lowest_start_card_and_takes_nothing():
    """J1."""
    env = halunken_v0.env(num_players=3)
    deck = Table(2, 5, 7).env.record()["reset_options"]["deck"]
    env.reset(seed=0, options={"start_player": 1, "deck": deck})
    for field in (6, 12, 3):  # R10, V6, R7: of seats 1, 2, 0
        env.step(field)
    assert (env.snapshot()["phase"], env.snapshot()["player"]) == ("place_black_jack", 2)
    assert np.flatnonzero(env.last()[0]["action_mask"]).tolist() == [f for f in range(FIELDS) if f not in (6, 12, 3)]
    before = env.snapshot()
    env.step(0)
    now = env.snapshot()
    assert (now["black_jack"], now["crews"], now["harbour"]) == (0, before["crews"], [])
    assert now["taverns"] == before["taverns"]
    assert (now["phase"], now["player"], now["opener"]) == ("bid", 1, 1)


@pytest.mark.parametrize(("start", "lowest", "highest"), TIES)
def test_ties_of_start_cards_are_decided_by_colour(start, lowest, highest):
    """J1: yellow, grey, violet, red at both ends."""
    env = halunken_v0.env(num_players=4)
    cards = dict(enumerate(start.split()))
    table = Table(4, 5, 6, 7, taverns=cards, variant="basic")
    env.reset(seed=0, options={"start_player": 0, "deck": table.env.record()["reset_options"]["deck"][0]})
    for field in range(4):
        env.step(field)
    assert (env.snapshot()["phase"], env.snapshot()["player"]) == ("place_black_jack", lowest)
    env.step(9)
    assert (env.snapshot()["phase"], env.snapshot()["player"]) == ("bid", highest)


def test_black_jack_has_twelve_movement_cards():
    """J1."""
    env = fresh(1, "halunken", num_players=3)
    assert sorted(env.snapshot()["black_jack_deck"]) == list(range(1, 13))


# ---------------------------------------------------------------- J2: the auction


def three():
    """Return a table of three; seat 2 opens the auction."""
    return Table(0, 4, 8).arrange(["R4 V10 Y12", "R5 G6 G8", "R6 G10"], jack=12)


def test_each_player_once_passes_or_offers_an_own_card_of_higher_value():
    """J2: one lap from the opener on."""
    table = three()
    assert (table.asked, table.legal) == (("bid", 2), {"pass", "R6", "G10"})
    table.play("R6")
    assert (table.asked, table.legal) == (("bid", 0), {"pass", "V10", "Y12"})
    table.play("pass")
    assert (table.asked, table.legal) == (("bid", 1), {"pass", "G8"})
    table.play("G8")
    assert table.asked == ("choose", 2)
    assert table.now["harbour"] == ["G8"]


def test_only_the_winner_of_the_auction_pays_and_controls_black_jack():
    """J2."""
    table = three().play("R6")
    assert (table.now["bidder"], table.now["offers"], table.now["buyer"]) == (2, [None, None, "R6"], None)
    assert table.now["crews"][2] == ["R6", "G10"]
    table.play("V10", "pass")
    assert (table.now["bidder"], table.now["offers"], table.now["buyer"]) == (0, ["V10", None, "R6"], 0)
    assert table.now["crews"] == [["R4", "Y12"], ["R5", "G6", "G8"], ["R6", "G10"]]
    assert table.now["harbour"] == ["V10"]


def test_paying_shows_in_the_points():
    """J2: a violet 10, when the colours tie at one card each and yellow counts double."""
    table = three().play("pass", "V10", "pass")
    assert table.rewards() == [-10, 0, 0]


def test_a_player_without_a_higher_card_is_asked_all_the_same():
    """H9, J2."""
    table = Table(0, 4, 8).arrange(["", "R5", "R15"], jack=12).play("R15")
    assert (table.asked, table.legal) == (("bid", 0), {"pass"})
    table.play("pass")
    assert (table.asked, table.legal) == (("bid", 1), {"pass"})


def next_round(table):
    """All captains stand, and whoever is robbed loses the first card."""
    table.choose(*[min(set(range(1, 8)) - set(table.now["spent"][0]))] * table.env.num_players)
    while table.now["phase"] in ("give", "rob"):
        table.first_legal()
    return table


def test_the_last_buyer_opens_the_next_auction_and_chooses_first():
    """J2, H9: until somebody has bought, the holder of the highest start card."""
    table = Table(0, 4, 8)
    openers = []
    for buyer in (None, 1, None, 0, 2):
        openers.append(table.asked)
        table.play(*["pass"] * 3) if buyer is None else table.buys(buyer, table.now["crews"][buyer][0])
        assert table.now["buyer"] == buyer
        assert table.asked == ("choose", openers[-1][1])
        next_round(table)
        assert (table.now["offers"], table.now["bidder"], table.now["buyer"]) == ([None] * 3, None, None)
    assert [player for _, player in openers] == [2, 2, 1, 1, 0]
    assert {phase for phase, _ in openers} == {"bid"}
    assert table.asked == ("bid", 2)


def test_all_choose_clockwise_from_the_opener_of_the_auction():
    """H9: not from the buyer."""
    table = Table(0, 4, 8).buys(0, "R4")
    asked = []
    for card in (1, 2, 3):
        asked.append(table.now["player"])
        table.play(f"move {card}")
    assert asked == [2, 0, 1]


# ---------------------------------------------------------------- J3: landing on Black Jack


@pytest.mark.parametrize("buyer", [(0, "R4"), (1, "R4"), None])
def test_who_lands_on_black_jack_takes_the_tavern_card_and_any_card_from_the_harbour(buyer):
    """J3: his controller too, and whatever the numbers of cards."""
    crews = ["V3 V4 V5 V6", "R5", "R6"]
    if buyer is not None:
        crews[buyer[0]] += " R4"
    table = Table(0, 4, 8, jack_deck="1").arrange(crews, "Y1 Y2", jack=2, taverns={2: "G2 G3"})
    table.buys(*buyer) if buyer else table.nobody_bids()
    table.choose(2, 7, 7)
    assert table.asked == ("take", 0)
    assert table.legal == {"Y1", "Y2", *(["R4"] if buyer else [])}
    assert "G2" in table.now["crews"][0]
    table.play("Y2")
    assert "Y2" in table.now["crews"][0]
    assert "Y2" not in table.now["harbour"]
    assert table.now["black_jack"] == 4 + 1  # moved on to 3, then 1 onto seat 1, and on


def test_an_empty_harbour_is_not_asked_for_and_black_jack_is_moved_on():
    """J3, H8, H9."""
    table = Table(0, 3, 8, jack_deck="1").arrange(["", "", ""], jack=2, taverns={2: "", 3: "", 8: ""})
    table.nobody_bids().choose(2, 7, 7)
    assert table.now["round"] == 1
    assert table.now["captains"] == [2, 3, 8]
    assert table.now["black_jack"] == 5  # from 2 to 4, and 1 further


# ---------------------------------------------------------------- J4: Black Jack moves


def test_the_example_of_black_jacks_move_on_the_sheet():
    """J4: captains Red 3, Yellow 5, Blue 8 with 5, 4 and 4 cards; Yellow controls; the card is an 8."""
    table = standing(["R4 R5 R6 R7 R8", "Y1 Y2 Y3 Y4 Y5", "V3 V4 V5 V6"], [3, 5, 8], 0, "8", (1, "Y5"))
    assert (table.asked, table.now["victim"], table.now["mover"]) == (("rob", 1), 0, "black_jack")
    assert table.legal == {"R4", "R5", "R6", "R7", "R8"}
    assert table.now["to_rob"] == [0, 2]
    table.play("R7")
    assert [len(crew) for crew in table.now["crews"]] == [4, 5, 4]
    assert table.now["black_jack"] == 9
    assert (table.now["round"], table.asked) == (1, ("bid", 1))
    assert (table.now["victim"], table.now["mover"], table.now["to_rob"]) == (None, None, [])


def test_black_jack_turns_up_his_cards_from_the_top():
    """J4, J6."""
    table = Table(0, 4, 8, jack_deck="5 11 2")
    for round_number, card in enumerate((5, 11, 2)):
        assert table.now["black_jack_deck"][0] == card
        next_round(table.nobody_bids())
        assert table.now["black_jack_laid"] == card
        assert table.now["black_jack_spent"] == sorted((5, 11, 2)[: round_number + 1])
        assert card not in table.now["black_jack_deck"]


@pytest.mark.parametrize(
    ("jack", "card", "captains", "ends", "order"),
    [
        (0, 4, [2, 4, 5], 6, [0, 1, 2]),  # passes 2, is moved on from 4 and 5
        (0, 4, [5, 4, 2], 6, [2, 1, 0]),
        (0, 4, [5, 6, 3], 4, [2]),  # those beyond are not overtaken
        (0, 1, [1, 3, 13], 2, [0]),
        (10, 6, [13, 1, 9], 2, [0, 1]),
        (10, 6, [1, 12, 2], 3, [1, 0, 2]),
        (12, 12, [11, 10, 0], 12, [2, 1, 0]),  # all the way round: the field that he has left is free
        (12, 12, [11, 9, 10], 12, [1, 2, 0]),
        (3, 12, [2, 7, 1], 3, [1, 2, 0]),
        (3, 12, [2, 7, 0], 1, [1, 2]),
        (5, 3, [4, 9, 13], 8, []),
    ],
)
def test_black_jack_robs_whom_he_passes_or_is_moved_on_from_in_that_order(jack, card, captains, ends, order):
    """J4: the controller is the fourth player, who stands out of the way."""
    free = next(f for f in range(FIELDS) if f not in captains and f not in (jack, ends))
    crews = ["R4 R5", "V3 V4", "G2 G3", "Y1"]
    table = standing(crews, [*captains, free], jack, str(card), (3, "Y1"))
    robbed = []
    while table.now["phase"] == "rob":
        assert table.now["player"] == 3
        robbed.append(table.now["victim"])
        assert table.now["black_jack"] == ends
        table.play(table.now["crews"][robbed[-1]][0])
    assert table.now["black_jack"] == ends
    assert robbed == order
    assert table.now["captains"] == [*captains, free]
    assert table.now["round"] == 1


@pytest.mark.parametrize(("theirs", "robs"), [(0, False), (1, False), (2, True), (3, True)])
def test_black_jack_robs_only_who_has_as_many_cards_as_his_controller_or_more(theirs, robs):
    """J4."""
    table = standing([" ".join(["R4", "R5", "R6"][:theirs]), "", "Y1 Y2 Y3"], [2, 12, 13], 0, "3", (2, "Y3"))
    assert (table.asked == ("rob", 2)) == robs
    assert table.now["black_jack"] == 3


def test_with_before_pick_black_jack_counts_as_ever():
    """J4: the option is about H7."""
    table = Table(0, 1, 2, jack_deck="3", rob_count="before_pick")
    table.arrange(["R4 R5", "", "Y1"], captains=[2, 12, 8], jack=0, taverns={2: "", 12: "", 9: "Y2 Y3"})
    table.buys(2, "Y1").choose(6, 6, 1)
    assert table.now["crews"][2] == ["Y2"]
    assert table.asked == ("rob", 2)


def test_black_jack_takes_no_tavern_card_and_pushes_nobody():
    """J4."""
    table = standing(["R4", "R5", "R6"], [2, 3, 12], 0, "2", (2, "R6"))
    table.play("R4", "R5")
    now = table.now
    assert (now["black_jack"], now["captains"]) == (4, [2, 3, 12])
    assert len(now["taverns"][4]["hidden"]) == 2
    assert now["crews"] == [[], [], ["R4", "R5"]]


def test_the_controller_does_not_rob_himself():
    """J4."""
    table = standing(["R4 R5", "V3", "G2"], [2, 12, 13], 0, "2", (0, "R5"))
    assert (table.now["black_jack"], table.now["round"]) == (3, 1)
    assert table.now["crews"][0] == ["R4"]


def test_black_jack_moves_after_the_captains_from_where_he_stands_then():
    """J4: the captain who lands on him has moved him on."""
    table = Table(0, 1, 2, jack_deck="2").arrange(["R4", "", ""], captains=[0, 6, 12], jack=3, taverns={3: "", 6: ""})
    table.nobody_bids().choose(3, 7, 7)
    assert table.now["black_jack"] == 7  # from 4 onto 6, and on


# ---------------------------------------------------------------- J5: nobody has bid


def test_if_nobody_bid_all_that_he_overtakes_give_a_card_of_their_own_choice_to_the_harbour():
    """J5: whatever the numbers of cards; who has none gives none."""
    table = standing(["R4 R5 R6", "", "Y1"], [2, 3, 4], 0, "3")
    assert (table.asked, table.legal) == (("give", 0), {"R4", "R5", "R6"})
    assert (table.now["mover"], table.now["victim"], table.now["to_rob"]) == ("black_jack", None, [0, 1, 2])
    table.play("R5")
    assert (table.asked, table.legal) == (("give", 2), {"Y1"})
    table.play("Y1")
    now = table.now
    assert (now["crews"], now["harbour"]) == ([["R4", "R6"], [], []], ["R5", "Y1"])
    assert (now["black_jack"], now["round"]) == (5, 1)


def test_all_four_captains_may_be_overtaken():
    """J5: each gives a card, in the order in which they stand."""
    table = standing(["R4", "R5", "R6", "R7"], [3, 1, 4, 2], 0, "4")
    for seat, left in ((1, [1, 3, 0, 2]), (3, [3, 0, 2]), (0, [0, 2]), (2, [2])):
        assert (table.asked, table.now["to_rob"]) == (("give", seat), left)
        table.play(table.now["crews"][seat][0])
    assert (table.now["harbour"], table.now["black_jack"]) == (["R4", "R5", "R6", "R7"], 5)


def test_giving_a_card_shows_in_the_points():
    table = standing(["R4 R5 R6", "", "Y1"], [2, 12, 11], 0, "3").play("R5")
    assert table.rewards() == [-10, 0, 0]


# ---------------------------------------------------------------- J6: the end


def test_a_game_has_eight_rounds_four_cards_stay_unseen_and_the_harbour_counts_for_nobody():
    """J6."""
    table = Table(0, 4, 8, jack_deck="3").finish()
    now = table.now
    assert (now["phase"], now["round"]) == ("over", 7)
    assert [len(spent) for spent in now["spent"]] == [8] * 3
    assert (len(now["black_jack_deck"]), len(now["black_jack_spent"])) == (4, 8)
    table = Table(0, 4, 8, jack_deck="12 11 10 9 8 7 6 1")
    table.arrange(["R4", "", ""], "R15 Y12", round_number=7, jack=12, taverns={0: "", 4: "", 8: ""})
    table.nobody_bids().choose(1, 1, 1)
    assert (table.now["totals"], table.now["harbour"]) == ([8, 0, 0], ["R15", "Y12"])
