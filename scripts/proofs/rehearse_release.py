"""Rehearse a release, from a commit to packages that strangers install (`make rehearse`).

    python scripts/proofs/rehearse_release.py                     of HEAD
    python scripts/proofs/rehearse_release.py v0.1.0 --write      of a tag, and the results go to docs/release.json
    python scripts/proofs/rehearse_release.py --only none         without extras and README

Wheel and sdist are built twice, from copies of the commit that differ in place, times, modes and locale, and must have
the same bytes; the first wheel is built from the sdist, the second from the tree. Both are published to an index server
on this machine, from which every extra is installed into an empty environment, with the versions of constraints.txt,
and tried; then the README is followed. Everything is in build/release/COMMIT: packages in `dist`, lists of what was
installed (SBOM, CycloneDX) in `sbom`. What has been done for a commit is not repeated.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import distributions, version
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock
from urllib.error import URLError
from urllib.request import urlopen

import run_commands
import tyro
from packaging.utils import canonicalize_name
from release_limits import (
    BASE,
    GPU,
    LAST,
    ROOT,
    Limits,
    archive_problems,
    base_problems,
    bytes_of_files,
    extra_problems,
    folders,
    last_rehearsal,
    open_wheel,
    read_limits,
    size,
)
from tqdm import tqdm

from blackjacky_agents.files import only_writer, write_json
from blackjacky_agents.reports import duration, where

NAME = "blackjacky"
TOOLS = ("build", "hatchling", "twine", "pypiserver", "cyclonedx-bom", "pip")
OTHERWISE = {"TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "7"}
"""Of the second build's environment."""
HIDDEN = ("PYTHONPATH", "VIRTUAL_ENV", "NUMBA_OPT")
"""Variables that would lead commands to other packages or to other code."""
PACKAGES = ("blackjacky_env/", "agents/blackjacky_agents/")
SOURCE = "SOURCE/"
"""Stands in commands for the folder of the commit's files."""
PATIENCE = 1200.0  # seconds for a command; those of the README, such as training, are interrupted earlier
README_PATIENCE = 480.0
ADDRESS = re.compile(r"\b(?:https?|file)://\S+")


@dataclass(frozen=True)
class Args:
    """Rehearse a release, from a commit to packages that strangers install."""

    ref: tyro.conf.Positional[str] = "HEAD"
    """Tag or commit."""
    only: tuple[str, ...] = ()
    """Names of extras, "none" or "README"; by default all."""
    folder: Path = ROOT / "build" / "release"
    """Folder of packages, environments and results."""
    write: bool = False
    """Write the results to docs/release.json."""


class Code(NamedTuple):
    """The Python of a page that contains a word."""

    page: str
    word: str

    def of(self, source: Path) -> str:
        """The code."""
        blocks = run_commands.BLOCK.findall((source / self.page).read_text("utf-8"))
        return next(code for language, code in blocks if language in ("py", "python") and self.word in code)


