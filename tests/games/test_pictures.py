"""The table as picture and as text, for all games: whole, readable, and the same whatever is hidden."""

import functools
import re

import pytest

from blackjacky_env.draw.picture import PHONE_WIDTH, WIDTH, draw_svg
from blackjacky_env.draw.text import draw_text, plain
from blackjacky_env.games import get_game
from blackjacky_env.testing import check_all
from tests.drawings import SVG, assert_apart, boxes, cards, parsed, told
from tests.games.fixtures import promises_of
from tests.games.tables import USUAL, every_game, every_table, positions, scenes, seated

WIDTHS = {"table": WIDTH, "phone": PHONE_WIDTH}


def begun(game):
    return next(positions(seated(game), seed=5))


def drawn(env, agent=None, **options):
    return draw_svg(env.scene(agent), **options)


@every_table
def test_nothing_hidden_is_shown(game, options):
    """Neither in observations, views and pictures, nor in what is heard or said of an illegal action."""
    few = 8 if (game, options) in USUAL else 25  # a position takes a second
    report = check_all(functools.partial(seated, game, **options), {"no_leaks"}, positions=few, **promises_of(game))
    assert not report.failed, report


def open_cards(view):
    """The cards of the hands that a view shows, of crews and of the trick, and before whom they lie."""
    hands = [hand if isinstance(hand, list) else [] for hand in view.get("hands", view.get("crews"))]
    lying = [(str(card), str(seat)) for seat, hand in enumerate(hands) for card in hand]
    return sorted([*lying, *((card, str(seat)) for seat, card in view.get("table", ()))])


@every_table
def test_every_view_is_drawn_with_its_seats_apart_and_written_in_short_lines(game, options):
    """All layouts show the same cards and names, within the picture."""
    for env in positions(seated(game, **options), seed=3, every=19):
        names = [f"N{seat}" for seat in range(env.num_players)]
        for view, scene in zip([*map(env.view, [*env.possible_agents, None]), None], scenes(env), strict=True):
            text = draw_text(scene)
            assert "\x1b" not in text
            assert plain(draw_text(scene, colour=True)) == text
            assert max(map(len, text.splitlines())) <= 79, f"a line is too long:\n{text}"
            document = draw_svg(scene, names=names)
            assert len(document) < 40_000
            assert len(boxes(document)) == env.num_players
            assert_apart(boxes(document))
            assert get_game(game).title in "".join(told(document))
            if view is not None and not (view["phase"] == "over" or view.get("turn") == 0):  # and laid open
                assert sorted(cards(document)) == open_cards(view)
            for layout, width in WIDTHS.items():
                svg = draw_svg(scene, names=names, layout=layout)
                left, top, wide, high = map(float, parsed(svg).attrib["viewBox"].split())
                assert wide == width
                assert len(boxes(svg)) == env.num_players
                assert_apart(boxes(svg), (left, top, left + wide, top + high))
                assert sorted(cards(svg)) == sorted(cards(document))
                assert get_game(game).title not in "".join(told(svg))  # the page says it
                assert layout == "table" or set(names) <= set(told(svg))
    assert env.snapshot()["phase"] == "over"


@every_game
def test_words_are_translated_and_never_smaller_than_a_phone_needs(game):
    class Upper(dict[str, str]):
        def get(self, template, default=None):
            return "".join(part if part[:1] == "{" else part.upper() for part in re.split(r"({\w+})", template))

    env = begun(game)
    svg = drawn(env, env.agent_selection, layout="phone", texts=Upper(a="b"))
    assert not [text for text in told(svg) if re.search("[a-z]", text.replace("player_", ""))]
    sizes = [float(text.attrib["font-size"]) for text in parsed(svg).iter(f"{SVG}text") if text.get("class") == "ink"]
    assert min(sizes) >= 12


@every_game
def test_names_are_escaped_shortened_and_used_in_every_sentence_and_wrong_ones_refused(game):
    env = begun(game)
    names = ["<b>&\"'</b>", "Ада\0\ud800", "a name much too long", *map(str, range(7))][: env.num_players]
    svg = drawn(env, names=names, last_action="Ада: knock")
    assert {"<b>&\"'</b>", "Ада", "a name much t…", "Ада: knock"} <= {*told(svg), *"".join(told(svg)).split("  ")}
    assert not any("player_" in text for text in told(svg))
    for name, value, said in (
        ("names", ["one"], "there are"),
        ("theme", "pink", "theme='pink'"),
        ("layout", "pink", "layout='pink' is unknown; allowed are 'document', 'table', 'phone'"),
    ):
        with pytest.raises(ValueError, match=said):
            drawn(begun(game), **{name: value})
