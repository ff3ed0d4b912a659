"""The duel of Halunken & Spelunken, rule by rule."""

import pytest

from tests.games.halunken.rigging import FIELDS, Table

EIGHT = {*(f"move {number}" for number in range(1, 8)), "move Rum"}


def duel(captains, jack, crews, harbour="", taverns=None, buyer=None, jack_deck="", **options):
    """Return a duel in which all taverns but those given are empty, after the auction; buyer: (seat, card paid)."""
    table = Table(*captains, jack=jack, jack_deck=jack_deck, **options)
    table.arrange(crews, harbour, taverns=dict.fromkeys(range(FIELDS), "") | (taverns or {}))
    return table.nobody_bids() if buyer is None else table.buys(*buyer)


def test_black_jack_has_the_eight_cards_of_a_captain_each_used_once():
    """D1, D3."""
    table = duel([0, 7], 3, ["R4 R5", "R6"], buyer=(0, "R4")).play("move 1")  # of the opponent, who opened
    table.shows(asked=("choose_for_black_jack", 0), legal=EIGHT).play("move Rum", "move 1", "name 2")
    table.shows(black_jack_spent=["Rum"])
    assert sorted(table.now["black_jack_deck"]) == list(range(1, 8))
    table.buys(0, "R5").shows(asked=("choose_for_black_jack", 0), legal=EIGHT - {"move Rum"})
    table.refuses("move Rum", "Black Jack's card has been used in this game (D1)")
    table.refuses("pass", "the choice now is a movement card for Black Jack (D3)")


def bidding(*names):
    return Table(0, 7).arrange(["R5 R7 R9", "R6 R8 R10"]).play(*names)


def test_offers_rise_by_turns_until_a_player_passes():
    """D2: if the opener passes, the other may still offer and has won; if both pass, nobody has."""
    table = bidding()
    for seat, card in ((1, "R6"), (0, "R7"), (1, "R8"), (0, "R9")):
        table.shows(asked=("bid", seat)).play(card)
    table.shows(asked=("bid", 1), legal={"pass", "R10"}, offers=["R9", "R8"]).play("pass")
    table.shows(buyer=0, harbour=["R9"], offers=["R9", "R8"], crews=[["R5", "R7"], ["R6", "R8", "R10"]])
    bidding("pass").shows(asked=("bid", 0), legal={"pass", "R5", "R7", "R9"})
    bidding("pass", "R5").shows(buyer=0, harbour=["R5"], asked=("choose", 1))
    bidding("pass", "pass").shows(buyer=None, harbour=[], asked=("choose", 1))
    bidding("R8", "pass").shows(buyer=1, harbour=["R8"], asked=("choose_for_black_jack", 1))


@pytest.mark.parametrize(
    ("buyer", "card", "asked"),
    [
        (0, "R4", [("choose", 1), ("choose_for_black_jack", 0), ("choose", 0)]),
        (1, "R6", [("choose_for_black_jack", 1), ("choose", 1), ("choose", 0)]),
    ],
)
def test_the_buyer_chooses_for_black_jack_first_and_then_for_himself(buyer, card, asked):
    """D3, H9: both before the next seat."""
    table = duel([0, 7], 3, ["R4", "R6"], buyer=(buyer, card))
    for number, each in enumerate(asked, 1):
        table.shows(asked=each, black_jack_laid=None).play(f"move {number}")
    table.shows(black_jack_choice=None, choices=[None, None])


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
    table.shows(captains=moved[:2], black_jack=moved[2], black_jack_laid=jack, round=1)


