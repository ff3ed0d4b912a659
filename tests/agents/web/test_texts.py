"""Everything that a page shows is there in all its languages."""

import json
import re

import numpy as np
import pytest

from blackjacky_agents.web.server import PAGE
from blackjacky_env.games import GAMES, get_game
from blackjacky_env.games.schwarze_katze.options import CARD_NAMES
from tests.agents.web.tables import choose, new_table

TEXTS = json.loads((PAGE / "texts.json").read_text("utf-8"))
OTHERS = [language for language in TEXTS if language != "en"]


def patterns(language):
    """The patterns as texts.js reads them, with the words for them."""
    return [
        (re.compile(pattern.replace("@", r"(\{\d+\})").replace("#", r"(-?[\d.]+)")), words)
        for pattern, words in TEXTS[language]["patterns"]
    ]


def translated(sentence, compiled):
    """As texts.js does it; None: no pattern fits."""
    for pattern, words in compiled:
        if found := pattern.fullmatch(sentence):
            assert len(re.findall(r"\$(\d)", words)) == pattern.groups, words
            return re.sub(
                r"\$(\d)", lambda group: translated(found[int(group[1])], compiled) or found[int(group[1])], words
            )
    return None


@pytest.fixture(scope="module")
def said():
    """Return every sentence that some games say, and every name of an action with what it does."""
    sentences = set()
    for game in GAMES:
        for seed in range(20):
            table = new_table(game, people=1, players=max(3, 2 + seed % 5), seed=seed)
            rng = np.random.default_rng(seed)
            while not table.over:
                actions = table.actions(0)
                sentences |= {each[key] for each in actions for key in ("name", "explain")}
                sentences |= {each["text"] for each in table.story(0)}
                table._play(choose({"actions": actions}, rng) if actions else table.thought()())
    return sentences - {"", *CARD_NAMES}


@pytest.mark.parametrize("language", OTHERS)
def test_every_sentence_of_the_games_is_translated(said, language):
    compiled = patterns(language)
    assert len(said) > 200
    assert [sentence for sentence in sorted(said) if translated(sentence, compiled) is None] == []


@pytest.mark.parametrize("language", OTHERS)
def test_every_action_is_translated(language):
    compiled = patterns(language)
    game = get_game("black_jacky")
    for action in range(game.num_actions):
        name = re.sub(r"\bme\b|\bleft\+\d", "{1}", game.words.action_name(action))
        assert translated(name, compiled), name


def test_german_reads_well():
    compiled = patterns("de")
    assert translated("{1} lays an 8: it counts 8.1", compiled) == "{1} legt eine 8 aus: sie zählt 8,1"
    assert translated("{0} swaps a 4 for a card from the draw pile", compiled) == (
        "{0} tauscht eine 4 gegen eine Karte vom Nachziehstapel"
    )
    assert (
        translated("{2} has 20.1: 7 5 in the hand, laid out 8", compiled)
        == "{2} hat 20,1: 7 5 auf der Hand, ausgelegt 8"
    )


def test_all_languages_have_the_same_texts():
    for language in OTHERS:
        assert TEXTS[language]["texts"].keys() == TEXTS["en"]["texts"].keys()
        for key, words in TEXTS["en"]["texts"].items():
            values = set(re.findall(r"\$\w+", TEXTS[language]["texts"][key]))
            assert values <= set(re.findall(r"\$\w+", words)), key


def test_the_page_uses_the_texts_that_there_are():
    files = "".join((PAGE / name).read_text("utf-8") for name in ("index.html", "page.js"))
    used = {*re.findall(r'data-(?:text|label)="(\w+)"', files), *re.findall(r'\btext\("(\w+)"', files)}
    own = {key for key in TEXTS["en"]["texts"] if not key.startswith(("phase_", "help_", "error_"))}
    assert used <= TEXTS["en"]["texts"].keys()
    assert own - used == {"lost", "unknown", "taken_over"}  # as the connection calls them
