"""Small commands whose results do not depend on interruptions, and the results that they must have."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from blackjacky_agents import bot_names, cli
from blackjacky_agents.arena import jobs
from blackjacky_agents.data import Dataset
from blackjacky_agents.learning import run as training
from blackjacky_agents.learning.agent_file import AGENT_FILE, read_network
from blackjacky_agents.learning.checkpoint import load_checkpoint
from blackjacky_env.games import DEFAULT
from scripts.proofs.attacks.forks import Fork

_BOTS = bot_names(DEFAULT)[:2]
_TRAIN = "train --name it --steps 1024 --minutes 1e18 --num-envs 16 --n-steps 16 --batch-size 64 --hidden-sizes 16 16"
_TRAIN += " --threads 1 --snapshot-every 512 --pool-size 2 --seed 7 --eval-games 5 --final-eval-games 10"
_TOURNAMENT = f"tournament --agents {','.join(_BOTS)} --players 2 --games 400 --threads 1 --output games"
_SCORE = f"score {_BOTS[0]} --protocol trial --threads 1 --out score"
_DATASET = f"dataset --players {','.join(_BOTS)} --games 400 --games-per-file 150 --threads 1 --out data"


class Job(NamedTuple):
    """A command and its result."""

    begin: str
    """The subcommand with its arguments."""
    again: str
    """The same once `begun` exists."""
    begun: str
    """A file that shows that the work has begun, or a pattern for one."""
    result: Callable[[Path], Any]
    """Read the result, which must not depend on interruptions, from a folder; raises an error if there is none."""

    def arguments(self, home: Path) -> list[str]:
        """What somebody would type in this folder to begin or to go on."""
        return (self.again if any(home.glob(self.begun)) else self.begin).split()


def _without(content: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name not in names}


def read_json(path: Path) -> Any:
    """The content of a file."""
    return json.loads(path.read_text(encoding="utf-8"))


def _training(home: Path) -> Any:
    run = home / "runs" / "it"
    arrays, state, complaints = load_checkpoint(run / "checkpoints")
    read_network(run)
    rates = [(line["steps"], line["win_rate"]) for line in map(json.loads, (run / "progress.jsonl").open("r"))]
    table = read_json(run / "results.json")["table"]
    facts = {name: value.tobytes() for name, value in arrays.items()}
    return facts, state["steps"], complaints, rates, table, (run / AGENT_FILE).read_bytes()


def _tournament(home: Path) -> Any:
    report = _without(read_json(home / "games" / "report.json"), "seconds", "command")
    return (home / "games" / "2_players.jsonl").read_bytes(), report, (home / "games" / "report.svg").read_bytes()


def _score(home: Path) -> Any:
    card = _without(read_json(home / "score" / "score.json"), "run", "package")  # the package: also the commit
    return card, (home / "score" / "badge.svg").read_bytes()


def _dataset(home: Path) -> Any:
    Dataset(home / "data").verify()
    return {path.name: path.read_bytes() for path in (home / "data").rglob("[!.]*") if path.is_file()}


JOBS = {
    "training": Job(_TRAIN, "train --resume runs/it", "runs/it/checkpoints/step_*", _training),
    "tournament": Job(_TOURNAMENT, _TOURNAMENT, "games", _tournament),
    "dataset": Job(_DATASET, _DATASET, "data", _dataset),
    "score": Job(_SCORE, f"{_SCORE} --resume", "score/deals.jsonl", _score),
}


class Prepared(NamedTuple):
    """A job in a process that has done it once, undisturbed."""

    job: Job
    result: Any
    seconds: float
    files: Mapping[Path, bytes]
    """The files it leaves, by path within its folder."""

    def leave(self, home: Path) -> None:
        """Write its files into a folder."""
        for path, content in self.files.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_bytes(content)


@contextlib.contextmanager
def new_home() -> Iterator[tuple[Path, Path]]:
    """A new folder for programs to work in, and a file outside it for what they print."""
    with tempfile.TemporaryDirectory(prefix="torture") as folder:
        home = Path(folder) / "home"
        home.mkdir()
        yield home, Path(folder) / "log"


def prepare(name: str) -> Prepared:
    """Do a job twice, first to load and compile, in this process, with a checkpoint after every step."""
    tqdm.monitor_interval = 0  # its thread would not survive a fork
    tqdm.set_lock(threading.RLock())  # the usual one is shared by forks, and would be held by a killed one for ever
    training.CHECKPOINT_SECONDS = 0.0
    jobs._MAX_JOB = 64
    job = JOBS[name]
    for _ in range(2):
        with new_home() as (home, _):
            begun = time.monotonic()
            with _inside(home):
                status = cli.run(*_split(job.arguments(home)))
            seconds = time.monotonic() - begun
            if status:
                raise RuntimeError(f"{name} ended with status {status}")
            files = {path.relative_to(home): path.read_bytes() for path in home.rglob("*") if path.is_file()}
            result = job.result(home)
    return Prepared(job, result, seconds, files)


def _split(arguments: Sequence[str]) -> tuple[str, Sequence[str]]:
    return arguments[0], arguments[1:]


@contextlib.contextmanager
def _inside(home: Path) -> Iterator[None]:
    """Context with another working directory, in which nothing is printed."""
    with contextlib.ExitStack() as changed:
        nowhere = changed.enter_context(Path(os.devnull).open("w", encoding="utf-8"))
        for change in (contextlib.chdir(home), redirect_stdout(nowhere), redirect_stderr(nowhere)):
            changed.enter_context(change)
        yield


def start(job: Job, home: Path, log: Path, before: Callable[[], object] = lambda: None) -> Fork:
    """A process that begins or resumes a job in a folder; ``before`` runs first."""
    arguments = job.arguments(home)

    def run() -> int:
        sys.argv = ["blackjacky", *arguments]
        before()
        return cli.run(*_split(arguments))

    return Fork(run, home, log)


def is_whole(prepared: Prepared, home: Path) -> bool:
    """Whether the result of a finished job is that of an undisturbed run; prints what is wrong."""
    try:
        found = prepared.job.result(home)
    except Exception as error:  # noqa: BLE001 - whatever a damaged file causes
        print(f"no result: {error!r}", file=sys.stderr)
        return False
    if found != prepared.result:
        print("the result differs from that of an undisturbed run", file=sys.stderr)
    return bool(found == prepared.result)


def empty_folder(folder: Path) -> Path:
    """The folder, emptied."""
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return folder
