"""Commands that are killed at random moments, get a full disk, or run twice at once, each with a writer of its own.

Their results do not depend on interruptions, so in the end they must be those of an undisturbed run; a training begins
its games anew, so only what there is of it is compared. A disk that becomes full (a small one in memory, in a namespace
of its own, on Linux) must be told in one sentence (status 2), with everything old kept whole.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from blackjacky_agents import bot_names, cli
from blackjacky_agents.data import Dataset
from blackjacky_agents.learning import training_run as training
from blackjacky_agents.networks.agent_file import read_network
from blackjacky_agents.storage.checkpoint import load_checkpoint
from blackjacky_env.games import DEFAULT
from scripts.proofs.attacks.common import ERROR, LOST, REFUSED, SURVIVED, Fork, Tries

_KILLS_PER_RUN = 8  # kills before a command may finish
_DISK = 16 << 20  # bytes
NAMESPACE = ("unshare", "--map-root-user", "--mount")  # Words before a command that may mount a disk.
_PAGES = 20_000  # bytes, a few pages of memory, so that small files have room at times
_REASONS = ("is being written by ", "choose another --name")  # why a second process may be refused
_BOTS = ",".join(bot_names(DEFAULT)[:2])
_TRAIN = "train --preset sb3 --name it --steps 1024 --minutes 1e18 --num-envs 16 --n-steps 16 --batch-size 64"
_TRAIN += (
    " --hidden-sizes 16 16 --threads 1 --snapshot-every 512 --pool-size 2 --seed 7 --eval-games 5 --final-eval-games 10"
)
_TOURNAMENT = f"tournament --agents {_BOTS} --players 2 --games 400 --threads 1 --output games"
_DATASET = f"dataset --agents {_BOTS} --games 400 --games-per-file 150 --threads 1 --output data"


class Job(NamedTuple):
    """A command and its result."""

    begin: str  # the subcommand with its arguments
    again: str  # the same once `begun` exists
    begun: str  # a pattern for a file that shows that the work has begun
    result: Callable[[Path], Any]
    """Read the result, which must not depend on interruptions, from a folder; raises an error if there is none."""


def _training(home: Path) -> Any:
    run = home / "runs" / "it"
    _, state, complaints = load_checkpoint(run / "checkpoints")
    read_network(run)
    tests = [json.loads(line)["steps"] for line in (run / "progress.jsonl").open("r")]
    rows = json.loads((run / "results.json").read_text("utf-8"))["table"]
    return state["steps"], complaints, tests, [(row["players"], row["opponents"]) for row in rows]


def _tournament(home: Path) -> Any:
    report = json.loads((home / "games" / "report.json").read_text("utf-8"))
    facts = {name: value for name, value in report.items() if name not in ("new_games", "seconds", "command")}
    return (home / "games" / "2_players.jsonl").read_bytes(), facts


def _dataset(home: Path) -> Any:
    Dataset(home / "data").verify()
    return {path.name: path.read_bytes() for path in (home / "data").rglob("[!.]*") if path.is_file()}


JOBS = {
    "training": Job(_TRAIN, "train --resume runs/it", "runs/it/config.json", _training),
    "tournament": Job(_TOURNAMENT, _TOURNAMENT, "games", _tournament),
    "dataset": Job(_DATASET, _DATASET, "data", _dataset),
}


@contextlib.contextmanager
def new_home() -> Iterator[tuple[Path, Path]]:
    """A new folder for programs to work in, and a file outside it for what they print."""
    with tempfile.TemporaryDirectory(prefix="torture") as folder:
        home = Path(folder) / "home"
        home.mkdir()
        yield home, Path(folder) / "log"


class Prepared:
    """A job in a process that has done it twice, undisturbed, first to load and compile."""

    def __init__(self, name: str) -> None:
        self.job = JOBS[name]
        tqdm.monitor_interval = 0  # its thread would not survive a fork
        tqdm.set_lock(threading.RLock())  # the usual one is shared by forks; a killed one would hold it for ever
        training.CHECKPOINT_SECONDS = 0.0
        for _ in range(2):
            with new_home() as (home, log), log.open("w") as out, redirect_stdout(out), redirect_stderr(out):
                begun = time.monotonic()
                with contextlib.chdir(home):
                    status = self._run(home)
                self.seconds = time.monotonic() - begun
                if status:
                    raise RuntimeError(f"{name} ended with status {status}")
                paths = [path for path in home.rglob("*") if path.is_file()]
                self.files: Mapping[Path, bytes] = {path.relative_to(home): path.read_bytes() for path in paths}
                self.result = self.job.result(home)

    def _run(self, home: Path) -> int:
        """Begin the job in this folder, or go on."""
        subcommand, *arguments = (self.job.again if any(home.glob(self.job.begun)) else self.job.begin).split()
        sys.argv = ["blackjacky", subcommand, *arguments]
        return cli.run(subcommand, arguments)

    def start(self, home: Path, log: Path) -> Fork:
        """A process that begins or resumes the job in a folder."""
        return Fork(lambda: self._run(home), home, log)

    def empty(self, home: Path, with_result: bool = False) -> None:
        """Empty a folder, and write the files of the finished job into it if they are wanted."""
        for path in home.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path, content in self.files.items() if with_result else ():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_bytes(content)

    def is_whole(self, home: Path) -> bool:
        """Whether the result of a finished job is that of an undisturbed run; prints what is wrong."""
        try:
            found = self.job.result(home)
        except Exception as error:  # noqa: BLE001 - whatever a damaged file causes
            print(f"no result: {error!r}", file=sys.stderr)
            return False
        if found != self.result:
            print("the result differs from that of an undisturbed run", file=sys.stderr)
        return bool(found == self.result)

    def finishes(self, home: Path, log: Path) -> str:
        """The outcome of the job that goes on undisturbed, which must not be refused, and of its result."""
        program = self.start(home, log)
        if (outcome := program.outcome()) == REFUSED:
            print(program.output, file=sys.stderr)
            return LOST
        return LOST if outcome == SURVIVED and not self.is_whole(home) else outcome


def kill(name: str, tries: int, seed: int) -> Tries:
    """Kill a command a few times before it may finish; all these kills count as lost if its result is not whole."""
    rng, prepared = random.Random(seed), Prepared(name)
    with new_home() as (home, log):
        for begin in range(0, tries, _KILLS_PER_RUN):
            prepared.empty(home)
            kills = count = min(_KILLS_PER_RUN, tries - begin)
            outcome = SURVIVED
            while kills and outcome == SURVIVED:
                if prepared.start(home, log).killed_within(rng.uniform(0, prepared.seconds)):
                    kills -= 1
                else:  # it was faster
                    outcome = prepared.finishes(home, log)
                    prepared.empty(home)
            yield f"killed: {name}", prepared.finishes(home, log) if outcome == SURVIVED else outcome, count


def fill(name: str, tries: int, seed: int) -> Tries:
    """Fill the disk of a command, half the time with an old result there; then let it go on with room."""
    rng, prepared = random.Random(seed), Prepared(name)
    size = sum(map(len, prepared.files.values()))
    with new_home() as (disk, log):
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_DISK}", "tmpfs", disk], check=True)
        home, ballast = disk / "home", disk / "ballast"
        home.mkdir()
        for _ in range(tries):
            prepared.empty(home, has_old := rng.random() < 0.5)
            room = int(rng.uniform(0, 1.2 * size + _PAGES))
            with ballast.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, max(shutil.disk_usage(disk).free - room, 1))
            outcome = prepared.start(home, log).outcome()
            ballast.unlink()
            if outcome in (REFUSED, SURVIVED):
                is_kept = not (has_old or outcome == SURVIVED) or prepared.is_whole(home)
                later = prepared.finishes(home, log) if is_kept else LOST
                outcome = outcome if later == SURVIVED else later
            yield f"full disk: {name}", outcome, 1
        subprocess.run(["umount", disk], check=True)


def write_twice(name: str, tries: int, seed: int) -> Tries:
    """Run a command beside itself, half the time where it has a result already, and half the time kill the first.

    One writes; the other is refused, or finds the work done. The next one takes over.
    """
    rng, prepared = random.Random(seed), Prepared(name)
    with new_home() as (home, log):
        for _ in range(tries):
            prepared.empty(home, rng.random() < 0.5)
            first = prepared.start(home, log)
            time.sleep(rng.uniform(0, prepared.seconds))
            programs = [first, prepared.start(home, log.with_name("log_2"))]
            if rng.random() < 0.5 and first.killed_within(rng.uniform(0, prepared.seconds)):
                programs.remove(first)
            outcomes = {_outcome_of_writer(program) for program in programs}
            bad = outcomes - {SURVIVED, REFUSED}
            if not bad and prepared.finishes(home, log.with_name("log_3")) != SURVIVED:
                bad = {LOST}
            yield f"two processes: {name}", min(bad or outcomes), 1


def _outcome_of_writer(program: Fork) -> str:
    outcome = program.outcome()
    if outcome == REFUSED and not any(reason in program.output for reason in _REASONS):
        print(f"refused for another reason: {program.output}", file=sys.stderr)
        return ERROR
    return outcome
