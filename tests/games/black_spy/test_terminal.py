"""The table as text: the same in colour and without, within 80 columns, and nothing that is secret."""

import re

import pytest

from blackjacky_env.games.black_spy.terminal import options_in_force, sentence, winner_of
from tests.games.black_spy.rigging import Table, dealt, second_deal, shoot, shooter
from tests.games.black_spy.test_drawing import trick_of_three


def row(text, seat):
    """The cells of the line that shows this seat."""
    return next(line.strip("│ ►").split() for line in text.splitlines() if f"player_{seat} " in line[:13])


def line(text, label):
    """What stands beside a label such as ``hand``."""
    return next(line[17:].strip("│ ") for line in text.splitlines() if line.startswith(f"│    {label} "))


def labels(text):
    """The labels of cards that somebody knows."""
    known = ("hand", "to pass", "passed", "received", "left there")
    return {label for label in known if any(line.startswith(f"│    {label} ") for line in text.splitlines())}


def test_seats_show_the_trick_and_what_they_have_taken_and_lack():
    game = trick_of_three().play("r2 k7").first_legal()
    text, points = game.written(), game.now["points"][0]
    assert row(text, 0) == ["player_0", "L★", "[?]19", str(game.now["black_taken"][0]), "0", str(points), "0"]
    assert row(text, 1) == ["player_1", "[?]19", "0", "0", "0", "0", "red", "2"]
    assert row(text, 2)[:2] == ["player_2", "D"]


def test_cards_played_are_shown_with_their_seats():
    text = Table("r1 k7", "b1 k7 k7", "g1 k7").play("r1 b1 g1 k7 k7 k7").written()
    assert line(text, "black").split() == ["·"] * 6 + ["012"] + ["·"] * 4
    assert line(text, "blue").split()[0] == "1"


def test_only_their_player_sees_the_cards_of_a_pass():
    game = Table("b1 y2 g3 k7 k7", "", "", passed=False).play("b1 k7")
    assert line(game.written("player_0"), "to pass") == "blue 1 black 7"
    assert labels(game.written("player_1")) == {"hand"}
    assert labels(game.written()) == set()
    assert "player_0 chooses the third of 3 cards to pass to the left." in game.written()
    game = dealt(3).first_legal(9)
    assert labels(game.written("player_0")) == {"hand", "passed", "received"}


def test_the_moles_pile_is_open_to_the_player_who_takes():
    game = second_deal(4, (5, 40, 20, 0))
    taker = game.now["player"]
    assert line(game.written(f"player_{taker}"), "mole's pile").startswith("blue ")
    assert line(game.written(), "mole's pile") == "12 cards"
    game.first_legal(3)
    assert "left there" in labels(game.written(f"player_{taker}"))
    assert "takes a card from the mole's pile" in game.written()


def test_the_call_is_shown():
    game = dealt(4, call_colour=True)
    game.first_legal(12)
    assert "player_3 calls a colour." in game.written()
    game.say("call red")
    assert line(game.written(), "called") == "red"
    assert "leads the first trick, with red." in game.written()


def test_the_sentence_says_what_may_be_followed():
    game = Table("r1 r2 r3", "b2 b5", "b7", rank_follow=True).play("r2 b2")
    view, options = game.env.view(None), game.env.config_dict()
    assert sentence(view, options, "ABC").endswith("plays to the red 2: red or 2 if possible.")
    view["table"][-1][1] = "blue 5"
    assert sentence(view, options, "ABC").endswith(": red or 2 if possible, or 5.")
    assert sentence(view, {**options, "rank_follow_strict": True}, "ABC").endswith(": red, 2 or 5 if possible.")
    assert sentence(view, {**options, "rank_follow": False}, "ABC").endswith(": red or 2 if possible.")


@pytest.mark.parametrize(
    ("trick", "winner"),
    [
        (["red 7", "black 7", "red 8", "blue 11"], 2),
        (["black 7", "black 7", "black 6", "red 11"], 0),
        (["black 7", "black 7", "black 8", "black 7"], 2),
    ],
)
def test_the_highest_card_of_the_led_colour_wins_and_the_first_of_equal_spies(trick, winner):
    assert winner_of([[(3 + i) % 4, name] for i, name in enumerate(trick)]) == (3 + winner) % 4


def test_options_moons_and_winners_are_named():
    everything = {"mole": True, "mole_replaces_pass": True, "rank_follow_strict": True, "pass_cycle": "left"}
    game = shooter(moon_choice=True, moon_choice_spies="never_scored", **everything)
    assert options_in_force(game.env.config_dict()) == (
        "a choice after a moon, good spies count nothing · mole, instead of passing · always left"
    )
    shoot(game)
    assert "player_0 has all black cards and chooses who gets the points." in game.written()
    over = dealt(3, max_deals=1).finish("deal")
    assert "game over at 200" in over.written()
    assert re.search(r"player_\d wins?\.|player_\d and player_\d win\.", over.written())
