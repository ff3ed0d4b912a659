"""How the page looks and is operated in Chromium, in every phase of every game: sizes, accessibility, clicks, keys."""

import json
from contextlib import contextmanager

import numpy as np
import pytest

from blackjacky_agents.web.serve import in_background
from blackjacky_agents.web.server import Server
from blackjacky_agents.web.table import Table
from blackjacky_env.engine.svg import PHONE_TEXT
from blackjacky_env.games import GAMES, get_game
from tests.agents.web.browser import (
    DEVICES,
    IN_BROWSER,
    LOOKS,
    SHADOW,
    positions,
    press,
    press_key,
    serious,
    set_screen,
    show,
    table_at,
    table_in,
    wait_for,
)
from tests.agents.web.running import running
from tests.agents.web.tables import new_table

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
return {{
  width: page.scrollWidth, height: page.scrollHeight, reach: Math.max(...last, box({SHADOW}.host).bottom),
  text: Math.min(...texts.map(height)), picture: box({SHADOW}.host).width,
  words: document.querySelectorAll("#when, #in-words li").length,
  role: {SHADOW}.host.role,
}};
"""
HIDDEN = f"""
const box = (element) => element.getBoundingClientRect();
const covers = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
const panels = [...{SHADOW}.querySelectorAll(".seat:not([data-card])")];
const cards = [...{SHADOW}.querySelectorAll(".card, [data-kind=card]")].map(box);
const texts = panels.flatMap((panel) => [...panel.querySelectorAll("text")]);
const words = texts.filter((text) => !text.closest("[data-card]"));
return words.filter((text) => cards.some((card) => covers(card, box(text)))).map((text) => text.textContent);
"""
"""Words in panels on which a card lies."""
MISSED = f"""
const hits = (element, x, y) => element.contains({SHADOW}.elementFromPoint(x, y));
const unseen = [...document.querySelectorAll("#actions .touchable")];
const choices = [...{SHADOW}.querySelectorAll(".choice")];
const missed = choices.filter((element) => {{
  element.scrollIntoView({{ block: "center" }});
  const {{ left, top, width, height }} = element.getBoundingClientRect();
  const across = Array.from({{ length: width }}, (_, i) => i).filter((i) => hits(element, left + i, top + height / 2));
  const rows = Array.from({{ length: height }}, (_, i) => i);
  const down = [left + 12, left + width / 2].map((x) => rows.filter((i) => hits(element, x, top + i)).length);
  return Math.min(across.length, Math.max(...down)) < 38;
}});
return [unseen.length, unseen.length ? missed.map((element) => element.outerHTML.slice(0, 80)) : []];
"""
"""The number of buttons that are not shown, and what in their place offers less than 40 pixels."""
FOLD = """
const shown = [...document.querySelectorAll("#actions button:not(.touchable), #actions .touch")];
return shown.map((each) => each.getBoundingClientRect()).find(({ height }) => height > 0).bottom;
"""
"""The lower edge of the first row of buttons, or of the sentence in their place."""


@pytest.fixture(scope="module")
def phases():
    """Return, by game and phase, a table at which the person in seat 0 is to act in it."""
    return {game: {phase: table_at(game, each, hints=[]) for phase, each in positions(game).items()} for game in GAMES}


@contextmanager
def pages(browser, tables):
    """The addresses of the pages of the tables' first people; the browser must not complain about them."""
    with running(*tables) as people:
        yield [next(iter(addresses.values())) for addresses in people]
        assert browser.get_log("browser") == []
        browser.get("about:blank")


@pytest.mark.parametrize("game", GAMES)
def test_in_no_phase_the_page_must_be_scrolled_much_and_on_a_phone_no_card_lies_on_words(browser, phases, game):
    with pages(browser, phases[game].values()) as addresses:
        for (phase, address), (device, scheme, language) in (
            (each, look) for each in zip(phases[game], addresses, strict=True) for look in LOOKS
        ):
            show(browser, f"{address}?language={language}", device, scheme)
            measured, (width, height) = browser.execute_script(MEASURE), DEVICES[device]
            assert measured["width"] <= width, (phase, device)
            assert measured["text"] >= PHONE_TEXT, (phase, device)
            assert measured["words"] > phases[game][phase].env.num_players
            assert measured["role"] == "img"
            if device == "desktop":
                assert measured["height"] <= height, phase
                continue
            assert measured["reach"] <= ON_PHONE * height, phase
            assert measured["picture"] > 0.9 * width
            if phase != "over":
                assert browser.execute_script(FOLD) <= height, phase
                assert browser.execute_script(HIDDEN) == [], phase


