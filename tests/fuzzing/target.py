"""What a fuzz target is, and what trying one input tells."""

import atexit
import os
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from numba import config

from tests.fuzzing.mutators import mutate

REFUSED, SURVIVED = "refused", "survived"
INPUT_ERRORS = (ValueError, TypeError, OSError, NotImplementedError)
"""What the command reports as wrong input (`blackjacky_agents.cli.errors.checking_input`)."""


@dataclass(frozen=True)
class Target:
    """Something that parses what others have written."""

    name: str
    parse: Callable[[bytes], object]
    """Parses an input, and looks at what it got."""
    promised: tuple[type[BaseException], ...]
    """The errors that it may raise; empty: it accepts anything."""
    make_seeds: Callable[[], list[bytes]]
    share: float = 1.0
    """How often it is tried, relative to the others; less than 1 for one that is slow."""

    def garbage(self, rng):
        return mutate(rng.choice(seeds_of(self)), rng.choice(seeds_of(self)), rng)

    def attempt(self, data):
        """Parse ``data``; returns `REFUSED` or `SURVIVED`, and lets errors through that are not promised."""
        try:
            with nothing_done(), limits():
                self.parse(data)
        except self.promised as error:
            if not str(error).strip() and not isinstance(error, SystemExit):
                raise AssertionError(f"{type(error).__name__} says nothing") from error
            return REFUSED
        return SURVIVED


@cache
def seeds_of(target):
    return target.make_seeds()


SECONDS = 120.0
"""Enough to compile something on a busy machine."""
MEMORY = 2**31
"""Bytes that parsing may take beyond what the process has."""


class TooSlowError(BaseException):
    """An input has taken longer than `SECONDS`."""


class HarmError(BaseException):
    """Parsing has started a program, opened a connection, or written outside its folder."""


_STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "socket.connect", "socket.bind")
_CHANGES = ("os.remove", "os.rename", "os.rmdir", "os.truncate", "os.mkdir", "shutil.rmtree")
_CACHES = ("__pycache__", "numba", *filter(None, [config.CACHE_DIR, sys.pycache_prefix]))  # of compiled code
_watching = False


def _watch(event, arguments):
    if not _watching:
        return
    if event in _STARTS or (event in _CHANGES and not _is_ours(arguments[0])):
        raise HarmError(f"{event} {arguments!r:.200}")
    if event == "open" and not isinstance(arguments[0], int) and not _is_ours(arguments[0]):
        _, mode, flags = arguments  # a descriptor was judged by its path when it was opened
        if set(mode) & set("wax+") if mode is not None else flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise HarmError(f"{arguments[0]!r:.200} is opened for writing")


def _is_ours(path):
    return str(path).startswith(str(folder())) or any(cache in str(path) for cache in _CACHES)


@contextmanager
def nothing_done():
    """Context in which no program is started, no connection opened, and nothing written outside of `folder`."""
    global _watching  # noqa: PLW0603  # an audit hook cannot be removed
    folder()
    _watching = True
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        _watching = False


sys.addaudithook(_watch)


@contextmanager
def limits():
    """Context that may take `MEMORY` more than the process has, and `SECONDS`, after which it fails."""
    if not sys.platform.startswith("linux"):
        yield
        return
    import resource

    pages, before = int(Path("/proc/self/statm").read_text().split()[0]), resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, before[1]))
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)


def _stop(number, frame):
    raise TooSlowError


@cache
def folder():
    """The folder for files to parse, removed at the end; in memory where that is possible."""
    memory = Path("/dev/shm")
    made = Path(tempfile.mkdtemp(prefix="fuzzing-", dir=memory if memory.is_dir() else None))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def written(name, data):
    path = folder() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path
