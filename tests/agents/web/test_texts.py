"""Whatever a person sees is there in all languages: sentences, pictures, the table in words, rule options, refusals."""

import json
import re
from functools import cache
from pathlib import Path
from string import Formatter

import numpy as np
import pytest

from blackjacky_agents.kit.narration import in_scene
from blackjacky_agents.web import replay as replays
from blackjacky_agents.web.seats import seats_for
from blackjacky_agents.web.server import PAGE
from blackjacky_agents.web.table import Table
from blackjacky_agents.wording import in_words, page_texts, refusal_in_words
from blackjacky_env import IllegalActionError, replay
from blackjacky_env.declare.options import declared_options
from blackjacky_env.draw.picture import LAYOUTS, draw_svg
from blackjacky_env.games import GAMES, get_game
from tests.agents.web.tables import SHORT, choose
from tests.games import tables
from tests.games.tables import TABLES, seated
from tests.replay.reading import REAL

TEXTS = json.loads((PAGE / "texts.json").read_text("utf-8"))
LANGUAGES = [*TEXTS]
SECTIONS = ("phases", "actions", "explanations", "details", "sentences", "signs")
NAMES = [f"P{seat}" for seat in range(10)]

every_game = pytest.mark.parametrize("game", REAL)


def fields(template):
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


@cache
def said(game):
    """All phrases that every seat is told in some games, and all actions that it may choose."""
    phrases, sizes = [], range(get_game(game).min_players, get_game(game).max_players + 1)
    for seed in range(12):
        people = seats_for(game, NAMES[: sizes[seed % len(sizes)]], [])
        table, rng = Table(game, people, None, SHORT.get(game), seed, ""), np.random.default_rng(seed)
        while not table.over:
            actions = table.actions(table.turn)
            table.play(choose({"actions": actions}, rng))
            phrases += actions
            for seat in table.people:
                phrases += [each["phrase"] for each in table.story(seat) if each["move"] == table.move - 1]
                scores = table.scores(seat) if table.over or "settlement" in table.moments else None
                if scores is not None:
                    phrases += [*scores["columns"], *(each for row in scores["rows"] for each in row["cells"])]
                    phrases += [each for row in scores["rows"] for each in row["why"]]
                    phrases += [row["behind"] for row in scores["rows"] if row.get("behind")]
            if "pause" in table.moments:
                pauses = map(table._last_pause, table.readers)
                phrases += [phrase for pause in pauses for phrase in [pause.name, *pause.told]]
    return phrases


@every_game
def test_every_phrase_has_a_template_in_every_language(game):
    for texts in page_texts(game).values():
        told = {in_words(phrase, texts, NAMES) for phrase in said(game)}
        assert len(told) > 20
        assert not re.search("[{}]|None", " ".join(told))


@every_game
def test_every_language_says_all_that_english_says(game):
    texts = page_texts(game)
    assert [*texts] == LANGUAGES
    assert texts["de"]["signs"].keys() <= {*texts["de"]["picture"], "x 2"}
    for language in LANGUAGES[1:]:
        assert len(texts[language]["help"]) == len(texts["en"]["help"])
        for section in SECTIONS:
            own, english = texts[language][section], texts["en"][section]
            assert own.keys() == english.keys()
            for key in own:
                has_words = re.search("[a-z]", re.sub(r"{\w+}", "", own[key]))
                assert own[key] != english[key] or not has_words, (language, section, key)
                assert fields(own[key]) == fields(english[key]), (language, section, key)