def first_decision(game, players, seed=0):
    """A table at which the person's first decision has so many actions that the picture may replace buttons."""
    table = new_table(game, players=players, rules=None, seed=seed)
    while table.turn != 0:
        table.play(table.thought()())
    return table if len(table.actions(0)) > 6 else first_decision(game, players, seed + 1)


@pytest.mark.parametrize("game", [game for game in GAMES if game != "black_jacky"])  # has few actions at first
def test_on_a_phone_what_has_no_visible_button_can_be_hit_by_a_finger(browser, game):
    """At the smallest tables, which have the largest hands."""
    sizes = {variant.min_players for variant in get_game(game).variants}
    with pages(browser, [first_decision(game, players) for players in sorted(sizes)]) as addresses:
        for address in addresses:
            show(browser, address, "phone")
            unseen, missed = browser.execute_script(MISSED)
            assert unseen > 6
            assert missed == []
            while not browser.execute_script("return document.activeElement.matches('#actions .touchable')"):
                press_key(browser, "TAB")
            shown = browser.execute_script("return document.activeElement.getBoundingClientRect().width")
            assert shown > 40, "the button that a keyboard has reached is shown"


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("game", GAMES)
def test_axe_finds_nothing_serious(browser, phases, game, device):
    (_, scheme, language), shown = LOOKS[list(DEVICES).index(device)], phases[game]
    first, over = next(iter(shown.values())), shown["over"]
    with pages(browser, [first if device == "desktop" else over]) as [address]:
        show(browser, f"{address}?language={language}", device, scheme)
        assert serious(browser) == []
        press(browser, "show-menu")
        assert serious(browser) == []


@pytest.mark.parametrize("device", DEVICES)
def test_axe_finds_nothing_serious_in_the_lobby(browser, device):
    server = Server()
    server.add(new_table())
    with in_background(server) as port:
        set_screen(browser, *DEVICES[device], device == "phone")
        browser.get(f"http://127.0.0.1:{port}/lobby/{server.owner}")
        wait_for(browser, "return document.querySelectorAll('.game img').length === 4")
        assert serious(browser) == []
        assert browser.execute_script("return document.documentElement.scrollWidth") <= DEVICES[device][0]


# ---------------------------------------------------------------- settlements

SETTLED = f"""
const box = (element) => element.getBoundingClientRect();
const panels = [...{SHADOW}.querySelectorAll(".seat:not([data-card])")];
const settlement = box(document.getElementById("settlement")), story = document.getElementById("story");
const covers = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
return {{
  covered: panels.filter((panel) => covers(settlement, box(panel.querySelector("rect")))).length,
  losers: panels.filter((panel) => panel.matches(".loser")).map((panel) => Number(panel.dataset.seat)),
  counted: panels.filter((panel) => panel.querySelector(".counted")).map((panel) => Number(panel.dataset.seat)),
  outside: panels.filter((panel) => {{
    const {{ left, right, bottom }} = box(panel.querySelector("rect"));
    const marks = [...panel.querySelectorAll(".counted, .struck")].map(box);
    return marks.some((mark) => mark.left < left || mark.right > right || mark.bottom > bottom);
  }}).length,
  changes: panels.flatMap((panel) => [...panel.querySelectorAll("text, .struck")]).filter((each) =>
    each.matches(".struck") || each.textContent.includes("→")).length,
  below: story.scrollHeight - story.clientHeight - story.scrollTop,
  focus: document.activeElement.id,
}};
"""


@pytest.fixture(scope="module")
def settled():
    """A table of each game, with the most players, at which a round has just been settled."""
    return {game: table_in(game, "settlement") for game in GAMES}


