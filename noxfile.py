"""Tests in environments of their own: every Python, the oldest and newest dependencies, every extra and framework.

    nox --list
    nox -s package-3.12                                      the package on one Python, oldest and newest
    nox -s "extras(web, newest)"                             one session
    nox -s "frameworks(sb3, pinned)" -- --decisions=60000    learning curves of examples, as they are published

`oldest` are the lower bounds of pyproject.toml, `newest` is what pip finds without constraints.txt, and `pinned` are
the versions of examples/requirements. Only wheels are installed. Results are written to results/versions.json.
"""

from __future__ import annotations

import csv
import json
import platform
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import nox
from nox.command import CommandFailed
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

nox.options.sessions = ["package"]
nox.options.error_on_missing_interpreters = False

ROOT = Path(__file__).parent
PROJECT: dict[str, Any] = nox.project.load_toml(ROOT / "pyproject.toml")["project"]
PYTHONS = nox.project.python_versions({"project": PROJECT})
ENDS = [(PYTHONS[0], "oldest"), (PYTHONS[-1], "newest")]
FRAMEWORKS = sorted(path.stem for path in (ROOT / "examples" / "requirements").glob("*.txt"))
WHEELS = ("--only-binary", ":all:", "--no-binary", "antlr4-python3-runtime,rlcard,yattag")  # these three have none
WITHOUT_EXTRAS = ("tests/test_without_extras.py", "tests/test_layout.py", "tests/envs/test_registration.py")
PACKAGE = ("tests/envs/test_every_game.py", "tests/test_differential.py", *WITHOUT_EXTRAS)
TRAIN = (
    "tests/test_golden.py",
    *(f"tests/agents/test_{name}.py" for name in ("network", "agents", "self_play", "league", "resuming", "logs")),
)


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
    "llm": Tested(("tests/agents/test_language_model.py", "tests/agents/test_language.py"), extras=("web",)),
    "data": Tested(("tests/agents/test_data.py",)),
    "minari": Tested(("tests/agents/test_data.py",)),
    "cluster": Tested(("tests/agents/test_cluster.py",), extras=("train", "data")),
    "openspiel": Tested(
        ("tests/envs/test_openspiel.py", "tests/agents/solving/test_peers.py", "tests/test_your_game.py"),
        ("dm-tree", "hatchling"),
        extras=("train",),
    ),
    "bench": Tested(("tests/scripts/test_speed.py", "tests/testing/test_readme.py"), extras=("cli",)),
    "peers": Tested(("tests/scripts/test_speed.py",), extras=("cli",)),
    "mutants": Tested(("tests/scripts/test_mutate_rules.py",), extras=("cli",)),
    "cuda": Tested(("tests/play/test_cuda.py",), ("nvidia-cuda-nvcc>=13,<14",), extras=("cli",)),
}
"""The extras that have a session; `cli` and `train` are tested on every Python, `dev`, `docs`, `release` are tools."""


@nox.session(python=PYTHONS)
@nox.parametrize("level", ["oldest", "newest"], ids=["oldest", "newest"])
@nox.parametrize("extra", ["cli", "train"], ids=["cli", "train"])
def package(session: nox.Session, extra: str, level: str) -> None:
    """The package on every Python: tests of environments, the reference implementation, decisions by seed, training."""
    group, tests = {"cli": ("base", PACKAGE), "train": ("train", TRAIN)}[extra]
    run_tests(session, (group, "", level), (extra,), tests)


@nox.session
@nox.parametrize(("python", "level"), ENDS, ids=[level for _, level in ENDS])
@nox.parametrize("extra", list(EXTRAS), ids=list(EXTRAS))
def extras(session: nox.Session, extra: str, level: str) -> None:
    """The tests of each extra, with the oldest versions on the oldest Python and the newest on the newest."""
    tested = EXTRAS[extra]
    wanted = () if extra == "none" else (extra, *tested.extras)
    run_tests(session, ("extra", extra, level), wanted, tested.tests, tested.also)


@nox.session
@nox.parametrize(("python", "level"), [(PYTHONS[0], "pinned"), (PYTHONS[-1], "newest")], ids=["pinned", "newest"])
@nox.parametrize("framework", FRAMEWORKS, ids=FRAMEWORKS)
def frameworks(session: nox.Session, framework: str, level: str) -> None:
    """The examples and tests of each framework; with arguments, the learning curves of its examples."""
    text = (ROOT / "examples" / "requirements" / f"{framework}.txt").read_text("utf-8")
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    more = lines if level == "pinned" else [line.partition("==")[0] for line in lines]
    tests = ("tests/frameworks", *(["tests/envs/test_openspiel.py"] if framework == "openspiel" else []))
    if session.posargs and level == "newest":
        session.skip("curves are published for the pinned versions")
    elif session.posargs:
        prepare(session, ("cli",), "pinned", more)
        write_curves(session, framework, Requirement(lines[0]).name)
    else:
        run_tests(session, ("framework", framework, level), ("cli",), tests, more)


# ---------------------------------------------------------------- environments


