"""How the page looks and is operated in Chromium, in every phase of every game: sizes, accessibility, clicks, keys."""

from contextlib import contextmanager

import pytest

from blackjacky_env.draw.svg import PHONE_TEXT
from blackjacky_env.games import GAMES
from tests.agents.web.browser import (
    DEVICES,
    IN_BROWSER,
    LOOKS,
    SHADOW,
    pages_of,
    positions,
    press,
    press_key,
    serious,
    set_screen,
    show,
    table_at,
    wait_for,
)
from tests.agents.web.tables import new_table, server_of

pytestmark = IN_BROWSER
SHOW_AGAIN = """
document.getElementById("name").value = `Anna ${Math.floor(1e6 * Math.random())}`;
document.getElementById("naming").dispatchEvent(new Event("close"));
"""
"""Takes a new name, to which the answer is the state of the table."""
ON_PHONE = 1.25
"""How many screens of a phone may be needed to reach the last action."""
MEASURE = f"""
const box = (element) => element.getBoundingClientRect();
const page = document.documentElement, texts = [...{SHADOW}.querySelectorAll("text")];
const scale = (text) => Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b);
const height = (text) => parseFloat(getComputedStyle(text).fontSize) * scale(text);
const last = [...document.querySelectorAll("#actions button")].map((button) => box(button).bottom);
const at = ({{ left, top, width, height }}) => {SHADOW}.elementFromPoint(left + width / 2, top + height / 2);
const labels = [...{SHADOW}.querySelectorAll(".pile > text")];
return {{
  width: page.scrollWidth, height: page.scrollHeight, reach: Math.max(...last, box({SHADOW}.host).bottom),
  text: Math.min(...texts.map(height)), picture: box({SHADOW}.host).width,
  words: document.querySelectorAll("#when, #in-words li").length,
  role: {SHADOW}.host.role, covered: labels.filter((text) => at(box(text)) !== text).map((text) => text.textContent),
}};
"""


@contextmanager
def pages(browser, tables):
    with pages_of(browser, server_of(*tables)) as base:
        yield [f"{base}/seat/{next(iter(table.people.values()))}" for table in tables]


@pytest.mark.parametrize("game", GAMES)
def test_in_no_phase_the_page_must_be_scrolled_much_and_axe_finds_nothing_serious(browser, game):
    phases = {phase: table_at(each) for phase, each in positions(game).items()}
    with pages(browser, phases.values()) as addresses:
        for (phase, address), (device, scheme, language) in (
            (each, look) for each in zip(phases, addresses, strict=True) for look in LOOKS
        ):
            show(browser, f"{address}?language={language}", device, scheme)
            measured, (width, height) = browser.execute_script(MEASURE), DEVICES[device]
            assert measured["width"] <= width, (phase, device)
            assert measured["text"] >= PHONE_TEXT, (phase, device)
            assert measured["words"] > phases[phase].env.num_players
            assert (measured["role"], measured["covered"]) == ("img", [])
            assert serious(browser) == [], phase
            if device == "desktop":
                assert measured["height"] <= height, phase
                continue
            assert measured["reach"] <= ON_PHONE * height, phase
            assert measured["picture"] > 0.9 * width


IN_SIGHT = f"""
const box = (element) => element.getBoundingClientRect();
const seen = [{SHADOW}.host, document.getElementById("status"),
  ...document.querySelectorAll("#actions button:not(.touchable)")];
return Math.max(document.documentElement.scrollHeight, ...seen.map((element) => box(element).bottom));
"""


@pytest.mark.parametrize("size", [(844, 390), (640, 400)], ids=["phone on its side", "200 % zoom"])
@pytest.mark.parametrize("game", GAMES)
def test_hand_status_and_choices_fit_a_low_screen_in_every_phase(browser, game, size):
    phases = {phase: table_at(each) for phase, each in positions(game).items()}
    with pages(browser, phases.values()) as addresses:
        for phase, address in zip(phases, addresses, strict=True):
            show(browser, address, "desktop")
            set_screen(browser, *size)
            assert browser.execute_script(IN_SIGHT) <= size[1], phase


NOT_TOURED = "for (const name of Object.keys(localStorage)) if (name.startsWith('tour ')) localStorage.removeItem(name)"
TOUR = f"""
const box = (element) => element.getBoundingClientRect(), tour = box(document.getElementById("tour"));
const beside = (one) => one.right <= tour.left || tour.right <= one.left;
const apart = (one) => beside(one) || one.bottom <= tour.top || tour.bottom <= one.top;
const shown = [...{SHADOW}.querySelectorAll(".toured"), ...document.querySelectorAll(".toured")];
const inSight = shown.at(-1).getClientRects().length > 0 && box(shown.at(-1)).bottom <= window.innerHeight + 1;
return [inSight, shown.every((each) => apart(box(each))), document.querySelector("#tour p").textContent];
"""
TOURED_NOW = "return !document.getElementById('tour').hidden"


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("game", GAMES)
def test_the_first_turn_has_a_tour_that_covers_nothing_and_does_not_come_back(browser, game, device):
    table = new_table(game, hints="random")
    while table.turn != 0:
        table.play(table.thought()())
    with pages(browser, [table]) as [address]:
        show(browser, address, device)
        assert not browser.execute_script(TOURED_NOW), "whoever has seen it is not shown it again"
        browser.execute_script(NOT_TOURED + ";" + SHOW_AGAIN)
        wait_for(browser, TOURED_NOW)
        assert serious(browser) == []
        steps = [step for _, step in table.texts["en"]["tour"]]
        for step in steps:
            assert browser.execute_script(TOUR) == [True, True, step]
            if step != steps[-1]:
                press(browser, "tour-next")
        press_key(browser, "ESCAPE")
        assert not browser.execute_script(TOURED_NOW)
        assert browser.execute_script(f"return localStorage.getItem('tour {game}')") == "seen"


QUICK = {
    "black_jacky": {"players": 2, "rules": {"hearts": 1}},
    "schwarze_katze": {"players": 3, "rules": {"deals": 1}},
    "halunken": {"players": 2},
    "black_spy": {"players": 4, "rules": {"max_deals": 1}},
}
CAN_ACT = "document.querySelector('#actions button:enabled') !== null"
IS_OVER = "!document.getElementById('end').hidden"
HAS_FOCUS = "return document.activeElement.closest('#actions, #status') !== null"


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_played_by_keys_alone_and_the_focus_is_never_lost(browser, game):
    """By clicks it is in `test_page`."""
    table = new_table(game, **QUICK[game])
    while table.turn != 0:
        table.play(table.thought()())
    start = table.move
    with pages(browser, [table]) as [address]:
        show(browser, address, "desktop")
        while not table.over:
            wait_for(browser, f"return {CAN_ACT} || {IS_OVER}")
            if table.over:
                break
            while table.move == start and not browser.execute_script(HAS_FOCUS):
                press_key(browser, "TAB")
            press_key(browser, "ENTER")
            wait_for(browser, HAS_FOCUS)
        wait_for(browser, f"return {IS_OVER}")
