"""The lock between processes that want to make the same file."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from blackjacky_env.compiled.locking import one_process

pytest.importorskip("fcntl")

HOLDER = """
import sys
from pathlib import Path
from blackjacky_env.compiled.locking import one_process
with one_process(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def hold(path: Path) -> subprocess.Popen[str]:
    """Another process that holds the lock until it reads a line."""
    command = [sys.executable, "-c", HOLDER, str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_process_waits_for_another(tmp_path: Path) -> None:
    with hold(tmp_path / "lock") as other:
        with one_process(tmp_path / "lock", patience=0):
            assert other.poll() is None, "who has no patience goes on beside the holder"
        assert (tmp_path / "lock").exists(), "and does not take the holder's lock away"
        other.communicate("\n")
        with one_process(tmp_path / "lock"):
            assert other.returncode == 0


def test_the_lock_of_a_dead_process_is_free(tmp_path: Path) -> None:
    with hold(tmp_path / "lock") as other:
        other.kill()
    began = time.monotonic()
    with one_process(tmp_path / "lock", patience=1000):
        assert time.monotonic() < began + 900
