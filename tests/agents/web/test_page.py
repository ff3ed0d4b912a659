"""Games in a real browser: the lobby, waiting, clicks and keys, lost seats, the end with its replay."""

import json
from contextlib import contextmanager

import pytest

from blackjacky_agents.web.server import Server
from blackjacky_agents.wording import in_words, page_texts
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES
from tests.agents.web.browser import (
    DEVICES,
    IN_BROWSER,
    READY,
    click,
    pages_of,
    press,
    press_key,
    serious,
    set_screen,
    text_of,
    wait_for,
)
from tests.agents.web.tables import new_table, server_of

pytestmark = IN_BROWSER
CLICKS = 3000
IS_OVER = "return !document.getElementById('end').hidden"


def open_page(browser, address, language="en"):
    set_screen(browser, 1280, 800)
    browser.get(f"{address}?language={language}")
    return browser


def click_until(page, condition, act=click):
    """Click whatever can be clicked, or do something else, until the condition holds."""
    for number in range(CLICKS):
        if condition():
            return
        act(page, number)
    raise AssertionError("that does not happen")


def play_to_the_end(page):
    click_until(page, lambda: page.execute_script(IS_OVER))


@contextmanager
def at_seat(browser, table, language="en", **options):
    server = Server(**{"delay": 0, "per_second": 1e9, **options})
    server.add(table)
    with pages_of(browser, server) as base:
        yield open_page(browser, f"{base}/seat/{table.people[0]}", language), server.hosts[0]


def test_a_person_plays_a_whole_game_against_three_bots_with_a_hint_and_a_key(browser):
    table = new_table(players=4, hints="counter")
    with at_seat(browser, table) as (page, _):
        wait_for(page, READY)
        press(page, "hint")
        wait_for(page, "return document.querySelector('#actions .advised')")
        assert text_of(page, "#advice").startswith(("Hint: ", "Better, by the estimates: "))  # of the outlook
        wait_for(page, "return document.querySelector('#outlook meter')")
        assert "of 100 games" in text_of(page, "#outlook p")
        move = table.move
        click_until(page, lambda: table.move > move, lambda page, _: press_key(page, "1"))
        play_to_the_end(page)
        assert "won" in text_of(page, "#status")
        record = page.execute_async_script(
            "fetch(document.getElementById('record').href).then((answer) => answer.text()).then(arguments[0])"
        )
        env = TableEnv("black_jacky", 4)
        env.replay(json.loads(record)["record"])
        assert env.snapshot()["winners"] == table.env.snapshot()["winners"]
        press(page, "again")
        wait_for(page, "return document.getElementById('end').hidden")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_played_by_clicks_on_cards_places_and_buttons(browser, game, device):
    table = new_table(game)
    with at_seat(browser, table) as (page, _):
        set_screen(page, *DEVICES[device], device == "phone")
        play_to_the_end(page)
        assert table.over
        (mine,) = (row for row in table.scores(0)["rows"] if row["seat"] == 0)
        behind = in_words([mine["behind"] or ""], table.texts["en"], table._names)
        place = f"You are number {mine['place']} of 3{', ' * bool(behind)}{behind}. "
        assert text_of(page, "#decided").startswith(place) is (mine["place"] > 1)
        assert page.get_log("browser") == []


TELL = """
const [phrases, names, language, done] = arguments;
import("/page/texts.js").then(({ useLanguage, inWords }) => {
  useLanguage(language);
  done(phrases.map((phrase) => inWords(phrase, names)));
});
"""


@pytest.mark.parametrize("game", GAMES)
def test_the_page_puts_phrases_into_the_same_words_as_the_terminal(browser, game):
    table, told, phrases = new_table(game, players=3), new_table(game, people=3, seed=1), []
    names = [seat.name for seat in table.seats]
    while not told.over:
        actions = told.actions(told.turn)
        told.act(told.turn, told.move, actions[0 if told.move % 3 else -1]["action"])
        phrases += [*actions, *(each["phrase"] for seat in range(3) for each in told.story(seat)[-3:])]
    with at_seat(browser, table) as (page, _):
        wait_for(page, "return document.getElementById('title').textContent")
        for language, texts in page_texts(game).items():
            expected = [in_words(phrase, texts, names) for phrase in phrases]
            assert page.execute_async_script(TELL, phrases, names, language) == expected


def test_a_table_is_opened_in_the_lobby_and_played_to_the_end_with_its_replay(browser):
    server = server_of()
    with pages_of(browser, server) as base:
        page = open_page(browser, f"{base}/lobby/{server.owner}", "de")
        wait_for(page, "return document.querySelectorAll('#rules .rule').length")
        page.execute_script("document.querySelector('#games .game > button').click()")
        wait_for(page, "return document.querySelectorAll('#paragraphs p').length")
        page.execute_script("document.getElementById('rules-of-game').close()")
        page.execute_script(
            "document.querySelector('input[value=schwarze_katze]').click();"
            "const deals = document.querySelector('#rules input[max=\"50\"]'); deals.value = 1; deals.oninput();"
            "document.querySelectorAll('#agents select').forEach((each) => { each.value = 'random'; each.onchange() })"
        )
        press(page, "open")
        wait_for(page, READY)
        (table,) = server.tables()
        assert table.env.config_dict()["deals"] == 1
        assert [seat.agent for seat in table.seats] == [None, "random", "random", "random"]
        play_to_the_end(page)
        wait_for(page, "return document.querySelector('#end .scores .good')")
        assert "gewinn" in text_of(page, "#decided")
        assert serious(page) == []
        press(page, "watch")
        page.switch_to.frame(page.find_element("css selector", "#replay iframe"))
        wait_for(page, "return document.querySelector('#page-picture svg')")
        page.switch_to.default_content()
        press(page, "replay-close")
        press(page, "again")
        wait_for(page, "return document.getElementById('end').hidden")


