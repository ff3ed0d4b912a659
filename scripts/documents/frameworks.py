"""Install frameworks in environments of their own and run their examples (`make frameworks`).

    python scripts/documents/frameworks.py                       a short run of every example
    python scripts/documents/frameworks.py --decisions 60000 --write

Environments are made once, in build/frameworks/NAME, from examples/requirements/NAME.txt. With --write the results go
to examples/frameworks.json, of which `scripts/documents/generate.py` makes the table of docs/frameworks.md, and the
curves to docs/frameworks.svg. A curve that a stopped run has finished is kept.
"""

from __future__ import annotations

import ast
import csv
import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import tyro
from parts import DOCS, ROOT, Part

from blackjacky_agents.files import write_json
from blackjacky_agents.reports import markdown_table, where, where_run

EXAMPLES = ROOT / "examples"
RESULTS = EXAMPLES / "frameworks.json"
SHORT = 4_096
"""Decisions of a short run, and the fewest between two points of a curve."""
PYTHON = Path("Scripts/python.exe" if os.name == "nt" else "bin/python")


class Framework(NamedTuple):
    """A framework, and the example that shows it."""

    name: str
    """Of the example's learning curve."""
    title: str
    package: str
    """Its name in the package index."""
    example: str

    @property
    def environment(self) -> str:
        """The environment that it is installed in, with examples/requirements/ENVIRONMENT.txt."""
        return self.name.partition("_")[0]


FRAMEWORKS = [
    Framework("sb3", "sb3-contrib", "sb3-contrib", "sb3_maskable_ppo.py"),
    Framework("sb3_selfplay", "sb3-contrib, self-play", "sb3-contrib", "sb3_selfplay.py"),
    Framework("rllib", "RLlib", "ray", "rllib_selfplay.py"),
    Framework("torchrl", "TorchRL", "torchrl", "torchrl_ppo.py"),
    Framework("tianshou", "Tianshou", "tianshou", "tianshou_dqn.py"),
    Framework("supersuit", "SuperSuit", "supersuit", "supersuit_sb3.py"),
    Framework("agilerl", "AgileRL", "agilerl", "agilerl_ppo.py"),
    Framework("openspiel", "OpenSpiel", "open_spiel", "openspiel_dqn.py"),
]


@dataclass(frozen=True)
class Args:
    """Install frameworks in environments of their own, run their examples, and print a table."""

    only: tuple[str, ...] = ()
    """Names of frameworks; by default all."""
    decisions: int = SHORT
    """Decisions of a learning curve."""
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
    kept = json.loads(RESULTS.read_text("utf-8"))["frameworks"]
    found, failed = {}, []
    for framework in FRAMEWORKS:
        if args.only and framework.name not in args.only:
            continue
        print(f"{framework.title} ...", flush=True)
        try:
            found[framework.name] = measure(args, framework)
        except subprocess.CalledProcessError as error:
            print(f"{framework.title}: {' '.join(map(str, error.cmd))} failed\n{error.stderr}", file=sys.stderr)
            failed.append(framework.title)
        if args.write:
            write_json(RESULTS, {"frameworks": {**kept, **found}, "where": where()})
    print(table(found))
    if args.write:
        draw({**kept, **found}, DOCS / "frameworks.svg")
    return 1 if failed else 0


def measure(args: Args, framework: Framework) -> dict[str, Any]:
    """The results of one framework."""
    python = install(args.environments, framework)
    if args.tests:
        test(python)
    folder = args.environments / "runs" / f"{args.decisions}"
    curve = read_curve(folder, framework)
    if args.decisions == SHORT or not curve or curve[-1]["decisions"] < args.decisions:
        every = max(args.decisions // args.points, SHORT)
        options = {"decisions": args.decisions, "evaluate_every": every, "games": args.games}
        curve = run(python, EXAMPLES / framework.example, folder, framework, **options)
    code = f"from importlib.metadata import version; print(version({framework.package!r}))"
    version = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    return {"version": version, "date": date.today().isoformat(), "curve": curve}


def install(environments: Path, framework: Framework) -> Path:
    """The interpreter of the framework's environment, which is made if it is not there or its requirements changed."""
    folder = environments / framework.environment
    python, stamp = folder / PYTHON, folder / "requirements.txt"
    requirements = EXAMPLES / "requirements" / f"{framework.environment}.txt"
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


def run(
    python: str | Path, example: Path, folder: Path, framework: Framework, **options: int
) -> list[dict[str, float]]:
    """Run an example in a folder, on one thread; returns its learning curve."""
    folder.mkdir(parents=True, exist_ok=True)
    arguments = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    command = [str(python), str(example), *arguments]
    subprocess.run(command, check=True, cwd=folder, env=environment, capture_output=True, text=True)
    return read_curve(folder, framework)


def read_curve(folder: Path, framework: Framework) -> list[dict[str, float]]:
    """The points of a curve that an example run in this folder has written; none if it has not."""
    path = folder / "runs" / "frameworks" / f"{framework.name}.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


# ---------------------------------------------------------------- the page


def parts() -> Iterator[Part]:
    """The table, with where it was measured."""
    found = json.loads(RESULTS.read_text("utf-8"))
    text = f"{table(found['frameworks'])}\n\n{where_run(found['where'])}."
    yield Part(DOCS / "frameworks.md", "frameworks", text)


def table(found: Mapping[str, Any]) -> str:
    """A row for each framework with results."""
    heading = ["framework", "version", "example", "lines", "what it shows", "steps/s", "win rate", "date"]
    return markdown_table(heading, [row(each, found[each.name]) for each in FRAMEWORKS if each.name in found])


def row(framework: Framework, result: Mapping[str, Any]) -> list[object]:
    """The row of one framework; its speed is that of all training, in decisions per CPU second."""
    path, last = EXAMPLES / framework.example, result["curve"][-1]
    code = path.read_text("utf-8")
    shows = (ast.get_docstring(ast.parse(code)) or "").splitlines()[0].partition(": ")[2]
    return [
        framework.title,
        result["version"],
        f"[{path.name}](../examples/{path.name})",
        len(code.splitlines()),
        shows,
        f"{last['decisions'] / last['cpu_seconds']:,.0f}",
        f"{100 * last['win_rate']:.0f} % after {last['decisions']:,.0f}",
        result["date"],
    ]


def draw(found: Mapping[str, Any], path: Path) -> None:
    """Draw all learning curves into one picture, that of MaskablePPO thicker."""
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    rcParams["svg.hashsalt"] = "frameworks"  # makes the SVG reproducible
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot(ylim=(0, 1), xlabel="decisions", ylabel="wins against random agents")
    for framework in FRAMEWORKS:
        points = found[framework.name]["curve"] if framework.name in found else []
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