def test_the_page_uses_the_texts_that_there_are_in_all_languages_and_names_no_game():
    for language in LANGUAGES:
        assert TEXTS[language].keys() == TEXTS["en"].keys()
        for key, words in TEXTS["en"].items():
            assert fields(TEXTS[language][key]) <= fields(words), key
    files = "".join(path.read_text("utf-8") for path in [*PAGE.glob("*.html"), *PAGE.glob("*.js")])
    needed = {*re.findall(r'data-(?:text|label)="(\w+)"', files), *re.findall(r'\btext\("(\w+)"', files)}
    assert needed <= TEXTS["en"].keys()
    beginnings = ("error_", *re.findall(r"text\(`(\w+_)\$", files))
    assert {key for key in TEXTS["en"] if not key.startswith(beginnings) and f'"{key}"' not in files} == set()
    assert not re.search("|".join(f"{name}|{get_game(name).title}" for name in GAMES), files)


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_the_replay_is_translated(language):
    page = Path(replay.__file__).parent
    script, html = (page.joinpath(name).read_text("utf-8") for name in ("page.js", "page.html"))
    body = re.search("<body>(.*)<noscript>", html, re.DOTALL)[1]
    said = re.findall(r'say\("([^"]+)"', script) + re.findall(r': "([^"]+)"', re.search("NONE = .*", script)[0])
    said += re.findall(r">([^<>]+)<", body) + re.findall(r'(?:title|aria-label)="([^"]+)"', body)
    said = [words.strip() for words in said]
    needed = {words for words in said if re.search("[a-z]{3}", words) and "{{" not in words}
    assert {"Round back ([)", "no clear mistake found", "Win probability"} <= needed
    assert needed <= replays.WORDS[language].keys()


class Asked(dict):
    """Translations that remember the templates they do not have."""

    def __init__(self, texts):
        super().__init__(texts)
        self.missing, self.asked = set(), set()

    def get(self, template, default=None):
        self.asked.add(template)
        if template not in self:
            self.missing.add(template)
        return super().get(template, default)


def positions(game, every):
    """Every so many positions of a random game at each table and with the options of the examples, the last too."""
    for options in [options for name, options in TABLES if name == game]:
        yield from tables.positions(seated(game, **options), 7, every)


@every_game
def test_pictures_and_the_table_in_words_are_translated_and_name_every_player(game):
    texts = page_texts(game)
    asked = Asked(texts["de"]["picture"])
    german = {**texts["de"], "picture": asked}
    for turn, env in enumerate(positions(game, every=9)):
        names = NAMES[: env.num_players]
        for agent in (env.agent_selection, "player_1", None):
            scene = env.scene(agent)
            draw_svg(scene, names=names, layout=LAYOUTS[turn % 2 + 1], texts=asked)
            for own in (texts["en"], german):
                told = [in_words(phrase, own, NAMES) for phrase in in_scene(scene)]
                assert all(told)
                assert not re.search("[{}]|None|hidden", " ".join(told))
                assert all(any(name in line for line in told[1:]) for name in names)
    assert {template for template in asked.missing if re.search("[a-z]{2}", re.sub(r"{\w+}", "", template))} == set()
    assert asked.keys() <= asked.asked | {"tipped", "pass", "overtaken", "a moon", "for the others", "off own total"}


@every_game
def test_every_rule_option_has_words_in_every_language(game):
    declared = declared_options(get_game(game).options)
    assert declared
    for option in declared:
        values = {"flag": ("true", "false"), "choice": option.choices}.get(option.kind, ())
        keys = {f"{option.name}_{value}" for value in values} or {option.name}
        for texts in page_texts(game).values():
            assert keys <= texts["options"].keys()


@every_game
def test_every_refusal_of_an_action_is_translated(game):
    texts, found = page_texts(game)["de"], set()
    for env in positions(game, every=13):
        mask = env.observe(env.agent_selection)["action_mask"]
        for action in np.flatnonzero(mask == 0).tolist() if mask.any() else []:
            with pytest.raises(IllegalActionError) as refused:
                env.step(action)
            translated = refusal_in_words(refused.value.reason, texts)
            assert translated not in str(refused.value)
            assert refusal_in_words(refused.value.reason, page_texts(game)["en"]) in str(refused.value)
            assert [*refused.value.legal] == np.flatnonzero(mask).tolist()
            found.add(translated)
    assert len(found) > 3
    assert refusal_in_words("something else", texts) == "something else"
