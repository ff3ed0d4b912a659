"""Disks that become full at a random moment.

A command must say so in one sentence (status 2), keep everything old whole, and come to the result of an undisturbed
run when there is room again. The disk is a small file system in memory, where this user may mount one (Linux, in a
namespace of its own); elsewhere a limit of the size of files stands for it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from blackjacky_agents import cli
from scripts.proofs.attacks.common import LOST, REFUSED, SURVIVED, Task, divided
from scripts.proofs.attacks.jobs import JOBS, Prepared, empty_folder, is_whole, new_home, prepare, start

TRIES = 600
_DISK = 16 << 20  # bytes
_NAMESPACE = ("unshare", "--map-root-user", "--mount")
_PAGES = 20_000  # bytes, a few pages of memory, so that small files have room at times
_MIN_OUTPUT = 4096  # bytes that a program can print in any case


def tasks(tries: int, seed: int) -> list[Task]:
    """One task for each program."""
    calls = [(f"full disk: {name}", f"{__name__}:fill_command", name) for name in JOBS]
    return divided(calls, tries, seed, _NAMESPACE if can_mount() else ())


def can_mount() -> bool:
    """Whether this user may mount a file system in a namespace of its own."""
    with new_home() as (home, _), contextlib.suppress(OSError):
        command = [*_NAMESPACE, *_mount(home)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    return False


def _mount(home: Path) -> list[str]:
    return ["mount", "-t", "tmpfs", "-o", f"size={_DISK}", "tmpfs", str(home)]


class Disk:
    """A folder on a disk that can be filled."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self._ballast = folder / "ballast"
        self.is_mounted = subprocess.run(_mount(folder), capture_output=True, check=False).returncode == 0
        self.home.mkdir()

    def leave(self, room: int) -> None:
        """Leave ``room`` bytes free."""
        if self.is_mounted:
            with self._ballast.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, max(shutil.disk_usage(self.home).free - room, 1))
        else:
            _limit_files(max(room, _MIN_OUTPUT))

    def free(self) -> None:
        """Make room again."""
        if self.is_mounted:
            self._ballast.unlink()
        else:
            _limit_files(None)


@contextlib.contextmanager
def mounted() -> Iterator[Disk]:
    """Context with a disk, which is removed afterwards."""
    with new_home() as (folder, _):
        disk = Disk(folder)
        try:
            yield disk
        finally:
            if disk.is_mounted:
                subprocess.run(["umount", folder], check=True)


def _limit_files(room: int | None) -> None:
    """Limit the size of the files of this process and its forks, which then report it as they report a full disk."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    cli.FULL = (errno.ENOSPC, errno.EFBIG)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard if room is None else room, hard))


# ---------------------------------------------------------------- commands


def fill_command(name: str, tries: int, seed: int) -> Iterator[Counter[str]]:
    """Fill the disk of a command, half the time with an old result there; then let it go on with room."""
    rng, prepared = random.Random(seed), prepare(name)
    size = sum(map(len, prepared.files.values()))
    with new_home() as (_, log), mounted() as disk:
        for _ in range(tries):
            empty_folder(disk.home)
            if has_old := rng.random() < 0.5:
                prepared.leave(disk.home)
            disk.leave(int(rng.uniform(0, 1.2 * size + _PAGES)))
            yield Counter({_fill(prepared, disk, has_old, log): 1})


def _fill(prepared: Prepared, disk: Disk, has_old: bool, log: Path) -> str:
    """The outcome of a command on a full disk, and of its result."""
    outcome = start(prepared.job, disk.home, log).outcome()
    disk.free()
    if outcome not in (REFUSED, SURVIVED):
        return outcome
    if (has_old or outcome == SURVIVED) and not is_whole(prepared, disk.home):
        return LOST
    again = start(prepared.job, disk.home, log)
    if (later := again.outcome()) != SURVIVED:
        print(again.output, file=sys.stderr)
        return LOST if later == REFUSED else later
    return outcome if is_whole(prepared, disk.home) else LOST
