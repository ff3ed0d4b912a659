"""The course of a game in a real browser: lobby, waiting, full tricks, settlements, the end with its replay."""

import time
from contextlib import contextmanager

from blackjacky_agents.web.serve import in_background
from blackjacky_agents.web.server import Server
from blackjacky_env.envs.aec import TableEnv
from tests.agents.web.tables import new_table
from tests.agents.web.test_page import (
    CLICK,
    READY,
    SHADOW,
    browsers,  # noqa: F401  # a fixture
    no_complaints,
    pytestmark,  # noqa: F401  # needs a browser
    text_of,
    wait_for,
)
from tests.agents.web.test_page_layout import serious

LONG = 1e6  # seconds: nothing goes on by itself
SETTLEMENT = "return !document.getElementById('settlement').hidden"
CLOSED = "return document.getElementById('settlement').hidden"
LYING = f"{SHADOW}.querySelectorAll('.card').length"


def press(page, name):
    """Click the element with that id."""
    page.execute_script("document.getElementById(arguments[0]).click()", name)


def served(*tables, delay):
    """A server, and the path of the first person's page at each table."""
    server = Server(delay=delay, per_second=1e9)
    for table in tables:
        server.add(table)
    return server


@contextmanager
def lobby(open_page, language="en", **size):
    """The page of the lobby of a new server, with the rule options of its first game, and that server."""
    server = served(delay=0)
    with in_background(server) as port:
        page = open_page(f"http://127.0.0.1:{port}/lobby/{server.owner}", language, **size)
        wait_for(page, "return document.querySelectorAll('#rules .rule').length")
        yield page, server


def test_the_lobby_orders_nothing_before_it_has_the_games_and_nothing_more_before_the_answer(browsers):  # noqa: F811
    with lobby(browsers) as (page, _):
        sent = page.execute_async_script("fetch(location).then((answer) => answer.text()).then(arguments[0])")
        assert 'id="open" class="play" data-text="play" disabled' in sent
        assert page.execute_script("return document.getElementById('open').disabled") is False
        page.execute_script("window.fetch = () => new Promise(() => {})")
        press(page, "open")
        page.execute_script("document.querySelector('input[value=hard]').click()")
        assert page.execute_script("return document.getElementById('open').disabled") is True


def test_notice_and_cards_of_the_lobby_are_in_one_column_with_whole_pictures(browsers):  # noqa: F811
    with lobby(browsers, width=1400) as (page, _):
        wait_for(page, "return [...document.images].length && [...document.images].every((each) => each.naturalWidth)")
        edges = (
            "const { left, right } = document.querySelector(arguments[0]).getBoundingClientRect(); return [left, right]"
        )
        page.execute_script("document.getElementById('notice').hidden = false")
        column = page.execute_script(edges, "#notice")
        assert column[1] - column[0] < 1200
        for each in ("header", "#order"):
            assert page.execute_script(edges, each) == column
        fit = "return [...document.images].map((each) => getComputedStyle(each).objectFit)"
        assert set(page.execute_script(fit)) == {"contain"}


def test_a_table_is_opened_in_the_lobby_and_played_to_the_end_with_its_replay(browsers):  # noqa: F811
    from selenium.webdriver import ActionChains, Keys

    with lobby(browsers, "de") as (page, server):
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
        deadline = time.monotonic() + 120
        while not table.over and time.monotonic() < deadline:
            page.execute_script(f"{READY.removeprefix('return ')} && {CLICK}")
        wait_for(page, "return document.querySelector('#end .scores .good')")
        assert "gewinn" in text_of(page, "#decided")
        assert serious(page) == []
        press(page, "watch")
        page.switch_to.frame(page.find_element("css selector", "#replay iframe"))
        wait_for(page, "return document.querySelector('#page-picture svg')")
        page.switch_to.default_content()
        ActionChains(page).send_keys(Keys.END).perform()  # without a click into the replay first
        page.switch_to.frame(page.find_element("css selector", "#replay iframe"))
        wait_for(page, "const slider = document.getElementById('page-slider'); return slider.value === slider.max")
        assert "champion in place of" in text_of(page, "#page-thoughts-of")  # whoever began, the person has moved
        page.switch_to.default_content()
        press(page, "replay-close")
        press(page, "again")
        wait_for(page, "return document.getElementById('end').hidden")
        no_complaints(page)


def test_a_small_table_is_opened_in_the_lobby_by_its_name(browsers):  # noqa: F811
    """Its size, variant and rules go with it; the usual table comes back with the usual choice."""
    choose = "const select = document.getElementById('preset'); select.value = arguments[0]; select.onchange()"
    agents = "return document.querySelectorAll('#agents select').length"
    hidden = "return ['presets', 'variants', 'rules-details'].map((each) => document.getElementById(each).hidden)"
    with lobby(browsers) as (page, server):
        page.execute_script("document.querySelector('input[value=easy]').click()")
        usual = page.execute_script(agents)
        page.execute_script(choose, "mini-3p")
        assert (usual, page.execute_script(agents)) == (3, 2)
        assert page.execute_script(hidden) == [False, True, True]
        named = page.execute_script("return [...document.querySelectorAll('#preset option')].map((each) => each.text)")
        assert named[:2] == ["as usual", "mini-1: Four cards without powers, two turns"]
        page.execute_script(choose, "")
        assert page.execute_script(agents) == usual
        assert page.execute_script(hidden) == [False, False, False]
        page.execute_script(choose, "mini-2")
        assert serious(page) == []
        press(page, "open")
        wait_for(page, READY)
        (table,) = server.tables()
        assert table.env.options == TableEnv("black_jacky", preset="mini-2").options
        assert table.env.num_players == 2
        no_complaints(page)


