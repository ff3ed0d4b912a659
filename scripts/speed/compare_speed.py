"""Is this code slower than another commit? Both are measured in turn; a change of more than a fifth is reported.

    make speed BASE=main            this working tree beside main
    python scripts/speed/compare_speed.py main --rounds 9

pytest-benchmark runs tests/speed/speed.py of each tree, and cases of the same name are compared, so a case that changes
what it measures needs a new name. The exit status is 1 if something became slower by more than the limit.
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
    """Is this code slower than another commit? Both are measured in turn; a change of more than a fifth is reported."""

    base: tyro.conf.Positional[str] = "HEAD"
    """The commit to compare with: a branch, tag or hash."""
    rounds: int = 5
    """Measurements of each tree, in turn."""
    limit: float = 0.2
    """The change that is reported, as a share."""


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
    """The files of a commit in a folder of their own."""
    done = git("worktree", "add", "--detach", str(folder), commit)
    if done.returncode:
        sys.exit(f"error: {commit!r} is no commit here: {done.stderr.strip()}")
    return folder


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run git in this repository."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def measure_in_turn(trees: dict[str, Path], rounds: int, folder: Path) -> dict[str, Times]:
    """Measure all trees in every round, so that what else the machine does meets all of them."""
    times: dict[str, Times] = {name: {} for name in trees}
    for _ in tqdm(range(rounds), unit=" rounds"):
        for name, tree in trees.items():
            for case, seconds in measure(tree, folder / f"{name}-cache").items():
                times[name].setdefault(case, []).append(seconds)
    return times


def measure(tree: Path, cache: Path) -> dict[str, float]:
    """The median seconds of each case with the packages of this tree, in a process of its own."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tree), str(tree / "agents")]),
        "NUMBA_CACHE_DIR": str(cache),
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
    """By which share each case that both have takes longer."""
    return {case: median(new[case]) / median(base[case]) - 1 for case in new if case in base}


def report(base: Times, new: Times, args: Args) -> str:
    """All cases as a Markdown table, with what changed."""
    changed = changes(base, new)
    rows = [
        [case.removeprefix("test_").replace("_", " "), *map(milliseconds, (base.get(case, []), new[case])), verdict]
        for case, verdict in ((case, say(changed.get(case), args.limit)) for case in new)
    ]
    return markdown_table(["case", f"{args.base}, ms", "this tree, ms", "change"], rows)


def milliseconds(seconds: list[float]) -> str:
    """Median, lowest and highest."""
    if not seconds:
        return "-"
    return f"{1e3 * median(seconds):.3g} ({1e3 * min(seconds):.3g} .. {1e3 * max(seconds):.3g})"


def say(change: float | None, limit: float) -> str:
    """The change of a time in words."""
    if change is None:
        return "is new"
    much = " **slower**" if change > limit else " **faster**" if change < -limit else ""
    return f"{change:+.0%}{much}"


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
