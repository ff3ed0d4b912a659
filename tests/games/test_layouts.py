"""The pictures of all games in the layouts for pages: on the table alone, and on a phone."""

import re
from itertools import combinations

import numpy as np
import pytest

from blackjacky_env.engine.svg import PHONE_WIDTH, WIDTH
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, get_game
from tests.drawings import SVG, boxes, cards, parsed, told

WIDTHS = {"table": WIDTH, "phone": PHONE_WIDTH}
PLACES = [
    (game, variant.name, players)
    for game in GAMES
    for variant in get_game(game).variants
    for players in {variant.min_players, variant.max_players}
]


def some_views(game, variant, players):
    """What a player sees, and everything, in a random game, every so often and at the end."""
    env, rng = TableEnv(game, players, variant, **get_game(game).examples.short), np.random.default_rng(5)
    env.reset(seed=5)
    for turn in range(10**6):
        mask = env.infos[env.agent_selection]["action_mask"]
        if turn % 31 == 0 or not mask.any():
            yield env, env.view(env.agent_selection)
            yield env, env.snapshot()
        if not mask.any():
            return
        env.step(int(rng.choice(np.flatnonzero(mask))))


def size(svg):
    """Left, top, right and bottom of a picture."""
    left, top, width, height = map(float, parsed(svg).attrib["viewBox"].split())
    return left, top, left + width, top + height


@pytest.mark.parametrize("layout", WIDTHS)
@pytest.mark.parametrize(("game", "variant", "players"), PLACES)
def test_seats_lie_apart_within_the_picture(game, variant, players, layout):
    draw = get_game(game).words.draw_svg
    for env, view in some_views(game, variant, players):
        svg = draw(view, env.config_dict(), layout=layout)
        left, top, right, bottom = size(svg)
        assert right - left == WIDTHS[layout]
        found = boxes(svg)
        assert len(found) == players
        assert all(x0 >= left and y0 >= top and x1 <= right and y1 <= bottom for x0, y0, x1, y1 in found)
        for one, other in combinations(found, 2):
            assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


@pytest.mark.parametrize(("game", "variant", "players"), PLACES)
def test_all_layouts_show_the_same_cards_and_names(game, variant, players):
    draw, names = get_game(game).words.draw_svg, [f"N{seat}" for seat in range(players)]
    for env, view in some_views(game, variant, players):
        document, table, phone = (
            draw(view, env.config_dict(), names=names, layout=layout) for layout in ("document", "table", "phone")
        )
        assert cards(document) == cards(table)
        assert sorted(cards(phone)) == sorted(cards(table))
        assert set(names) <= set(told(phone))
        assert get_game(game).title in "".join(told(document))
        assert get_game(game).title not in "".join(told(table))  # the page says it


@pytest.mark.parametrize("game", GAMES)
def test_words_are_translated_and_never_smaller_than_a_phone_needs(game):
    draw, (env, view) = get_game(game).words.draw_svg, next(some_views(game, *PLACES_OF[game]))

    class Upper(dict):
        def get(self, template, default):
            return "".join(part if part[:1] == "{" else part.upper() for part in re.split(r"({\w+})", template))

    svg = draw(view, env.config_dict(), layout="phone", texts=Upper(a="b"))
    assert not [text for text in told(svg) if re.search("[a-z]", text.replace("player_", ""))]
    sizes = [float(text.attrib["font-size"]) for text in parsed(svg).iter(f"{SVG}text") if text.get("class") == "ink"]
    assert min(sizes) >= 12
    with pytest.raises(ValueError, match="layout='wide' is unknown; allowed are 'document', 'table', 'phone'"):
        draw(view, env.config_dict(), layout="wide")


PLACES_OF = {game: (variant, players) for game, variant, players in PLACES}