def test_a_game_without_small_tables_offers_none(browsers):  # noqa: F811
    with lobby(browsers, "de") as (page, _):
        page.execute_script("document.querySelector('input[value=halunken]').click()")
        assert page.execute_script("return document.getElementById('presets').hidden") is True
        no_complaints(page)


def test_a_full_trick_and_a_settlement_stay_until_they_have_been_seen(browsers):  # noqa: F811
    table = new_table("schwarze_katze", people=1, players=3, rules={"deals": 2})
    server = served(table, delay=0)
    (host,) = server.hosts
    with in_background(server) as port:
        page = browsers(f"http://127.0.0.1:{port}/seat/{table.people[0]}")
        wait_for(page, READY)
        while len(table.env.view("player_0")["hands"][0]) > 1:  # up to the last trick of the deal
            page.execute_script(f"{READY.removeprefix('return ')} && {CLICK}")
        wait_for(page, READY)
        host.delay = 1e-3
        while not host.moments:
            page.execute_script(f"{READY.removeprefix('return ')} && {CLICK}")
        wait_for(page, SETTLEMENT)
        assert page.execute_script("return document.activeElement.id") == "continue"
        assert page.execute_script("return document.querySelectorAll('#settlement tbody tr').length") == 3
        assert page.execute_script(f"return {LYING}") == 3  # the full trick lies behind it
        assert serious(page) == []
        press(page, "continue")
        wait_for(page, CLOSED)
        wait_for(page, READY)
        press(page, "look-back")
        wait_for(page, "return document.getElementById('looking').open")
        assert "takes the trick" in text_of(page, "#looking p")
        assert serious(page) == []
        no_complaints(page)


def test_a_game_is_given_up_after_a_question_and_starts_without_those_who_do_not_come(browsers):  # noqa: F811
    table = new_table(people=2, players=2)
    with in_background(served(table, delay=LONG)) as port:
        page = browsers(f"http://127.0.0.1:{port}/seat/{table.people[0]}")
        wait_for(page, "return document.getElementById('start')")
        assert "Person 1" in text_of(page, "#moment")
        press(page, "start")
        wait_for(page, "return document.getElementById('moment').hidden")
        earlier = table.earlier
        press(page, "restart")
        assert "everyone" in text_of(page, "#asking p")
        assert serious(page) == []
        press(page, "restart-no")
        assert table.earlier == earlier
        press(page, "restart")
        press(page, "restart-yes")
        wait_for(page, "return !document.getElementById('asking').open")
        deadline = time.monotonic() + 60
        while table.earlier == earlier and time.monotonic() < deadline:
            page.execute_script("return 0")
        assert table.earlier > earlier
        page.execute_script("const speed = document.getElementById('speed'); speed.value = 'fast'; speed.onchange()")
        no_complaints(page)


def test_cards_move_unless_the_reader_prefers_stillness(browsers):  # noqa: F811
    table = new_table("schwarze_katze", players=3, rules={"deals": 1})
    with in_background(served(table, delay=0)) as port:
        page = browsers(f"http://127.0.0.1:{port}/seat/{table.people[0]}")
        wait_for(page, READY)
        page.execute_script(
            "window.moved = 0; const animate = Element.prototype.animate;"
            "Element.prototype.animate = function (...how) { window.moved += 1; return animate.apply(this, how) }"
        )
        for value in ("no-preference", "reduce"):
            features = [{"name": "prefers-reduced-motion", "value": value}]
            page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
            page.execute_script("window.moved = 0")
            move = table.move
            page.execute_script(CLICK)
            wait_for(page, f"return document.querySelectorAll('#story li').length > {move}")
            wait_for(page, READY)
            assert (page.execute_script("return window.moved") > 0) == (value == "no-preference")


def test_a_page_whose_seat_is_gone_says_so_and_comes_back_no_more(browsers):  # noqa: F811
    table = new_table()
    server = served(table, delay=0)
    with in_background(server) as port:
        token = table.people[0]
        page = browsers(f"http://127.0.0.1:{port}/seat/{token}")
        wait_for(page, READY)
        seats, server._seats = server._seats, {}  # as after a start with another folder
        page.execute_script("window.asked = 0; const real = fetch; fetch = (...all) => (asked++, real(...all))")
        press(page, "take-back")  # connects again
        wait_for(page, "return document.getElementById('notice').innerText.toLowerCase().includes('no such seat')")
        assert page.execute_script("return asked") == 1
        server._seats = seats
        press(page, "take-back")
        wait_for(page, READY)
