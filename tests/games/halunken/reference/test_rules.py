"""The reference implementation is itself held against the rule sheet."""

import random
from collections.abc import Mapping
from typing import Any

import pytest

from .observation import observations
from .rules import (
    CARD,
    FIELDS,
    JACK_MOVEMENT,
    MOVE,
    MOVEMENT,
    NAME,
    NAMES,
    NUMBER,
    PASS,
    ROB,
    ROGUES,
    RUM,
    TAKE,
    ReferenceGame,
    score,
)

BASIC = {"variant": "basic"}
OVERTAKING = {"duel_black_jack": "standard"}


def table(*places: int, tops: str = "", jack: tuple[Any, ...] = (), **options: Any) -> ReferenceGame:
    """The captains stand on these fields, seat 0 first, and Black Jack on the last one, if he plays.

    `tops` are the first start cards by seat, `jack` Black Jack's first movement cards.
    """
    game = ReferenceGame(len(places) - (options.get("variant") != "basic"), **options)
    jack_cards = [*jack, *(card for card in all_jack_cards(game) if card not in jack)]
    rogues = deck(dict(zip(places, tops.split(), strict=False)))
    game.start(0, lambda _, name="deck": rogues if name == "deck" else jack_cards)
    for place in places:
        game.step(place)
    return game


def all_jack_cards(game: ReferenceGame) -> list[Any]:
    """J1, D1."""
    return list(MOVEMENT if game.duel else JACK_MOVEMENT)


def deck(tops: Mapping[int, str]) -> list[str]:
    """A deck with these top cards by field."""
    others = [card for card in ROGUES if card not in tops.values()]
    return [*(tops.get(place) or others.pop() for place in FIELDS), *others]


def bid(game: ReferenceGame, offers: str) -> None:
    for offer in offers.split():
        game.step(PASS if offer == "pass" else CARD + NUMBER[offer])


def have(game: ReferenceGame, *crews: str) -> None:
    """Give everybody these cards."""
    for player, crew in zip(game.players, crews, strict=True):
        player.crew = crew.split()


def lay(game: ReferenceGame, *by_seat: Any, jack: Any = None) -> None:
    """All choose these movement cards, named by seat, in their order, until they are revealed."""
    while game.phase.startswith("choose"):
        card = jack if game.phase == "choose_for_black_jack" else by_seat[game.player or 0]
        game.step(MOVE + MOVEMENT.index(card))
        if game.snapshot()["choices"].count(None) == len(game.players):
            return


def name(game: ReferenceGame, number: int) -> None:
    game.step(NAME + number - 1)


def take(game: ReferenceGame, card: str) -> None:
    game.step(CARD + NUMBER[card])


def names(*numbers: int) -> set[int]:
    return {NAME + number - 1 for number in numbers}


def captains(game: ReferenceGame) -> list[int]:
    places: list[int] = game.snapshot()["captains"]
    return places


def sizes(game: ReferenceGame) -> list[int]:
    return [len(player.crew) for player in game.players]


def asked(game: ReferenceGame) -> tuple[str, int | None]:
    return game.phase, game.player


# -- H1, H2, J1: set-up -----------------------------------------------------------------------------------------------


def test_the_rogues_are_those_of_the_sheet() -> None:
    """H1: 9 red, 10 violet, 11 grey, 12 yellow."""
    assert [sum(card[0] == colour for card in ROGUES) for colour in "RVGY"] == [9, 10, 11, 12]
    assert (ROGUES[0], ROGUES[8], ROGUES[18], ROGUES[29], ROGUES[-1]) == ("R4", "R15", "V14", "G13", "Y12")


