"""The page in a real Chromium, opened from disk: keys, slider, views, thoughts; skipped where there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from blackjacky_env import replay_html
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, get_game
from blackjacky_env.replay import Thoughts, WinCurve
from tests.agents.web.browser import IN_BROWSER, open_browser, set_screen
from tests.replay.reading import film_in, pictures_in, random_game

pytestmark = IN_BROWSER
RIGHT, LEFT, HOME, END = "\ue014", "\ue012", "\ue011", "\ue010"
SPECTATOR, EVERYTHING = 3, 4


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser without a window and without a network."""
    with open_browser() as driver:
        driver.execute_cdp_cmd("Network.enable", {})
        no_network = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        driver.execute_cdp_cmd("Network.emulateNetworkConditions", no_network)
        yield driver


class Page:
    """A replay of a game of three with thoughts of player_0, as a reader has it before him."""

    def __init__(self, chromium: Any, path: Path) -> None:
        env = random_game("black_jacky", seed=0, num_players=3)
        env.replay({**(record := env.record()), "actions": []})
        thoughts = list(self.minds(record, env))
        self.html = replay_html(record, names=["Ada", "Bob", "Cem"], thoughts=thoughts, curve=self.curve(record))
        self.film, self.pictures = film_in(self.html), pictures_in(self.html)
        self.last = len(self.film["moves"])
        path.write_text(self.html, encoding="utf-8")
        self.chromium, self.address = chromium, path.as_uri()
        set_screen(chromium, 1280, 800)
        self.open()

    def open(self, fragment: str = "") -> None:
        self.chromium.get("about:blank")
        self.chromium.get(f"{self.address}{fragment}")
        self.wait(lambda: self.script("return 'ready' in document.documentElement.dataset"))

    def minds(self, record: dict[str, Any], env: Any) -> Iterator[Thoughts | None]:
        """The thoughts on every move."""
        for action in record["actions"]:
            yield Thoughts(np.full(61, 1 / 61), 0.5) if env.agent_selection == "player_0" else None
            env.step(action)

    def curve(self, record: dict[str, Any]) -> WinCurve | None:
        """The estimates at every position."""
        return None

    def wait(self, done: Callable[[], Any]) -> None:
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.chromium, 120, poll_frequency=0.02).until(lambda _: done())

    def go_to(self, step: int) -> None:
        self.script(
            "const s = document.getElementById('page-slider'); s.value = arguments[0];"
            "s.dispatchEvent(new Event('input'))",
            step,
        )

    def script(self, text: str, *arguments: Any) -> Any:
        return self.chromium.execute_script(text, *arguments)

    def find(self, selector: str) -> Any:
        return self.chromium.find_element("css selector", selector)

    def keys(self, *keys: str) -> None:
        self.find("body").send_keys(*keys)

    def text(self, name: str) -> str:
        return str(self.script("return document.getElementById('page-' + arguments[0]).innerText", name))

    @property
    def at(self) -> int:
        return int(self.script("return document.getElementById('page-slider').value"))

    def view(self, number: int) -> None:
        self.script("document.querySelectorAll('#page-views input')[arguments[0]].click()", number)

    def shows(self, view: int, step: int) -> bool:
        """Whether the picture is the one that belongs there."""
        same = """
            const there = document.getElementById('page-picture').innerHTML;
            const template = document.createElement('div');
            template.innerHTML = arguments[0];
            return there === template.innerHTML;
        """
        return self.at == step and bool(self.script(same, self.pictures[view][step]))


class Judged(Page):
    """The same with a mistake, moves that differ from the most probable one, and changing estimates."""

    COSTS: ClassVar = {1: (0.1, 0.05, 0.15), 3: (0.2, 0.1, 0.3), 5: (0.3, -0.1, 0.7), 7: (-0.06, -0.1, -0.02)}
    """By number of player_0's decision; the last but one is no clear mistake, the last a better move."""
    BEST = 4
    """The decision after which the estimate changes most."""

    def minds(self, record: dict[str, Any], env: Any) -> Iterator[Thoughts | None]:
        self.own: list[int] = []
        for step, action in enumerate(record["actions"]):
            if env.agent_selection != "player_0":
                yield None
            else:
                number = len(self.own)
                self.own.append(step)
                chances = np.zeros(61)
                chances[action if number % 2 == 0 else (action + 1) % 61] = 1
                yield Thoughts(chances, 0.2 + 0.5 * (number > self.BEST), "oracle", self.COSTS.get(number))
            env.step(action)


