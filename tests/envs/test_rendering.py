"""Pictures of a table: as SVG, as pixels, in a window and in a video."""

import sys

import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled
from pettingzoo.test import render_test

from blackjacky_env.declare import ActionInfo, Actions, Fields, Game, Rules, Variant, plain_words
from blackjacky_env.declare.fields import by_seat, flag, hidden, number, own, role
from blackjacky_env.draw.text import draw_text
from blackjacky_env.envs import screen
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.seat import SeatEnv
from blackjacky_env.games import GAMES
from tests.drawings import told
from tests.envs.playing import fresh
from tests.every_game import TINY, with_tiny

pytestmark = pytest.mark.prove


@pytest.fixture(autouse=True)
def _headless(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(TableEnv.metadata, "render_fps", 1000)
    yield
    if sys.modules.get("pygame"):
        sys.modules["pygame"].display.quit()


def window():
    return sys.modules["pygame"].display.get_surface()


@pytest.mark.parametrize("game", GAMES)
def test_render_test_passes_without_a_word(game, capsys):
    render_test(lambda **options: TableEnv(game, **options))
    assert capsys.readouterr().out == ""


def test_a_window_shows_every_step_until_it_is_closed():
    env = fresh(0, num_players=3, render_mode="human")
    assert window().get_size() == (640, 600)
    shown = sys.modules["pygame"].surfarray.array3d(window())
    pixels = screen.frame(env.draw(theme="light"))  # the same in another size
    assert np.abs(shown.mean(axis=(0, 1)) - pixels.mean(axis=(0, 1))).max() < 1
    env.step(env.last()[0]["action_mask"].argmax())
    assert not np.array_equal(shown, sys.modules["pygame"].surfarray.array3d(window()))
    assert env.render() is None
    env.close()
    env.close()
    assert window() is None
    env.reset(seed=0)
    assert window() is not None


@pytest.mark.parametrize("missing", ["resvg", "pygame"])
def test_a_missing_library_is_named_with_the_extra_when_something_is_drawn(missing, monkeypatch):
    monkeypatch.setitem(sys.modules, missing, None)
    screen._libraries.cache_clear()
    message = rf"{missing}.*pip install 'blackjacky\[view\]'"
    env = fresh(render_mode="rgb_array")
    with pytest.raises(DependencyNotInstalled, match=message):
        env.render()
    env.step(env.last()[0]["action_mask"].argmax())
    with pytest.raises(DependencyNotInstalled, match=message):
        fresh(render_mode="human")
    assert fresh(render_mode="ansi").draw().startswith("<svg")


def test_a_game_that_draws_nothing_has_a_picture_made_from_its_fields():
    with with_tiny():
        env = TableEnv(TINY, render_mode="ansi")
        assert env.metadata["render_modes"] == SeatEnv(TINY).metadata["render_modes"] == ["human", "rgb_array", "ansi"]
        env.reset(seed=0)
        assert env._repr_svg_() == env.draw()
        assert "points 0" in told(env.draw())


def test_a_table_made_from_fields_tells_what_is_hidden_from_what_is_not_there_and_flags_by_name():
    seats = own("dice", 0, 2, "", (2,)), by_seat("bids", -1, 2, "", (2,), plus=1), own("laid", -1, 9, "", plus=1)
    others = own("held", 0, 9, ""), by_seat("passed", 0, 1, ""), flag("last_deal", ""), number("left", 0, 9, "")
    fields = [role("player", ""), *seats, *others, by_seat("winners", 0, 1, ""), hidden("deals", 0, 4)]
    record = Fields([Variant("classic", 2, 2, 2)], fields, ["player dice bids laid held passed last_deal left winners"])
    names, cards = ("J", "Q", "K"), {"dice": ("J", "Q", "K"), "bids": ("J", "Q", "K")}
    words = plain_words(record, Actions([ActionInfo("roll")], {"roll": "roll"}), names=cards)
    game = Game("dicey", "Dicey", 0, 1, record, Rules(*[None] * 9), words, names)
    s = game.new_state(2, "classic", {})[0]
    s["dice"][0], s["bids"], s["laid"], s["passed"][1], s["last_deal"], s["left"], s["deals"] = 2, -1, -1, 1, 1, 3, 4

    def lines(viewer):
        view, options = words.view(words.snapshot(s, None), viewer), {"num_players": 2, "variant": "classic"}
        return [" ".join(line.split()) for line in draw_text(game.scene(view, options, viewer)).splitlines() if line]

    assert words.snapshot(s, None)["bids"] == [[None, None], [None, None]]
    told = ["held dice", "► player_0 0 K K", "player_1 passed ? [?] x 2", "left 3", "player_0 is to act."]
    assert lines(0) == ["Dicey · round 4 · play · last deal · seen by player_0", *told]
    s["player"], s["winners"] = -1, 1
    assert (lines(None)[0][:22], lines(None)[-1]) == ("Dicey · round 4 · over", "It is a tie.")


def test_cards_that_are_counted_have_names_and_no_field_has_more_names_than_values():
    fields = [role("player", ""), own("hand", 0, 2, "", (3,), cards="count"), by_seat("winners", 0, 1, "")]
    record = Fields([Variant("classic", 2, 2, 2)], [*fields, hidden("deals", 0, 4)], ["player hand winners"])
    actions, names = Actions([ActionInfo("roll")], {"roll": "roll"}), ("J", "Q", "K")
    game = Game("dicey", "Dicey", 0, 1, record, Rules(*[None] * 9), plain_words(record, actions), names)
    s = game.new_state(2, "classic", {})[0]
    s["hand"][0] = 1, 0, 2
    view = game.words.view(game.words.snapshot(s, None), 0)
    assert view["hand"] == [["J", "K", "K"], None]
    assert "J K K" in " ".join(draw_text(game.scene(view, {"num_players": 2, "variant": "classic"}, 0)).split())
    for name, said in (
        ("hand", "whose entries count cards"),
        ("winners", "3 words for 'winners', whose values are 0 .. 1"),
    ):
        with pytest.raises(ValueError, match=said):
            plain_words(record, actions, names={name: names})
