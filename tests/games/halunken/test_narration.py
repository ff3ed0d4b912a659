"""The stories of moves: they tell all that happens on the table, in the order of the rules, and nothing secret."""

import numpy as np
import pytest

from blackjacky_agents.games import get_kit
from blackjacky_agents.narration import in_words, is_settled, page_texts, tell_move
from tests.drawings import positions
from tests.games.halunken.rigging import Table

NAMES = ["Anna", "Bert", "Cleo", "Dora"]
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


def stories(options, seeds, seat=None):
    """Yield the views before and after every move of random games, and what is told."""
    from blackjacky_env import halunken_v0

    env = halunken_v0.env(**options).unwrapped
    for seed in seeds:
        rng, agent = np.random.default_rng(seed), None if seat is None else f"player_{seat}"
        env.reset(seed=seed)
        while (mask := env.infos[env.agent_selection]["action_mask"]).any():
            before, action = env.view(agent), int(rng.choice(np.flatnonzero(mask)))
            env.step(action)
            yield before, env.view(agent), tell_move(env, before, env.view(agent), action, seat)


def told(table, *actions, seat=0, language="en"):
    """Play actions by name; all sentences told of them."""
    env, texts, sentences = table.env.unwrapped, page_texts("halunken")[language], []
    agent = None if seat is None else f"player_{seat}"
    for name in actions:
        before, action = env.view(agent), env.parse_action(name)
        env.step(action)
        phrases = tell_move(env, before, env.view(agent), action, seat)
        if is_settled("halunken", before, env.view(agent)):
            phrases += get_kit("halunken").narrator.settlement(env.view(agent))
        sentences += [in_words(phrase, texts, NAMES) for phrase in phrases]
    return sentences


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
    for before, after, phrases in stories(options, range(12)):
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
    for before, _, phrases in stories(options, range(2), seat=0):
        if before["phase"].startswith("choose") and before["player"] != 0:
            assert phrases[0]["values"] == {"actor": {"seat": before["player"]}}


def test_every_kind_of_sentence_occurs():
    keys = set()
    for options in GAMES:
        for seat in (None, 0):
            for before, after, phrases in stories(options, range(10), seat):
                phrases = phrases + (
                    get_kit("halunken").narrator.settlement(after) if is_settled("halunken", before, after) else []
                )
                keys |= {key for phrase in phrases for key in keys_in(phrase)}
    assert keys == set(get_kit("halunken").texts["en"]["sentences"])


def keys_in(phrase):
    if isinstance(phrase, dict) and "key" in phrase:
        yield phrase["key"]
        for value in phrase["values"].values():
            yield from keys_in(value)
