"""Compare the speed of this working tree with another commit; changes of more than a fifth are reported.

    make speed BASE=main            compare this working tree with main
    python scripts/speed/compare_speed.py main --rounds 9

pytest-benchmark runs tests/speed/speed.py of both trees in turn. Cases of the same name are compared, so a case that
changes what it measures needs a new name. The exit status is 1 if a case became slower by more than the limit.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import tyro
from tqdm import tqdm

from blackjacky_agents.reports import markdown_table

ROOT = Path(__file__).parents[2]
CASES = Path("tests") / "speed" / "speed.py"

Times = dict[str, list[float]]
"""Seconds of each case, one entry for each round."""


@dataclass(frozen=True)
class Args:
    """Compare the speed of this working tree with another commit; changes of more than a fifth are reported."""

    base: tyro.conf.Positional[str] = "HEAD"
    """The commit to compare with: a branch, tag or hash."""
    rounds: int = 5
    """Number of measurements of each tree."""
    limit: float = 0.2
    """Minimum relative change to report."""


def main(args: Args) -> int:
    """Run the script; returns the exit status."""
    if args.rounds < 1 or not 0 < args.limit < 1:
        sys.exit(f"error: --rounds {args.rounds} --limit {args.limit}; allowed are 1 or more, and 0 .. 1")
    with tempfile.TemporaryDirectory() as folder:
        base = check_out(args.base, Path(folder) / "base")
        try:
            times = measure_in_turn({"base": base, "new": ROOT}, args.rounds, Path(folder))
        finally:
            git("worktree", "remove", "--force", str(base))
    print(report(times["base"], times["new"], args))
    return int(any(change > args.limit for change in changes(times["base"], times["new"]).values()))


def check_out(commit: str, folder: Path) -> Path:
    """Check out a commit into a folder."""
    done = git("worktree", "add", "--detach", str(folder), commit)
    if done.returncode:
        sys.exit(f"error: {commit!r} is not a commit: {done.stderr.strip()}")
    return folder


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run git in this repository."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def measure_in_turn(trees: dict[str, Path], rounds: int, folder: Path) -> dict[str, Times]:
    """Measure all trees in every round, so that other load on the machine affects all of them."""
    times: dict[str, Times] = {name: {} for name in trees}
    for _ in tqdm(range(rounds), unit=" rounds"):
        for name, tree in trees.items():
            for case, seconds in measure(tree, folder / f"{name}-cache").items():
                times[name].setdefault(case, []).append(seconds)
    return times


def measure(tree: Path, cache: Path) -> dict[str, float]:
    """The median seconds of each case with the packages of this tree, in a separate process."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tree), str(tree / "agents")]),
        "NUMBA_CACHE_DIR": str(cache),
        "NUMBA_OPT": "3",  # tests are compiled with less
    }
    output = cache.with_suffix(".json")
    plugins = ["-W", "default", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=--import-mode=importlib"]
    command = [sys.executable, "-m", "pytest", "-q", *plugins, f"--benchmark-json={output}", str(tree / CASES)]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"error: {tree} could not be measured\n{done.stdout}{done.stderr}")
    found = json.loads(output.read_text(encoding="utf-8"))["benchmarks"]
    return {case["name"]: case["stats"]["median"] for case in found}


def changes(base: Times, new: Times) -> dict[str, float]:
    """The relative change in time of each case that both trees have."""
    return {case: median(new[case]) / median(base[case]) - 1 for case in new if case in base}


def report(base: Times, new: Times, args: Args) -> str:
    """All cases with their changes as a Markdown table."""
    changed = changes(base, new)
    rows = [
        [case.removeprefix("test_").replace("_", " "), *map(milliseconds, (base.get(case, []), new[case])), verdict]
        for case, verdict in ((case, describe(changed.get(case), args.limit)) for case in new)
    ]
    return markdown_table(["case", f"{args.base}, ms", "this tree, ms", "change"], rows)


def milliseconds(seconds: list[float]) -> str:
    """Median, minimum and maximum in milliseconds, as text."""
    if not seconds:
        return "-"
    return f"{1e3 * median(seconds):.3g} ({1e3 * min(seconds):.3g} .. {1e3 * max(seconds):.3g})"


def describe(change: float | None, limit: float) -> str:
    """The change in time as text."""
    if change is None:
        return "is new"
    verdict = " **slower**" if change > limit else " **faster**" if change < -limit else ""
    return f"{change:+.0%}{verdict}"


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