README = "README"
"""Name of the environment in which the README is followed."""
DEFAULTS = f"{README}, without constraints.txt"
"""Name of the one with the versions that pip chooses."""
RANDOM_GAME = Code("README.md", "agent_iter")
PIXELS = (
    "import pettingzoo; from blackjacky_env.games import GAMES; "
    "made = [pettingzoo.make('aec', f'blackjacky/{name}-v0', render_mode='rgb_array') for name in GAMES]; "
    "print([(env.reset(seed=0), env.render().shape) for env in made])"
)
TRIALS: dict[str, tuple[str | Code, ...]] = {
    BASE: (RANDOM_GAME,),
    "cli": ("blackjacky evaluate --players random,counter --games 50", "blackjacky play --opponents random --seed 1"),
    "train": ("blackjacky train --name tiny --minutes 0.05 --eval-games 2 --final-eval-games 2",),
    "view": (f'python -c "{PIXELS}"',),
    "web": ("blackjacky play --web --port 0",),
    "mcp": ("blackjacky mcp",),
    "llm": ("blackjacky evaluate --players 'examples.language_model:LanguageModel,counter*3' --games 1 --seed 7",),
    "data": ("blackjacky dataset --players 'champion,random*3' --games 50 --out data",),
    "minari": (
        "blackjacky dataset --players 'champion,random*3' --games 50 --out data",
        Code("docs/datasets.md", "to_minari"),
    ),
    "bench": ('python -c "import pygame, pytest_benchmark.plugin, rlcard"',),
    "mutants": ("cosmic-ray --help",),
    "cluster": ("blackjacky evaluate --players random,counter --games 50 --cluster local",),
    "openspiel": (Code("docs/environments.md", "blackjacky_env.openspiel"),),
    "peers": ('python -c "import optax, pgx, pyspiel, rlcard"',),
    "cuda": ('python -c "from numba import cuda; import numba_cuda; print(cuda.is_available())"',),
    "docs": (f"python {SOURCE}scripts/documents/build_site.py",),
    "dev": (f"python -m pytest -q {SOURCE}tests/engine/test_reading.py",),
    "release": ("pypi-server --version", "twine --version", "cyclonedx-py --version"),
    DEFAULTS: (RANDOM_GAME, "blackjacky evaluate --players champion,counter --games 50"),
}
"""What is tried in the environment of each extra."""


class Environment(NamedTuple):
    """An environment to install and try."""

    name: str
    extras: str
    pins: tuple[str, ...]
    """Arguments of pip, relative to the repository."""
    trials: Sequence[str | Code]