class Estimated(Judged):
    """The same with estimates for all players at every position; Ada's chances fall most after the 20th move."""

    def curve(self, record: dict[str, Any]) -> WinCurve:
        wins = np.full((len(record["actions"]) + 1, 3), [0.6, 0.3, 0.1])
        wins[20:] = [0.2, 0.5, 0.3]
        wins[-1] = [0, 1, 0]
        return WinCurve(wins, "Said by an oracle.")


def opened(kind: type[Page]) -> Any:
    """A fixture: the page; whatever a test does with it, nothing is complained of in the console."""

    @pytest.fixture
    def page(chromium: Any, tmp_path: Path) -> Iterator[Page]:
        yield kind(chromium, tmp_path / "game.html")
        assert chromium.get_log("browser") == []

    return page


page, judged, estimated = map(opened, (Page, Judged, Estimated))


def test_keys_lead_through_the_game(page: Page) -> None:
    assert page.shows(EVERYTHING, 0)
    second, third = page.film["starts"][1:3]
    for key, step in [
        (RIGHT, 1),
        (RIGHT, 2),
        (LEFT, 1),
        ("]", second),
        ("]", third),
        (RIGHT, third + 1),
        ("[", third),
        ("[", second),
        (END, page.last),
        (RIGHT, page.last),
        (HOME, 0),
        (LEFT, 0),
    ]:
        page.keys(key)
        assert page.shows(EVERYTHING, step), (key, step)


def test_every_view_shows_its_pictures_and_words(page: Page) -> None:
    page.go_to(9)
    for view in range(5):
        page.view(view)
        assert page.shows(view, 9)
    page.keys("v")
    assert page.shows(0, 9)


def test_a_card_given_in_secret_stands_in_the_lists_of_those_who_may_know(page: Page) -> None:
    step = next(i for i, (_, _, heard) in enumerate(page.film["moves"]) if heard)
    giver, name, heard = page.film["moves"][step]
    for view in range(5):
        page.view(view)
        may_know = view in (giver, EVERYTHING)
        told = page.text("list").splitlines()
        label = page.film["names"][giver]
        assert (f"{label}: {name}" in told[told.index(str(step + 1)) + 1]) == may_know
        assert (f"{label}: {heard}" in told[told.index(str(step + 1)) + 1]) != may_know


def test_thoughts_are_seen_by_who_thinks_them_and_by_an_all_seeing_eye(page: Page) -> None:
    page.keys(END)
    for view in range(5):
        page.view(view)
        seen = view in (0, EVERYTHING)
        assert ("Ada considered before move" in page.text("thoughts")) == seen
        assert bool(page.text("chances")) == seen
        assert ("Ada 50 %" in page.text("wins")) == seen
        assert (page.script("return document.querySelectorAll('#page-curve polyline').length") == 1) == seen


def test_a_click_on_the_curve_a_round_and_a_move_leads_there(page: Page) -> None:
    page.find("#page-rounds button:nth-child(2)").click()
    assert page.at == page.film["starts"][1]
    page.find('#page-list [data-step="5"]').click()
    assert page.at == 5
    page.find("#page-curve").click()
    assert abs(page.at - page.last / 2) < page.last / 8
    page.find("#page-round-next").click()
    assert page.at in page.film["starts"]
    page.find("#page-back").click()
    assert page.at + 1 in page.film["starts"]


