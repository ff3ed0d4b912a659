"""The duel of Halunken & Spelunken, rule by rule."""

from __future__ import annotations

import pytest

from tests.games.halunken.rigging import FIELDS, Table

EIGHT = {*(f"move {number}" for number in range(1, 8)), "move Rum"}


def duel(captains, jack, crews, harbour="", taverns=None, buyer=None, jack_deck="", **options):
    """Return a duel in which all taverns but those given are empty, after the auction; buyer: (seat, card paid)."""
    table = Table(*captains, jack=jack, jack_deck=jack_deck, **options)
    table.arrange(crews, harbour, taverns=dict.fromkeys(range(FIELDS), "") | (taverns or {}))
    return table.nobody_bids() if buyer is None else table.buys(*buyer)


# ---------------------------------------------------------------- D1: Black Jack's movement cards


def test_black_jack_has_the_eight_cards_of_a_captain_each_used_once():
    """D1, D3."""
    table = duel([0, 7], 3, ["R4 R5", "R6"], buyer=(0, "R4"))
    table.play("move 1")  # of the opponent, who opened
    assert (table.asked, table.legal) == (("choose_for_black_jack", 0), EIGHT)
    table.play("move Rum", "move 1", "name 2")
    assert table.now["black_jack_spent"] == ["Rum"]
    assert sorted(table.now["black_jack_deck"]) == list(range(1, 8))
    table.buys(0, "R5")
    assert (table.asked, table.legal) == (("choose_for_black_jack", 0), EIGHT - {"move Rum"})


# ---------------------------------------------------------------- D2: the auction


def bidding():
    """Return a duel that player_1 opens."""
    return Table(0, 7).arrange(["R5 R7 R9", "R6 R8 R10"])


def test_offers_rise_by_turns_until_a_player_passes():
    """D2."""
    table = bidding()
    asked = []
    for card in ("R6", "R7", "R8", "R9"):
        asked.append(table.asked)
        table.play(card)
    assert asked == [("bid", 1), ("bid", 0)] * 2
    assert (table.asked, table.legal) == (("bid", 1), {"pass", "R10"})
    assert table.now["offers"] == ["R9", "R8"]
    table.play("pass")
    assert (table.now["buyer"], table.now["harbour"], table.now["offers"]) == (0, ["R9"], ["R9", "R8"])
    assert table.now["crews"] == [["R5", "R7"], ["R6", "R8", "R10"]]


def test_if_the_opener_passes_the_other_player_may_still_offer_and_has_then_won():
    """D2."""
    table = bidding().play("pass")
    assert (table.asked, table.legal) == (("bid", 0), {"pass", "R5", "R7", "R9"})
    table.play("R5")
    assert (table.now["buyer"], table.now["harbour"]) == (0, ["R5"])
    assert table.asked == ("choose", 1)


def test_if_both_pass_nobody_buys_black_jack():
    """D2."""
    table = bidding().play("pass", "pass")
    assert (table.now["buyer"], table.now["harbour"], table.asked) == (None, [], ("choose", 1))


def test_an_offer_that_is_passed_wins():
    """D2."""
    table = bidding().play("R8", "pass")
    assert (table.now["buyer"], table.now["harbour"]) == (1, ["R8"])
    assert table.asked == ("choose_for_black_jack", 1)


# ---------------------------------------------------------------- D3: choosing and revealing


@pytest.mark.parametrize("buyer", [0, 1])
def test_the_buyer_chooses_for_black_jack_first_and_then_for_himself(buyer):
    """D3, H9: both before the next seat."""
    table = duel([0, 7], 3, ["R4", "R6"], buyer=(buyer, ("R4", "R6")[buyer]))
    asked = []
    for number in (1, 2, 3):
        asked.append(table.asked)
        assert table.now["black_jack_laid"] is None
        table.play(f"move {number}")
    both = [("choose_for_black_jack", buyer), ("choose", buyer)]
    assert asked == ([*both, ("choose", 0)] if buyer == 1 else [("choose", 1), *both])
    assert (table.now["black_jack_choice"], table.now["choices"]) == (None, [None, None])