class Record:
    """What a rehearsal has found, in a file; a step that is in it is not repeated."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {"log": []}

    def say(self, text: str) -> None:
        """Print a line and add it to the log."""
        line = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} {text}"
        self.found["log"].append(line)
        tqdm.write(line)
        write_json(self.path, self.found)

    def step(self, kind: str, name: str, do: Callable[[], dict[str, Any]]) -> None:
        """Do a step unless it has succeeded before, and keep what it returns; a result with ``error`` has failed."""
        kept = self.found.setdefault(kind, {})
        if name in kept and not kept[name]["error"]:
            return
        begun = time.monotonic()
        found = do()
        found["error"] = ADDRESS.sub("ADDRESS", found["error"]).replace(f"{self.path.parent}", ".")
        told = found.pop("said", "")
        told = f"failed: {found['error']}" if found["error"] else told
        kept[name] = found
        self.say(f"{name}: {told} ({duration(time.monotonic() - begun)})")


def main(args: Args) -> int:
    """Rehearse; returns the exit status, 1 if anything failed."""
    for name in HIDDEN:
        os.environ.pop(name, None)
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a shell's background jobs ignore it, and their commands do
    commit = git("rev-parse", f"{args.ref}^{{commit}}")
    folder = args.folder.absolute() / commit[:12]
    with only_writer(folder):
        record = Record(folder / "results.json")
        if not record.found["log"]:
            record.say(f"commit {commit[:12]} of {git('log', '-1', '--format=%cI', commit)}")
        facts = {"ref": args.ref, "commit": commit, "date": f"{datetime.now(UTC):%Y-%m-%d}", "where": where()}
        record.found |= {**facts, "tools": {tool: version(tool) for tool in TOOLS}}
        rehearsal = Rehearsal(folder, commit, record)
        record.step("steps", "build", lambda: rehearsal.build(args.ref))
        if not (failed := bool(record.found["steps"]["build"]["error"])):
            failed = rehearsal.install_all(args.only)
    if args.write:
        write_json(LAST, record.found)
        print("now run: python scripts/documents/generate.py")
    return int(failed)


def git(*arguments: str) -> str:
    """What git prints."""
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


class Rehearsal:
    """The rehearsal of one commit, in its folder."""

    def __init__(self, folder: Path, commit: str, record: Record) -> None:
        self.folder, self.commit, self.record = folder, commit, record
        self.source, self.dist = folder / "source", folder / "dist"
        os.environ["SOURCE_DATE_EPOCH"] = git("log", "-1", "--format=%ct", commit)

    # ------------------------------------------------------------ packages

    def build(self, ref: str) -> dict[str, Any]:
        """Build twice, compare, and check names, contents and limits."""
        again = self.folder / "again"
        other = again / "some where else"
        self.export(self.source)
        self.export(other)
        for path in other.rglob("*"):
            path.chmod(path.stat().st_mode & 0o700)
            os.utime(path, (1_000_000_000, 1_000_000_000))
        shutil.rmtree(self.dist, ignore_errors=True)
        build = [sys.executable, "-m", "build", "--no-isolation", "--outdir"]
        tell([*build, self.dist, self.source])
        tell([*build, again / "dist", "--sdist", "--wheel", other], env={**os.environ, **OTHERWISE}, umask=0o077)
        wheel, sdist = self.archives()
        problems = [
            *(f"{each.name} differs: {name}" for each in (wheel, sdist) for name in differences(each, again / "dist")),
            *self.wrong_contents(wheel, sdist, ref),
            *archive_problems(self.limits(), wheel, sdist, last_rehearsal()),
        ]
        shutil.rmtree(again)
        found = {"wheel": archive_facts(wheel), "sdist": archive_facts(sdist)}
        self.record.found |= {"version": open_wheel(wheel).version, "archives": found}
        sizes = " and ".join(f"{each['name']} with {each['bytes']:,} bytes" for each in found.values())
        return {"said": f"twice the same {sizes}", "error": "; ".join(problems)}

    def limits(self) -> Limits:
        """Those of the commit."""
        return read_limits((self.source / "pyproject.toml").read_text("utf-8"))

    def export(self, folder: Path) -> None:
        """The files of the commit in a folder, which is emptied first."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        git("archive", "--format=tar", f"--output={folder}.tar", self.commit)
        with tarfile.open(f"{folder}.tar") as archive:
            archive.extractall(folder, filter="data")
        Path(f"{folder}.tar").unlink()

    def archives(self) -> tuple[Path, Path]:
        """Wheel and sdist."""
        (wheel,), (sdist,) = self.dist.glob("*.whl"), self.dist.glob("*.tar.gz")
        return wheel, sdist

    def wrong_contents(self, wheel: Path, sdist: Path, ref: str) -> Iterator[str]:
        """A tag that is not the version, and files of the commit that wheel or sdist lack or have too many."""
        made = open_wheel(wheel).version
        if git("tag", "--list", ref) and ref != f"v{made}":
            yield f"the tag {ref} is not v{made}: set the version in blackjacky_env/__init__.py, or the tag v{made}"
        tracked = {name for name in git("ls-tree", "-r", "-z", "--name-only", self.commit).split("\0") if name}
        visible = {name for name in tracked if not name.startswith(".")}
        packages = {name.removeprefix("agents/") for name in tracked if name.startswith(PACKAGES)}
        has = {name for name in bytes_of_files(wheel) if ".dist-info/" not in name}
        yield from (f"the wheel lacks or should not have {name}" for name in sorted(has ^ packages))
        has = set(bytes_of_files(sdist)) - {"PKG-INFO", ".gitignore"}
        yield from (f"the sdist lacks or should not have {name}" for name in sorted(has ^ visible))

    # ------------------------------------------------------------ environments

    def install_all(self, only: Sequence[str]) -> bool:
        """Publish the packages, install and try everything; whether something failed."""
        wheel, _ = self.archives()
        everything = self.environments()
        todo, names = [each for each in everything if not only or each.name in only], [each.name for each in everything]
        if unknown := set(only) - set(names):
            raise SystemExit(f"error: --only names {sorted(unknown)}; there are {names}")
        with index_server(self.folder / "index") as url:
            self.publish(url)
            for each in tqdm(todo, unit=" environments"):
                self.record.step("environments", each.name, lambda each=each: self.install(each, url, wheel))
        for each in ("environment", "empty", "compiled"):
            shutil.rmtree(self.folder / each, ignore_errors=True)
        found = self.record.found["environments"]
        self.record.found["environments"] = {each: found[each] for each in names if each in found}
        write_json(self.record.path, self.record.found)
        return any(found[each.name]["error"] for each in todo)

    def environments(self) -> list[Environment]:
        """The base, every extra, and the README with the extras that it installs."""
        readme = (self.source / "README.md").read_text("utf-8")
        usual = re.search(r'-e "\.\[([\w,]+)\]"', readme)[1]
        pins = ("-c", "constraints.txt")
        extras = open_wheel(self.archives()[0]).metadata.get_all("Provides-Extra") or []
        commands = (RANDOM_GAME, *run_commands.commands(readme))
        return [
            Environment(BASE, "", pins, TRIALS[BASE]),
            *(Environment(each, each, pins, TRIALS[each]) for each in extras),
            Environment(README, usual, pins, commands),
            Environment(DEFAULTS, usual, (), TRIALS[DEFAULTS]),
        ]

    def publish(self, url: str) -> None:
        """Upload wheel and sdist, as to PyPI."""
        paths = self.archives()
        tell([sys.executable, "-m", "twine", "check", "--strict", *paths])
        twine = [sys.executable, "-m", "twine", "upload", "--disable-progress-bar", "--repository-url", url]
        tell([*twine, "--username", "any", "--password", "any", *paths])
        self.record.say("published to the index server, after `twine check --strict`")

    def install(self, environment: Environment, url: str, wheel: Path) -> dict[str, Any]:
        """Install into an empty environment, measure, list and try."""
        folder, report = self.folder / "environment", self.folder / "report.json"
        for each in (folder, self.folder / "empty"):
            shutil.rmtree(each, ignore_errors=True)
        python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        extras = f"[{environment.extras}]" if environment.extras else ""
        requirement = f"{NAME}{extras}=={open_wheel(wheel).version}"
        begun = time.monotonic()
        try:
            tell([sys.executable, "-m", "venv", "--without-pip", folder])
            pip = [sys.executable, "-m", "pip", "--python", python, "install", "--report", report, *environment.pins]
            tell([*pip, "--extra-index-url", f"{url}simple/", requirement], cwd=self.source)
            seconds = time.monotonic() - begun
            installed = json.loads(report.read_text("utf-8"))["install"]
            source = next(each["download_info"] for each in installed if each["metadata"]["name"] == NAME)
            if not source["url"].startswith(url) or source["archive_info"]["hashes"]["sha256"] != sha256(wheel):
                return {"error": "pip took another package of that name than the one that was built"}
            found = {"requirement": requirement, "seconds": seconds, **self.measured(folder)}
            found["sbom"] = self.list_installed(environment.name, python)
        except subprocess.CalledProcessError as error:
            return {"requirement": requirement, "error": last_lines(error.stdout)}
        patience = README_PATIENCE if environment.name == README else PATIENCE
        tried = {shown(trial): self.attempt(trial, str(python), patience) for trial in environment.trials}
        problems = [*self.over_limits(environment, found), *(f"{what}: {how}" for what, how in tried.items() if how)]
        told = f"{found['packages']} packages, {found['bytes'] // 1_000_000:,} MB, tried"
        if environment.name != BASE:
            del found["sizes"]
        return {**found, "tried": list(tried), "said": told, "error": "; ".join(problems)}

    def measured(self, folder: Path) -> dict[str, Any]:
        """Number and bytes of the packages in an environment, each one's bytes, torch, and those for GPUs."""
        site = next(folder.glob("[Ll]ib/**/site-packages"))
        packages = {
            canonicalize_name(each.name): (each.version, size(each)) for each in distributions(path=[str(site)])
        }
        sizes = {name: length for name, (_, length) in packages.items()}
        return {
            "packages": len(sizes),
            "bytes": sum(sizes.values()),
            "sizes": dict(sorted(sizes.items(), key=lambda each: -each[1])),
            "torch": packages.get("torch", ("",))[0],
            "gpu": sorted(name for name in packages if GPU.match(name)),
        }

    def over_limits(self, environment: Environment, found: Mapping[str, Any]) -> Iterator[str]:
        """What the environment of an extra, or of none, has too much of."""
        limits = self.limits()
        if environment.name == BASE:
            yield from base_problems(limits, found["sizes"], last_rehearsal())
        if environment.name in (BASE, environment.extras):
            yield from extra_problems(limits, environment.name, [*found["gpu"], *(["torch"] if found["torch"] else [])])

    def list_installed(self, name: str, python: Path) -> str:
        """Write the list (SBOM) of an environment, twice; returns its hash."""
        path = self.folder / "sbom" / f"{name}.cdx.json"
        path.parent.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", "--mc-type", "library"]
        written = []
        for _ in range(2):
            tell([*command, "--pyproject", self.source / "pyproject.toml", "--output-file", path, python])
            written.append(sha256(path))
        if written[0] != written[1]:
            raise ValueError(f"{path} is not the same when it is written again: leave out what changes")
        return written[0]

    def attempt(self, trial: str | Code, python: str, seconds: float) -> str:
        """Try something in an empty folder, with an environment's packages; what went wrong."""
        folder = self.folder / "empty"
        folder.mkdir(exist_ok=True)
        if not (folder / "examples").exists():
            (folder / "examples").symlink_to(self.source / "examples")
        if isinstance(trial, Code):
            (folder / "code.py").write_text(trial.of(self.source), "utf-8")
        command = "python code.py" if isinstance(trial, Code) else trial.replace(SOURCE, f"{self.source}/")
        model = run_commands.language_model() if "LanguageModel" in command else nullcontext()
        places = {"HOME": str(folder), "NUMBA_CACHE_DIR": str(self.folder / "compiled")}
        with mock.patch.dict(os.environ, places), model:
            ran = run_commands.run("", command, folder, seconds, python)
        return "" if ran.passed else f"exit status {ran.status}: {last_lines(ran.output)}"


