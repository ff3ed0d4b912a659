"""Run the shared tests with the oldest and newest dependencies, on every Python, with every extra and framework.

    python scripts/proofs/verify_matrix.py                                  what has not been done yet
    python scripts/proofs/verify_matrix.py --cells 'base-*' --again         some cells once more
    python scripts/proofs/verify_matrix.py --pythons ~/python3.14/bin/python3.14

A cell is an environment that is made, tested and deleted. `oldest` are the lower bounds of pyproject.toml, `newest` is
what pip finds without constraints.txt, and `pinned` are the versions of examples/requirements. Only wheels are
installed. Results go to scripts/proofs/matrix.json after each cell; `scripts/documents/generate.py` makes the page
docs/matrix.md of them. A cell whose requirements and tests have not changed is not repeated.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import tyro
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from blackjacky_agents.files import only_writer, write_json
from blackjacky_env.games import DEFAULT

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("matrix.json")
REQUIREMENTS = ROOT / "examples" / "requirements"
FOR_TESTS = ("pytest", "hypothesis")
SOURCES = "antlr4-python3-runtime,rlcard,yattag"
"""Packages that publish no wheels, with commas between them."""
MARKS = (r"E +\w+(Error|Exception|Warning|Exit)\b", "E  ", "ERROR", "FAILED")
"""How lines begin that say why a command failed, the most telling first."""
EVERY_GAME = "tests/envs/test_every_game.py"
WITHOUT_EXTRAS = ("tests/test_without_extras.py", "tests/test_layout.py", "tests/envs/test_registration.py")
BASE = (
    f"{EVERY_GAME}::test_pettingzoos_tests_pass_without_unexplained_warnings",
    f"{EVERY_GAME}::test_gymnasiums_checker_passes_for_a_seat[{DEFAULT}]",
    f"{EVERY_GAME}::test_a_batch_plays_the_games_of_the_environment[{DEFAULT}]",
    "tests/scripts/test_make_playthroughs.py::test_all_games_are_played_as_written",
    "tests/test_differential.py::test_rigged_decks_are_dealt_alike",
    *WITHOUT_EXTRAS,
)
"""Tests with `cli`: PettingZoo's and Gymnasium's own, golden games, games beside the reference, a game of bots."""
TRAIN = (
    "tests/test_fingerprints.py",
    "tests/agents/test_network.py",
    "tests/agents/test_sb3.py",
    "tests/agents/test_trained.py::test_the_champion_takes_the_likeliest_action_of_the_torch_network",
    "tests/agents/test_curves.py",
    "tests/agents/test_logs.py",
)
"""Tests with `train`: decisions of all agents by seed, networks, a short training, a champion, curves and logs."""


class Tested(NamedTuple):
    """What tests an extra."""

    tests: tuple[str, ...]
    also: tuple[str, ...] = ()
    """Packages that the tests need, in any version."""
    extras: tuple[str, ...] = ()
    """Other extras that they need."""


EXTRAS = {
    "none": Tested(WITHOUT_EXTRAS),
    "view": Tested(("tests/envs/test_rendering.py", "tests/games/test_pictures.py")),
    "web": Tested(("tests/agents/web",), ("axe-playwright-python", "httpx2", "selenium")),
    "mcp": Tested(("tests/agents/test_mcp_server.py",), ("httpx2",)),
    "llm": Tested(("tests/agents/test_language_model.py", "tests/agents/test_language.py")),
    "data": Tested(("tests/agents/test_data.py", "tests/scripts/test_dataset.py")),
    "minari": Tested(("tests/agents/test_data.py",)),
    "cluster": Tested(("tests/agents/test_cluster.py",), extras=("train", "data")),
    "openspiel": Tested(("tests/envs/test_openspiel.py",)),
    "bench": Tested(("tests/scripts/test_benchmark.py", "tests/testing/test_readme.py"), extras=("train",)),
    "peers": Tested(("tests/scripts/test_peers.py",), extras=("train",)),
    "mutants": Tested(("tests/scripts/test_mutate_rules.py",), extras=("cli",)),
    "cuda": Tested(("tests/engine/test_cuda.py",), ("nvidia-cuda-nvcc>=13,<14",), extras=("cli",)),
    "docs": Tested(("tests/scripts/test_build_site.py",)),
}
"""The extras that have a cell; `cli` and `train` are tested on every Python, `dev` and `release` are tools."""


@dataclass(frozen=True)
class Args:
    """Run the shared tests with the oldest and newest dependencies, on every Python, with every extra and framework."""

    cells: tuple[str, ...] = ("*",)
    """Patterns of names of cells, such as 'base-3.14-*' or 'extra-web-*'."""
    again: bool = False
    """Repeat cells that have been done."""
    pythons: tuple[Path, ...] = ()
    """Interpreters, beside those on the PATH and those of pyenv and uv."""
    folder: Path = ROOT / "build" / "matrix"
    """Folder of environments and of what is compiled."""
    minutes: float = 30.0
    """Limit of an installation, and of a cell's tests."""


