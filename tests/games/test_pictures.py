"""The table as picture and as text, for all games: whole, readable, and the same whatever is hidden."""

import functools
import re

import pytest

from blackjacky_env.engine.svg import PHONE_WIDTH, WIDTH
from blackjacky_env.engine.text import plain
from blackjacky_env.games import GAMES, get_game
from blackjacky_env.testing import check_all
from blackjacky_env.testing.tables import PROMISES
from tests.drawings import SVG, assert_apart, boxes, cards, parsed, told
from tests.games.tables import every_table, positions, seated, views

WIDTHS = {"table": WIDTH, "phone": PHONE_WIDTH}
every_game = pytest.mark.parametrize("game", GAMES)


def begun(game):
    """Return an environment in its first position."""
    return next(positions(seated(game), seed=5))


def drawn(env, agent=None, **options):
    return env.game.words.draw_svg(env.view(agent), env.config_dict(), **options)


@every_table
def test_every_view_of_a_game_is_drawn_with_its_seats_apart_and_written_in_a_straight_frame(game, options):
    words, phases = get_game(game).words, set()
    for env in positions(seated(game, **options), seed=3, every=13):
        phases.add(env.snapshot()["phase"])
        for view in views(env):
            svg = words.draw_svg(view, env.config_dict())
            assert len(boxes(svg)) == env.num_players
            assert_apart(boxes(svg))
            assert len(svg) < 32_000
            text = words.draw_text(view, env.config_dict(), False)
            assert "\x1b" not in text
            assert plain(words.draw_text(view, env.config_dict(), True)) == text
            assert {len(line) for line in text.splitlines()} == {79}, f"the frame is crooked:\n{text}"
    assert {"over"} < phases


@every_table
def test_nothing_hidden_is_shown(game, options):
    """Neither in observations, views and pictures, nor in what is heard or said of an illegal action."""
    report = check_all(functools.partial(seated, game, **options), {"no_leaks"}, positions=25, **PROMISES)
    assert not report.failed, report


def size(svg):
    """Left, top, right and bottom of a picture."""
    left, top, width, height = map(float, parsed(svg).attrib["viewBox"].split())
    return left, top, left + width, top + height


@every_table
def test_all_layouts_show_the_same_cards_and_names_with_seats_apart_within_the_picture(game, options):
    draw = get_game(game).words.draw_svg
    for env in positions(seated(game, **options), seed=5, every=31):
        names = [f"N{seat}" for seat in range(env.num_players)]
        for view in (env.view(env.agent_selection), env.snapshot()):
            document, *others = (
                draw(view, env.config_dict(), names=names, layout=layout) for layout in ("document", *WIDTHS)
            )
            assert cards(document) == cards(others[0])
            assert sorted(cards(others[1])) == sorted(cards(others[0]))
            assert get_game(game).title in "".join(told(document))
            assert get_game(game).title not in "".join(told(others[0]))  # the page says it
            assert set(names) <= set(told(others[1]))
            for svg, width in zip(others, WIDTHS.values(), strict=True):
                left, _, right, _ = size(svg)
                assert right - left == width
                assert len(boxes(svg)) == env.num_players
                assert_apart(boxes(svg), size(svg))


@every_game
def test_words_are_translated_and_never_smaller_than_a_phone_needs(game):
    class Upper(dict):
        def get(self, template, default):
            return "".join(part if part[:1] == "{" else part.upper() for part in re.split(r"({\w+})", template))

    env = begun(game)
    svg = drawn(env, env.agent_selection, layout="phone", texts=Upper(a="b"))
    assert not [text for text in told(svg) if re.search("[a-z]", text.replace("player_", ""))]
    sizes = [float(text.attrib["font-size"]) for text in parsed(svg).iter(f"{SVG}text") if text.get("class") == "ink"]
    assert min(sizes) >= 12


@every_game
def test_themes_change_colours_and_nothing_else(game):
    light, dark, auto = (drawn(begun(game), theme=theme) for theme in ("light", "dark", "auto"))
    assert len({light, dark, auto}) == 3
    assert len({part.split("</style>")[1] for part in (light, dark, auto)}) == 1
    assert "prefers-color-scheme" in auto
    assert drawn(begun(game)) == auto


@every_game
def test_names_are_escaped_shortened_and_used_in_every_sentence(game):
    env = begun(game)
    names = ["<b>&\"'</b>", "Ада\0\ud800", "a name much too long", *map(str, range(7))][: env.num_players]
    svg = drawn(env, names=names, last_action="Ада: knock")
    assert {"<b>&\"'</b>", "Ада", "a name much t…", "Ада: knock"} <= {*told(svg), *"".join(told(svg)).split("  ")}
    assert not any("player_" in text for text in told(svg))


@every_game
def test_wrong_names_themes_and_layouts_are_refused(game):
    env = begun(game)
    with pytest.raises(ValueError, match=f"there are {env.num_players} players"):
        drawn(env, names=["one"])
    for name, allowed in (("theme", ""), ("layout", " is unknown; allowed are 'document', 'table', 'phone'")):
        with pytest.raises(ValueError, match=f"{name}='pink'{allowed}"):
            drawn(env, **{name: "pink"})
