"""Install frameworks in environments of their own and run their examples (`make frameworks`).

    python scripts/documents/measure_frameworks.py                       a short run of every example
    python scripts/documents/measure_frameworks.py --decisions 60000 --write

Environments are made once, in build/frameworks/NAME, from examples/requirements/NAME.txt. With --write the results go
to examples/frameworks.json, of which `scripts/documents/generate.py` makes the table of docs/frameworks.md, and the
curves to docs/frameworks.svg. A curve that a stopped run has finished is kept.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import tyro
from make_frameworks import FRAMEWORKS, RESULTS, Framework, table
from parts import DOCS, ROOT

from blackjacky_agents.files import write_json
from blackjacky_agents.reports import where

NULL = ROOT / "scripts" / "speed" / "run_null.py"
SHORT = 4_096
"""Decisions of a run that measures speed."""
PYTHON = Path("Scripts/python.exe" if os.name == "nt" else "bin/python")


@dataclass(frozen=True)
class Args:
    """Install frameworks in environments of their own, run their examples, and print a table."""

    only: tuple[str, ...] = ()
    """Names of frameworks; by default all."""
    decisions: int = 0
    """Decisions of learning curves; 0: none."""
    points: int = 5
    """Points of a curve after the first."""
    games: int = 400
    """Games of a point."""
    environments: Path = ROOT / "build" / "frameworks"
    """Folder of the environments and of everything that runs leave behind."""
    tests: bool = True
    """Run tests/frameworks in each environment."""
    write: bool = False
    """Write results and picture."""


def main(args: Args) -> int:
    """Measure, print, write; returns the exit status, 1 if an example fails."""
    found = read_results()
    failed = []
    for framework in FRAMEWORKS:
        if args.only and framework.name not in args.only:
            continue
        print(f"{framework.title} ...", flush=True)
        try:
            found["frameworks"][framework.name] = measure(args, framework, found["frameworks"].get(framework.name))
        except subprocess.CalledProcessError as error:
            print(f"{framework.title}: {' '.join(map(str, error.cmd))} failed\n{error.stderr}", file=sys.stderr)
            failed.append(framework.title)
        if args.write:
            write_json(RESULTS, {**found, "where": where()})
    print(table(found["frameworks"]))
    if args.write:
        draw(found["frameworks"], DOCS / "frameworks.svg")
    return 1 if failed else 0


def read_results() -> dict[str, Any]:
    """The results so far."""
    found: dict[str, Any] = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {"frameworks": {}}
    return found


def measure(args: Args, framework: Framework, before: dict[str, Any] | None) -> dict[str, Any]:
    """The results of one framework; without a new curve it keeps the curve that it has."""
    python = install(args.environments, framework)
    if args.tests:
        test(python)
    folder = args.environments / "runs"
    command = [python, ROOT / "examples" / framework.example]
    short = {"decisions": SHORT, "evaluate_every": SHORT, "games": 1}
    real = run(command, folder / "real", framework, **short)
    null = run([python, NULL, *command[1:]], folder / "null", framework, **short) if framework.has_null else []
    curve = before["curve"] if before else []
    if args.decisions:
        options = {"decisions": args.decisions, "evaluate_every": args.decisions // args.points, "games": args.games}
        finished = read_curve(folder / "curves", framework)
        is_done = bool(finished) and finished[-1]["decisions"] >= args.decisions
        curve = finished if is_done else run(command, folder / "curves", framework, **options)
    return {
        "version": version_of(python, framework),
        "date": date.today().isoformat(),
        "steps_per_second": speed(real),
        "null_steps_per_second": speed(null) if null else None,
        "curve": curve,
    }


def install(environments: Path, framework: Framework) -> Path:
    """The interpreter of the framework's environment, which is made if it is not there or its requirements changed."""
    folder = environments / framework.environment
    python, stamp = folder / PYTHON, folder / "requirements.txt"
    requirements = ROOT / "examples" / "requirements" / f"{framework.environment}.txt"
    wanted = requirements.read_text("utf-8")
    if stamp.exists() and stamp.read_text("utf-8") == wanted:
        return python
    venv.create(folder, with_pip=True, clear=True)
    for_tests = ["pytest", "hypothesis"]
    pip = [python, "-m", "pip", "install", "--quiet", "-r", requirements, "-e", f"{ROOT}[cli]", *for_tests]
    subprocess.run(pip, check=True, stderr=subprocess.PIPE, text=True)
    stamp.write_text(wanted, "utf-8")
    return python


def test(python: Path) -> None:
    """Run the tests of this environment's framework; those of others are skipped."""
    command = [python, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", ROOT / "tests" / "frameworks"]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, stderr=done.stdout)


def run(command: Sequence[object], folder: Path, framework: Framework, **options: int) -> list[dict[str, float]]:
    """Run an example in a folder, on one thread; returns its learning curve."""
    folder.mkdir(parents=True, exist_ok=True)
    arguments = [text for name, value in options.items() for text in (f"--{name.replace('_', '-')}", str(value))]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    subprocess.run(
        [*map(str, command), *arguments],
        check=True,
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    return read_curve(folder, framework)


def read_curve(folder: Path, framework: Framework) -> list[dict[str, float]]:
    """The points of a curve that an example run in this folder has written; none if it has not."""
    path = folder / "runs" / "frameworks" / f"{framework.name}.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def speed(curve: list[dict[str, float]]) -> float:
    """Decisions per CPU second of training, that of the framework included."""
    return round(curve[-1]["decisions"] / curve[-1]["cpu_seconds"], 1)


def version_of(python: Path, framework: Framework) -> str:
    """The installed version of the framework."""
    code = f"from importlib.metadata import version; print(version({framework.package!r}))"
    done = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def draw(found: dict[str, Any], path: Path) -> None:
    """Draw all learning curves into one picture, that of MaskablePPO thicker."""
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    rcParams["svg.hashsalt"] = "frameworks"  # makes the SVG reproducible
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot(ylim=(0, 1), xlabel="decisions", ylabel="wins against random agents")
    for framework in FRAMEWORKS:
        points = found.get(framework.name, {}).get("curve", [])
        if not points:
            continue
        decisions, rates, low, high = (
            [point[name] for point in points] for name in ("decisions", "win_rate", "low", "high")
        )
        [line] = axes.plot(decisions, rates, label=framework.title, linewidth=3 if framework.name == "sb3" else 1.5)
        axes.fill_between(decisions, low, high, alpha=0.1, color=line.get_color())
    axes.axhline(0.25, color="black", linestyle=":", label="par")
    axes.legend(ncols=2, fontsize="small")
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