@pytest.mark.parametrize(
    ("cards", "jack", "stand"),
    [
        ((2, 5), 2, "0J"),
        ((5, 2), 2, "1J"),
        ((2, 2), 5, "01"),
        ((3, 3), 3, "01J"),
        (("Rum", 4), "Rum", "0J"),
        (("Rum", "Rum"), 4, "01"),
    ],
)
def test_black_jacks_card_cancels_with_the_others(cards, jack, stand):
    """D3."""
    table = duel([0, 4], 11, ["R4 R15", ""], buyer=(0, "R15")).choose(*cards, jack=jack)
    steps = [0 if figure in stand else number for figure, number in zip("01J", (*cards, jack), strict=True)]
    moved = [(field + number) % FIELDS for field, number in zip((0, 4, 11), steps, strict=True)]
    assert [*table.now["captains"], table.now["black_jack"]] == moved
    assert table.now["black_jack_laid"] == jack
    assert table.now["round"] == 1


@pytest.mark.parametrize(
    ("cards", "jack", "names"),
    [(("Rum", 4), 2, "1 3 5 6 7"), ((3, "Rum"), 7, "1 2 4 5 6"), ((1, 6), "Rum", "2 3 4 5 7")],
)
def test_a_single_rum_may_not_be_given_the_number_of_another_figure(cards, jack, names):
    """D3, H5."""
    table = duel([0, 4], 9, ["R4 R15", ""], buyer=(0, "R15")).choose(*cards, jack=jack)
    assert table.asked == ("name", cards.index("Rum") if "Rum" in cards else 0)
    assert table.legal == {f"name {number}" for number in names.split()}


@pytest.mark.parametrize("buyer", [0, 1])
def test_the_buyer_names_black_jacks_number(buyer):
    """D3."""
    table = duel([0, 4], 9, ["R4", "R6"], buyer=(buyer, ("R4", "R6")[buyer])).choose(1, 6, jack="Rum")
    assert (table.asked, table.now["black_jack_number"]) == (("name", buyer), "Rum")
    assert table.play("name 2").now["black_jack"] == 11


# ---------------------------------------------------------------- D4: Black Jack as a captain


def test_black_jack_takes_tavern_cards_for_the_buyer():
    """D4."""
    table = duel([0, 4], 9, ["", "R6 R7"], "R8", {11: "Y1 Y2"}, buyer=(1, "R7")).choose(3, 1, jack=2)
    assert (table.now["black_jack"], table.now["crews"]) == (11, [[], ["R6", "Y1"]])
    assert table.now["harbour"] == ["R7", "R8"]
    assert table.now["taverns"][11]["top"] == "Y2"


@pytest.mark.parametrize("option", ["captain", "standard"])
def test_if_black_jack_stands_the_buyer_takes_the_card_of_his_tavern(option):
    """D4."""
    table = duel([0, 4], 9, ["", "R6"], "", {9: "Y1 Y2"}, buyer=(1, "R6"), duel_black_jack=option)
    table.choose(3, 2, jack=2)
    assert (table.now["black_jack"], table.now["crews"]) == (9, [[], ["Y1"]])


@pytest.mark.parametrize(("number", "first"), [(1, "J"), (4, "0")])
def test_black_jack_moves_in_ascending_order_with_the_captains(number, first):
    """D4: he and seat 0 go to field 3."""
    table = duel([0, 7], 3 - number + FIELDS * (number > 3), ["", "R6 R7 R8"], "", {3: "Y1 Y2"}, buyer=(1, "R6"))
    table.choose(3, 7, jack=number)
    assert ("Y1" in table.now["crews"][0]) == (first == "0")


@pytest.mark.parametrize(
    ("mine", "theirs", "robs"), [("R4", "", False), ("R4", "G2", False), ("R4", "G2 G3", True), ("", "G2 G3", True)]
)
def test_black_jack_on_the_opponents_captain_robs_for_the_buyer_and_pushes(mine, theirs, robs):
    """D4, H7, H8: counted with the buyer's cards, the tavern card included."""
    table = duel([0, 11], 9, [f"{mine} R15", theirs], "", {11: "Y1"}, buyer=(0, "R15")).choose(7, 6, jack=2)
    if robs:
        assert (table.asked, table.now["victim"], table.now["mover"]) == (("rob", 0), 1, "black_jack")
        assert table.now["captains"] == [0, 11]
        table.play("G3")
    assert table.now["crews"] == [
        [*mine.split(), *["G3"] * robs, "Y1"],
        [card for card in theirs.split() if not robs or card != "G3"],
    ]
    assert table.now["captains"] == [7, 4]  # from 12 on
    assert table.now["black_jack"] == 11


