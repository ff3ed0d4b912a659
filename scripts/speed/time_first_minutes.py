"""Time a newcomer's first minutes: from `git clone` to the first move in the browser, and to the end of `make train`.

    python scripts/speed/time_first_minutes.py            clone HEAD into empty folders and print the table
    python scripts/speed/time_first_minutes.py --write    the same, and the table goes into docs/install.md

A clone has no compiled code beside its source, so everything compiles as on a fresh machine. Needs make, git, Chromium
and chromedriver, and takes ten minutes. How long installing takes depends on the network and on pip's cache.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import tyro

from blackjacky_agents.reports import duration, markdown_table, show_part, where, where_run

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "install.md"
LOBBY = "Open tables at "
"""What the server prints before the lobby's address."""
PATIENCE = 300.0  # seconds to wait for the browser
PLAY = "const game = document.querySelector('.game'); if (game) document.getElementById('open').click(); return !!game"
MOVE = "const move = document.querySelector('#actions button:enabled'); move?.click(); return Boolean(move)"
"""Scripts that press the lobby's button, and the first of the actions, as soon as they can be pressed."""


@dataclass(frozen=True)
class Args:
    """Time a newcomer's first minutes, in clones of HEAD."""

    write: bool = False
    """Write the table into docs/install.md."""


def main(args: Args) -> None:
    """Time everything and print the table."""
    rows = [*browser_rows()]
    with fresh_clone() as (clone, begun):  # the main job, as the README has it
        make(clone, "train")
        rows.append(("end of `make train`", time.perf_counter() - begun))
    heading = ["from `git clone` to", "time"]
    made = f"`python scripts/speed/time_first_minutes.py`: {where_run(where())}."
    told = f"{markdown_table(heading, [[what, duration(seconds)] for what, seconds in rows])}\n\n{made}"
    show_part(PAGE, "minutes", told, args.write)


def browser_rows() -> Iterator[tuple[str, float]]:
    """A person's way to the first move at the table in the browser, with the lobby's defaults."""
    with fresh_clone() as (clone, begun):
        make(clone, "install")
        yield "packages installed (`make install`)", time.perf_counter() - begun
        command = [str(clone / ".venv" / "bin" / "blackjacky"), "play", "--web", "--port", "0"]
        with subprocess.Popen(command, cwd=clone, stdout=subprocess.PIPE, text=True, env=environment()) as server:
            assert server.stdout is not None
            address = next(line.removeprefix(LOBBY).strip() for line in server.stdout if line.startswith(LOBBY))
            try:
                yield "first move in the browser (`blackjacky play --web`)", first_move(address) - begun
            finally:
                server.terminate()


def first_move(address: str) -> float:
    """The time when a person who presses every button at once has made a move."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.support.ui import WebDriverWait

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        browser.get(address)
        for press in (PLAY, MOVE):
            WebDriverWait(browser, PATIENCE, poll_frequency=0.05).until(
                lambda page, press=press: page.execute_script(press)
            )
        return time.perf_counter()
    finally:
        browser.quit()


@contextmanager
def fresh_clone() -> Iterator[tuple[Path, float]]:
    """A clone of this repository in an empty folder, and when cloning began."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        yield clone, begun


def make(clone: Path, target: str) -> None:
    """Run a target of the clone's Makefile; what it prints goes to stderr."""
    print(f"== make {target}", file=sys.stderr, flush=True)
    subprocess.run(["make", target], cwd=clone, stdout=sys.stderr, env=environment(), check=True)


def environment() -> dict[str, str]:
    """The environment without variables that lead to this one."""
    ours = ("PYTHONPATH", "VIRTUAL_ENV", "NUMBA_CACHE_DIR", "NUMBA_OPT", "MAKEFLAGS", "MAKELEVEL")
    return {name: value for name, value in os.environ.items() if name not in ours}


if __name__ == "__main__":
    main(tyro.cli(Args))
