"""Black Jack in the standard game of Halunken & Spelunken, rule by rule."""

import numpy as np
import pytest

from blackjacky_env import IllegalActionError, halunken_v0
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
    return (table.buys(*buyer) if buyer else table.nobody_bids()).choose(*[1] * len(crews))


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
    for action, reason in ((6, "a figure stands on it"), (56, "a field for Black Jack")):
        with pytest.raises(IllegalActionError, match=reason):
            env.step(action)
    env.step(0)
    changed = {"black_jack": 0, "phase": "bid", "player": 1, "opener": 1, "happened": []}
    assert env.snapshot() == before | changed
    assert sorted(before["black_jack_deck"]) == list(range(1, 13))


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


def three():
    return Table(0, 4, 8).arrange(["R4 V10 Y12", "R5 G6 G8", "R6 G10"], jack=12)


def test_each_player_once_passes_or_offers_an_own_card_of_higher_value_and_only_the_winner_pays():
    """J2, H9: one lap from the opener on; who has no higher card is asked too; all choose from the opener on."""
    table = three().shows(asked=("bid", 2), legal={"pass", "R6", "G10"}).play("R6")
    table.shows(asked=("bid", 0), legal={"pass", "V10", "Y12"}, bidder=2, offers=[None, None, "R6"], buyer=None)
    table.refuses("G8", "it is not the player's own (J2)").refuses(
        "move 2", "a card of the player's own to offer, or a pass"
    )
    table.refuses("R4", "its value is 4, and an offer must be higher than the last one, 6 (J2)")
    table.play("V10").shows(asked=("bid", 1), legal={"pass"}, bidder=0, offers=["V10", None, "R6"])
    table.play("pass").shows(buyer=0, harbour=["V10"], crews=[["R4", "Y12"], ["R5", "G6", "G8"], ["R6", "G10"]])
    three().play("R6", "pass").shows(legal={"pass", "G8"}).play("G8").shows(
        asked=("choose", 2), harbour=["G8"], buyer=1
    )
    assert three().play("pass", "V10", "pass").rewards() == [-10, 0, 0]
    table = Table(0, 4, 8).arrange(["", "R5", "R15"], jack=12).play("R15").shows(asked=("bid", 0), legal={"pass"})
    table.play("pass").shows(asked=("bid", 1), legal={"pass"})
    table = Table(0, 4, 8).buys(0, "R4")
    for card, seat in ((1, 2), (2, 0), (3, 1)):
        table.shows(asked=("choose", seat)).play(f"move {card}")


def next_round(table):
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
        table.shows(buyer=buyer, asked=("choose", openers[-1][1]))
        next_round(table).shows(offers=[None] * 3, bidder=None, buyer=None)
    assert [*openers, table.asked] == [("bid", player) for player in (2, 2, 1, 1, 0, 2)]


@pytest.mark.parametrize("buyer", [(0, "R4"), (1, "R4"), None])
def test_who_lands_on_black_jack_takes_the_tavern_card_and_any_card_from_the_harbour(buyer):
    """J3: his controller too, and whatever the numbers of cards."""
    crews = ["V3 V4 V5 V6", "R5", "R6"]
    if buyer is not None:
        crews[buyer[0]] += " R4"
    table = Table(0, 4, 8, jack_deck="1").arrange(crews, "Y1 Y2", jack=2, taverns={2: "G2 G3"})
    table.buys(*buyer) if buyer else table.nobody_bids()
    table.choose(2, 7, 7).shows(asked=("take", 0), legal={"Y1", "Y2", *(["R4"] if buyer else [])})
    table.refuses("G13", "it is not in the harbour").refuses("pass", "a card from the harbour (J3)")
    assert "G2" in table.now["crews"][0]
    table.play("Y2").shows(black_jack=4 + 1)  # moved on to 3, then 1 onto seat 1, and on
    assert "Y2" in table.now["crews"][0]
    assert "Y2" not in table.now["harbour"]