def test_with_before_pick_black_jacks_landing_counts_the_buyers_cards_before():
    """D4, H7."""
    table = duel([0, 11], 9, ["R4 R15", "G2"], "", {11: "Y1"}, buyer=(0, "R15"), rob_count="before_pick")
    assert table.choose(7, 6, jack=2).asked == ("rob", 0)


def test_black_jack_on_the_buyers_captain_only_pushes():
    """D4, H8."""
    table = duel([0, 11], 9, ["G4 G5", "R4 R15"], "R5", {11: "Y1"}, buyer=(1, "R15")).choose(7, 6, jack=2)
    assert table.now["crews"] == [["G4", "G5"], ["R4", "Y1"]]
    assert (table.now["captains"], table.now["black_jack"], table.now["round"]) == ([7, 4], 11, 1)


def test_nobody_is_robbed_by_passing():
    """D4."""
    table = duel([0, 10], 9, ["R4 R15", "G2 G3"], buyer=(0, "R15")).choose(7, 6, jack=3)
    assert (table.now["black_jack"], table.now["round"]) == (12, 1)
    assert table.now["crews"] == [["R4"], ["G2", "G3"]]


# ---------------------------------------------------------------- D4: option duel_black_jack="standard"


def overtaking(captains, jack, crews, harbour="", taverns=None, buyer=None, jack_deck=""):
    """Return a duel in which Black Jack moves after the captains."""
    return duel(captains, jack, crews, harbour, taverns, buyer, jack_deck, duel_black_jack="standard")


def test_as_an_option_black_jack_moves_after_the_captains_and_robs_whom_he_overtakes():
    """D4: seat 1 has moved 4 before he comes by with a 3."""
    table = overtaking([0, 6], 9, ["R4 R15", "G2 G3"], "", {12: "Y1"}, buyer=(0, "R15")).choose(7, 4, jack=3)
    assert table.now["captains"] == [7, 10]
    assert (table.asked, table.now["victim"], table.now["to_rob"]) == (("rob", 0), 1, [1])
    table.play("G3")
    assert table.now["crews"] == [["R4", "G3"], ["G2"]]
    assert (table.now["black_jack"], table.now["taverns"][12]["top"]) == (12, "Y1")


def test_as_an_option_black_jack_is_moved_on_and_pushes_nobody():
    """D4, J4: the buyer is passed over, the opponent robbed where he stands."""
    table = overtaking([3, 5], 9, ["R4 R15", "G2"], "", {}, buyer=(0, "R15")).choose(7, 6, jack=2)
    assert table.now["captains"] == [10, 11]
    assert (table.asked, table.now["black_jack"]) == (("rob", 0), 12)
    assert table.play("G2").now["captains"] == [10, 11]


def test_as_an_option_black_jack_robs_nobody_who_has_fewer_cards():
    """D4, J4."""
    table = overtaking([3, 5], 9, ["R4 R5 R15", "G2"], "", {}, buyer=(0, "R15")).choose(7, 6, jack=2)
    assert (table.now["round"], table.now["crews"][1]) == (1, ["G2"])


def test_as_an_option_a_single_rum_of_black_jack_is_named_and_he_moves_last():
    """D4, D3."""
    table = overtaking([3, 5], 9, ["R4 R15", "G2"], "", {11: "Y1"}, buyer=(0, "R15")).choose(7, 6, jack="Rum")
    assert table.play("name 1").asked == ("rob", 0)
    assert (table.now["black_jack"], table.now["captains"], table.now["black_jack_number"]) == (12, [10, 11], 0)


# ---------------------------------------------------------------- D5: landing on Black Jack