def test_black_jack_takes_tavern_cards_for_the_buyer():
    """D4: where he comes to, or stands."""
    table = duel([0, 4], 9, ["", "R6 R7"], "R8", {11: "Y1 Y2"}, buyer=(1, "R7")).choose(3, 1, jack=2)
    table.shows(black_jack=11, crews=[[], ["R6", "Y1"]], harbour=["R7", "R8"])
    assert table.now["taverns"][11]["top"] == "Y2"
    for option in ("captain", "standard"):
        table = duel([0, 4], 9, ["", "R6"], "", {9: "Y1 Y2"}, buyer=(1, "R6"), duel_black_jack=option)
        table.choose(3, 2, jack=2).shows(black_jack=9, crews=[[], ["Y1"]])


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
        table.shows(asked=("rob", 0), victim=1, mover="black_jack", captains=[0, 11]).play("G3")
    left = [card for card in theirs.split() if not robs or card != "G3"]
    table.shows(crews=[[*mine.split(), *["G3"] * robs, "Y1"], left], captains=[7, 4], black_jack=11)  # from 12 on


def test_black_jack_on_the_buyers_captain_only_pushes_and_an_empty_harbour_leaves_the_buyer_to_be_robbed():
    """D4, D5, H7 .. H9: the buyer himself has emptied it before."""
    table = duel([0, 11], 9, ["G4 G5", "R4 R15"], "R5", {11: "Y1"}, buyer=(1, "R15")).choose(7, 6, jack=2)
    table.shows(crews=[["G4", "G5"], ["R4", "Y1"]], captains=[7, 4], black_jack=11, round=1)
    table = duel([8, 4], 9, ["R4 R5 R15", ""], buyer=(0, "R15")).choose(1, 6, jack=7)
    table.shows(asked=("take", 0), legal="R15").play("R15").shows(asked=("rob", 1), legal="R4 R5 R15", victim=0)
    table.play("R5").shows(crews=[["R4", "R15"], ["R5"]], black_jack=4)  # pushed to 10 and 11, and 7 further


def overtaking(captains, jack, crews, taverns=None, buyer=(0, "R15"), jack_deck=""):
    return duel(captains, jack, crews, "", taverns, buyer, jack_deck, duel_black_jack="standard")


def test_as_an_option_black_jack_moves_after_the_captains_and_robs_whom_he_overtakes():
    """D4, J4: he is moved on, pushes nobody and passes over the buyer and who has fewer cards; a Rum is named."""
    table = overtaking([0, 6], 9, ["R4 R15", "G2 G3"], {12: "Y1"}).choose(7, 4, jack=3)
    table.shows(captains=[7, 10], asked=("rob", 0), victim=1, to_rob=[1]).play("G3")
    table.shows(crews=[["R4", "G3"], ["G2"]], black_jack=12)
    assert table.now["taverns"][12]["top"] == "Y1"
    table = overtaking([3, 5], 9, ["R4 R15", "G2"]).choose(7, 6, jack=2)
    table.shows(captains=[10, 11], asked=("rob", 0), black_jack=12).play("G2").shows(captains=[10, 11])
    overtaking([3, 5], 9, ["R4 R5 R15", "G2"]).choose(7, 6, jack=2).shows(round=1, crews=[["R4", "R5"], ["G2"]])
    table = overtaking([3, 5], 9, ["R4 R15", "G2"], {11: "Y1"}).choose(7, 6, jack="Rum").play("name 1")
    table.shows(asked=("rob", 0), black_jack=12, captains=[10, 11], black_jack_number=0)


BOTH = {"take from the harbour", "rob the buyer"}


@pytest.mark.parametrize(
    ("choice", "asked", "legal", "victim"),
    [("take from the harbour", "take", "R15 V3", None), ("rob the buyer", "rob", "R4 R5", 0)],
)
def test_the_opponent_who_lands_on_black_jack_takes_from_the_harbour_or_robs_the_buyer(choice, asked, legal, victim):
    """D5: the tavern card first."""
    table = duel([0, 4], 9, ["R4 R5 R15", ""], "V3", {9: "Y1"}, buyer=(0, "R15")).choose(2, 5, jack=7)
    table.shows(asked=("take_or_rob", 1), legal=BOTH, crews=[["R4", "R5"], ["Y1"]], mover=1, victim=None)
    table.refuses("pass", "whether to take from the harbour or to rob the buyer (D5)")
    table.play(choice).shows(asked=(asked, 1), legal=legal, victim=victim, black_jack=9)
    card = min(legal.split())
    table.play(card).shows(black_jack=3, round=1)  # moved on to 10, and 7 further
    assert set(table.now["crews"][1]) == {"Y1", card}


