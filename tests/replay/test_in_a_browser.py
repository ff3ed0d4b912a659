"""The page in a real Chromium, opened from disk: keys, slider, views, thoughts; skipped where there is none."""

import numpy as np
import pytest

from blackjacky_env import replay_html
from blackjacky_env.replay import Thoughts, WinCurve
from tests.agents.web.browser import IN_BROWSER, open_browser, serious, set_screen, wait_for
from tests.replay.reading import film_in, pictures_in, random_game

pytestmark = IN_BROWSER
RIGHT, LEFT, HOME, END = "\ue014", "\ue012", "\ue011", "\ue010"
CHANGED = "s.dispatchEvent(new Event('input'))"
EVERYTHING = 4


@pytest.fixture(scope="module")
def chromium():
    """A browser without a window and without a network."""
    with open_browser() as driver:
        driver.execute_cdp_cmd("Network.enable", {})
        no_network = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        driver.execute_cdp_cmd("Network.emulateNetworkConditions", no_network)
        yield driver


class Page:
    """A replay of a game of three as a reader has it before him, with the thoughts of an oracle in place of Ada.

    There are mistakes, moves that differ from the most probable one, and changing estimates: Ada's, or those of a
    ``curve`` for all players, in which her chances fall most after the 20th move.
    """

    COSTS = {1: (0.1, 0.05, 0.15), 3: (0.2, 0.1, 0.3), 5: (0.3, -0.1, 0.7), 7: (-0.06, -0.1, -0.02)}
    """By number of Ada's decision; the last but one is no clear mistake, the last a better move."""
    BEST = 4
    """The decision after which the estimate changes most."""

    def __init__(self, chromium, path, curve=False):
        env = random_game("black_jacky", seed=0, num_players=3)
        env.replay({**(record := env.record()), "actions": []})
        self.own = []
        thoughts = list(self.minds(record, env))
        wins = np.full((len(record["actions"]) + 1, 3), [0.6, 0.3, 0.1])
        wins[20:], wins[-1] = [0.2, 0.5, 0.3], [0, 1, 0]
        estimates = WinCurve(wins, "Said by an oracle.") if curve else None
        html = replay_html(record, names=["Ada", "Bob", "Cem"], thoughts=thoughts, curve=estimates)
        self.film, self.pictures = film_in(html), pictures_in(html)
        self.last = len(self.film["moves"])
        path.write_text(html, encoding="utf-8")
        self.chromium, self.address = chromium, path.as_uri()
        set_screen(chromium, 1280, 800)
        self.open()

    def minds(self, record, env):
        for step, action in enumerate(record["actions"]):
            if env.agent_selection != "player_0":
                yield None
            else:
                number, chances = len(self.own), np.zeros(61)
                self.own.append(step)
                chances[action if number % 2 == 0 else (action + 1) % 61] = 1
                yield Thoughts(chances, 0.2 + 0.5 * (number > self.BEST), "oracle", self.COSTS.get(number))
            env.step(action)

    def open(self, fragment=""):
        self.chromium.get("about:blank")
        self.chromium.get(f"{self.address}{fragment}")
        wait_for(self.chromium, "return 'ready' in document.documentElement.dataset")

    def wait(self, at):
        wait_for(self.chromium, f"return Number(document.getElementById('page-slider').value) >= {at}")

    def go_to(self, step):
        self.script(f"const s = document.getElementById('page-slider'); s.value = {step};{CHANGED}")

    def script(self, text, *arguments):
        return self.chromium.execute_script(text, *arguments)

    def find(self, selector):
        return self.chromium.find_element("css selector", selector)

    def keys(self, *keys):
        self.find("body").send_keys(*keys)

    def text(self, name):
        return str(self.script("return document.getElementById('page-' + arguments[0]).innerText", name))

    @property
    def at(self):
        return int(self.script("return document.getElementById('page-slider').value"))

    def view(self, number):
        self.script("document.querySelectorAll('#page-views input')[arguments[0]].click()", number)

    def shows(self, view, step):
        same = """
            const template = document.createElement('div');
            template.innerHTML = arguments[0];
            return document.getElementById('page-picture').innerHTML === template.innerHTML;
        """
        return self.at == step and bool(self.script(same, self.pictures[view][step]))


@pytest.fixture(params=[False])
def page(chromium, tmp_path, request):
    yield Page(chromium, tmp_path / "game.html", request.param)
    assert chromium.get_log("browser") == []


def test_keys_lead_through_the_game_and_what_can_be_used_has_a_name(page):
    assert page.shows(EVERYTHING, 0)
    second, third = page.film["starts"][1:3]
    there = [(RIGHT, 1), (RIGHT, 2), (LEFT, 1), ("]", second), ("]", third), (RIGHT, third + 1)]
    back = [("[", third), ("[", second), (END, page.last), (RIGHT, page.last), (HOME, 0), (LEFT, 0)]
    for key, step in there + back:
        page.keys(key)
        assert page.shows(EVERYTHING, step), (key, step)
    for element in page.chromium.find_elements("css selector", "button, input, select, summary"):
        assert element.accessible_name
    assert page.find("#page-now").get_attribute("aria-live") == "polite"


