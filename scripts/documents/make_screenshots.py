"""Show the table in the browser: screenshots at the sizes of a desk and a phone, light and dark, for its page.

    python scripts/documents/make_screenshots.py

They are taken by Chromium, driven by Selenium (`apt install chromium chromium-driver`), of a server on this machine,
and written into agents/screenshots. The cards follow from the seeds; people do what `counter` would, and nobody plays
by chance.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from blackjacky_agents import make_agent
from blackjacky_agents.web.serve import addresses, allowed_hosts, in_background
from blackjacky_agents.web.server import Server
from blackjacky_agents.web.table import Table, seats_for

FOLDER = Path(__file__).parents[2] / "agents" / "screenshots"


class Shot(NamedTuple):
    """A screenshot."""

    name: str
    game: str
    opponents: tuple[str, ...]
    seed: int
    moves: int
    """The least number of moves made; then it is the person's turn."""
    size: tuple[int, int]
    """Width and height in pixels."""
    scheme: str
    """light or dark."""
    language: str


THREE = ("counter", "trickster", "threshold")
SHOTS = (
    Shot("desktop-light", "black_jacky", THREE, 5, 40, (1280, 900), "light", "en"),
    Shot("phone-dark", "black_jacky", THREE, 5, 40, (400, 860), "dark", "de"),
    Shot("desktop-dark", "schwarze_katze", ("champion", "counter", "low"), 2, 23, (1280, 900), "dark", "en"),
    Shot("phone-light", "schwarze_katze", ("champion", "counter", "low"), 2, 23, (400, 860), "light", "de"),
)


def main() -> None:
    """Take all of them."""
    if None in (shutil.which("chromium"), shutil.which("chromedriver")):
        sys.exit("error: Chromium or its driver is not installed: apt install chromium chromium-driver")
    FOLDER.mkdir(exist_ok=True)
    for shot in tqdm(SHOTS, unit="shot"):
        with served(table_of(shot), shot.language) as address:
            (FOLDER / f"{shot.name}.png").write_bytes(screenshot(address, shot))


def table_of(shot: Shot) -> Table:
    """The table in its position."""
    table = Table(shot.game, seats_for(["Anna"], shot.opponents), seed=shot.seed)
    anna = make_agent("counter", shot.game)
    while not table.over and (table.move < shot.moves or table.seats[table.turn or 0].agent is not None):
        seat = table.turn
        if seat is not None and table.seats[seat].agent is None:
            table.act(seat, table.move, anna.act(table.env.observe(f"player_{seat}")))
        else:
            table.play_agent(table.thought()())
    return table


@contextmanager
def served(table: Table, language: str) -> Iterator[str]:
    """The address of the person's page while a server runs."""
    server = Server(hosts=allowed_hosts("127.0.0.1"))
    server.add(table)
    with in_background(server) as port:
        yield addresses(table, "127.0.0.1", port, language)[0][1]


def screenshot(address: str, shot: Shot) -> bytes:
    """A PNG of the page as soon as the person can choose."""
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
    """Chromium without a window."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


if __name__ == "__main__":
    main()
