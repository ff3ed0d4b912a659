"""Take screenshots of the web page for its documentation, on desktop and phone, in light and dark mode.

    python scripts/documents/make_screenshots.py

Screenshots are taken of a local server with Chromium and Selenium (`apt install chromium chromium-driver`) and written
to agents/screenshots. The positions are reproducible from the seeds in the games' kits.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from blackjacky_agents import make_agent
from blackjacky_agents.games import get_kit
from blackjacky_agents.kit import Screenshot
from blackjacky_agents.web.serve import addresses, allowed_hosts, in_background
from blackjacky_agents.web.server import Server
from blackjacky_agents.web.table import Table, seats_for
from blackjacky_env.games import GAMES

FOLDER = Path(__file__).parents[2] / "agents" / "screenshots"


class Shot(NamedTuple):
    """A screenshot."""

    game: str
    position: Screenshot
    device: str
    size: tuple[int, int]
    """Width and height in pixels."""
    scheme: str
    """Colour scheme: light or dark."""
    language: str


def shots() -> Iterator[Shot]:
    """Two per game: desktop in English and phone in German, with alternating colour schemes."""
    for game, (desktop, phone) in zip(GAMES, cycle([("light", "dark"), ("dark", "light")]), strict=False):
        if (position := get_kit(game).screenshot) is not None:
            yield Shot(game, position, "desktop", (1280, 900), desktop, "en")
            yield Shot(game, position, "phone", (400, 860), phone, "de")


def main() -> None:
    """Take all screenshots."""
    if None in (shutil.which("chromium"), shutil.which("chromedriver")):
        sys.exit("error: Chromium or its driver is not installed: apt install chromium chromium-driver")
    FOLDER.mkdir(exist_ok=True)
    for shot in tqdm(list(shots()), unit="shot"):
        with served(table_of(shot.game, shot.position), shot.language) as address:
            (FOLDER / f"{shot.game}-{shot.device}.png").write_bytes(screenshot(address, shot))


def table_of(game: str, shown: Screenshot) -> Table:
    """The table, played to the declared position."""
    table = Table(game, seats_for(["Anna"], shown.opponents), seed=shown.seed)
    anna = make_agent(shown.person, game)
    for agent in (anna, *table._agents.values()):  # a table seeds its agents so that nobody can foresee them
        agent.reset(shown.seed)
    while not table.over and (table.move < shown.moves or table.seats[table.turn or 0].agent is not None):
        seat = table.turn
        if seat is not None and table.seats[seat].agent is None:
            table.act(seat, table.move, anna.act(table.env.observe(f"player_{seat}")))
        else:
            table.play_agent(table.thought()())
    return table


@contextmanager
def served(table: Table, language: str) -> Iterator[str]:
    """Serve the table; yields the URL of the person's page."""
    server = Server(hosts=allowed_hosts("127.0.0.1"))
    server.add(table)
    with in_background(server) as port:
        yield addresses(table, "127.0.0.1", port, language)[0][1]


def screenshot(address: str, shot: Shot) -> bytes:
    """A PNG of the page, taken when the person can act."""
    from selenium.webdriver.support.ui import WebDriverWait

    browser = open_browser()
    try:
        width, height = shot.size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        media = {"features": [{"name": "prefers-color-scheme", "value": shot.scheme}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        browser.get(address)
        ready = "return document.querySelector('#actions button:enabled') !== null"
        WebDriverWait(browser, 20).until(lambda opened: opened.execute_script(ready))
        png: bytes = browser.get_screenshot_as_png()
        return png
    finally:
        browser.quit()


def open_browser() -> Any:
    """Headless Chromium."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


if __name__ == "__main__":
    main()