@contextmanager
def settling(browser, table, device, shown=True):
    """The page of a table in front of a settlement, ``shown`` or not yet; yields its host."""
    server = Server(delay=1e6)
    server.add(table)
    (host,) = server.hosts
    host.moments = ["settlement"] if shown else []
    with in_background(server) as port:
        address = f"http://127.0.0.1:{port}/seat/{table.people[0]}"
        if shown:
            show(browser, address, device)
        else:  # an agent is to move, and waits for ever
            browser.get(address)
            wait_for(browser, f"return {SHADOW}?.querySelector('svg')")
        yield host
        assert browser.get_log("browser") == []
        browser.get("about:blank")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("game", GAMES)
def test_a_settlement_covers_no_seat_and_the_picture_marks_who_loses_what(browser, settled, game, device):
    rows = settled[game].scores(0)["rows"]
    with settling(browser, settled[game], device):
        seen, hidden = browser.execute_script(SETTLED), browser.execute_script(HIDDEN)
    assert seen["covered"] == 0
    losers = {row["seat"] for row in rows if row["mark"] == "bad"}
    assert losers
    assert set(seen["losers"]) == set(seen["counted"]) == losers
    assert seen["changes"] >= len(losers), "what is lost is shown"
    assert seen["outside"] == 0
    assert seen["below"] < 2, "the last line of the story is in sight"
    assert seen["focus"] == "continue"
    assert hidden == [], "no card lies on words"


@pytest.mark.parametrize(("button", "dialog"), [("show-menu", "menu"), ("look-back", "looking")])
def test_what_hides_the_table_closes_for_a_settlement_and_escape_continues(browser, settled, button, dialog):
    is_open = f"return document.getElementById('{dialog}')?.open"
    with settling(browser, settled["black_spy"], "desktop", shown=False) as host:
        press(browser, button)
        wait_for(browser, is_open)
        host.moments = ["settlement"]
        browser.execute_script(SHOW_AGAIN)
        wait_for(browser, "return !document.getElementById('settlement').hidden")
        assert not browser.execute_script(is_open)
        assert browser.execute_script("return document.activeElement.id") == "continue"
        press_key(browser, "ESCAPE")
        wait_for(browser, "return document.getElementById('settlement').hidden")
        assert browser.execute_script("return document.activeElement.id") == "status", "the focus is not lost"


# ---------------------------------------------------------------- the tour of the first turn

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
def test_the_first_turn_has_a_tour_that_covers_nothing_and_does_not_come_back(browser, phases, game, device):
    first = next(iter(phases[game].values()))
    with pages(browser, [first]) as [address]:
        show(browser, address, device)
        assert not browser.execute_script(TOURED_NOW), "whoever has seen it is not shown it again"
        browser.execute_script(NOT_TOURED + ";" + SHOW_AGAIN)
        for place, step in first.texts["en"]["tour"]:
            if place == "hints":  # this table gives none
                continue
            wait_for(browser, TOURED_NOW)
            assert browser.execute_script(TOUR) == [True, True, step]
            press(browser, "tour-next")
        name = first.seats[0].name
        browser.execute_script(SHOW_AGAIN)
        wait_for(browser, f"return !document.getElementById('in-words').textContent.includes({json.dumps(name)})")
        assert not browser.execute_script(TOURED_NOW)


def test_the_tour_ends_with_the_hints_if_there_are_any_and_is_skipped_by_one_key(browser):
    table = new_table(hints=["counter"])
    while table.turn != 0:
        table.play(table.thought()())
    with pages(browser, [table]) as [address]:
        show(browser, address, "phone")
        browser.execute_script(NOT_TOURED + ";" + SHOW_AGAIN)
        wait_for(browser, TOURED_NOW)
        assert serious(browser) == []
        for _ in table.texts["en"]["tour"][1:]:
            press(browser, "tour-next")
        assert browser.execute_script(TOUR) == [True, True, dict(table.texts["en"]["tour"])["hints"]]
        press_key(browser, "ESCAPE")
        assert not browser.execute_script(TOURED_NOW)
        assert browser.execute_script("return localStorage.getItem('tour black_jacky')") == "seen"


