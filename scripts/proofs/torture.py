"""Attack the package with what a stranger or an accident may give it, in processes that are allowed to die.

    python scripts/proofs/torture.py                    a million changed states of all games
    python scripts/proofs/torture.py --write            write the result into docs/proof.md, too

A saved state is changed at random and loaded, with array bounds checked in compiled code. It must be refused, and the
running game stay as it was, or be playable to its end. A process that dies counts as a crash, one that is silent for
too long as a hang, any other exception as an error. The exit status is 1 if there was one of these.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import tyro
from mutate_states import NAMES, PLAYED, REFUSED
from tqdm import tqdm

from blackjacky_agents.files import write_file
from blackjacky_agents.reports import markdown_table, replace_part, where, where_run
from blackjacky_env.games import get_game

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "proof.md"
CACHE = ROOT / "runs" / "torture" / "cache"  # of code compiled with bounds checked
CHUNK = 5000  # states per process
CRASH, HANG, ERROR = "crashes", "hangs", "errors"
COLUMNS = (REFUSED, PLAYED, CRASH, HANG, ERROR)
ATTACK = "import json, sys, mutate_states as m; print(json.dumps(m.attack(sys.argv[1], *map(int, sys.argv[2:]))))"


@dataclass(frozen=True)
class Args:
    """Attack the package with changed states, in processes that are allowed to die."""

    states: int = 1_000_000
    """Number of changed states, divided equally among all games."""
    seed: int = 0
    """Seed of the first process; the others follow."""
    workers: int = os.cpu_count() or 1
    """Number of processes at a time; results do not depend on it."""
    patience: float = 600.0
    """Seconds after which a process counts as hanging."""
    write: bool = False
    """Write the result into docs/proof.md."""


class Chunk(NamedTuple):
    """What one process tries."""

    game: str
    states: int
    seed: int


def main(args: Args) -> int:
    """Attack, print the result, and write it if asked to."""
    began, todo = time.monotonic(), chunks(args)
    with ThreadPoolExecutor(args.workers) as pool, tqdm(total=args.states, unit="state", smoothing=0.05) as bar:
        found = []
        for chunk, counts in zip(todo, pool.map(lambda chunk: attack_apart(chunk, args.patience), todo), strict=True):
            found.append((chunk.game, counts))
            bar.update(chunk.states)
    text = report(args, found, time.monotonic() - began)
    print(text)
    if args.write:
        write_file(PAGE, replace_part(PAGE.read_text(encoding="utf-8"), "torture", text))
    return int(any(counts[what] for _, counts in found for what in (CRASH, HANG, ERROR)))


def chunks(args: Args) -> list[Chunk]:
    """The work of all processes, games taking turns."""
    made, left = [], dict.fromkeys(NAMES, args.states // len(NAMES))
    while any(left.values()):
        for game in NAMES:
            if size := min(CHUNK, left[game]):
                made.append(Chunk(game, size, args.seed + len(made)))
                left[game] -= size
    return made


def attack_apart(chunk: Chunk, patience: float) -> Counter[str]:
    """Run one chunk in a process of its own; a crash, hang or error counts once, and its last words are printed."""
    arguments = [sys.executable, "-c", ATTACK, *map(str, chunk)]
    checked = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(CACHE)}
    try:
        ran = subprocess.run(
            arguments,
            cwd=Path(__file__).parent,
            env={**os.environ, **checked},
            capture_output=True,
            text=True,
            timeout=patience,
            check=False,
        )
    except subprocess.TimeoutExpired:
        print(f"\n{chunk}: no end after {patience:.0f} s", file=sys.stderr)
        return Counter({HANG: 1})
    if ran.returncode == 0:
        return Counter(json.loads(ran.stdout))
    print(f"\n{chunk}: exit status {ran.returncode}\n{ran.stderr[-1000:]}", file=sys.stderr)
    return Counter({CRASH if ran.returncode < 0 else ERROR: 1})


def report(args: Args, found: list[tuple[str, Counter[str]]], seconds: float) -> str:
    """The counts by game as a Markdown table, with the command and the machine."""
    rows = []
    for game in NAMES:
        counts = sum((counts for name, counts in found if name == game), Counter[str]())
        tried = sum(chunk.states for chunk in chunks(args) if chunk.game == game)
        rows.append([get_game(game).title, *(f"{number:,}" for number in (tried, *(counts[what] for what in COLUMNS)))])
    command = f"python scripts/proofs/torture.py --states {args.states} --seed {args.seed}"
    return (
        f"{markdown_table(['changed states of', 'tried', *COLUMNS], rows)}\n\n"
        f"`{command}`: {seconds / 60:.1f} minutes with {args.workers} process{'es' * (args.workers > 1)} at a time "
        f"on {where_run(where())}."
    )


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
