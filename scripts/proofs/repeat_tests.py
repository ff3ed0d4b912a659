"""Run the whole test suite many times in random order, some of them beside busy processes: does it always pass?

    python scripts/proofs/repeat_tests.py                     ten runs, the last five beside four busy processes
    python scripts/proofs/repeat_tests.py --runs 3 --busy 0   three runs on a quiet machine
    python scripts/proofs/repeat_tests.py --together 5        the same, with these five side by side, too
    python scripts/proofs/repeat_tests.py --write             the same, and the table goes into tests/README.md

Every run is kept in runs/repeat_tests.jsonl when it ends, and the table written; started again, the script resumes with
the runs that are missing, unless something but documents has changed. Run i uses seed i for the order of the tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from blackjacky_agents.files import write_file
from blackjacky_agents.reports import duration, markdown_table, replace_part, where, where_run

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "tests" / "README.md"
RESULTS = ROOT / "runs" / "repeat_tests.jsonl"
Run = dict[str, Any]


@dataclass(frozen=True)
class Args:
    """Run the whole test suite many times, the second half beside busy processes."""

    runs: int = 10
    """Number of runs; the second half, rounded down, is beside busy processes."""
    busy: int = 4
    """Number of processes that compute all the time; 0: the machine is quiet in all runs."""
    together: int = 1
    """Number of runs side by side, among those beside busy processes."""
    workers: int = 2
    """Processes that run tests, as for `make test`."""
    write: bool = False
    """Write the table into tests/README.md after each run."""


def main(args: Args) -> int:
    """Do the runs that are missing and print the table; returns 1 if a run failed."""
    commit = git("log", "-1", "--format=%h", "--", ".", ":!docs", ":!*.md")  # the last that changed more than documents
    done = {run["seed"]: run for run in read() if run["commit"] == commit}
    RESULTS.parent.mkdir(exist_ok=True)
    missing = [seed for seed in range(1, args.runs + 1) if seed not in done]
    quiet = [seed for seed in missing if seed <= args.runs - args.runs // 2]
    beside = [seed for seed in missing if seed not in quiet]
    for seeds, busy, together in ((quiet, 0, 1), (beside, args.busy, args.together)):
        with busy_processes(busy if seeds else 0), ThreadPoolExecutor(together) as pool:
            runs = [pool.submit(run_suite, seed, args.workers) for seed in seeds]
            for seed, run in zip(seeds, runs, strict=True):
                done[seed] = {"commit": commit, "seed": seed, "busy": busy, "together": together, **run.result()}
                with RESULTS.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(done[seed]) + "\n")
                if args.write:
                    write_file(PAGE, replace_part(PAGE.read_text("utf-8"), "repeated", table(list(done.values()))))
    print(table(list(done.values())))
    return int(any(run["status"] for run in done.values()))


def read() -> list[Run]:
    """The runs that are kept."""
    return [json.loads(line) for line in RESULTS.read_text("utf-8").splitlines()] if RESULTS.exists() else []


def git(*arguments: str) -> str:
    """What git answers."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """Within this block so many processes compute all the time."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def run_suite(seed: int, workers: int) -> Run:
    """One run: exit status, pytest's last line, wall-clock and CPU seconds, and the load while it ran."""
    options = ["-q", "-n", str(workers), "--dist", "worksteal", f"--randomly-seed={seed}"]
    print(f"run {seed}", file=sys.stderr)
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        suite = subprocess.Popen([sys.executable, "-m", "pytest", *options], cwd=ROOT, stdout=output, stderr=output)
        _, status, used = os.wait4(suite.pid, 0)
        suite.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        said = output.read()
    if suite.returncode:
        print(said[-20_000:], file=sys.stderr)
    return {
        "status": suite.returncode,
        "result": said.rstrip().splitlines()[-1].strip("= ").partition(" in ")[0],
        "seconds": round(time.perf_counter() - start, 1),
        "cpu": round(used.ru_utime + used.ru_stime, 1),
        "load": round(os.getloadavg()[1], 1),
    }


def table(runs: list[Run]) -> str:
    """The runs as a Markdown table, and how they were made."""
    rows = [
        [
            run["seed"],
            run["busy"],
            run["together"] - 1,
            run["load"],
            duration(run["seconds"]),
            f"{run['cpu']:.0f}",
            run["result"],
        ]
        for run in sorted(runs, key=lambda run: int(run["seed"]))
    ]
    heading = ["seed", "busy processes", "other runs", "load (5 minutes)", "time", "CPU seconds", "result"]
    made = f"`python scripts/proofs/repeat_tests.py --runs {len(runs)}` at {runs[0]['commit']}: {where_run(where())}."
    return f"{markdown_table(heading, rows)}\n\n{made}"


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
