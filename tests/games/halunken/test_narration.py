"""The stories of moves: they tell all that happens on the table, in the order of the rules, and nothing secret."""

import pytest

from tests.games.halunken.rigging import Table
from tests.phrases import NAMES, assert_every_sentence_occurs, stories, told

GAMES = [
    {"num_players": 4},
    {"num_players": 3, "rob_count": "before_pick"},
    {"num_players": 4, "variant": "basic"},
    {"num_players": 3, "variant": "basic", "three_games": True},
    {"num_players": 3, "three_games": True},
    {"num_players": 2},
    {"num_players": 2, "duel_black_jack": "standard"},
    {"num_players": 2, "rob_count": "before_pick", "three_games": True},
]


class Listener:
    """Somebody who knows the table from the story alone."""

    def __init__(self, view):
        self.fields = dict(zip(NAMES, view["captains"], strict=False)) | {"Black Jack": view["black_jack"]}
        self.places = dict(zip(NAMES, map(set, view["crews"]), strict=False)) | {"harbour": set(view["harbour"])}
        self.unknown = 0

    def hear(self, phrase):
        values = {name: self.value(value) for name, value in phrase["values"].items()}
        match phrase["key"]:
            case "places":
                self.go(values["actor"], values["field"])
                self.put(values["card"], values["actor"])
            case "places_black_jack":
                self.go("Black Jack", values["field"])
            case "stays" | "moves":
                self.go(values["figure"], values["field"])
                self.gain(phrase["values"]["gain"], values["figure"])
            case "moves_on":
                self.go(values["figure"], values["field"])
            case "black_jack_moves":
                self.go("Black Jack", values["field"])
            case "hires":
                self.put(values["card"], "harbour")
            case "gives":
                self.put(values["card"], "harbour")
            case "robs" | "robs_through_black_jack":
                assert values["card"] in self.places[values["victim"]]
                self.put(values["card"], values["actor"])
            case "takes":
                self.put(values["card"], values["actor"])

    def go(self, figure, field):
        self.fields[figure] = field

    def gain(self, phrase, figure):
        values = {name: self.value(value) for name, value in phrase["values"].items()}
        owners = {"finds": figure, "finds_for": values.get("seat"), "finds_for_harbour": "harbour"}
        if phrase["key"] in owners:
            self.put(values["card"], owners[phrase["key"]])

    def put(self, card, place):
        if card == "hidden":
            self.unknown += 1
            return
        for cards in self.places.values():
            cards.discard(card)
        self.places[place].add(card)

    def value(self, value):
        match value:
            case {"seat": number}:
                return NAMES[number]
            case {"card": name}:
                return name
            case {"key": "the", "values": {"card": {"card": name}}}:
                return name
        return value


@pytest.mark.parametrize("options", GAMES)
def test_the_story_alone_tells_where_every_figure_and_card_is(options):
    unknown = 0
    for before, after, phrases in stories("halunken", options, range(12)):
        if before["game"] != after["game"]:
            continue
        listener = Listener(before)
        for phrase in phrases:
            listener.hear(phrase)
        expected = Listener(after)
        assert listener.fields == expected.fields
        missing = sum(len(expected.places[place] - listener.places[place]) for place in expected.places)
        assert missing == listener.unknown
        assert all(listener.places[place] <= expected.places[place] for place in expected.places)
        unknown += listener.unknown
    assert unknown <= 2, "only cards that lay below another one that was taken in the same move are not named"


@pytest.mark.parametrize("options", GAMES)
def test_a_movement_card_is_told_to_nobody_else_before_all_are_revealed(options):
    for before, _, phrases in stories("halunken", options, range(2), reader=0):
        if before["phase"].startswith("choose") and before["player"] != 0:
            assert phrases[0]["values"] == {"actor": {"seat": before["player"]}}


def test_every_sentence_occurs_and_has_all_its_values():
    assert_every_sentence_occurs("halunken", GAMES, range(10))


def robbery():
    """Return a table at which a 3 takes player_0 to player_1, who has more cards (H7)."""
    return Table(0, 3, 8, variant="basic").arrange(["R4", "Y1 Y2 Y3", "G2"], taverns={3: "V9", 11: "R15", 13: "V5"})


