"""The stories of moves: they tell all that happens on the table, and nothing secret."""

from collections import Counter

import numpy as np
import pytest

from blackjacky_agents.narration import say, seat
from blackjacky_agents.wording import in_words, page_texts
from blackjacky_env.engine.svg import MINUS
from tests.games.black_spy.rigging import (
    BLACKS,
    MYSELF,
    OTHERS,
    Table,
    dealt,
    full,
    last_card,
    second_deal,
    shoot,
    shooter,
)
from tests.games.black_spy.test_drawing import trick_of_three
from tests.phrases import NAMES, assert_every_sentence_occurs, sentences, stories, tell, told

EVERYTHING = {"mole": True, "call_colour": True, "rank_follow": True, "rank_follow_strict": True, "max_deals": 2}
GAMES = [
    {"num_players": 3, "max_deals": 3},
    {"num_players": 4, **EVERYTHING, "pass_cycle": "left_across_right"},
    {"num_players": 5, "no_good_spies": True, "max_deals": 2, "opener": "left_of_dealer"},
    {"num_players": 6, "mole": True, "moon_choice": True, "moon_choice_spies": "never_scored", "max_deals": 2},
]


def first_legal(table):
    return table.env.action_name(int(np.argmax(table.env.last()[0]["action_mask"])))


# ---------------------------------------------------------------- all games


def test_every_sentence_occurs_and_has_all_its_values():
    def rigged():
        return [*moon(OTHERS), *moon(MYSELF), *all_black(), *skip(), *halved(), *shared_win(), *reached()]

    assert_every_sentence_occurs("black_spy", GAMES, range(2), rigged)


def moon(choice):
    """The phrases of the choice after a moon (V2)."""
    env = shoot(shooter(moon_choice=True)).env.unwrapped
    return tell(env, env.parse_action(choice), 1)[2]


def all_black():
    """The phrases of all tricks up to the one in which player_0 takes the last black card, and of the next."""
    game, phrases = shooter(), []
    for card in ["r11", *BLACKS.split(), "r10"]:
        for name in (full(card), None, None):
            phrases += tell(game.env.unwrapped, game.env.parse_action(name or first_legal(game)), 1)[2]
    return phrases


def skipping():
    """Return a table at which player_2 calls; player_0 has no red, player_1 all of it."""
    return Table("k1 k2", "r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 k3", "k4", call_colour=True)


def skip():
    """The phrases of a call of red."""
    env = skipping().env.unwrapped
    return tell(env, env.parse_action("call red"), 1)[2]


def scored(wanted, **options):
    """The phrases of a deal of three after which the totals are as wanted."""
    points = last_card(3, **options).first_legal().now["last_deal"]
    totals = [total - each for total, each in zip(wanted, points, strict=True)]
    game = last_card(3, **options).arrange(totals=totals)
    return tell(game.env.unwrapped, game.env.parse_action(first_legal(game)), 1)[2]


def halved():
    """V6: a total is exactly the limit."""
    return scored([200, 20, 20], exact_limit=True)


def reached():
    """B9: a total is beyond the limit."""
    return scored([201, 20, 20])


def shared_win():
    """B9: two winners."""
    return scored([0, 0, 150], max_deals=1)


@pytest.mark.parametrize("options", GAMES)
def test_the_story_alone_tells_what_everybody_has_taken(options):
    points = Counter()
    for before, after, phrases in stories("black_spy", options, range(2)):
        for phrase in phrases:
            if phrase["key"].startswith("wins_trick"):
                points[phrase["values"]["seat"]["seat"]] += int(phrase["values"]["points"].replace(MINUS, "-"))
        if before["deal"] != after["deal"] or after["phase"] == "over":
            assert (
                16 in before["black_taken"]
                or [points[p] for p in range(len(NAMES))][: len(after["totals"])] == (after["last_deal"])
            )
            points.clear()
        else:
            assert [points[p] for p in range(len(after["totals"]))] == after["points"]


@pytest.mark.parametrize("options", GAMES)
@pytest.mark.parametrize("reader", [None, 0])
def test_of_cards_chosen_in_secret_only_those_that_come_into_the_own_hand_are_told(options, reader):
    for before, after, phrases in stories("black_spy", options, range(1), reader):
        if before["phase"] in ("take", "pass") and before["player"] != reader:
            assert {*cards_in(phrases)} - {"hidden"} <= (gained(before, after, reader) if reader is not None else set())


def gained(before, after, reader):
    """The kinds of card that have come into the reader's hand; chosen cards leave it when others come."""
    moved = before["chosen"][reader] if after["phase"] != before["phase"] else []
    kept = Counter(before["hands"][reader]) - Counter(moved)
    return {*(Counter(after["hands"][reader]) - kept)}


def cards_in(value):
    if isinstance(value, list):
        for each in value:
            yield from cards_in(each)
    elif isinstance(value, dict):
        if "card" in value and "key" not in value:
            yield value["card"]
        for each in value.get("values", {}).values():
            yield from cards_in(each)


# ---------------------------------------------------------------- passing, the mole, the call


def passing():
    return Table("r1 b1 b2 b3", "y1 y2 y3", "g1 g2 g3", passed=False)


