"""Attack the package with what a stranger or an accident may do to it, in processes that are allowed to die.

    python scripts/proofs/torture.py                          everything, which takes hours
    python scripts/proofs/torture.py --kinds kills,disks      some kinds of attacks
    python scripts/proofs/torture.py --tries 100              a short run
    python scripts/proofs/torture.py --write                  write the table into docs/proof.md, too

Every try is refused or survived, or it is a crash, a hang (silent for too long), a loss (of a game, a result or a
confirmed move), a traceback in place of a sentence, or another error. The result of each kind is kept in
runs/torture/KIND.json, so that a stopped run goes on with the kinds that are missing. The exit status is 1 unless
every try was refused or survived.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro
from scripts.proofs.attacks.common import BAD, OUTCOMES, Row, run_tasks
from tqdm import tqdm

from blackjacky_agents.files import write_json
from blackjacky_agents.reports import duration, markdown_table, show_part, where, where_run

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "proof.md"
KEPT = ROOT / "runs" / "torture"
KINDS = ("states", "observations", "garbage", "connections", "kills", "disks", "writers")


@dataclass(frozen=True)
class Args:
    """Attack the package in processes that are allowed to die."""

    kinds: str = ",".join(KINDS)
    """Kinds of attacks, separated by commas."""
    tries: int | None = None
    """Number of tries of each kind; by default that of its long run."""
    seed: int = 0
    """Seed of all random choices; moments of kills depend on the machine, too."""
    workers: int = os.cpu_count() or 1
    """Number of processes at a time."""
    again: bool = False
    """Run kinds again even if their results are kept."""
    write: bool = False
    """Write the table into docs/proof.md."""


def main(args: Args) -> int:
    """Attack, print the table, and write it if asked to; returns the exit status."""
    found = {kind: run_kind(kind, args) for kind in kinds_of(args)}
    show_part(PAGE, "torture", report(found, args), args.write)
    return int(any(row.counts[what] for result in found.values() for row in rows_of(result) for what in BAD))


def kinds_of(args: Args) -> list[str]:
    """The kinds to run; the `ValueError` for an unknown one lists all."""
    kinds = args.kinds.split(",")
    for kind in kinds:
        if kind not in KINDS:
            raise ValueError(f"--kinds {kind!r} is unknown; allowed are {', '.join(KINDS)}")
    return kinds


def run_kind(kind: str, args: Args) -> dict[str, Any]:
    """The result of one kind of attack: the kept one of the same size and seed, or that of a run."""
    module, path = importlib.import_module(f"scripts.proofs.attacks.{kind}"), KEPT / f"{kind}.json"
    tries = module.TRIES if args.tries is None else args.tries
    asked = {"tries": tries, "seed": args.seed}
    if path.exists() and not args.again:
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if {name: kept[name] for name in asked} == asked:
            return kept
    began = time.monotonic()
    with tqdm(total=tries, desc=f"{kind}, first loading and compiling", unit=" tries", smoothing=0.05) as bar:

        def show(done: int) -> None:
            bar.set_description_str(kind, refresh=False)
            bar.update(done)

        if hasattr(module, "attack"):
            rows = module.attack(tries, args.seed, args.workers, show)
        else:
            rows = run_tasks(module.tasks(tries, args.seed), args.workers, show)
    seconds = round(time.monotonic() - began)
    result = {**asked, "seconds": seconds, "workers": args.workers, "where": where(), "rows": rows}
    KEPT.mkdir(parents=True, exist_ok=True)
    write_json(path, result)
    return result


def rows_of(result: dict[str, Any]) -> Iterable[Row]:
    """The rows of a result."""
    for what, tried, counts, memory in result["rows"]:
        yield Row(what, tried, Counter(counts), memory)


def report(found: dict[str, dict[str, Any]], args: Args) -> str:
    """All rows as a Markdown table, with the command, the time it took and the machine."""
    heading = ["attack", "tried", *OUTCOMES[:-1], "other errors", "memory"]
    rows = [
        [row.what, *(f"{number:,}" for number in (row.tried, *(row.counts[what] for what in OUTCOMES))), row.memory]
        for result in found.values()
        for row in rows_of(result)
    ]
    options = "" if args.kinds == Args.kinds else f" --kinds {args.kinds}"
    options += "" if args.tries is None else f" --tries {args.tries}"
    last = next(reversed(found.values()))
    workers = f"{last['workers']} process{'es' * (last['workers'] > 1)} at a time"
    return (
        f"{markdown_table(heading, rows)}\n\n"
        f"`python scripts/proofs/torture.py{options} --seed {args.seed}`: "
        f"{duration(sum(result['seconds'] for result in found.values()))} with {workers} on {where_run(last['where'])}."
    )


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