class Cell(NamedTuple):
    """An environment, and the tests that are run in it."""

    group: str
    """`base`, `train`, `extra` or `framework`."""
    of: str
    """The extra or framework; empty for `base` and `train`."""
    python: str
    """Such as "3.11"."""
    level: str
    """`oldest`, `newest` or `pinned`."""
    extras: tuple[str, ...]
    more: tuple[str, ...]
    """Requirements beside the package's."""
    pins: Mapping[str, str]
    """Versions that are wanted, by package."""
    shown: tuple[str, ...]
    """Packages whose versions are recorded."""
    tests: tuple[str, ...]

    @property
    def name(self) -> str:
        """Such as `extra-web-3.11-oldest`."""
        return "-".join(part for part in (self.group, self.of, self.python, self.level) if part)

    @property
    def key(self) -> str:
        """What a result depends on, as a hash: requirements and tests."""
        return hashlib.sha256(json.dumps([self.name, *self[4:]]).encode()).hexdigest()[:16]


class UnverifiedError(Exception):
    """A step of a cell did not succeed; the message is one line that says why."""


def main(args: Args) -> int:
    """Verify the chosen cells; returns 1 if the tests of one of them failed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    everything, pythons = cells(project), find_pythons(args.pythons)
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    chosen = [cell for cell in everything if any(fnmatchcase(cell.name, pattern) for pattern in args.cells)]
    if not chosen:
        names = ", ".join(cell.name for cell in everything)
        raise SystemExit(f"no cell is called {' or '.join(args.cells)}; there are {names}")
    with only_writer(args.folder):
        for number, cell in enumerate(chosen, start=1):
            is_done = recorded(cell, results)["outcome"] in {"passed", "failed"}
            if is_done and (not args.again or cell.python not in pythons):
                continue
            print(f"[{number}/{len(chosen)}] {cell.name} ...", flush=True)
            done = results[cell.name] = verify(cell, pythons.get(cell.python), args)
            write_json(RESULTS, {each.name: recorded(each, results) for each in everything})
            print(f"    {done['outcome']} in {done['seconds']} s: {done['reason'] or done['tests']}", flush=True)
    return int(any(recorded(cell, results)["outcome"] == "failed" for cell in chosen))


def recorded(cell: Cell, results: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a cell; one that says so, if it has not been run with these requirements and tests."""
    record = results.get(cell.name, {})
    return record if record.get("key") == cell.key else about(cell, "not run", "not run yet")


def about(cell: Cell, outcome: str, reason: str) -> dict[str, Any]:
    """A record without versions."""
    names = ("group", "of", "python", "level", "key")
    found = {"outcome": outcome, "reason": reason, "tests": "", "versions": {}}
    return {**{name: getattr(cell, name) for name in names}, **found, "seconds": 0, "date": "", "system": ""}


# ---------------------------------------------------------------- which cells