@pytest.mark.parametrize(
    ("buyers", "harbour", "options", "asked"),
    [
        ("", "V3", {}, "take"),
        ("R4", "V3", {}, "take"),
        ("R4", "V3", {"rob_count": "before_pick"}, "take_or_rob"),  # H7
        ("R4 R5", "", {}, "take_or_rob"),
    ],
)
def test_d5_is_asked_only_if_both_are_possible(buyers, harbour, options, asked):
    """D5: the opponent has two cards when he arrives, or one before; the buyer's card lies in the harbour."""
    table = duel([0, 4], 9, [f"{buyers} R15", "G2"], harbour, {9: "Y1"}, buyer=(0, "R15"), **options)
    table.choose(2, 5, jack=7).shows(asked=(asked, 1))
    table = duel([4, 0], 9, ["G2", f"{buyers} R15"], harbour, {9: "Y1"}, buyer=(1, "R15"), **options)
    table.choose(5, 2, jack=7).shows(asked=(asked, 0))


def test_without_a_buyer_the_first_card_left_is_turned_up_when_all_have_chosen():
    """D6, D1: spent ones are skipped."""
    table = duel([0, 7], 4, ["R4", "R6"], jack_deck="4 6 Rum 2", buyer=(0, "R4")).choose(1, 1, jack=4)
    drawn = []
    for cards in ((2, 2), (3, 3), (4, 4)):
        table.nobody_bids().shows(black_jack_choice=None).choose(*cards)
        drawn.append(table.now["black_jack_laid"])
        if table.now["phase"] == "name":
            table.play("name 1")
        while table.now["phase"] == "give":
            table.first_legal()
    assert drawn == [6, "Rum", 2]
    table.shows(black_jack_spent=[2, 4, 6, "Rum"])


def unbought(captains, jack, crews, harbour="", taverns=None, jack_deck="2", **options):
    return duel(captains, jack, crews, harbour, taverns, None, jack_deck, **options)


def test_without_a_buyer_who_is_landed_on_gives_a_card_to_the_harbour_and_is_pushed():
    """D6, H9, J5: whatever the numbers of cards; who has none gives none; Black Jack collects for the harbour."""
    table = unbought([0, 5], 3, ["", "G2 G3"], "V3 V4 V5", {5: "Y2"}).choose(3, 7)
    table.shows(asked=("give", 1), legal="G2 G3", mover="black_jack", victim=None, captains=[0, 5]).play("G3")
    table.shows(crews=[[], ["G2"]], harbour=["V3", "V4", "V5", "G3", "Y2"], captains=[3, 13])  # seat 1 from 6 on
    unbought([0, 5], 3, ["", "G2"]).choose(3, 7).shows(asked=("give", 1), legal="G2")
    unbought([0, 5], 3, ["R4", ""], "V3").choose(1, 7).shows(round=1, captains=[1, 13], harbour=["V3"])
    table = unbought([0, 7], 3, ["", ""], "", {5: "Y2"}).choose(6, 7)
    table.shows(black_jack=5, harbour=["Y2"], crews=[[], []])
    table = overtaking([0, 13], 3, ["R4 R5", "G2"], {8: "Y1"}, None, "5").choose(4, 7)
    table.shows(captains=[4, 6], to_rob=[0, 1], asked=("give", 0), legal="R4 R5").play("R5")
    table.shows(asked=("give", 1), legal="G2").play("G2").shows(harbour=["R5", "G2"], black_jack=8)
    assert table.now["taverns"][8]["top"] == "Y1"
