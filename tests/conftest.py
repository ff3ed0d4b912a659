"""What all tests share: Hypothesis without a clock, the same examples every time; no network beyond this machine.

`make test` leaves out tests with the marker `prove`, and those of the fixture `game` with other games than the default
and the tiny one; `make prove` runs them.

Compiled code is optimised less than users' is, which changes no result and takes a third off the time of compiling.
"""

import gc
import os
import sys

import pytest
from hypothesis import settings

os.environ.setdefault("NUMBA_OPT", "1")  # before Numba is imported; processes that tests start inherit it
os.environ.setdefault("OMP_NUM_THREADS", "1")  # of PyTorch: threads of several processes spin
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or each of these processes parses every module again
sys.dont_write_bytecode = False

from blackjacky_env.games import get_game  # noqa: E402
from tests.every_game import FIRST, NAMES, with_tiny  # noqa: E402

settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")


def _stay_here(event, arguments):
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        host = str(arguments[1][0])
        if not (host.startswith("127.") or host in {"localhost", "::1", "0.0.0.0", "::"}):
            raise RuntimeError(f"a test connects to {host}; tests need no network")


sys.addaudithook(_stay_here)


def pytest_addoption(parser):
    """Add the option with which tests that only reach branches are faster."""
    parser.addoption("--without-reference", action="store_true", help="the environment alone plays rigged games")


@pytest.fixture
def tiny():
    with with_tiny():
        yield


@pytest.fixture(params=[pytest.param(name, marks=[] if name in FIRST else pytest.mark.prove) for name in NAMES])
def game(request, tiny):
    """Every game, the tiny one too; `make test` takes two of them."""
    return get_game(request.param)


@pytest.fixture(params=NAMES)
def each_game(request, tiny):
    """Every game, in `make test` too: for few and short tests."""
    return get_game(request.param)


def pytest_collection_modifyitems(items):
    """Begin with slow tests, or one process would be busy with them alone in the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_runtest_setup():
    """Let PyTorch use one thread until a test chooses more; a training sets the number for its whole process."""
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)


def pytest_collection_finish():
    """Spare the garbage collector the modules of all tests, which live to the end."""
    gc.freeze()