def cells(project: Mapping[str, Any]) -> list[Cell]:
    """All cells of a project, given its table of pyproject.toml."""
    supported = SpecifierSet(project["requires-python"])
    pythons = [python for python in (f"3.{minor}" for minor in range(50)) if supported.contains(python)]
    found = [cell(project, "base", "", python, level) for python in pythons for level in ("oldest", "newest")]
    found += [cell(project, "train", "", python, level) for python in pythons for level in ("oldest", "newest")]
    ends = {"oldest": pythons[0], "newest": pythons[-1]}
    found += [cell(project, "extra", extra, ends[level], level) for extra in EXTRAS for level in ends]
    frameworks = [path.stem for path in sorted(REQUIREMENTS.glob("*.txt"))]
    return found + [framework(project, name, level, pythons) for name in frameworks for level in ("pinned", "newest")]


def cell(project: Mapping[str, Any], group: str, of: str, python: str, level: str) -> Cell:
    """The cell of the package alone (`base`), or with the extra `train` or `of`."""
    tested = {"base": Tested(BASE), "train": Tested(TRAIN)}.get(group) or EXTRAS[of]
    extras = {"": (group.replace("base", "cli"),), "none": ()}.get(of, (of, *tested.extras))
    bounds = lower_bounds(project, extras, python)
    pins = bounds if level == "oldest" else {}
    return Cell(group, of, python, level, extras, (*tested.also, *FOR_TESTS), pins, tuple(bounds), tested.tests)


def framework(project: Mapping[str, Any], name: str, level: str, pythons: Sequence[str]) -> Cell:
    """The cell of a framework: as pinned in examples/requirements on the oldest Python, or its newest on the newest."""
    lines = [line.partition("#")[0].strip() for line in (REQUIREMENTS / f"{name}.txt").read_text("utf-8").splitlines()]
    wanted = [Requirement(line) for line in lines if line]
    more = lines if level == "pinned" else [re.sub("==.*", "", line) for line in lines]
    shown = (*(canonicalize_name(each.name) for each in wanted), *lower_bounds(project, (), pythons[0]))
    tests = ("tests/frameworks", *(["tests/envs/test_openspiel.py"] if name == "openspiel" else []))
    python = pythons[0] if level == "pinned" else pythons[-1]
    return Cell("framework", name, python, level, ("cli",), (*filter(None, more), *FOR_TESTS), {}, shown, tests)


def lower_bounds(project: Mapping[str, Any], extras: Iterable[str], python: str) -> dict[str, str]:
    """The lowest version that each requirement of the package and of its extras allows on a Python, by package."""
    lowest: dict[str, str] = {}
    for requirement in requirements(project, extras, python):
        name = canonicalize_name(requirement.name)
        bounds = [each.version for each in requirement.specifier if each.operator in {">=", "==", "~="}]
        if not bounds:
            raise ValueError(f"{requirement} has no lower bound; give it one in pyproject.toml, such as {name}>=1.0")
        lowest[name] = max([*bounds, lowest.get(name, "0")], key=Version)
    return lowest


def requirements(project: Mapping[str, Any], extras: Iterable[str], python: str) -> Iterator[Requirement]:
    """What the package and its extras require on a Python; an extra that requires others of the package is followed."""
    texts = [*project["dependencies"], *(text for extra in extras for text in project["optional-dependencies"][extra])]
    for requirement in map(Requirement, texts):
        if requirement.marker and not requirement.marker.evaluate({"python_version": python}):
            continue
        if requirement.name == project["name"]:
            yield from requirements({**project, "dependencies": []}, sorted(requirement.extras), python)
        else:
            yield requirement