def test_the_opponent_who_lands_on_black_jack_takes_from_the_harbour_or_robs_the_buyer():
    """D5: the tavern card first."""
    for choice, asked, legal in (
        ("take from the harbour", ("take", 1), {"R15", "V3"}),
        ("rob the buyer", ("rob", 1), {"R4", "R5"}),
    ):
        table = duel([0, 4], 9, ["R4 R5 R15", ""], "V3", {9: "Y1"}, buyer=(0, "R15")).choose(2, 5, jack=7)
        assert (table.asked, table.legal) == (("take_or_rob", 1), {"take from the harbour", "rob the buyer"})
        assert (table.now["crews"][1], table.now["mover"], table.now["victim"]) == (["Y1"], 1, None)
        assert (table.play(choice).asked, table.legal) == (asked, legal)
        assert table.now["victim"] == (0 if choice == "rob the buyer" else None)
        assert table.now["black_jack"] == 9
        card = min(legal)
        table.play(card)
        assert set(table.now["crews"][1]) == {"Y1", card}
        assert table.now["black_jack"] == 3  # moved on to 10, and 7 further
        assert table.now["round"] == 1


def test_player_0_may_rob_a_buyer_too():
    """D5: whoever of the two has bought."""
    table = duel([4, 0], 9, ["", "R4 R5 R15"], "V3", {9: "Y1"}, buyer=(1, "R15")).choose(5, 2, jack=7)
    assert (table.asked, table.legal) == (("take_or_rob", 0), {"take from the harbour", "rob the buyer"})
    table.play("rob the buyer", "R4")
    assert table.now["crews"] == [["R4", "Y1"], ["R5"]]


@pytest.mark.parametrize(
    ("buyers", "harbour", "asked"), [("", "V3", "take"), ("R4", "V3", "take"), ("R4 R5", "", "take_or_rob")]
)
def test_d5_is_asked_only_if_both_are_possible(buyers, harbour, asked):
    """D5: the opponent has two cards when he arrives; the buyer's card lies in the harbour."""
    table = duel([0, 4], 9, [f"{buyers} R15", "G2"], harbour, {9: "Y1"}, buyer=(0, "R15")).choose(2, 5, jack=7)
    assert table.asked == (asked, 1)


def test_with_an_empty_harbour_the_buyer_is_robbed_if_he_can_be():
    """D5: the buyer himself has emptied the harbour before."""
    table = duel([8, 4], 9, ["R4 R5 R15", ""], "", {}, buyer=(0, "R15")).choose(1, 6, jack=7)
    assert (table.asked, table.legal) == (("take", 0), {"R15"})
    table.play("R15")
    assert (table.asked, table.legal, table.now["victim"]) == (("rob", 1), {"R4", "R5", "R15"}, 0)
    table.play("R5")
    assert table.now["crews"] == [["R4", "R15"], ["R5"]]
    assert table.now["black_jack"] == 4  # pushed to 10 and 11, and 7 further


def test_with_an_empty_harbour_and_nobody_to_rob_black_jack_is_only_pushed():
    """D5, H9."""
    table = duel([8, 4], 9, ["R15", "G2 G3"], "", {}, buyer=(0, "R15")).choose(1, 6, jack=7).play("R15")
    assert (table.now["round"], table.now["black_jack"]) == (1, 4)
    assert table.now["captains"] == [9, 10]


def test_with_before_pick_d5_counts_the_opponents_cards_before_the_tavern_card():
    """D5, H7."""
    for rule, asked in (("after_pick", "take"), ("before_pick", "take_or_rob")):
        table = duel([0, 4], 9, ["R4 R15", "G2"], "V3", {9: "Y1"}, buyer=(0, "R15"), rob_count=rule)
        assert table.choose(2, 5, jack=7).asked == (asked, 1)


@pytest.mark.parametrize("buyer", [(0, "R15"), None])
def test_the_buyer_and_without_one_everybody_take_from_the_harbour(buyer):
    """D5."""
    table = duel([4, 0], 9, ["R15", "G2 G3 G4"], "V3", {}, buyer=buyer, jack_deck="7")
    table.choose(5, 2, jack=7) if buyer else table.choose(5, 2)
    assert (table.asked, table.legal) == (("take", 0), {"V3", *(["R15"] if buyer else [])})
    table.play("V3")
    assert (table.now["captains"][0], table.now["black_jack"]) == (9, 3)


# ---------------------------------------------------------------- D6: nobody has bought Black Jack


def test_without_a_buyer_the_first_card_left_is_turned_up_when_all_have_chosen():
    """D6, D1: spent ones are skipped."""
    table = duel([0, 7], 4, ["R4", "R6"], jack_deck="4 6 Rum 2", buyer=(0, "R4")).choose(1, 1, jack=4)
    drawn = []
    for cards in ((2, 2), (3, 3), (4, 4)):
        assert table.nobody_bids().now["black_jack_choice"] is None
        table.choose(*cards)
        drawn.append(table.now["black_jack_laid"])
        if table.now["phase"] == "name":
            table.play("name 1")
        while table.now["phase"] == "give":
            table.first_legal()
    assert drawn == [6, "Rum", 2]
    assert table.now["black_jack_spent"] == [2, 4, 6, "Rum"]