def test_top_cards_are_turned_up_when_all_captains_are_placed() -> None:
    """H2."""
    game, cards = ReferenceGame(3, "basic"), deck({})
    game.start(2, lambda _: cards)
    game.step(5)
    assert asked(game) == ("place_captain", 0)
    assert game.legal_actions() == set(FIELDS) - {5}
    assert game.snapshot()["taverns"][5] == {"top": None, "hidden": [cards[19], cards[33]]}
    game.step(6)
    game.step(7)
    assert game.snapshot()["crews"] == [[cards[6]], [cards[7]], [cards[5]]]
    assert game.snapshot()["taverns"][5] == {"top": cards[19], "hidden": [cards[33]]}
    assert asked(game) == ("choose", 2)  # H9


def test_yellow_and_grey_come_before_violet_and_red_if_start_cards_tie() -> None:
    """J1: the example of the sheet, a yellow and a violet 11; and two fours."""
    game = ReferenceGame(4)
    cards = deck({0: "V11", 1: "Y11", 2: "R4", 3: "G4"})
    game.start(0, lambda _, name="deck": cards if name == "deck" else all_jack_cards(game))
    for place in range(4):
        game.step(place)
    assert asked(game) == ("place_black_jack", 3)
    assert game.legal_actions() == set(range(4, 14))
    game.step(4)
    assert asked(game) == ("bid", 1)


# -- H4 .. H8: captains -----------------------------------------------------------------------------------------------


def test_the_example_of_the_sheet() -> None:
    """H4 .. H8: blue 5, red 3, green 5, and yellow Rum, who names 1, lands on red, robs and pushes him."""
    game = table(0, 5, 12, 4, **BASIC)
    lay(game, 5, 3, 5, RUM)
    assert asked(game) == ("name", 3)
    assert game.legal_actions() == names(1, 2, 4, 6, 7)
    have(game, "", "R4 R5", "", "")
    name(game, 1)
    assert sizes(game) == [1, 2, 1, 1]
    assert (*asked(game), game.snapshot()["mover"], game.snapshot()["victim"]) == ("rob", 3, 3, 1)
    assert captains(game) == [0, 5, 12, 5]
    take(game, "R5")
    assert captains(game) == [0, 6 + 3, 12, 5]
    assert sizes(game) == [1, 2, 1, 2]


def test_two_pairs_cancel_and_two_rums_are_not_named() -> None:
    """H4: all take the cards of their taverns."""
    game = table(0, 3, 6, 9, **BASIC)
    lay(game, RUM, 4, RUM, 4)
    assert asked(game) == ("choose", 0)
    assert captains(game) == [0, 3, 6, 9]
    assert sizes(game) == [2, 2, 2, 2]


@pytest.mark.parametrize(("rob_count", "phase"), [("after_pick", "choose"), ("before_pick", "rob")])
def test_whoever_has_more_cards_does_not_rob(rob_count: str, phase: str) -> None:
    """H7: 1 card before and 2 after he has taken that of the tavern, and the other has 1."""
    game = table(0, 1, 7, rob_count=rob_count, **BASIC)
    lay(game, 1, 7, 6)
    assert game.phase == phase


def test_a_figure_is_pushed_over_occupied_fields_without_a_card() -> None:
    """H8: seat 1 goes from field 1 to 3, and later on from there."""
    game = table(0, 1, 2, **BASIC)
    have(game, "R4 R5", "", "")
    lay(game, 1, 7, 6)
    assert captains(game) == [1, 3 + 7, 2 + 6]
    assert sizes(game) == [3, 1, 1]


# -- J2 .. J6: Black Jack ---------------------------------------------------------------------------------------------


def test_each_bids_once_and_more_than_the_last_offer() -> None:
    """J2: the winner puts the card into the harbour."""
    game = table(0, 2, 4, 13, tops="R5 R6 R7")
    assert asked(game) == ("bid", 2)
    bid(game, "R7")
    assert asked(game) == ("bid", 0)
    assert game.legal_actions() == {PASS}
    bid(game, "pass pass")
    seen = game.snapshot()
    assert (seen["buyer"], seen["bidder"], seen["offers"]) == (2, 2, [None, None, "R7"])
    assert (seen["harbour"], seen["crews"][2]) == (["R7"], [])
    assert asked(game) == ("choose", 2)


