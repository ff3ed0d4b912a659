"""The commands of the pages run as they are written, with the installed `blackjacky`, in an empty folder.

A server is interrupted once it prints its address, any other command when its time is over, as by Ctrl-C; then it must
end by itself, without a traceback. ``runs/NAME`` stands for a run of the folder. Commands that need openai, mcp or Ray
run where these are installed; a stand-in for a language model answers at the address in OPENAI_BASE_URL.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.prove

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SHELL = ("", "console", "bash")
QUOTED = re.compile(r"`((?:blackjacky|python) [^`\n]+)`")
PROMPT_OR_COMMENT = re.compile(r"^(?:\w*\$)?\s*|\s+# .*$")
PREFIXES = ("blackjacky ", "python -m blackjacky_env", "python examples/language_model", "python examples/stand_in")
INCOMPLETE = re.compile(r"(?<!runs/)\b[A-Z]{3,}\b|\$|\.\.\.|\||--(?!web|help)\w+$")
"""What a reader has to complete or, except for `runs/NAME`, to replace."""
NEEDS = {"language_model": "openai", " mcp": "mcp", "--mcp": "mcp", "--cluster": "ray"}
BESIDE = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
ENVIRONMENT = {**os.environ, "PATH": BESIDE, "PYTHONUNBUFFERED": "1"}
"""`blackjacky` and `python` are those beside this interpreter."""
OPEN = ("Open tables at", "Serving at")
LONG = re.compile(r"train |exploit|benchmark|score|forecast|--cluster|--games \d{5}")
"""Commands that take minutes, which are interrupted earlier than others."""
ENDING = 120.0  # seconds that an interrupted command has
UNTYPED = {"docs/results.md"}
"""Pages that tell how their results were made, in hours."""
MODULE = """
import numpy as np

class Careful:
    def act(self, observation):
        return int(np.flatnonzero(observation["action_mask"])[0])
"""


def commands(page):
    """The commands that a page tells its readers to type, in order, each once."""
    found = []
    for block in BLOCK.finditer(page):
        lines = re.sub(r"\s*\\\n\s*", " ", block[2]).splitlines() if block[1] in SHELL else []
        found += [(block.start(), PROMPT_OR_COMMENT.sub("", line).strip()) for line in lines]
    outside = BLOCK.sub(lambda block: " " * len(block[0]), page)
    found += [(quoted.start(), quoted[1]) for quoted in QUOTED.finditer(outside)]
    typed = [text for _, text in sorted(found, key=lambda each: each[0]) if text.startswith(PREFIXES)]
    return list(dict.fromkeys(text for text in typed if len(text.split()) > 2 and not INCOMPLETE.search(text)))


def pages():
    some = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "blackjacky_env/testing/README.md")
    found = [*(ROOT / name for name in some), *(ROOT / "docs").rglob("*.md"), *(ROOT / "agents").rglob("*.md")]
    names = [path.relative_to(ROOT).as_posix() for path in found if commands(path.read_text("utf-8"))]
    return sorted({*names} - UNTYPED)


def type_in(command, folder, seconds=None, **more):
    """Run a command until it ends, or interrupt it when it serves or its time is over; what was wrong with it."""
    seconds = seconds or (20.0 if LONG.search(command) else 120.0)
    output, shell = folder / "output.txt", ["bash", "-c", "exec " + command.replace("runs/NAME", "runs/quick-1")]
    more["PYTHONPATH"] = os.pathsep.join([str(folder / "site"), os.environ.get("PYTHONPATH", "")])
    with output.open("wb") as file:
        process = subprocess.Popen(
            shell,
            cwd=folder,
            env={**ENVIRONMENT, **more},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that Ctrl-C reaches all its processes, as in a terminal, and none of ours
        )
    began, interrupted = time.monotonic(), False
    while process.poll() is None and not interrupted:
        time.sleep(0.1)
        said = output.read_text("utf-8", errors="replace")
        interrupted = time.monotonic() - began > seconds or any(line in said for line in OPEN)
    if interrupted and process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
    try:
        status = process.wait(ENDING)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
    said = output.read_text("utf-8", errors="replace")
    finds_faults = "blackjacky_env.testing pettingzoo" in command  # which other environments have, or rlcard is missing
    allowed = {0, *([130] if interrupted else []), *((1, 1 if find_spec("rlcard") else 2) if finds_faults else ())}
    return "" if status in allowed and "Traceback" not in said else f"{command}\nexit status {status}\n{said[-2000:]}"


@contextmanager
def started(command, ready):
    """Within this block a server runs; the last word of the line that says so."""
    server = subprocess.Popen(shlex.split(command), cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    try:
        yield next(line for line in server.stdout if ready in line).split()[-1]
    finally:
        server.terminate()
        server.communicate()


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """What readers have: a module with an agent, the examples and score cards, games, a trained agent, a tournament."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background begins without it
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "my_agents.py").write_text(MODULE, "utf-8")
    for name in ("examples", "results"):
        (folder / name).symlink_to(ROOT / name)
    offline = "--no-index --no-deps --no-build-isolation --disable-pip-version-check --target site"
    for command in (
        f"python -m pip install --quiet {offline} examples/goofspiel examples/leduc_poker examples/liars_dice",
        "blackjacky train --name quick-1 --minutes 0.02 --eval-games 2 --final-eval-games 2",
        "blackjacky tournament --agents counter,trickster,threshold,random --players 4 --games 160",
    ):
        assert type_in(command, folder, 3600) == ""
    shutil.copytree(folder / "runs" / "quick-1", folder / "runs" / "scratch-1")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("page", pages())
def test_every_command_of_a_page_runs_as_typed(page, prepared, tmp_path):
    folder = shutil.copytree(prepared, tmp_path / "folder", symlinks=True)
    missing = [word for word, module in NEEDS.items() if find_spec(module) is None]
    missing += [] if shutil.which("nvidia-smi") else ["--device cuda"]
    typed = [each for each in commands((ROOT / page).read_text("utf-8")) if not any(word in each for word in missing)]
    more = {}
    with ExitStack() as stack:
        if any("language_model" in command for command in typed):
            url = stack.enter_context(started("python examples/stand_in_model.py --port 0", "Serving at"))
            more = {"OPENAI_BASE_URL": url, "BLACKJACKY_MODEL": "stand-in"}
        if any("--cluster auto" in command for command in typed):
            ray = "ray start --head --num-cpus 2 --disable-usage-stats --include-dashboard false --block"
            stack.enter_context(started(ray, "Ray runtime started"))
        assert "".join(type_in(command, folder, **more) for command in typed) == ""