def test_who_lands_on_black_jack_moves_him_on_and_an_empty_harbour_is_not_asked_for():
    """J3, H8, H9."""
    table = Table(0, 3, 8, jack_deck="1").arrange(["", "", ""], jack=2, taverns={2: "", 3: "", 8: ""})
    table.nobody_bids().choose(2, 7, 7).shows(round=1, captains=[2, 3, 8], black_jack=5)  # from 2 to 4, and 1 further


def test_the_example_of_black_jacks_move_on_the_sheet():
    """J4: captains Red 3, Yellow 5, Blue 8 with 5, 4 and 4 cards; Yellow controls; the card is an 8."""
    table = standing(["R4 R5 R6 R7 R8", "Y1 Y2 Y3 Y4 Y5", "V3 V4 V5 V6"], [3, 5, 8], 0, "8", (1, "Y5"))
    table.shows(asked=("rob", 1), victim=0, mover="black_jack", legal="R4 R5 R6 R7 R8", to_rob=[0, 2])
    table.play("R7").shows(black_jack=9, round=1, asked=("bid", 1), victim=None, mover=None, to_rob=[])
    assert [len(crew) for crew in table.now["crews"]] == [4, 5, 4]


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
        robbed.append(table.shows(player=3, black_jack=ends).now["victim"])
        table.play(table.now["crews"][robbed[-1]][0])
    table.shows(black_jack=ends, captains=[*captains, free], round=1)
    assert robbed == order


def test_if_nobody_bid_all_that_he_overtakes_give_a_card_of_their_own_choice_to_the_harbour():
    """J5: in the order in which they stand, whatever the numbers of cards; who has none gives none."""
    table = standing(["R4 R5 R6", "", "Y1"], [2, 3, 4], 0, "3")
    table.shows(asked=("give", 0), legal="R4 R5 R6", mover="black_jack", victim=None, to_rob=[0, 1, 2])
    table.refuses("Y1", "it is not before player_0").refuses(
        "pass", "a card of the player's own to give to the harbour"
    )
    assert table.play("R5").rewards() == [-10, 0, 0]
    table.shows(asked=("give", 2), legal="Y1").play("Y1")
    table.shows(crews=[["R4", "R6"], [], []], harbour=["R5", "Y1"], black_jack=5, round=1)
    table = standing(["R4", "R5", "R6", "R7"], [3, 1, 4, 2], 0, "4")
    for seat, left in ((1, [1, 3, 0, 2]), (3, [3, 0, 2]), (0, [0, 2]), (2, [2])):
        table.shows(asked=("give", seat), to_rob=left).play(table.now["crews"][seat][0])
    table.shows(harbour=["R4", "R5", "R6", "R7"], black_jack=5)


def test_a_game_has_eight_rounds_four_cards_stay_unseen_and_the_harbour_counts_for_nobody():
    """J6: in a duel Black Jack has no more than eight."""
    assert len(Table(0, 7).finish().shows(round=7, black_jack_deck=[]).now["black_jack_spent"]) == 8
    now = Table(0, 4, 8, jack_deck="3").finish().shows(phase="over", round=7).now
    assert [len(spent) for spent in now["spent"]] == [8] * 3
    assert (len(now["black_jack_deck"]), len(now["black_jack_spent"])) == (4, 8)
    table = Table(0, 4, 8, jack_deck="12 11 10 9 8 7 6 1")
    table.arrange(["R4", "", ""], "R15 Y12", round_number=7, jack=12, taverns={0: "", 4: "", 8: ""})
    table.nobody_bids().choose(1, 1, 1).shows(totals=[8, 0, 0], harbour=["R15", "Y12"])


def test_the_state_vector_has_black_jacks_movement_cards_and_zeros_where_he_has_none():
    """J1, D1."""
    for players, variant, cards in ((3, "basic", 0), (2, "duel", 8), (4, "standard", 12)):
        table = Table(*range(players), variant=variant)
        table.env.reset(seed=1)
        deck = table.state_parts()["jack_deck"]
        assert sorted(deck[:cards]) == list(range(1, cards + 1))
        assert deck[cards:] == [0] * (12 - cards)