def test_a_player_learns_which_cards_were_received_and_nobody_else_does():
    asked = [f"{colour} {number}" for colour in ("blue", "yellow", "green") for number in (1, 2, 3)]
    assert told(passing(), *asked) == [
        "Anna chooses the blue 1 to pass",
        "Anna chooses the blue 2 to pass",
        "Anna chooses the blue 3 to pass",
        "Bert has chosen three cards to pass",
        "Cleo has chosen three cards to pass",
        "Everybody passes three cards to the left",
        "Anna receives the green 1, the green 2 and the green 3 from Cleo",
        "Anna has the red star and leads the first trick",
    ]
    assert told(passing(), *asked, reader=None)[-3:] == [
        "Cleo has chosen three cards to pass",
        "Everybody passes three cards to the left",
        "Anna has the red star and leads the first trick",
    ]
    assert told(passing(), *asked, reader=1, language="de")[-3:] == [
        "Alle geben drei Karten nach links weiter",
        "Bert bekommt die blaue 1, die blaue 2 und die blaue 3 von Anna",
        "Anna hat den roten Stern und spielt zum ersten Stich aus",
    ]


@pytest.mark.parametrize(("deal", "giver"), [(0, "Dora"), (1, "Bert"), (2, "Cleo")])
def test_the_cards_received_come_from_the_player_who_passed_them(deal, giver):
    game = dealt(4).arrange(deal_number=deal)
    while game.now["phase"] == "pass":
        sentences = told(game, first_legal(game))
    received = next(each for each in sentences if each.startswith("Anna receives"))
    places = {"Bert": 1, "Cleo": 2, "Dora": 3}
    assert received.endswith(f" from {giver}")
    first = game.now["passed"][places[giver]][0]
    assert f"the {first}" in received or first in game.now["hands"][0]


def test_what_is_taken_from_the_pile_is_secret_and_the_last_player_gets_the_rest():
    stories = []
    for place in range(3):
        game = second_deal(3, (5, 40, 20))
        order = sorted(range(3), key=lambda each: -game.now["totals"][each])
        taken = [first_legal(game)]
        sentences = told(game, taken[0], reader=order[place])
        while game.now["phase"] == "take":
            taken.append(first_legal(game))
            sentences += told(game, taken[-1], reader=order[place])
        stories.append(sentences)
    first, second, third = (NAMES[each] for each in order)
    assert stories[0] == [
        *(f"{first} takes the {name} from the mole's pile" for name in taken[:3]),
        *[f"{second} takes a card from the mole's pile"] * 3,
        f"{third} gets the last three cards of the pile",
    ]
    assert stories[2][:6] == [f"{name} takes a card from the mole's pile" for name in (first, second) for _ in range(3)]
    last = [name for name in game.now["hands"][order[2]] if f"the {name}" in stories[2][6]]
    assert stories[2][6].startswith(f"{third} gets the last cards of the pile: the {last[0]}")


def test_a_call_tells_who_is_skipped():
    assert told(skipping(), "call red") == [
        "Cleo calls red",
        "Anna has no red and is skipped",
        "Bert has to lead red",
    ]


# ---------------------------------------------------------------- tricks and scores


def test_a_trick_tells_what_a_card_shows_and_what_the_trick_costs():
    assert told(trick_of_three(), "red 2", "black 7", "blue 2") == [
        "Anna leads the red 2",
        "Bert plays the black 7",
        "Bert has no red and no 2s",
        "Cleo plays the blue 2",
        "Anna wins the trick: 10 points",
    ]
    assert told(trick_of_three(), "red 2", "black 7", "blue 2", language="de") == [
        "Anna spielt die rote 2 aus",
        "Bert spielt die schwarze 7",
        "Bert hat kein Rot und keine 2",
        "Cleo spielt die blaue 2",
        "Anna gewinnt den Stich: 10 Punkte",
    ]


def test_good_spies_lower_the_cost_of_a_trick_unless_they_count_nothing():
    game = Table("r1 r7", "g7 b7", "k1 b1 b3 y7")
    assert told(game, "red 7", "green 7", "yellow 7")[-1] == f"Anna wins the trick: {MINUS}15 points"
    game = Table("r1 r7", "g7 b7", "k1 b1 b3 y7", no_good_spies=True)
    assert told(game, "red 7", "green 7", "yellow 7")[-1] == "Anna wins the trick"


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (OTHERS, ["Anna chooses 60 points for each of the others", "Anna gets 0 in this deal"]),
        (MYSELF, ["Anna chooses 60 points off their own total", f"Anna gets {MINUS}60 in this deal"]),
    ],
)
def test_the_choice_after_a_moon_is_told(choice, said):
    assert sentences("black_spy", moon(choice))[:2] == said


def test_all_black_cards_in_one_hand_are_told_once():
    assert [each for each in all_black() if each["key"] == "has_all_black"] == [say("has_all_black", seat=seat(0))]


def test_halved_totals_the_next_deal_and_the_winners_are_told():
    half = sentences("black_spy", halved())
    assert "Anna has exactly 200, which is halved to 100" in half
    assert half[-1] == "Deal 2: Anna deals"
    assert "Anna has 100 in total" in half
    won = sentences("black_spy", shared_win())
    assert won[-1] == "Anna and Bert win together with the lowest total, 0"
    assert shoot(shooter(max_deals=1)).now["winners"] == [0]


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_card_colour_and_phase_has_words(language):
    texts = page_texts("black_spy")[language]
    assert {"take", "call", "pass", "play", "choose"} == texts["phases"].keys()
    called = in_words({"kind": "call", "card": None, "pile": None, "seats": [], "number": "green"}, texts, NAMES)
    assert called == {"en": "call green", "de": "Grün ansagen"}[language]
    assert in_words({"card": "black 7"}, texts, NAMES) == {"en": "black 7", "de": "schwarze 7"}[language]
