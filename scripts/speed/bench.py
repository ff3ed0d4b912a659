"""Measure speed, all cases in turn in every round; or compare the speed of this tree with that of another commit.

    make bench                             all cases of scripts/speed/cases.py
    make bench-peers ARGS=--write          other libraries, too; the result goes to results/speed.json
    make speed BASE=main                   this tree and a commit, in turn; exit status 1 if a case became slower

A round is a run of pytest-benchmark over all cases in a new process, so that other load on the machine is spread over
all of them; changes are those of one round. Two commits are measured by the same cases, those of this tree.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import tyro
from tqdm import tqdm

from blackjacky_agents.reports import markdown_table, percent
from scripts.pages.part import plain_tables
from scripts.results import ROOT, save

HERE = Path(__file__).parent
LIBRARIES = ("gymnasium", "pettingzoo", "rlcard", "open_spiel", "pgx", "jax")
UNMEASURED = "not start"
"""pytest's expression for the cases of a comparison, which takes half an hour otherwise."""
LIMIT = 0.2  # Relative change in time from which on a comparison marks a case.

Values = dict[str, list[float]]  # What was found for each ``LINE [UNIT]``, one number for each round.


@dataclass(frozen=True)
class Args:
    """Measure speed, or compare the speed of this tree with that of another commit."""

    base: str = ""  # Branch, tag or hash of the commit to compare with.
    rounds: int = 5  # Number of rounds.
    only: str = ""  # pytest's expression (-k) for the cases to run.
    peers: bool = False  # Also measure other libraries.
    quick: bool = False  # A single short round, which shows that everything works.
    write: bool = False  # Write the results to results/speed.json.


def main(args: Args) -> int:
    """Measure or compare, and print a table; returns the exit status."""
    if args.rounds < 1:
        sys.exit(f"error: --rounds {args.rounds} is too few; allowed is 1 or more")
    if args.write and (args.quick or args.base or args.only):
        sys.exit("error: --write takes a whole run: leave out --quick, --base and --only")
    if find_spec("pytest_benchmark") is None:
        sys.exit("error: pytest-benchmark is missing: pip install -e '.[bench]', or make bench")
    with tempfile.TemporaryDirectory() as folder:
        return compare(args, Path(folder)) if args.base else measure(args, Path(folder))


def measure(args: Args, folder: Path) -> int:
    """Measure this tree."""
    found = measure_in_turn({"": ROOT}, args, folder)[""]
    rows = list(rows_of(found))
    print(plain_tables(rows))
    if args.write:
        versions = {name: version(name) for name in LIBRARIES if find_spec(name.replace("open_spiel", "pyspiel"))}
        what = f"Medians of {args.rounds} interleaved rounds."
        save("speed", rows, what=what, seed=0, versions=versions)
    return 0


def compare(args: Args, folder: Path) -> int:
    """Measure this tree and another in turn; returns 1 if a case became slower by more than the limit."""
    base = folder / "base"
    added = git("worktree", "add", "--detach", str(base), args.base)
    if added.returncode:
        sys.exit(f"error: {args.base!r} is not a commit: {added.stderr.strip()}")
    try:
        found = measure_in_turn({"base": base, "new": ROOT}, args, folder)
    finally:
        git("worktree", "remove", "--force", str(base))
    text, slower = compared(found["base"], found["new"], args)
    print(text)
    return int(slower)


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run git in this repository."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def measure_in_turn(trees: Mapping[str, Path], args: Args, folder: Path) -> dict[str, Values]:
    """Measure all trees in every round."""
    found: dict[str, Values] = {name: {} for name in trees}
    for _ in tqdm(range(1 if args.quick else args.rounds), unit=" rounds"):
        for name, tree in trees.items():
            for cases in ("cases.py", "peers.py")[: 1 + args.peers]:
                for line, value in run_cases(HERE / cases, tree, folder / f"cache{name}", args).items():
                    found[name].setdefault(line, []).append(value)
    return found


def run_cases(cases: Path, tree: Path, cache: Path, args: Args) -> dict[str, float]:
    """What the cases found in a new process, with the packages of this tree."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tree), str(tree / "agents"), str(ROOT)]),
        "NUMBA_CACHE_DIR": str(cache),
        "NUMBA_OPT": "3",  # tests are compiled with less
        "BENCH_SCALE": "0.001" if args.quick else "1",
    }
    output = cache.with_suffix(".json")
    only = args.only or (UNMEASURED if args.base else "")
    plugins = ["-W", "default", "-p", "no:cacheprovider", "-p", "no:randomly", "-o", "addopts=--import-mode=importlib"]
    command = [sys.executable, "-m", "pytest", "-q", *plugins, "-k", only, f"--benchmark-json={output}", str(cases)]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    if done.returncode and (tree == ROOT or not output.exists() or not output.stat().st_size):  # others may lack cases
        sys.exit(f"error: {tree} could not be measured\n{done.stdout}{done.stderr}")
    told = json.loads(output.read_text("utf-8"))["benchmarks"] if output.stat().st_size else []
    return {line: value for case in told for line, value in case["extra_info"].items()}


def rows_of(found: Values) -> Iterator[dict[str, Any]]:
    """A row for each line: median, lowest and highest of the rounds."""
    for line, values in found.items():
        name, _, unit = line.removesuffix("]").rpartition(" [")
        numbers = {"median": median(values), "lowest": min(values), "highest": max(values)}
        rounded = {each: round(value) if value >= 100 else float(f"{value:.3g}") for each, value in numbers.items()}
        yield {"what": name, **rounded, "unit": unit}


def compared(base: Values, new: Values, args: Args) -> tuple[str, bool]:
    """A table of what both trees have been measured in, and whether anything became slower by more than the limit."""
    rows: list[Sequence[object]] = []
    slower = False
    for line in new:
        before, after = base.get(line, []), new[line]
        pairs = list(zip(before, after, strict=False))
        is_rate = line.endswith("/s]")
        changes = [(old / now if is_rate else now / old) - 1 for old, now in pairs]
        change = median(changes) if changes else 0.0
        slower |= change > LIMIT
        mark = " **slower**" if change > LIMIT else " **faster**" if change < -LIMIT else ""
        verdict = f"{percent(change, 0, sign=True)}{mark}" if changes else "is new"
        rows.append([line, number(median(before)) if before else "-", number(median(after)), verdict])
    return markdown_table(["case", args.base, "this tree", "time"], rows), slower


def number(value: float) -> str:
    """A number with three significant digits, or all digits before the decimal point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