def run_tests(
    session: nox.Session,
    cell: tuple[str, str, str],
    extras: Sequence[str],
    tests: Sequence[str],
    also: Sequence[str] = (),
) -> None:
    """Install the package with these extras, run tests, and write down what they said and with which versions."""
    begun, (group, of, level) = time.monotonic(), cell
    wanted = prepare(session, extras, level, also)
    row: dict[str, Any] = {"group": group, "of": of, "level": level, "outcome": "failed", "tests": "", "reason": ""}
    row |= {"date": date.today().isoformat(), "system": f"{platform.system()} {platform.machine()}"}
    row["versions"] = versions(session, wanted)
    options = ("-q", "-m", "", "-p", "no:cacheprovider", "--tb=short", "-rfE")
    try:
        output = str(session.run("python", "-m", "pytest", *options, *tests, silent=True))
        told = [line for line in output.splitlines() if re.search(r"\d+ passed", line)] or ["every test was skipped"]
        row |= {"outcome": "passed", "tests": re.sub(r" in \d.*|=|, \d+ warnings?", "", told[-1]).strip()}
        session.log(row["tests"])
    except CommandFailed:
        session.error("the tests failed")
    finally:
        python = row["versions"]["python"].rpartition(".")[0]
        same = [each for each in rows_of("versions") if (each["group"], each["of"], each["level"]) == cell]
        replaced = [each for each in same if each["versions"].get("python", python).startswith(python)]
        write_row("versions", row, replaced, "package extras frameworks", begun)


def prepare(session: nox.Session, extras: Sequence[str], level: str, also: Sequence[str]) -> list[str]:
    """Install the package into the session's environment; returns the names of what was asked for."""
    session.env.update({"PYTHONPATH": "", "PIP_CONSTRAINT": "", "NUMBA_CACHE_DIR": str(ROOT / ".nox" / "compiled")})
    bounds = lower_bounds(PROJECT, extras, str(session.python))
    pins = folder_of(session) / "pins.txt"
    pins.write_text("".join(f"{name}=={bound}\n" for name, bound in bounds.items() if level == "oldest"), "utf-8")
    package = f".[{','.join(extras)}]" if extras else "."
    session.install(*WHEELS, "-c", str(pins), "-e", package, *filter(None, also), "pytest", "hypothesis")
    return [*bounds, *(canonicalize_name(Requirement(line).name) for line in also if line)]


def folder_of(session: nox.Session) -> Path:
    """The session's own folder. Temporary files go elsewhere: a path like this one is too long for Ray's sockets."""
    folder = Path(session.create_tmp())
    session.env["TMPDIR"] = tempfile.gettempdir()
    return folder


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


# ---------------------------------------------------------------- results


def versions(session: nox.Session, names: Iterable[str]) -> dict[str, str]:
    """The versions of Python and of these packages in the session's environment."""
    code = (
        "import importlib.metadata as m, json, platform; found = {d.name: d.version for d in m.distributions()}; "
        "print(json.dumps({'python': platform.python_version(), **found}))"
    )
    lines = str(session.run("python", "-c", code, silent=True, stderr=subprocess.DEVNULL)).splitlines()
    found = {str(canonicalize_name(name)): version for name, version in json.loads(lines[-1]).items()}
    return {name: found[name] for name in ("python", *names) if name in found}


def write_curves(session: nox.Session, framework: str, package: str) -> None:
    """Run the framework's examples with the session's arguments, on one thread, and keep their learning curves."""
    folder, begun = folder_of(session), time.monotonic()
    numbers = {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    for example in sorted((ROOT / "examples").glob(f"{framework}_*.py")):
        if "LearningCurve(" not in example.read_text("utf-8"):
            continue
        with session.chdir(folder):
            session.run("python", str(example), *session.posargs, env=numbers)
    for path in sorted((folder / "runs" / "frameworks").glob("*.csv")):
        with path.open(encoding="utf-8") as file:
            curve = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
        version = versions(session, [canonicalize_name(package)])[canonicalize_name(package)]
        row = {"framework": path.stem, "version": version, "date": date.today().isoformat(), "curve": curve}
        replaced = [each for each in rows_of("frameworks") if each["framework"] == path.stem]
        write_row("frameworks", row, replaced, shlex.join(["frameworks", "--", *session.posargs]), begun)
        begun = time.monotonic()


def rows_of(kind: str) -> list[dict[str, Any]]:
    """The rows of a file of results."""
    runs = json.loads((ROOT / "results" / f"{kind}.json").read_text("utf-8"))["runs"]
    return [row for run in runs for row in run["rows"]]


def write_row(kind: str, row: dict[str, Any], replaced: Sequence[dict[str, Any]], sessions: str, begun: float) -> None:
    """Put a row into a file of results, in place of others, with the command that makes all of them."""
    sys.path.insert(0, str(ROOT))
    from scripts.results import save

    minutes = (time.monotonic() - begun) / 60
    save(kind, [row], command=f"python -m nox -s {sessions}", minutes=minutes, replaces=lambda each: each in replaced)