def test_jumps_lead_to_the_mistake_the_disagreements_and_the_settlements(judged: Judged) -> None:
    judged.view(0)
    for number in (3, 1, 3):
        judged.find("#page-mistake").click()
        assert judged.at == judged.own[number]
    assert "it costs 20.0 % (10.0 .. 30.0)" in judged.text("cost")
    assert "oracle in place of Ada is considering" in judged.text("thoughts-of")
    judged.keys(HOME)
    differing = judged.own[1::2]
    for step in [*differing, differing[0]]:
        judged.keys("d")
        assert judged.at == step
    judged.keys(HOME)
    for step in judged.film["settled"]:
        judged.find("#page-settlement").click()
        assert judged.at == step
    for step in judged.film["settled"][-2::-1]:
        judged.keys("S")
        assert judged.at == step
    assert not judged.find("#page-settled").is_enabled()
    judged.keys("t")
    assert judged.at == judged.own[judged.BEST]
    for number, said in (
        (5, "No clear difference from “{}”: it costs 30.0 % (\u221210.0 .. 70.0) of winning."),
        (7, "Better than “{}”: it gains 6.0 % (2.0 .. 10.0) of winning."),
    ):
        step = judged.own[number]
        judged.go_to(step)
        assert judged.text("cost") == said.format(judged.film["thoughts"][step]["chances"][0][0])


def test_who_has_made_no_clear_mistake_is_told_so_and_a_replay_opens_at_a_turning_point_if_asked_to(
    judged: Judged,
) -> None:
    judged.view(1)
    for name, said in (("mistake", "no clear mistake found"), ("disagreement", "no disagreement")):
        button = judged.find(f"#page-{name}")
        assert (button.is_enabled(), button.get_attribute("title")) == (False, said)
    before = judged.at
    judged.keys("m")
    assert judged.at == before
    judged.open("#turning-0")
    assert judged.at == judged.own[judged.BEST]
    assert judged.script("return document.querySelector('#page-views :checked').value") == "0"