# ---------------------------------------------------------------- whole games

QUICK = {
    "black_jacky": {"players": 2, "rules": {"hearts": 1}},
    "schwarze_katze": {"players": 3, "rules": {"deals": 1}},
    "halunken": {"players": 2},
    "black_spy": {"players": 4, "rules": {"max_deals": 1}},
}
CAN_ACT = "document.querySelector('#actions button:enabled') !== null"
IS_OVER = "!document.getElementById('end').hidden"
CLICK_PICTURE = f"""
const element = {SHADOW}.querySelector(".choice") ?? document.querySelector("#actions button:enabled");
element.dispatchEvent(new MouseEvent("click", {{ bubbles: true }}));
"""
HAS_FOCUS = "return document.activeElement.closest('#actions, #status') !== null"


@pytest.mark.parametrize("way", ["clicks in the picture", "keys"])
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_played_by_clicks_or_by_keys_alone_and_the_focus_is_never_lost(browser, game, way):
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
            if way == "keys":
                while table.move == start and not browser.execute_script(HAS_FOCUS):
                    press_key(browser, "TAB")
                press_key(browser, "ENTER")
                wait_for(browser, HAS_FOCUS)
            else:
                browser.execute_script(CLICK_PICTURE)
        wait_for(browser, f"return {IS_OVER}")


# ---------------------------------------------------------------- a choice in steps

WORDS = "return [...document.querySelectorAll('#actions b')].map((each) => each.textContent)"


@pytest.fixture
def exchange() -> Table:
    """A table at which the person can lay a 3 and choose two of six players."""
    for seed in range(200):
        table, rng = new_table(players=6, seed=seed), np.random.default_rng(seed)
        while not table.over:
            kinds = [each["kind"] for each in table.actions(0)]
            if kinds.count("lay_exchange") == 15:
                return table
            table.play(int(rng.choice(np.flatnonzero(table.env.infos[table.env.agent_selection]["action_mask"]))))
    raise AssertionError("no 3 has come")


def test_the_card_is_chosen_and_then_the_players_are_tapped(browser, exchange):
    def tap(selector):
        element = f"{SHADOW}.querySelector('{selector}')"
        assert browser.execute_script(f"return {element}.matches('.choice')"), selector
        browser.execute_script(f"{element}.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")

    with pages(browser, [exchange]) as [address]:
        show(browser, address, "desktop")
        seats = f"return {SHADOW}.querySelectorAll('.seat.choice').length"
        assert len(browser.execute_script(WORDS)) <= 4
        assert browser.execute_script(seats) == 0
        tap('.card[data-card="3"]')
        assert browser.execute_script(seats) == 6
        tap('.seat[data-seat="2"]')
        assert len(browser.execute_script(WORDS)) == 6  # five players and "back"
        tap('.seat[data-seat="4"]')
        wait_for(browser, f"return {SHADOW}.querySelectorAll('.seat.choice').length === 0")
    actions, names = exchange.env.record()["actions"], exchange.env.game.words.actions
    assert any((names[action].kind, names[action].seats) == ("lay_exchange", (2, 4)) for action in actions)


def test_keys_choose_in_steps_and_lead_back(browser, exchange):
    with pages(browser, [exchange]) as [address]:
        show(browser, address, "desktop")
        first = browser.execute_script(WORDS)
        three = first.index(next(words for words in first if "…" in words)) + 1
        press_key(browser, str(three))
        players = browser.execute_script(WORDS)
        assert len(players) == 7
        press_key(browser, "ESCAPE")
        assert browser.execute_script(WORDS) == first
        for key in (str(three), "1", "1"):
            press_key(browser, key)
        wait_for(browser, f"return JSON.stringify({WORDS.removeprefix('return ')}) !== {json.dumps(json.dumps(first))}")
        wait_for(browser, "return document.querySelector('#actions .back') === null")
    kinds = [exchange.env.game.words.actions[action].kind for action in exchange.env.record()["actions"]]
    assert "lay_exchange" in kinds
