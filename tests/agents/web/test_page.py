"""The page in a real browser: Chromium by Selenium, if both are there."""

import json
import shutil
import time

import numpy as np
import pytest

from blackjacky_agents.wording import in_words, page_texts
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES
from tests.agents.web.browser import TOURED
from tests.agents.web.running import running
from tests.agents.web.tables import choose, new_table
from tests.every_game import with_tiny

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(None in (CHROMIUM, DRIVER), reason="needs chromium and chromedriver on the path")
TURN = (
    "return [document.querySelectorAll('#actions button:enabled').length > 0, !document.getElementById('end').hidden]"
)
READY = "return document.querySelector('#actions button:enabled')"
SHADOW = "document.getElementById('picture').shadowRoot"
CHOICES = "return [...document.querySelectorAll('#actions button')].map((each) => each.dataset.action).join()"
CLICK = "document.querySelector('#actions button:enabled').click()"


@pytest.fixture
def browsers():
    """Return a function that opens a page in a browser of its own; all are closed in the end."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    opened = []

    def open_page(address, language="en", width=1280, height=800):
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
            options.add_argument(argument)
        options.add_argument(f"--window-size={width},{height}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        browser = webdriver.Chrome(options=options, service=Service(DRIVER))
        opened.append(browser)
        browser.set_script_timeout(120)
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": TOURED})
        browser.get(f"{address}?language={language}")
        return browser

    yield open_page
    for browser in opened:
        browser.quit()


def wait_for(browser, script, seconds=120):
    """Run a script in the page until it gives something true."""
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, seconds, poll_frequency=0.02).until(lambda browser: browser.execute_script(script))


def text_of(browser, selector):
    """The text of the first element."""
    return browser.execute_script("return document.querySelector(arguments[0]).innerText", selector)


def play_to_the_end(*pages):
    """Click the first legal action wherever there is one, until the game is over."""
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        states = [page.execute_script(TURN) for page in pages]
        if all(over for _, over in states):
            return
        for page, (can_act, _) in zip(pages, states, strict=True):
            if can_act:
                page.execute_script(CLICK)
    raise AssertionError("the game did not end")


def no_complaints(page):
    """The browser has nothing to say against the page, its policy included."""
    assert page.get_log("browser") == []


def test_a_person_plays_a_whole_game_against_three_bots(browsers):
    table = new_table(players=4, hints=["counter"])
    with running(table) as [people]:
        page = browsers(people["Person 0"])
        wait_for(page, READY)
        play_to_the_end(page)
        assert table.over
        assert "won" in text_of(page, "#status")
        assert text_of(page, "#story").count("\n") > 10
        record = page.execute_async_script(
            "fetch(document.getElementById('record').href).then((answer) => answer.text()).then(arguments[0])"
        )
        env = TableEnv("black_jacky", 4)
        env.replay(json.loads(record)["record"])
        assert env.snapshot()["winners"] == table.env.snapshot()["winners"]
        page.execute_script("document.getElementById('again').click()")
        wait_for(page, "return document.getElementById('end').hidden")
        no_complaints(page)


def test_two_browsers_play_each_other_with_two_bots(browsers):
    table = new_table(people=2, players=4)
    with running(table) as [people]:
        pages = [browsers(people["Person 0"]), browsers(people["Person 1"], "de", 400, 800)]
        for page in pages:
            wait_for(page, "return document.querySelectorAll('#in-words li').length > 4")
        play_to_the_end(*pages)
        assert table.over
        assert "won" in text_of(pages[0], "#status")
        assert "gewonnen" in text_of(pages[1], "#status")
        for page in pages:
            no_complaints(page)
            assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth")


def test_schwarze_katze_is_played_by_keys_and_with_a_hint(browsers):
    from selenium.webdriver.common.by import By

    table = new_table("schwarze_katze", players=3, hints=["counter", "low"], rules={"deals": 1})
    with running(table) as [people]:
        page = browsers(people["Person 0"], "de")
        wait_for(page, READY)
        page.find_element(By.ID, "hint").click()
        wait_for(page, "return document.querySelector('#actions .advised')")
        assert "counter würde wählen" in text_of(page, "#advice")
        move = table.move
        page.find_element(By.TAG_NAME, "body").send_keys("1")
        wait_for(page, f"return document.querySelectorAll('#story li').length > {move}")
        assert table.move > move
        no_complaints(page)


def test_a_reload_and_a_second_window_keep_the_seat(browsers):
    table = new_table(people=2, players=2)
    with running(table) as [people]:
        page = browsers(people[table.seats[table.turn].name])
        wait_for(page, READY)
        page.refresh()
        wait_for(page, READY)
        first = page.current_window_handle
        page.switch_to.new_window("tab")
        page.get(people[table.seats[table.turn].name])
        wait_for(page, READY)
        page.switch_to.window(first)
        wait_for(page, "return !document.getElementById('take-back').hidden")
        page.execute_script("document.getElementById('take-back').click()")
        wait_for(page, READY)
        before = page.execute_script(CHOICES)
        page.execute_script(CLICK)
        wait_for(page, f"{CHOICES} != {json.dumps(before)}")
        assert table.move == 1
        no_complaints(page)


def test_cards_of_a_picture_are_clicked_where_an_action_belongs_to_them(browsers):
    table = new_table("schwarze_katze", people=3, rules={"deals": 1})
    leader, other = table.turn, (table.turn + 1) % 3
    with running(table) as [people]:
        page = browsers(people[f"Person {other}"])
        wait_for(page, f"return {SHADOW}?.querySelector('svg')")
        assert page.execute_script(f"return {SHADOW}.querySelectorAll('.choice').length") == 0
        page.get(people[f"Person {leader}"])
        wait_for(page, READY)
        assert page.execute_script(f"return {SHADOW}.querySelectorAll('.choice').length") == 17
        card = f"{SHADOW}.querySelector('[data-card]')"
        on_turn = f"{SHADOW}.querySelector('.seat .now')"
        assert page.execute_script(f"return getComputedStyle({on_turn}).stroke") != "none"  # the picture's own style
        name = page.execute_script(f"return {card}.dataset.card")
        page.execute_script(f"{card}.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
        wait_for(page, f"return {SHADOW}.querySelectorAll('.choice').length == 0")
        assert table.env.snapshot()["table"] == [[leader, name]]
        no_complaints(page)


CLICKED = {
    ("halunken", "place_captain"): "[data-kind=field]",
    ("halunken", "choose"): ".seat [data-kind=move]",
    ("halunken", "rob"): ".seat [data-card]",
    ("halunken", "take"): "[data-pile=harbour] [data-card]",
    ("black_spy", "pass"): ".seat [data-card]",
    ("black_spy", "take"): "[data-card]",
}


@pytest.mark.parametrize(("game", "phase"), CLICKED)
def test_fields_movement_cards_and_cards_of_others_can_be_clicked(browsers, game, phase):
    table, rng = new_table(game, people=4, players=4), np.random.default_rng(0)
    while table.env.snapshot()["phase"] != phase or len(table.actions(table.turn)) < 2:
        table.act(table.turn, table.move, choose({"actions": table.actions(table.turn)}, rng))
    legal, moves = table.actions(table.turn), table.move
    with running(table) as [people]:
        page = browsers(people[table.seats[table.turn].name])
        wait_for(page, READY)
        choices = f"[...{SHADOW}.querySelectorAll('{CLICKED[game, phase]}')].filter((each) => each.matches('.choice'))"
        different = f"new Set({choices}.map((each) => JSON.stringify(each.dataset)))"  # a hand can hold equal cards
        assert page.execute_script(f"return {different}.size") == len(legal)
        meant = page.execute_script(f"return {{...{choices}.at(-1).dataset}}")
        page.execute_script(f"{choices}.at(-1).dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
        wait_for(page, f"return {SHADOW}.querySelectorAll('.choice').length == 0 || {READY.removeprefix('return ')}")
        (taken,) = (each for each in legal if each["action"] == table.env.record()["actions"][moves])
        assert {str(taken["card"]), str(taken["number"])} & {meant.get("card"), meant.get("number")}
        no_complaints(page)


TELL = """
const [phrases, names, language, done] = arguments;
import("/page/texts.js").then(({ useLanguage, inWords }) => {
  useLanguage(language);
  done(phrases.map((phrase) => inWords(phrase, names)));
});
"""


@pytest.mark.parametrize("game", GAMES)
def test_the_page_puts_phrases_into_the_same_words_as_the_terminal(browsers, game):
    table = new_table(game, players=3)
    phrases, names = [], [seat.name for seat in table.seats]
    with running(table) as [people]:
        page = browsers(people["Person 0"])
        wait_for(page, "return document.getElementById('title').textContent")
        told = new_table(game, people=3, seed=1)
        while not told.over:
            actions = told.actions(told.turn)
            told.act(told.turn, told.move, actions[0 if told.move % 3 else -1]["action"])
            phrases += [*actions, *(phrase for each in told._told[-1].values() for phrase in each)]
        for language, texts in page_texts(game).items():
            expected = [in_words(phrase, texts, names) for phrase in phrases]
            assert page.execute_async_script(TELL, phrases, names, language) == expected
        no_complaints(page)


def test_a_game_without_words_of_its_own_is_played_by_the_names_of_its_actions(browsers):
    with with_tiny():
        table = new_table("tiny", players=2)
        with running(table) as [people]:
            page = browsers(people["Person 0"], "de")
            wait_for(page, READY)
            assert text_of(page, "#actions b") == "bid 0"
            play_to_the_end(page)
            assert "bid" in text_of(page, "#story")
            no_complaints(page)