def test_the_curve_follows_a_pointer_that_is_dragged_and_marks_mistakes(judged: Judged) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    curve = judged.find("#page-curve")
    drag = ActionChains(judged.chromium, duration=0).move_to_element(curve).click_and_hold()
    drag.move_by_offset(60, 0).perform()
    middle = judged.at
    ActionChains(judged.chromium, duration=0).move_by_offset(-90, 0).release().perform()
    assert judged.at < middle
    for kind, places in (("mistake", 2), ("differs", len(judged.own) // 2), ("settled", len(judged.film["settled"]))):
        assert judged.script(f"return document.querySelectorAll('#page-curve .{kind}').length") == places
    assert "▼ mistake" in judged.text("legend")


def test_estimates_of_all_players_change_with_every_position_and_the_note_says_what_they_are(
    estimated: Estimated,
) -> None:
    points = "return [...document.querySelectorAll('#page-curve polyline')].map((line) => line.points.length)"
    assert estimated.script(points) == [estimated.last + 1] * 3
    assert "Said by an oracle." in estimated.text("legend")
    estimated.script("arguments[0].focus()", estimated.find("#page-curve"))
    for key, at, told in [
        (RIGHT, 1, "Ada 60 %, Bob 30 %, Cem 10 %"),
        (END, estimated.last, "Ada 0 %, Bob 100 %, Cem 0 %"),
        (LEFT, estimated.last - 1, "Ada 20 %, Bob 50 %, Cem 30 %"),
    ]:
        estimated.chromium.switch_to.active_element.send_keys(key)
        assert estimated.at == at
        curve = estimated.find("#page-curve")
        assert curve.get_attribute("aria-valuetext") == f"Move {at} of {estimated.last}: {told}"
        assert (curve.aria_role, curve.get_attribute("aria-valuenow")) == ("slider", str(at))


def test_the_turning_point_is_that_of_the_viewed_player_or_of_a_winner(estimated: Estimated) -> None:
    estimated.view(0)
    estimated.keys("t")
    assert estimated.at == 19
    estimated.view(EVERYTHING)
    winner = estimated.film["winners"][0]
    estimated.keys("t")
    assert estimated.at == {0: 19, 1: estimated.last - 1, 2: estimated.last - 1}[winner]
    estimated.view(SPECTATOR)
    assert not any(estimated.find(f"#page-{name}").is_enabled() for name in ("mistake", "disagreement"))


@pytest.mark.parametrize("game", GAMES)
def test_the_panel_says_something_at_every_position_of_the_viewed_seat(
    chromium: Any, tmp_path: Path, game: str
) -> None:
    record = random_game(game, most=25).record()
    sure = np.zeros(get_game(game).num_actions)
    sure[0] = 1
    page = tmp_path / "game.html"
    page.write_text(replay_html(record, thoughts=[Thoughts(sure)] * 25, thoughts_by="oracle"), encoding="utf-8")
    chromium.get(page.as_uri())
    found = chromium.execute_async_script(
        """
        const done = arguments[0], slider = document.getElementById("page-slider"), silent = [];
        while (!("ready" in document.documentElement.dataset)) await new Promise(requestAnimationFrame);
        const views = [...document.querySelectorAll("#page-views input")];
        for (let step = 0; step <= slider.max; step++) {
          slider.value = step;
          slider.dispatchEvent(new Event("input"));
          for (const [view, input] of views.entries()) {
            input.click();
            const panel = document.getElementById("page-thoughts");
            if (!panel.hidden && !/player_|oracle/.test(document.getElementById("page-thoughts-of").textContent))
              silent.push([step, view]);
          }
        }
        done([silent, views.length]);
        """
    )
    assert found == [[], TableEnv(game).num_players + 2]


def test_on_a_phone_picture_buttons_and_thoughts_are_on_the_first_screen(judged: Judged) -> None:
    set_screen(judged.chromium, 390, 844, mobile=True)
    bottom = "return document.getElementById('page-' + arguments[0]).getBoundingClientRect().bottom"
    assert all(judged.script(bottom, name) < 844 for name in ("picture", "buttons", "jumps", "thoughts-of"))
    assert judged.script("return document.documentElement.scrollWidth") <= 390
    assert judged.script("return document.getElementById('page-curve').offsetHeight") >= 120
    judged.script("scrollTo(0, document.documentElement.scrollHeight)")
    bar_begins = judged.script("return document.getElementById('page-bar').getBoundingClientRect().top")
    assert 844 - 210 < bar_begins < 844
    assert judged.script("return document.querySelector('details').getBoundingClientRect().bottom") <= bar_begins
    heights = "return [...document.querySelectorAll('#page-jumps button')].map((each) => each.offsetHeight)"
    assert min(judged.script(heights)) >= 40


def test_space_plays_to_the_end_and_stops_there(page: Page) -> None:
    page.find("#page-speed").send_keys("1", "0")
    assert page.find("#page-play").accessible_name == "Play"
    page.script("document.activeElement.blur()")
    page.keys(" ")
    page.wait(lambda: page.at >= 2)
    assert page.find("#page-play").accessible_name == "Pause"
    page.keys(" ")
    assert page.find("#page-play").accessible_name == "Play"
    page.go_to(page.last - 2)
    page.find("#page-play").click()
    page.wait(lambda: page.at == page.last)
    page.wait(lambda: page.find("#page-play").accessible_name == "Play")


def test_everything_that_can_be_used_has_a_name_and_moves_are_announced(page: Page) -> None:
    page.keys(RIGHT)
    for element in page.chromium.find_elements("css selector", "button, input, select, summary"):
        assert element.accessible_name
    assert page.find("#page-now").get_attribute("aria-live") == "polite"
    assert "1 / " in page.text("now")
    assert f"Move 1 of {page.last}, Round 1: " in page.find("#page-slider").get_attribute("aria-valuetext")


@pytest.mark.parametrize(("width", "theme"), [(400, "light"), (1280, "dark")])
def test_nothing_is_wider_than_the_screen_and_colours_follow_the_system(page: Page, width: int, theme: str) -> None:
    set_screen(page.chromium, width, 800, width == 400, color_scheme=theme)
    assert page.script("return document.documentElement.scrollWidth") <= width
    ground = page.script("return getComputedStyle(document.documentElement).backgroundColor")
    assert (sum(map(int, ground[4:-1].split(","))) < 200) == (theme == "dark")


def test_it_plays_in_the_frame_of_a_notebook(page: Page, tmp_path: Path) -> None:
    outside = tmp_path / "notebook.html"
    outside.write_text(f"<!doctype html><body>{replay_html(random_game('black_jacky', most=9).record())._repr_html_()}")
    page.chromium.get(outside.as_uri())
    page.chromium.switch_to.frame(page.find("iframe"))
    page.wait(lambda: page.script("return 'ready' in document.documentElement.dataset"))
    page.find("#page-next").click()
    page.keys(RIGHT)
    assert page.at == 2
    page.chromium.switch_to.default_content()