@pytest.mark.parametrize("option", ["captain", "standard"])
def test_without_a_buyer_the_card_turned_up_cancels_with_the_others_and_his_card_goes_to_the_harbour(option):
    """D6."""
    table = duel([0, 7], 3, ["", ""], "R8", {0: "Y1", 3: "Y2 Y3"}, jack_deck="5", duel_black_jack=option).choose(5, 6)
    assert (table.now["captains"], table.now["black_jack"]) == ([0, 13], 3)
    assert (table.now["crews"], table.now["harbour"]) == ([["Y1"], []], ["R8", "Y2"])


def test_without_a_buyer_black_jack_collects_for_the_harbour():
    """D6."""
    table = duel([0, 7], 3, ["", ""], "", {5: "Y2"}, jack_deck="2").choose(6, 7)
    assert (table.now["black_jack"], table.now["harbour"], table.now["crews"]) == (5, ["Y2"], [[], []])


def test_without_a_buyer_who_is_landed_on_gives_a_card_to_the_harbour_and_is_pushed():
    """D6: whatever the numbers of cards."""
    table = duel([0, 5], 3, ["", "G2 G3"], "V3 V4 V5", {5: "Y2"}, jack_deck="2").choose(3, 7)
    assert (table.asked, table.legal) == (("give", 1), {"G2", "G3"})
    assert (table.now["mover"], table.now["victim"], table.now["captains"]) == ("black_jack", None, [0, 5])
    table.play("G3")
    assert (table.now["crews"], table.now["harbour"]) == ([[], ["G2"]], ["V3", "V4", "V5", "G3", "Y2"])
    assert table.now["captains"] == [3, 13]  # seat 1 from 6 on


def test_without_a_buyer_an_only_card_is_given_too():
    """D6, H9."""
    table = duel([0, 5], 3, ["", "G2"], jack_deck="2").choose(3, 7)
    assert (table.asked, table.legal) == (("give", 1), {"G2"})


def test_without_a_buyer_who_has_no_card_gives_none_and_is_pushed():
    """D6, H9."""
    table = duel([0, 5], 3, ["R4", ""], "V3", jack_deck="2").choose(1, 7)
    assert (table.now["round"], table.now["captains"], table.now["harbour"]) == (1, [1, 13], ["V3"])


def test_without_a_buyer_the_opener_names_the_number_of_black_jacks_rum():
    """D6."""
    for crews, opener in ((["R4", "G2"], 1), (["R4 R15", "G2"], 0)):
        table = duel([0, 7], 3, crews, jack_deck="Rum", buyer=(0, "R15") if opener == 0 else None)
        if opener == 0:  # who has bought opens the next auction
            table.choose(1, 1, jack=5).nobody_bids()
        table.choose(2, 6)
        assert table.asked == ("name", opener)
        assert table.legal == {f"name {number}" for number in (1, 3, 4, 5, 7)}
        before = table.now["black_jack"]
        assert table.play("name 5").now["black_jack"] == (before + 5) % FIELDS


def test_as_an_option_without_a_buyer_black_jack_overtakes_and_everybody_gives():
    """D6, J5."""
    table = overtaking([0, 13], 3, ["R4 R5", "G2"], "", {8: "Y1"}, jack_deck="5").choose(4, 7)
    assert (table.now["captains"], table.now["to_rob"]) == ([4, 6], [0, 1])
    assert (table.asked, table.legal) == (("give", 0), {"R4", "R5"})
    table.play("R5")
    assert (table.asked, table.legal) == (("give", 1), {"G2"})
    table.play("G2")
    assert (table.now["harbour"], table.now["black_jack"], table.now["taverns"][8]["top"]) == (["R5", "G2"], 8, "Y1")


def test_a_duel_ends_after_eight_rounds():
    """J6."""
    table = Table(0, 7).finish()
    assert (table.now["round"], table.now["black_jack_deck"]) == (7, [])
    assert len(table.now["black_jack_spent"]) == 8