def test_every_view_shows_its_pictures_and_secrets_and_thoughts_to_those_who_may_know(page):
    step = next(i for i, (_, _, heard) in enumerate(page.film["moves"]) if heard)
    giver, name, heard = page.film["moves"][step]
    for view in range(5):
        page.view(view)
        page.go_to(9)
        assert page.shows(view, 9)
        may_know, told = view in (giver, EVERYTHING), page.text("list").splitlines()
        said = told[told.index(str(step + 1)) + 1]
        assert said == f"{page.film['names'][giver]}: {name if may_know else heard}"
        page.keys(END)
        seen = view in (0, EVERYTHING)
        assert ("in place of Ada considered before move" in page.text("thoughts")) == seen
        assert bool(page.text("chances")) == seen
        assert ("Ada 70 %" in page.text("wins")) == seen
        assert (page.script("return document.querySelectorAll('#page-curve polyline').length") == 1) == seen
    page.keys("v")
    assert page.shows(0, page.last)


def test_the_curve_rounds_and_moves_are_clicked_and_the_curve_marks_mistakes(page):
    page.find("#page-rounds button:nth-child(2)").click()
    assert page.at == page.film["starts"][1]
    page.find('#page-list [data-step="5"]').click()
    assert page.at == 5
    page.find("#page-curve").click()
    assert abs(page.at - page.last / 2) < page.last / 8
    for kind, places in (("mistake", 2), ("differs", len(page.own) // 2), ("settled", len(page.film["settled"]))):
        assert page.script(f"return document.querySelectorAll('#page-curve .{kind}').length") == places


def test_jumps_lead_to_the_mistake_the_disagreements_and_the_settlements(page):
    page.view(0)
    for number in (3, 1, 3):
        page.find("#page-mistake").click()
        assert page.at == page.own[number]
    assert "it costs 20.0 % (10.0 .. 30.0)" in page.text("cost")
    page.keys(HOME)
    differing = page.own[1::2]
    for step in [*differing, differing[0]]:
        page.keys("d")
        assert page.at == step
    page.keys(HOME)
    for step in page.film["settled"]:
        page.find("#page-settlement").click()
        assert page.at == step
    page.keys("t")
    assert page.at == page.own[page.BEST]
    page.view(1)
    assert not any(page.find(f"#page-{name}").is_enabled() for name in ("mistake", "disagreement"))
    page.open("#turning-0")
    assert page.at == page.own[3], "at the biggest mistake of the player"
    page.go_to(page.last - 1)
    page.find("#page-play").click()
    page.wait(page.last)


@pytest.mark.parametrize("page", [True], indirect=True)
def test_estimates_of_all_players_change_with_every_position_and_turning_points_are_the_viewed_players(page):
    points = "return [...document.querySelectorAll('#page-curve polyline')].map((line) => line.points.length)"
    assert page.script(points) == [page.last + 1] * 3
    assert "Said by an oracle." in page.text("legend")
    page.script("arguments[0].focus()", page.find("#page-curve"))
    for key, at, told in [
        (RIGHT, 1, "Ada 60 %, Bob 30 %, Cem 10 %"),
        (END, page.last, "Ada 0 %, Bob 100 %, Cem 0 %"),
        (LEFT, page.last - 1, "Ada 20 %, Bob 50 %, Cem 30 %"),
    ]:
        page.chromium.switch_to.active_element.send_keys(key)
        curve = page.find("#page-curve")
        assert curve.get_attribute("aria-valuetext") == f"Move {at} of {page.last}: {told}"
        assert (curve.aria_role, curve.get_attribute("aria-valuenow")) == ("slider", str(at))
    page.view(0)
    page.keys("t")
    assert page.at == 19


def test_on_a_phone_picture_buttons_and_thoughts_are_on_the_first_screen(page):
    set_screen(page.chromium, 390, 844, mobile=True)
    bottom = "return document.getElementById('page-' + arguments[0]).getBoundingClientRect().bottom"
    assert all(page.script(bottom, name) < 844 for name in ("picture", "buttons", "jumps", "thoughts-of"))
    assert page.script("return document.documentElement.scrollWidth") <= 390
    assert page.script("return document.getElementById('page-curve').offsetHeight") >= 120
    page.script("scrollTo(0, document.documentElement.scrollHeight)")
    bar_begins = page.script("return document.getElementById('page-bar').getBoundingClientRect().top")
    assert page.script("return document.querySelector('details').getBoundingClientRect().bottom") <= bar_begins


def test_on_a_phone_on_its_side_picture_and_buttons_stay_in_sight_and_axe_finds_nothing_serious(page):
    for width, height in ((1280, 800), (390, 844), (844, 340)):
        set_screen(page.chromium, width, height, mobile=width < 1280)
        assert serious(page.chromium) == []
    bottom = "return document.getElementById('page-' + arguments[0]).getBoundingClientRect().bottom"
    for at in ("0", "document.documentElement.scrollHeight"):
        page.script(f"scrollTo(0, {at})")
        assert all(page.script(bottom, name) <= 340 for name in ("picture", "buttons", "jumps"))
    assert page.script("return document.documentElement.scrollWidth") <= 844
