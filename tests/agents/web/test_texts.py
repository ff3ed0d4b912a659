"""Everything that a page shows is there in all its languages."""

import json
import re
from string import Formatter

import numpy as np
import pytest

from blackjacky_agents.narration import action_phrase
from blackjacky_agents.web.seats import person
from blackjacky_agents.web.server import PAGE
from blackjacky_agents.web.table import Table
from blackjacky_agents.wording import explanation, in_words, page_texts, terminal_texts
from blackjacky_env.engine.actions import names_from
from blackjacky_env.games import GAMES, get_game
from tests.agents.web.tables import SHORT, choose
from tests.every_game import TINY, with_tiny

TEXTS = json.loads((PAGE / "texts.json").read_text("utf-8"))
LANGUAGES = [*TEXTS]
SECTIONS = ("phases", "actions", "explanations", "details", "sentences")
NAMES = [f"P{seat}" for seat in range(10)]


def fields(template):
    """The values that a template is filled with."""
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def filled(value):
    """The templates that a phrase needs, each with the values that it has for it: (section, key, values)."""
    if isinstance(value, list):
        return {each for part in value for each in filled(part)}
    if not isinstance(value, dict):
        return set()
    if "key" in value:
        nested = {each for part in value["values"].values() for each in filled(part)}
        return {("sentences", value["key"], frozenset(value["values"])), *nested}
    if "kind" in value:
        seats = (f"seat{i}" for i, _ in enumerate(value["seats"], 1))
        given = (name for name in ("card", "pile", "number") if value[name] is not None)
        return {("actions", value["kind"], frozenset([*seats, *given]))}
    return set()


def phrases_of(scores):
    """The phrases in a table of scores."""
    return [*scores.columns, *(each for row in scores.rows for each in [*row.cells, *row.why])]


@pytest.fixture(scope="module")
def said():
    """Return, by game, all phrases that every seat is told in some games, and all actions that it may choose."""
    phrases = {}
    for game in GAMES:
        found = phrases[game] = []
        sizes = range(get_game(game).min_players, get_game(game).max_players + 1)
        for seed in range(12):
            players = sizes[seed % len(sizes)]
            table = Table(game, [person(NAMES[q]) for q in range(players)], None, SHORT.get(game), seed, [])
            rng = np.random.default_rng(seed)
            while not table.over:
                actions = table.actions(table.turn)
                table.play(choose({"actions": actions}, rng))
                found += [*actions, *(phrase for told in table._told[-1].values() for phrase in told)]
                if table.moments:
                    found += [phrase for pause in table._pauses.values() for phrase in [pause.name, *pause.told]]
                    found += [phrase for scores in table._scores.values() for phrase in phrases_of(scores)]
    return phrases


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phrase_has_a_template_with_its_values(said, game, language):
    texts = page_texts(game)[language]
    needed = {each for phrase in said[game] for each in filled(phrase)}
    assert len(needed) > 5
    for section, key, values in needed:
        assert fields(texts[section][key]) <= values, (section, key)
    for phrase in said[game]:
        assert "{" not in in_words(phrase, texts, NAMES)


@pytest.mark.parametrize("game", GAMES)
def test_every_action_is_called_in_the_terminal_as_the_environment_calls_it(game):
    actions, texts, players = get_game(game).words.actions, terminal_texts(game), get_game(game).max_players
    for info in actions.infos:
        called = actions.tell(info, names_from(1, NAMES[:players]))
        assert in_words(action_phrase(info, 1, players), texts, NAMES) == called


@pytest.mark.parametrize("game", GAMES)
def test_every_action_is_explained_to_who_asks(game):
    assert all(explanation(terminal_texts(game), info) for info in get_game(game).words.actions.infos)


@pytest.mark.parametrize("game", GAMES)
def test_every_language_says_all_that_english_says(game):
    texts = page_texts(game)
    assert [*texts] == LANGUAGES
    for language in LANGUAGES[1:]:
        assert len(texts[language]["help"]) == len(texts["en"]["help"])
        for section in SECTIONS:
            own, english = texts[language][section], texts["en"][section]
            assert own.keys() == english.keys()
            same = {
                key for key in own if own[key] == english[key] and re.search("[a-z]", re.sub(r"{\w+}", "", own[key]))
            }
            assert not same, (language, section)
            for key in own:
                assert fields(own[key]) == fields(english[key]), (language, section, key)


