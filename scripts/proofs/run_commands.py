"""Run the commands of all pages as they are written, with the installed `blackjacky`, in an empty folder.

    python scripts/proofs/run_commands.py                      all; those that take over a minute are interrupted
    python scripts/proofs/run_commands.py --pages README.md    those of one page
    python scripts/proofs/run_commands.py --write              all, and the table goes into docs/proof.md

Pages are gone through in order, in one folder, so that a command finds what those before it have written. A server is
interrupted once it prints its address, any other command when its time is over, as by Ctrl-C; then it must end by
itself. `runs/NAME` stands for the run of the first page. With Ray installed, there is a cluster for `--cluster auto`.
Where openai is installed, a stand-in for a language model answers at the address in OPENAI_BASE_URL; otherwise pages
that need one are left out.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import tyro
from tqdm import tqdm

from blackjacky_agents.reports import markdown_table, show_part, where, where_run

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "proof.md"
PAGES = (
    "README.md",
    "docs/train.md",
    "docs/tournaments.md",
    "docs/play.md",
    "docs/score.md",
    "docs/exact.md",
    "docs/forecasts.md",
    "docs/language_models.md",
    "docs/agents.md",
    "docs/your_game.md",
    "docs/install.md",
    "docs/scaling.md",
    "docs/datasets.md",
    "docs/proof.md",
    "blackjacky_env/testing/README.md",
    "agents/blackjacky_agents/web/README.md",
)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SHELL = ("", "console", "bash")
"""Languages of blocks with commands."""
QUOTED = re.compile(r"`((?:blackjacky|python) [^`\n]+)`")
PROMPT = re.compile(r"^(?:\w*\$)?\s*")
CONTINUED = re.compile(r"\s*\\\n\s*")
COMMENT = re.compile(r"\s# .*$")
PREFIXES = (
    "blackjacky ",
    "python -m blackjacky_env",
    "python examples/language_model.py",
    "python examples/stand_in_model.py",
)
INCOMPLETE = re.compile(r"(?<!runs/)\b[A-Z]{3,}\b|\$|\.\.\.|\||--(?!web|help)\w+$")
"""What a reader has to complete or, except for `runs/NAME`, to replace."""
OPEN = ("Open tables at", "Serving at")
"""What servers print when they are ready."""
MODULE = """
import numpy as np

class Careful:
    def act(self, observation):
        return int(np.flatnonzero(observation["action_mask"])[0])
