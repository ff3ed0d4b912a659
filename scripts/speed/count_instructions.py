"""Count instructions, branch mispredictions and cache misses per step with Valgrind.

    python scripts/speed/count_instructions.py            about ten minutes on two cores
    python scripts/speed/count_instructions.py --write    write the table into docs/speed.md

Random play in compiled code runs twice under callgrind, the second time with more steps; the difference is the cost of
the additional steps. Callgrind simulates a simple processor with caches, so the counts do not depend on other load on
the machine. Linux only; `apt install valgrind`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import tyro
from tqdm import tqdm

from blackjacky_agents.files import write_file
from blackjacky_agents.reports import markdown_table, replace_part
from blackjacky_env.engine.backend_cpu import cores
from blackjacky_env.games import DEFAULT

PAGE = Path(__file__).parents[2] / "docs" / "speed.md"
GAMES = 4096
STEPS = (10, 30)  # per game, in the first and the second run
EVENTS = {
    "Ir": "instructions",
    "Dr": "reads",
    "Dw": "writes",
    "Bc": "branches",
    "Bcm": "branch mispredictions",
    "D1m": "L1 data cache misses (32 KB)",
}
PLAY = f"""
import sys
from blackjacky_env import make_batch
batch = make_batch({DEFAULT!r}, int(sys.argv[1]), num_players=int(sys.argv[2]), threads=1)
batch.run_random(int(sys.argv[3]))
"""
# Valgrind does not support AVX-512, so neither compiled code nor NumPy may use it.
PROCESSOR = {
    "NUMBA_CPU_NAME": "haswell",
    "NUMBA_CPU_FEATURES": "",  # defaults of the CPU name; otherwise the cached code would not be found under Valgrind
    "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR",
}


@dataclass(frozen=True)
class Args:
    """Count instructions, branch mispredictions and cache misses per step with Valgrind."""

    write: bool = False
    """Write the table into docs/speed.md."""


def main(args: Args) -> None:
    """Count, print, and write if asked to."""
    if shutil.which("valgrind") is None:
        sys.exit("error: valgrind is not installed: apt install valgrind")
    cases = {f"`run_random`, {players} players": players for players in (2, 4, 6)}
    # Counts are not affected by processes running in parallel.
    with tempfile.TemporaryDirectory() as cache, ThreadPoolExecutor(cores()) as pool:
        counted = pool.map(lambda players: per_step(players, Path(cache)), cases.values())
        found = dict(zip(cases, tqdm(counted, total=len(cases), unit=" cases"), strict=True))
    rows = [[meaning, *(f"{costs[event]:,.1f}" for costs in found.values())] for event, meaning in EVENTS.items()]
    how = f"{GAMES:,} games, moves {STEPS[0] + 1} to {STEPS[1]} of each, one thread; {version_of_valgrind()}"
    table = markdown_table(["per step", *found], rows)
    text = f"{table}\n\n`python scripts/speed/count_instructions.py`: {how}."
    print(text)
    if args.write:
        write_file(PAGE, replace_part(PAGE.read_text(encoding="utf-8"), "instructions", text))


def per_step(players: int, cache: Path) -> dict[str, float]:
    """Events per step: the difference of two runs, the second with more steps."""
    few, many = (count(players, steps, cache) for steps in STEPS)
    return {event: (many[event] - few[event]) / (GAMES * (STEPS[1] - STEPS[0])) for event in EVENTS}


def count(players: int, steps: int, cache: Path) -> dict[str, int]:
    """All events of a process that takes ``steps`` steps in each game."""
    environment = {**os.environ, **PROCESSOR, "NUMBA_CACHE_DIR": str(cache), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", PLAY, *map(str, (GAMES, players, steps))]
    subprocess.run(command, env=environment, check=True)  # compiled
    tool = ["valgrind", "--tool=callgrind", "--cache-sim=yes", "--branch-sim=yes", "--callgrind-out-file=/dev/null"]
    done = subprocess.run([*tool, *command], env=environment, capture_output=True, text=True, check=False)
    names, counts = (re.search(rf"{line}\s*: (.+)", done.stderr) for line in ("Events", "Collected"))
    if done.returncode or not names or not counts:
        sys.exit(f"error: valgrind ended with {done.returncode}:\n{done.stderr[-3000:]}")
    events = dict(zip(names[1].split(), map(int, counts[1].split()), strict=True))
    return {**events, "D1m": events["D1mr"] + events["D1mw"]}


def version_of_valgrind() -> str:
    """Valgrind's name and version."""
    return subprocess.run(["valgrind", "--version"], capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main(tyro.cli(Args))
