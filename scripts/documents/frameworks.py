"""Install frameworks in environments of their own and run their examples (`make frameworks`).

    python -m scripts.documents.frameworks                       a short run of every example
    python -m scripts.documents.frameworks --decisions 60000 --write

Environments are made once, in build/frameworks/NAME, from examples/requirements/NAME.txt. With --write the results go
to results/frameworks.json. A curve that a stopped run has finished is kept.
"""

from __future__ import annotations

import ast
import csv
import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import tyro

from scripts.results import ROOT, load, save

EXAMPLES = ROOT / "examples"
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
    """Install frameworks in environments of their own, and run their examples."""

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
    """Write the results."""


def main(args: Args) -> int:
    """Measure and write; returns the exit status, 1 if an example fails."""
    before = load("frameworks")
    found = {row["framework"]: row for row in (before["rows"] if before else ())}
    failed = []
    for framework in FRAMEWORKS:
        if args.only and framework.name not in args.only:
            continue
        print(f"{framework.title} ...", flush=True)
        try:
            found[framework.title] = measure(args, framework)
            print(found[framework.title])
        except subprocess.CalledProcessError as error:
            print(f"{framework.title}: {' '.join(map(str, error.cmd))} failed\n{error.stderr}", file=sys.stderr)
            failed.append(framework.title)
        if args.write:
            what = (
                "Learning curves of the examples of frameworks, one run each; steps a second are decisions of all "
                "training per CPU second."
            )
            save("frameworks", list(found.values()), what=what, command="-m scripts.documents.frameworks", seed=0)
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
    ask = f"from importlib.metadata import version; print(version({framework.package!r}))"
    version = subprocess.run([python, "-c", ask], check=True, capture_output=True, text=True).stdout.strip()
    code, last = (EXAMPLES / framework.example).read_text("utf-8"), curve[-1]
    return {
        "framework": framework.title,
        "version": version,
        "example": f"[{framework.example}](../examples/{framework.example})",
        "lines": len(code.splitlines()),
        "what it shows": (ast.get_docstring(ast.parse(code)) or "").splitlines()[0].partition(": ")[2],
        "steps/s": round(last["decisions"] / last["cpu_seconds"]),
        "win rate": last["win_rate"],
        "decisions": int(last["decisions"]),
        "date": date.today().isoformat(),
        "curve": [{name: point[name] for name in ("decisions", "win_rate", "low", "high")} for point in curve],
    }


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
    pip = [str(python), "-m", "pip", "install", "--quiet", "-r", str(requirements), "-e", f"{ROOT}[cli]", *for_tests]
    subprocess.run(pip, check=True, stderr=subprocess.PIPE, text=True)
    stamp.write_text(wanted, "utf-8")
    return python


def test(python: Path) -> None:
    """Run the tests of this environment's framework; those of others are skipped."""
    folder = str(ROOT / "tests" / "frameworks")
    command = [str(python), "-m", "pytest", "--quiet", "-p", "no:cacheprovider", folder]
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


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