def test_whoever_has_bought_opens_the_next_auction() -> None:
    """J2; J4: Black Jack is moved on from the captain on whose field he lands, and robs there too."""
    game = table(0, 4, 8, 13, tops="R7 R6 R5", jack=(1,))
    bid(game, "pass R6 pass")
    lay(game, 7, 7, 7)
    assert (*asked(game), game.snapshot()["victim"]) == ("rob", 1, 0)
    assert (game.jack.place, game.snapshot()["to_rob"]) == (1, [0])
    take(game, "R7")
    assert asked(game) == ("bid", 1)
    assert game.snapshot()["buyer"] is None


def test_whoever_lands_on_black_jack_takes_from_the_harbour() -> None:
    """J3: also his buyer; then Black Jack moves on."""
    game = table(0, 2, 4, 5, tops="R5 R6 R7", jack=(1,))
    bid(game, "R7 pass pass")
    lay(game, 7, 7, 1)
    assert asked(game) == ("take", 2)
    assert sizes(game) == [2, 2, 1]
    assert game.legal_actions() == {CARD + NUMBER["R7"]}
    take(game, "R7")
    assert (captains(game), game.jack.place) == ([0, 2, 5], 6 + 1)


def test_black_jack_robs_those_who_have_as_many_cards() -> None:
    """J4: the example of the sheet. Yellow has 4 cards, red 5, and blue 4, who is spared since red was robbed first."""
    game = table(2, 4, 8, 0, tops="R5 R7 R6", jack=(8,))
    bid(game, "R7 pass pass")
    have(game, "R8 R9 R10 R11", "V3 V4 V5", "G2 G3 G4")  # all stand and take one more
    lay(game, 7, 7, 7)
    assert (*asked(game), game.snapshot()["victim"]) == ("rob", 1, 0)
    take(game, "R11")
    assert asked(game) == ("bid", 1)
    assert sizes(game) == [4, 5, 4]
    assert game.jack.place == 9


def test_all_give_a_card_if_nobody_has_bid() -> None:
    """J5: in the order in which they are overtaken; here Black Jack comes all the way round (J4)."""
    game = table(1, 3, 12, 13, 0, jack=(12,))
    bid(game, "pass pass pass pass")
    lay(game, 7, 7, 7, 7)
    for seat in range(4):
        assert asked(game) == ("give", seat)
        take(game, game.players[seat].crew[0])
    assert game.phase == "bid"
    assert (sizes(game), len(game.harbour), game.jack.place) == ([1, 1, 1, 1], 4, 0)


# -- C1: the score ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("crew", "points"),
    [("", 0), ("Y1", 2), ("V3 V4 V5 Y1 Y2 G2 G3 G4 G5 G6", 12 + 3 + 2 * 20), ("R15 Y1", 31), ("R15 Y1 Y2", 21)],
)
def test_the_most_frequent_colour_counts_double(crew: str, points: int) -> None:
    """C1: the example of the sheet, and the better of two equally frequent colours."""
    assert score(crew.split()) == points


# -- D1 .. D6: the duel -----------------------------------------------------------------------------------------------


def test_offers_rise_until_one_passes() -> None:
    """D2."""
    game = table(0, 2, 4, tops="R7 R5")
    have(game, "R7 R9", "R8 R10")
    bid(game, "R7 R8 R9 pass")
    assert (game.snapshot()["buyer"], game.harbour) == (0, ["R9"])
    assert asked(game) == ("choose_for_black_jack", 0)