def find_pythons(given: Iterable[Path]) -> dict[str, Path]:
    """Interpreters that start, by version such as "3.11": those given, those of pyenv and uv, those on the PATH."""
    home = Path.home()
    installed = [*(home / ".pyenv" / "versions").glob("3.*/bin/python")]
    installed += (home / ".local" / "share" / "uv" / "python").glob("cpython-3.*/bin/python3")
    on_path = [Path(path) for minor in range(50) if (path := shutil.which(f"python3.{minor}"))]
    found: dict[str, Path] = {}
    for path in (*given, *sorted(installed, reverse=True), *on_path):
        command = [path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode == 0:
            found.setdefault(done.stdout.strip(), path)
    return found


# ---------------------------------------------------------------- verifying one


def verify(cell: Cell, interpreter: Path | None, args: Args) -> dict[str, Any]:
    """Install and test a cell; its environment is deleted afterwards. Returns its record."""
    environment = args.folder / cell.name
    started = time.monotonic()
    found = about(cell, "left out", "")
    try:
        if interpreter is None:
            raise UnverifiedError(f"no Python {cell.python} on this machine")
        python = install(cell, interpreter, environment, args)
        found |= {"versions": versions(python, cell.shown), "outcome": "failed"}
        found |= {"tests": test(cell, python, args), "outcome": "passed"}
    except UnverifiedError as error:
        found["reason"] = str(error)
    finally:
        shutil.rmtree(environment, ignore_errors=True)
    ran = {"seconds": round(time.monotonic() - started), "date": date.today().isoformat()}
    return {**found, **ran, "system": f"{platform.system()} {platform.machine()}"}


def install(cell: Cell, interpreter: Path, environment: Path, args: Args) -> Path:
    """Make the environment; returns its interpreter."""
    shutil.rmtree(environment, ignore_errors=True)
    run([interpreter, "-m", "venv", "--without-pip", environment], args)
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pins = environment / "pins.txt"
    pins.write_text("".join(f"{name}=={version}\n" for name, version in cell.pins.items()), "utf-8")
    package = f"{ROOT}[{','.join(cell.extras)}]" if cell.extras else str(ROOT)
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-compile"]
    wheels = ["--only-binary", ":all:", "--no-binary", SOURCES]
    run([*pip, *wheels, "--constraint", pins, "--editable", package, *cell.more], args)
    return python


def versions(python: Path, names: Sequence[str]) -> dict[str, str]:
    """Versions of Python and of packages that are installed in an environment, by name."""
    code = (
        "import importlib.metadata as m, json, platform; found = {d.name: d.version for d in m.distributions()}; "
        "print(json.dumps({'python': platform.python_version(), **found}))"
    )
    done = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True)
    found = {canonicalize_name(name): version for name, version in json.loads(done.stdout).items()}
    return {name: found[name] for name in ("python", *names) if name in found}


def test(cell: Cell, python: Path, args: Args) -> str:
    """Run a cell's tests; returns how many passed, as pytest tells it."""
    pytest = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", "-rfE"]
    lines = run([*pytest, *cell.tests], args, cell.name).splitlines()
    last = [line for line in lines if re.search(r"\d+ passed", line)]
    if not last:
        raise UnverifiedError("every test was skipped")
    return re.sub(r" in \d.*|=|, \d+ warnings?", "", last[-1]).strip()


def run(command: Sequence[str | Path], args: Args, name: str = "install") -> str:
    """Run a command in the repository; returns its output. `UnverifiedError` if it fails or takes too long.

    What it writes is in NAME.log of the folder, too.
    """
    hidden = {"PYTHONPATH", "PIP_CONSTRAINT"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment["NUMBA_CACHE_DIR"] = str(args.folder / "compiled")  # shared: what is compiled names its versions
    limit = 60 * args.minutes
    try:
        done = subprocess.run(
            command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        raise UnverifiedError(f"not finished after {args.minutes:g} minutes") from None
    (args.folder / f"{name}.log").write_text(done.stdout + done.stderr, "utf-8")
    if done.returncode:
        raise UnverifiedError(reason(done.stdout + done.stderr))
    return done.stdout


def reason(output: str) -> str:
    """The line of a failed command's output that says why: the first exception, the first error of pip, or the last."""
    lines = [line.strip() for line in output.splitlines() if line.strip()] or ["it printed nothing"]
    told = [line for mark in MARKS for line in lines if re.match(mark, line) and "Traceback" not in line]
    line = re.sub(r" \(from versions: .*?\)|^E +|^ERROR: ", "", (told or lines[-1:])[0])
    return line.replace(str(ROOT), ".").replace("|", "/")[:300]


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