def test_the_words_are_those_of_people():
    def words(game, phrase, language):
        return in_words(phrase, page_texts(game)[language], NAMES)

    eight = {"key": "an_8", "values": {"card": {"card": 8}}}
    lays = {"key": "lays_8", "values": {"actor": {"seat": 1}, "card": eight}}
    assert words("black_jacky", lays, "en") == "P1 lays an 8: it counts 8.1"
    assert words("black_jacky", lays, "de") == "P1 legt eine 8 aus: sie zählt 8,1"
    hidden = {"actor": {"seat": 0}, "card": {"card": 4}, "drawn": {"card": "hidden"}}
    assert words("black_jacky", {"key": "draws", "values": hidden}, "en") == "P0 draws a card"
    assert words("black_jacky", {"key": "draws", "values": hidden}, "de") == "P0 zieht eine Karte"
    sums = {
        "seat": {"seat": 2},
        "sum": {"key": "sum", "values": {"whole": 20, "tenth": 1}},
        "hand": [{"card": 7}, {"card": 5}],
        "laid": [{"card": 8}],
    }
    assert words("black_jacky", {"key": "has_and_laid_out", "values": sums}, "de") == (
        "P2 hat 20,1: 7 5 auf der Hand, ausgelegt 8"
    )
    queen = {"key": "leads", "values": {"actor": {"seat": 0}, "card": {"card": "QS"}}}
    assert words("schwarze_katze", queen, "de") == "P0 spielt Q♠ an"
    assert in_words(queen, terminal_texts("schwarze_katze"), NAMES) == "P0 leads QS"


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_takes_no_trick_is_told_of_points_in_their_favour_as_on_the_sheet(language):
    texts = page_texts("schwarze_katze")[language]
    assert not any("-50" in paragraph for paragraph in texts["help"])
    bonus = {"en": "50 points in their favour", "de": "50 Pluspunkte"}[language]
    assert sum(bonus in paragraph for paragraph in texts["help"]) == 1
    told = {"key": "gets_in_favour", "values": {"seat": {"seat": 0}, "points": 50}}
    assert bonus in in_words(told, texts, NAMES)


def test_a_game_without_words_of_its_own_is_told_by_the_names_of_its_actions():
    with with_tiny():
        texts = page_texts(TINY)
        assert [*texts] == ["en"]
        bid = {"kind": "bid", "card": None, "pile": None, "seats": [], "number": 2}
        assert in_words(bid, texts["en"], NAMES) == "bid 2"
        told = {"key": "did", "values": {"actor": {"seat": 1}, "action": {**bid, "number": "hidden"}}}
        assert in_words(told, texts["en"], NAMES) == "P1: bid a number"


def test_all_languages_have_the_same_texts():
    for language in LANGUAGES:
        assert TEXTS[language].keys() == TEXTS["en"].keys()
        for key, words in TEXTS["en"].items():
            assert fields(TEXTS[language][key]) <= fields(words), key


def test_the_page_uses_the_texts_that_there_are():
    files = "".join(path.read_text("utf-8") for path in [*PAGE.glob("*.html"), *PAGE.glob("*.js")])
    needed = {*re.findall(r'data-(?:text|label)="(\w+)"', files), *re.findall(r'\btext\("(\w+)"', files)}
    assert needed <= TEXTS["en"].keys()
    beginnings = ("error_", *re.findall(r"text\(`(\w+_)\$", files))
    assert {key for key in TEXTS["en"] if not key.startswith(beginnings) and f'"{key}"' not in files} == set()


def test_the_page_names_no_game():
    files = "".join(path.read_text("utf-8") for path in PAGE.iterdir())
    for game in map(get_game, GAMES):
        assert not re.search(f"{game.name}|{game.title}", files)