def test_the_other_may_offer_after_a_pass_and_has_won() -> None:
    """D2, D3: the opener still chooses first, and the buyer names Black Jack's Rum."""
    game = table(0, 2, 4, tops="R7 R5")
    bid(game, "pass R5")
    assert asked(game) == ("choose", 0)
    game.step(MOVE)
    assert asked(game) == ("choose_for_black_jack", 1)
    lay(game, 1, 2, jack=RUM)
    assert asked(game) == ("name", 1)
    assert game.legal_actions() == names(*NAMES) - names(1, 2)


def test_black_jack_moves_and_robs_for_his_buyer() -> None:
    """D4: with the buyer's number of cards; the opponent is pushed and moves later."""
    game = table(8, 0, 2, tops="R7 R5")
    bid(game, "pass R5")
    have(game, "R7 R8 R9", "")
    lay(game, 7, 1, jack=6)
    seen = game.snapshot()
    assert (*asked(game), seen["mover"], seen["victim"]) == ("rob", 1, "black_jack", 0)
    assert sizes(game) == [3, 2]
    take(game, "R9")
    assert (captains(game), game.jack.place) == ([(9 + 7) % 14, 1], 8)


def test_black_jack_only_pushes_his_buyer() -> None:
    """D4."""
    game = table(8, 4, 2, tops="R7 R5")
    bid(game, "pass R5")
    lay(game, 1, 7, jack=2)
    assert (captains(game), game.jack.place) == ([9, 5 + 7], 4)
    assert (asked(game), sizes(game)) == (("bid", 1), [2, 2])


@pytest.mark.parametrize("options", [{}, OVERTAKING])
def test_equal_cards_for_black_jack_and_oneself_take_two_cards(options: Any) -> None:
    """D3, D4."""
    game = table(8, 0, 2, tops="R7 R5", **options)
    bid(game, "pass R5")
    lay(game, 7, 3, jack=3)
    assert (captains(game), game.jack.place, sizes(game)) == ([1, 0], 2, [2, 2])


def test_black_jack_may_overtake_in_a_duel_too() -> None:
    """D4 with the option: he takes no card from the tavern."""
    game = table(4, 0, 2, tops="R7 R5", **OVERTAKING)
    bid(game, "pass R5")
    have(game, "R7 R8 R9", "")
    lay(game, 2, 1, jack=7)
    assert (*asked(game), game.jack.place) == ("rob", 1, 9)
    assert sizes(game) == [4, 1]
    assert game.snapshot()["black_jack_number"] == 0


@pytest.mark.parametrize(("choice", "phase"), [(TAKE, "take"), (ROB, "rob")])
def test_the_opponent_on_black_jacks_field_may_rob_the_buyer(choice: int, phase: str) -> None:
    """D5."""
    game = table(0, 2, 4, tops="R7 R5")
    bid(game, "pass R5")
    have(game, "R7", "R8 R9")
    lay(game, 4, 7, jack=6)
    assert asked(game) == ("take_or_rob", 0)
    assert game.legal_actions() == {TAKE, ROB}
    game.step(choice)
    assert asked(game) == (phase, 0)
    assert game.snapshot()["victim"] == (1 if choice == ROB else None)
    game.step(min(game.legal_actions()))
    assert sizes(game) == [3, 4 if choice == TAKE else 3]  # the buyer's figures take two from taverns
    assert game.jack.place == 5 + 6


@pytest.mark.parametrize(("crews", "harbour", "phase"), [(("R7 R8", "R9"), "R5", "take"), (("R7", "R8 R9"), "", "rob")])
def test_there_is_no_choice_if_only_one_is_possible(crews: tuple[str, str], harbour: str, phase: str) -> None:
    """D5."""
    game = table(0, 2, 4, tops="R7 R5")
    bid(game, "pass R5")
    have(game, *crews)
    game.harbour = harbour.split()
    lay(game, 4, 7, jack=6)
    assert asked(game) == (phase, 0)