def test_a_game_is_given_up_after_a_question_and_starts_without_those_who_do_not_come(browser):
    table = new_table(people=2, players=2)
    with at_seat(browser, table, delay=1e6) as (page, host):
        wait_for(page, "return document.getElementById('start')")
        assert serious(page) == []
        press(page, "start")
        wait_for(page, "return document.getElementById('moment').hidden")
        assert host.started
        earlier = table.earlier
        press(page, "show-menu")
        press(page, "restart")
        assert serious(page) == []
        press(page, "restart-yes")
        click_until(page, lambda: table.earlier > earlier)


@pytest.mark.parametrize("game", GAMES)
def test_axe_finds_nothing_serious_in_a_settlement(browser, game):
    table = new_table(game, rules={"three_games": True} if game == "halunken" else {})
    with at_seat(browser, table, delay=1e-3) as (page, _):
        click_until(page, lambda: page.execute_script("return document.getElementById('continue')"))
        assert serious(page) == []


def test_a_page_says_that_its_seat_is_taken_over_or_gone_and_takes_it_back_when_it_can(browser):
    table = new_table()
    server = server_of(table)
    with pages_of(browser, server) as base:
        page = open_page(browser, f"{base}/seat/{table.people[0]}")
        wait_for(page, READY)
        first, address = page.current_window_handle, page.current_url
        page.switch_to.new_window("tab")
        page.get(address)
        wait_for(page, READY)
        page.close()
        page.switch_to.window(first)
        wait_for(page, "return !document.getElementById('take-back').hidden")
        set_screen(page, 600, 800)  # another picture would be drawn for it, if the seat were still here
        page.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        assert not page.execute_script("return document.getElementById('take-back').hidden")
        set_screen(page, 1280, 800)
        seats, server._seats = server._seats, {}  # as after a start with another folder
        page.execute_script("window.asked = 0; const real = fetch; fetch = (...all) => (asked++, real(...all))")
        press(page, "take-back")  # connects again
        wait_for(page, "return document.getElementById('notice').innerText.toLowerCase().includes('no such seat')")
        assert page.execute_script("return asked") == 1
        server._seats = seats
        page.refresh()
        wait_for(page, READY)
        page.get_log("browser")  # the browser reports the refusal, too


CHOSEN = "const box = document.getElementById('confirms'); box.checked = arguments[0]; box.onchange()"


def test_a_move_may_be_confirmed_or_taken_back_and_a_notice_goes_with_the_next_move(browser):
    table = new_table(players=2)
    with at_seat(browser, table) as (page, _):
        wait_for(page, READY)
        press(page, "show-menu")
        press(page, "confirms")
        press_key(page, "ESCAPE")
        page.execute_script("document.getElementById('notice').hidden = false")
        move = table.move
        for undo in (lambda: press(page, "undo"), lambda: press_key(page, "ESCAPE")):
            press_key(page, "1")
            wait_for(page, "return document.getElementById('confirm')")
            undo()
            assert page.execute_script("return document.getElementById('held').hidden")
        press_key(page, "1")
        press(page, "confirm")
        wait_for(page, "return document.getElementById('held').hidden")
        click_until(page, lambda: table.move > move, lambda page, _: None)
        wait_for(page, "return document.getElementById('notice').hidden")
        page.execute_script(CHOSEN, False)
        assert page.execute_script("return localStorage.getItem('confirms')") is None


def test_the_lobby_says_at_its_button_what_came_of_it_and_a_person_takes_the_place_of_an_agent(browser):
    server = server_of()
    with pages_of(browser, server) as base:
        page = open_page(browser, f"{base}/lobby/{server.owner}")
        wait_for(page, "return document.querySelectorAll('#rules .rule').length")
        page.execute_script("window.real = fetch; fetch = () => Promise.reject(new TypeError())")
        press(page, "open")
        assert "cannot be reached" in text_of(page, "#open ~ #notice")
        page.execute_script("fetch = window.real; document.getElementById('more').open = true")
        while page.execute_script("return document.querySelectorAll('#agents select').length"):
            press(page, "add-agent" if page.find_element("id", "add-agent").is_enabled() else "add-person")
        press(page, "open")
        wait_for(page, "return document.querySelectorAll('#opened a').length")
        assert serious(page) == []
        (table,) = server.tables()
        assert len(table.people) == table.env.game.variants[0].max_players
        page.get(f"{base}/seat/{table.people[0]}")
        wait_for(page, "return document.getElementById('lobby').href")
        assert page.execute_script("return document.getElementById('lobby').href") == f"{base}/lobby/{server.owner}"