def test_a_reveal_tells_all_cards_and_who_moves_where():
    assert told(robbery(), "move 3", "move 7", "move 5") == [
        "Anna chooses movement card 3",
        "Bert has chosen a movement card",
        "Cleo has chosen a movement card",
        "Revealed: Anna 3, Bert 7, Cleo 5",
        "Anna moves 3 to field 3 and takes the violet 9",
        "Anna has landed on Bert",
    ]


def test_a_robbery_is_told_with_all_that_follows_from_it():
    table = robbery().choose(3, 7, 5)
    assert told(table, "Y2") == [
        "Anna robs Bert of the yellow 2",
        "Bert moves on to field 4",
        "Cleo moves 5 to field 13 and takes the violet 5",
        "Bert moves 7 to field 11 and takes the red 15",
        "Round 2 begins",
    ]


def test_german_is_told_in_native_words():
    table = robbery()
    assert told(table, "move 3", "move 7", "move 5", language="de")[1:] == [
        "Bert hat eine Bewegungskarte gewählt",
        "Cleo hat eine Bewegungskarte gewählt",
        "Aufgedeckt: Anna 3, Bert 7, Cleo 5",
        "Anna zieht 3 auf Feld 3 und nimmt die violette 9",
        "Anna trifft auf Bert",
    ]
    assert told(table, "Y2", language="de")[:2] == ["Anna raubt Bert die gelbe 2", "Bert zieht weiter auf Feld 4"]


def test_equal_cards_and_captains_who_stand_still_are_told():
    table = Table(0, 3, 8, 9, variant="basic").arrange(["", "", "", ""], taverns={0: "R4", 3: "R15", 8: "", 1: "G3"})
    assert told(table, "move 4", "move 4", "move 4", "move 6")[3:] == [
        "Dora has chosen a movement card",
        "Revealed: Anna 4, Bert 4, Cleo 4, Dora 6",
        "Equal cards (4) cancel each other: Anna, Bert and Cleo stand still",
        "Anna stays on field 0 and takes the red 4",
        "Bert stays on field 3 and takes the red 15",
        "Cleo stays on field 8, where the tavern is empty",
        "Dora moves 6 to field 1 and takes the grey 3",
        "Round 2 begins",
    ]


def overtaking():
    """Return a table at which all captains stand and Black Jack then moves 5, past all of them."""
    table = Table(0, 1, 2, jack_deck="5")
    empty = dict.fromkeys((0, 1, 2), "")
    return table.arrange(["R15 R4", "V3 V4", ""], captains=[0, 1, 2], jack=13, taverns=empty)


def test_black_jack_is_bought_and_robs_those_whom_he_overtakes():
    table = overtaking()
    first = table.now["player"]
    bids = {0: "R15", 1: "pass", 2: "pass"}
    sentences = told(table, *(bids[(first + i) % 3] for i in range(3)))
    assert "Anna offers the red 15" in sentences
    assert sentences[-1] == "Anna buys Black Jack with the red 15, which goes to the harbour"
    assert told(table, "move 1", "move 1", "move 1")[-1] == "Black Jack moves 5 to field 4, past Anna, Bert and Cleo"
    assert told(table, "V3") == [
        "Black Jack robs Bert of the violet 3 for Anna",
        "Cleo has too few cards to be robbed",
        "Round 2: Anna opens the auction",
    ]


def test_without_a_buyer_those_overtaken_give_to_the_harbour():
    table = overtaking()
    assert told(table, "pass", "pass", "pass")[-1] == "Nobody buys Black Jack"
    assert told(table, "move 1", "move 1", "move 1")[-1] == "Black Jack moves 5 to field 4, past Anna, Bert and Cleo"
    assert told(table, "R4", "V4")[:2] == [
        "Anna gives the red 4 to the harbour",
        "Bert gives the violet 4 to the harbour",
    ]


def test_the_scores_name_the_colour_that_counts_double():
    table = Table(0, 3, 6, 9, variant="basic", three_games=True)
    for game in range(3):
        while table.now["game"] == game and table.now["phase"] != "over":
            (action, *_) = sorted(table.legal)
            sentences = told(table, action)
        scores = [sentence for sentence in sentences if " scores " in sentence]
        assert len(scores) == 4
        assert all("in total" in sentence for sentence in scores) or game == 0
    colours = ("red", "violet", "grey", "yellow")
    assert all(sentence.endswith(tuple(f"; {each} counts double" for each in colours)) for sentence in scores)
    assert sentences[-1] == "Anna and Bert win together with 98 points, 10 ahead"
