"""Positions of every phase and moment of every game, and a headless Chromium that shows their pages."""

import shutil
from contextlib import contextmanager
from importlib.resources import files
from itertools import product

import numpy as np
import pytest

from blackjacky_agents.web.seats import seats_for
from blackjacky_agents.web.table import Table
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, get_game
from tests.agents.web.tables import in_background
from tests.games import tables
from tests.games.fixtures import examples_of

IN_BROWSER = [
    pytest.mark.prove,
    pytest.mark.skipif(
        None in (shutil.which("chromium"), shutil.which("chromedriver")), reason="needs chromium and chromedriver"
    ),
]
DEVICES = {"desktop": (1280, 800), "phone": (390, 844)}
"""Width and height in pixels."""
LOOKS = (("desktop", "light", "en"), ("phone", "dark", "de"))
NAMES = ("Bruno", "Carla", "David", "Elif", "Femke", "Goran", "Hana", "Igor", "Jana")
PERSON = "player_0"
_SEEDS = 40
_EARLY = 60  # moves; later positions look much the same
TOURED = f"try {{ for (const game of {[*GAMES]}) localStorage.setItem(`tour ${{game}}`, 'seen') }} catch {{ }}"
"""For pages that are to show no tour of the first turn; frames in a sandbox have no storage."""
_READY = """
const find = (selector) => document.querySelector(selector);
const ended = find("#end") && !find("#end").hidden, lobby = find("#people input");
return Boolean(find("#actions button:enabled") || ended || find("#status.paused") || lobby);
"""


def positions(game):
    """The record of a game for each phase in which the person in seat 0 is to act, and for a game that is over."""
    phases, rare = get_game(game).words.phases, examples_of(game).rare
    found = {phase: _rare_position(game, phase, each) for phase, each in rare.items()}
    for options, seed in product(_tables(game), range(_SEEDS)):
        if len(found) == len(phases):
            break
        found = _random_game(game, options, seed) | found
    return {phase: found[phase] for phase in phases}


def _tables(game):
    """Constructor options: of each variant at its largest size, then the game's further examples."""
    examples = examples_of(game)
    for variant in get_game(game).variants:
        yield {"num_players": variant.max_players, "variant": variant.name, **examples.short}
    for options in examples.tables:
        yield {name: value for name, value in options.items() if name != "reward"}


def _random_game(game, options, seed):
    """By phase: the game until the person decides in it, for the last time early in the game."""
    found = {}
    for env in tables.positions(TableEnv(game, **options), seed):
        phase, record = env.view(PERSON)["phase"], env.record()
        asked = env.agent_selection == PERSON and (phase not in found or len(record["actions"]) < _EARLY)
        if asked or phase == "over":
            found[phase] = record
    return found


def _rare_position(game, phase, rare):
    env = TableEnv(game, **rare.options)
    env.reset(seed=0, options=dict(rare.reset))
    wanted = [env.parse_action(name) for name in rare.prefers]
    while env.view(PERSON)["phase"] != phase:
        legal = np.flatnonzero(env.infos[env.agent_selection]["action_mask"]).tolist()
        env.step(next((action for action in wanted if action in legal), legal[0]))
    return env.record()


def table_at(record):
    seats = seats_for(record["game"], ["Anna"], ["random"] * (record["num_players"] - 1))
    table = Table(record["game"], seats, record["variant"], record["options"], hints="")
    for seat, name in zip(table.seats[1:], NAMES, strict=False):
        seat.name = name
    table.env.replay({**record, "actions": []})
    table._views = table._look()
    for action in record["actions"]:
        table.play(action)
    return table


SHADOW = "document.getElementById('picture').shadowRoot"
READY = "return document.querySelector('#actions button:enabled')"
SPOT = """
const spot = (element) => {
  element?.scrollIntoView({ block: "nearest" });
  const { left, top, width, height } = element?.getBoundingClientRect() ?? {};
  for (const down of [0.5, 0.1, 0.9]) for (const right of [0.5, 0.1, 0.9]) {
    const [x, y] = [left + right * width, top + down * height];
    if (element?.contains(element.getRootNode().elementFromPoint(x, y))) return [x, y];
  }
};
"""
"""Where a person sees an element: a place at which nothing covers it."""
PLAY = f"""
const own = document.querySelector("#continue:enabled, #start");
const marked = {SHADOW}?.querySelectorAll(".choice") ?? [];
const choices = [...marked, ...document.querySelectorAll("#actions button:enabled")];
return spot(own ?? choices[arguments[0] % choices.length]);
"""
"""One of the cards, places and buttons with which a person can go on."""
AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
RUN_AXE = "axe.run({resultTypes: ['violations']}).then((found) => arguments[0](found.violations), arguments[0])"


@contextmanager
def open_browser():
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    browser.set_script_timeout(120)
    browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": TOURED})
    try:
        yield browser
    finally:
        browser.quit()


@contextmanager
def pages_of(browser, server):
    """Serve pages; yields the beginning of their addresses. The browser must not complain, as of their policy."""
    with in_background(server) as port:
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            complaints = browser.get_log("browser")
            browser.get("about:blank")
        assert complaints == []


def set_screen(browser, width, height, mobile=False, **features):
    """Set the size of the screen, and what the reader prefers, such as ``color_scheme="dark"``."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    media = [{"name": f"prefers-{name.replace('_', '-')}", "value": value} for name, value in features.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})


def show(browser, address, device, scheme="light"):
    """Open a page at the size of a device and wait until the person can act, or the end is shown."""
    set_screen(browser, *DEVICES[device], device == "phone", color_scheme=scheme, reduced_motion="reduce")
    browser.get(address)
    wait_for(browser, _READY)


def wait_for(browser, script):
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, 120, poll_frequency=0.02).until(lambda browser: browser.execute_script(script))


def press(browser, name):
    """Click a button with the mouse; Selenium refuses if something covers it."""
    browser.find_element("id", name).click()


def click(browser, number):
    """Click with the mouse on something with which a person can go on, if nothing covers it."""
    if place := browser.execute_script(SPOT + PLAY, number):
        for kind in ("mousePressed", "mouseReleased"):
            event = {"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1}
            browser.execute_cdp_cmd("Input.dispatchMouseEvent", event)


def press_key(browser, key):
    """Press a key, such as ``"1"`` or ``"ESCAPE"``, wherever the focus is."""
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    ActionChains(browser, duration=0).send_keys(getattr(Keys, key, key)).perform()


def text_of(browser, selector):
    return str(browser.execute_script("return document.querySelector(arguments[0]).innerText", selector))


def serious(browser):
    """What axe finds to be serious or critical on the page: rule and elements."""
    browser.execute_script(AXE)
    violations = browser.execute_async_script(RUN_AXE)
    assert isinstance(violations, list), violations
    bad = [each for each in violations if each["impact"] in ("serious", "critical")]
    return [(each["id"], [node["html"][:120] for node in each["nodes"]]) for each in bad]