# ---------------------------------------------------------------- helpers


def tell(command: Sequence[str | Path], **options: Any) -> None:
    """Run a command; `CalledProcessError` holds what it printed if it fails."""
    subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def last_lines(text: str) -> str:
    """The end of what a failed command has printed."""
    return " / ".join(re.split(r"[\r\n]+", text.strip())[-5:])  # progress bars return to the beginning of their line


def shown(trial: str | Code) -> str:
    """What is tried, as text."""
    return f"the code with {trial.word} of {trial.page}" if isinstance(trial, Code) else trial.replace(SOURCE, "")


def sha256(path: Path) -> str:
    """The hash of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def archive_facts(path: Path) -> dict[str, Any]:
    """Name, size, hash and folders of a wheel or sdist."""
    return {"name": path.name, "bytes": path.stat().st_size, "sha256": sha256(path), "folders": folders(path)}


def differences(first: Path, folder: Path) -> list[str]:
    """How the archive of the same name in a folder differs: members, with what differs of them."""
    second = folder / first.name
    if not second.exists():
        return [f"{second.name} was not built again"]
    if first.read_bytes() == second.read_bytes():
        return []
    one, other = members(first), members(second)
    found = [
        f"{name} ({', '.join(fact for fact in MEMBER if one.get(name, {}).get(fact) != other.get(name, {}).get(fact))})"
        for name in sorted(one.keys() | other.keys())
        if one.get(name) != other.get(name)
    ]
    return found or ["the order or the compression of its members"]


MEMBER = ("mode", "time", "content")


def members(archive: Path) -> dict[str, dict[str, Any]]:
    """Mode, time and content of the members of a wheel or sdist, by name."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as file:
            rows = [(each.filename, each.external_attr, each.date_time, file.read(each)) for each in file.infolist()]
    else:
        with tarfile.open(archive) as tar:
            read = [(each, tar.extractfile(each)) for each in tar]
            rows = [(each.name, each.mode, each.mtime, file and file.read()) for each, file in read]
    return {name: dict(zip(MEMBER, facts, strict=True)) for name, *facts in rows}


@contextmanager
def index_server(folder: Path) -> Iterator[str]:
    """Within this block a package index without packages serves at this address."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "pypiserver", "run", "--interface", "127.0.0.1", "--port", str(port)]
    command += ["--passwords", ".", "--authenticate", ".", "--disable-fallback", str(folder)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}/"
    try:
        for _ in range(300):
            with suppress(URLError), urlopen(url):
                break
            time.sleep(0.1)
        yield url
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