def test_the_card_turned_up_cancels_with_the_others() -> None:
    """D6: the card for standing still goes to the harbour."""
    game = table(0, 2, 4, tops="R7 R5", jack=(3,))
    bid(game, "pass pass")
    lay(game, 3, 5)
    assert (captains(game), game.jack.place, len(game.harbour)) == ([0, 7], 4, 1)
    assert game.snapshot()["black_jack_spent"] == [3]


def test_black_jack_for_nobody_makes_a_player_give_a_card() -> None:
    """D6."""
    game = table(5, 9, 0, tops="R7 R5", jack=(5,))
    bid(game, "pass pass")
    lay(game, 7, 6)
    assert (*asked(game), game.snapshot()["mover"], game.snapshot()["victim"]) == ("give", 0, "black_jack", None)
    assert len(game.harbour) == 1
    take(game, "R7")
    assert (captains(game), game.jack.place, len(game.harbour)) == ([6 + 7, 1], 5, 2)


def test_the_opener_names_the_rum_of_black_jack_if_nobody_has_bought_him() -> None:
    """D6."""
    game = table(0, 2, 4, tops="R5 R7", jack=(RUM,))
    bid(game, "pass pass")
    lay(game, 1, 2)
    assert asked(game) == ("name", 1)
    assert game.snapshot()["black_jack_number"] == RUM


# -- what is seen -----------------------------------------------------------------------------------------------------


def test_others_see_only_that_a_card_was_chosen() -> None:
    game = table(0, 2, 4, tops="R7 R5")
    bid(game, "R7 pass")
    game.step(MOVE + 4)
    game.step(MOVE + 2)
    mine, other = observations(game)
    assert [game.view(seat)["choices"] for seat in (0, 1, None)] == [[3, None], ["hidden", None], ["hidden", None]]
    assert [game.view(seat)["black_jack_choice"] for seat in (0, 1, None)] == [5, "hidden", "hidden"]
    assert (mine["my_choice"], mine["my_black_jack_choice"], mine["chosen"]) == (3, 5, [1, 0, 0, 0])
    assert (other["my_choice"], other["my_black_jack_choice"], other["chosen"]) == (0, 0, [0, 1, 0, 0])
    assert other["black_jack_chosen"] == 1


# -- whole games ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("num_players", "variant"), [(3, "basic"), (4, "standard"), (2, "duel")])
def test_random_games_keep_the_figures_of_the_sheet(num_players: int, variant: str) -> None:
    """C1: the start player passes clockwise; J6: four cards stay unseen."""
    rng = random.Random(num_players)
    game = ReferenceGame(num_players, variant, three_games=True)

    def shuffled(_number: int, name: str = "deck") -> list[Any]:
        cards = ROGUES if name == "deck" else all_jack_cards(game)
        return rng.sample(cards, len(cards))

    game.start(1, shuffled)
    paid = [0.0] * num_players
    starts = {}
    while not game.over:
        starts[game.game] = game.start_player.seat
        game.step(rng.choice(sorted(game.legal_actions())))
        paid = [sum(pair) for pair in zip(paid, game.rewards("points"), strict=True)]
        check_position(game)
    assert [starts[number] for number in range(3)] == [seat % num_players for seat in (1, 2, 3)]
    assert paid == [player.total for player in game.players]
    assert [len(player.captain.spent) for player in game.players] == [8] * num_players
    assert len(game.jack.cards) == {"basic": 0, "standard": 4, "duel": 0}[variant]


def check_position(game: ReferenceGame) -> None:
    """Every rogue lies in one place, and at rest a field holds one figure."""
    seen = game.snapshot()
    lying = [card for tavern in seen["taverns"] for card in [tavern["top"], *tavern["hidden"]] if card]
    assert sorted([*lying, *seen["harbour"], *(card for crew in seen["crews"] for card in crew)]) == sorted(ROGUES)
    if seen["mover"] is None and seen["phase"] != "place_captain":
        places = [place for place in [*seen["captains"], seen["black_jack"]] if place is not None]
        assert len(set(places)) == len(places)
