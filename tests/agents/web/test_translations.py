"""Whatever a person sees is there in all languages: words in pictures, the table in words, rule options, refusals."""

import re
from itertools import product

import numpy as np
import pytest

from blackjacky_agents.games import get_kit
from blackjacky_agents.web.picture import Look, read_look
from blackjacky_agents.wording import in_words, page_texts, refusal_in_words
from blackjacky_env import IllegalActionError
from blackjacky_env.engine.options import declared_options
from blackjacky_env.engine.svg import LAYOUTS
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, get_game

NAMES = [f"P{seat}" for seat in range(10)]
OTHERS = [(game, language) for game in GAMES for language in page_texts(game) if language != "en"]


class Asked(dict):
    """Translations that remember the templates they do not have."""

    def __init__(self, texts):
        super().__init__(texts)
        self.missing = set()

    def get(self, template, default=None):
        """A translation, or the default, which is remembered."""
        if template not in self:
            self.missing.add(template)
        return super().get(template, default)


def tables(game):
    """Environments of every variant and table size, and with the options of the game's examples."""
    examples = get_game(game).examples
    for variant in get_game(game).variants:
        for players in range(variant.min_players, variant.max_players + 1):
            yield TableEnv(game, players, variant.name, **examples.short)
    for options in examples.tables:
        yield TableEnv(game, **options)


def positions(game, every):
    """Every so many positions of a random game at each table, the last included."""
    for env in tables(game):
        env.reset(seed=7)
        rng, turn = np.random.default_rng(7), 0
        while (mask := env.infos[env.agent_selection]["action_mask"]).any():
            if turn % every == 0:
                yield env
            env.step(int(rng.choice(np.flatnonzero(mask))))
            turn += 1
        yield env


@pytest.mark.parametrize(("game", "language"), OTHERS)
def test_every_word_in_a_picture_is_translated(game, language):
    texts, draw = Asked(page_texts(game)[language]["picture"]), get_game(game).words.draw_svg
    for turn, env in enumerate(positions(game, every=9)):
        for view in (env.view(env.agent_selection), env.view(None)):
            draw(view, env.config_dict(), names=NAMES[: env.num_players], layout=LAYOUTS[turn % 2 + 1], texts=texts)
    assert texts.missing == set()


@pytest.mark.parametrize("game", GAMES)
def test_the_table_in_words_has_all_its_templates_and_names_every_player(game):
    describe = get_kit(game).describe
    for env in positions(game, every=9):
        for agent, texts in product((env.agent_selection, "player_1"), page_texts(game).values()):
            told = [in_words(phrase, texts, NAMES) for phrase in describe(env.view(agent), env.config_dict())]
            assert all(told)
            assert not re.search("[{}]|None|hidden", " ".join(told))
            assert all(any(name in line for line in told[1:]) for name in NAMES[: env.num_players])


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_option_has_words_in_every_language(game):
    declared = declared_options(get_game(game).options)
    assert declared
    for option in declared:
        values = {"flag": ("true", "false"), "choice": option.choices}.get(option.kind, ())
        keys = {f"{option.name}_{value}" for value in values} or {option.name}
        for texts in page_texts(game).values():
            assert keys <= texts["options"].keys()


@pytest.mark.parametrize(("game", "language"), OTHERS)
def test_every_refusal_of_an_action_is_translated(game, language):
    texts, found = page_texts(game)[language], set()
    for env in positions(game, every=13):
        mask = env.observe(env.agent_selection)["action_mask"]
        if not mask.any():
            continue
        for action in np.flatnonzero(mask == 0).tolist():
            with pytest.raises(IllegalActionError) as refused:
                env.step(action)
            said = str(refused.value)
            translated = refusal_in_words(said, texts)
            assert translated not in said, said
            found.add(translated)
    assert len(found) > 3
    assert refusal_in_words("something else", texts) == "something else"


def test_a_page_gets_the_picture_that_it_asks_for_and_else_a_wide_one_in_english():
    assert read_look({"layout": "phone", "language": "de"}) == Look("phone", "de")
    assert read_look({"layout": "document", "else": "x"}) == read_look({}) == Look("table", "en")


def test_a_refusal_in_english_leaves_out_what_the_reader_sees():
    texts = page_texts(next(iter(GAMES)))["en"]
    assert refusal_in_words("'draw' (action 30) is illegal: no. Legal for player_0 are 1", texts).endswith(
        "illegal: no"
    )