"""
_END_TIMEOUT = 120.0  # seconds, of an interrupted command


@dataclass(frozen=True)
class Args:
    """Run the commands of all pages in an empty folder."""

    pages: tuple[str, ...] = PAGES
    """Pages, in this order."""
    seconds: float = 60.0
    """Time after which a command is interrupted."""
    write: bool = False
    """Write the table into docs/proof.md."""


class Ran(NamedTuple):
    """The result of a command."""

    page: str
    command: str
    status: int
    interrupted: bool
    output: str
    """The end of its output."""

    @property
    def passed(self) -> bool:
        """Whether it has done what it should, or was doing so when it was interrupted, and left no traceback."""
        finds_faults = "blackjacky_env.testing pettingzoo" in self.command  # which other environments have
        allowed = {0, *([130] if self.interrupted else []), *([1] if finds_faults else [])}
        return self.status in allowed and "Traceback" not in self.output


def main(args: Args) -> int:
    """Run everything and print the table; returns 1 if a command failed."""
    todo = [(page, command) for page in args.pages for command in commands((ROOT / page).read_text("utf-8"))]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        prepare(folder)
        for module, word in (("openai", "language_model"), ("mcp", " mcp"), ("mcp", "--mcp")):
            if find_spec(module) is None:
                todo = [(page, command) for page, command in todo if word not in command]
        if any("language_model" in command for _, command in todo):
            stack.enter_context(language_model())
        if find_spec("ray") is None:
            todo = [(page, command) for page, command in todo if "--cluster" not in command]
        elif any("--cluster auto" in command for _, command in todo):
            stack.enter_context(ray_cluster())
        results = []
        for page, command in tqdm(todo, unit=" commands"):
            results.append(run(page, command, folder, args.seconds))
            if not results[-1].passed:
                print(f"\n{page}: {command}\nexit status {results[-1].status}\n{results[-1].output}", file=sys.stderr)
    show_part(PAGE, "commands", table(results, args.seconds), args.write)
    return int(not all(each.passed for each in results))


def commands(page: str) -> list[str]:
    """The commands that a page tells its readers to type, in order, each once."""
    found: list[tuple[int, str]] = []
    for block in BLOCK.finditer(page):
        lines = CONTINUED.sub(" ", block[2]).splitlines() if block[1] in SHELL else []
        found += [(block.start(), COMMENT.sub("", PROMPT.sub("", line)).strip()) for line in lines]
    outside = BLOCK.sub(lambda block: " " * len(block[0]), page)
    found += [(quoted.start(), quoted[1]) for quoted in QUOTED.finditer(outside)]
    typed = [text for _, text in sorted(found, key=lambda each: each[0]) if text.startswith(PREFIXES)]
    whole = [text for text in typed if len(text.split()) > 2 and not INCOMPLETE.search(text)]
    return list(dict.fromkeys(whole))


def prepare(folder: Path) -> None:
    """Put what readers have into the folder: a module with an agent, the examples with their games, the score cards."""
    (folder / "my_agents.py").write_text(MODULE, "utf-8")
    for name in ("examples", "results"):
        (folder / name).symlink_to(ROOT / name)
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    games = [str(ROOT / "examples" / name) for name in ("kuhn_poker", "leduc_poker")]
    install = [sys.executable, "-m", "pip", "install", "--quiet", *offline, "--target", str(folder / "site"), *games]
    subprocess.run(install, check=True)


@contextmanager
def ray_cluster() -> Iterator[None]:
    """Within this block a Ray cluster of two CPUs runs on this machine."""
    command = ["ray", "start", "--head", "--num-cpus", "2", "--disable-usage-stats", "--include-dashboard", "false"]
    head = subprocess.Popen(
        [*command, "--block"], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert head.stdout is not None
    next((line for line in head.stdout if "Ray runtime started" in line), None)
    try:
        yield
    finally:
        head.send_signal(signal.SIGTERM)
        head.communicate()


@contextmanager
def language_model() -> Iterator[None]:
    """Within this block the environment names a stand-in for a language model, which answers."""
    command = [sys.executable, str(ROOT / "examples" / "stand_in_model.py"), "--port", "0"]
    server = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        url = next((line.split()[-1] for line in server.stdout if line.startswith("Serving at ")), None)
        if url is None:
            raise RuntimeError(f"{shlex.join(command)} ended before it served; run it alone to see why")
        with mock.patch.dict(os.environ, {"OPENAI_BASE_URL": url, "BLACKJACKY_MODEL": "stand-in"}):
            yield
    finally:
        server.terminate()
        server.communicate()


def environment(python: str = sys.executable) -> dict[str, str]:
    """The environment of commands: `blackjacky` and `python` are those beside this interpreter."""
    places = [str(Path(python).parent), os.environ.get("PATH", "")]
    return {**os.environ, "PATH": os.pathsep.join(places), "PYTHONUNBUFFERED": "1"}


def run(page: str, command: str, folder: Path, seconds: float, python: str = sys.executable) -> Ran:
    """Run a command until it ends, or interrupt it when its time is over."""
    output = folder / "output.txt"
    with output.open("wb") as file:
        process = subprocess.Popen(
            ["bash", "-c", "exec " + command.replace("runs/NAME", "runs/quick-1")],
            cwd=folder,
            env={**environment(python), "PYTHONPATH": str(folder / "site")},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that Ctrl-C reaches all its processes, as in a terminal, and none of ours
        )
        interrupted = not ended(process, output, seconds)
        if interrupted:
            os.killpg(process.pid, signal.SIGINT)
        try:
            status = process.wait(_END_TIMEOUT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            status = process.wait()
    return Ran(page, command, status, interrupted, output.read_text("utf-8", errors="replace")[-2000:])


def ended(process: subprocess.Popen[bytes], output: Path, seconds: float) -> bool:
    """Wait until a process ends, serves, or its time is over; whether it has ended."""
    begun = time.monotonic()
    while process.poll() is None:
        said = output.read_text("utf-8", errors="replace")
        if time.monotonic() - begun > seconds or any(line in said for line in OPEN):
            return False
        time.sleep(0.1)
    return True


def table(results: Sequence[Ran], seconds: float) -> str:
    """The results as a Markdown table, and how they were made."""
    rows = []
    for page in dict.fromkeys(each.page for each in results):
        own = [each for each in results if each.page == page]
        done, stopped = (sum(each.passed and each.interrupted is after for each in own) for after in (False, True))
        link = f"[{page}]({os.path.relpath(ROOT / page, PAGE.parent)})"
        rows.append([link, len(own), done, stopped, len(own) - done - stopped])
    heading = ["page", "commands", "done", "interrupted and ended well", "failed"]
    made = f"`python scripts/proofs/run_commands.py --seconds {seconds:g}`: {where_run(where())}."
    return f"{markdown_table(heading, rows)}\n\n{made}"


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
