"""Tests that run once more in plain Python mode (NUMBA_DISABLE_JIT=1)."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def printed_in_plain_mode(file):
    """What a test file prints when it is run as a script with ``NUMBA_DISABLE_JIT=1``."""
    plain = subprocess.run(
        [sys.executable, "-W", "error", file],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},  # other libraries install tests, too
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=1200,
    )
    return plain.stdout


def missed_in_plain_mode(suite, measured, scratch, but=""):
    """Run test files in plain Python mode; returns the lines and branches of the ``measured`` files not reached.

    Raises an `AssertionError` with what pytest says if a test fails. ``but``: tests to leave out, as after pytest's
    ``-k``.
    """
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1", "COVERAGE_FILE": str(scratch / "coverage")}

    def coverage(*arguments):
        command = [sys.executable, "-m", "coverage", *map(str, arguments)]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=1200)
        assert done.returncode == 0, done.stdout + done.stderr

    traced = ["--rcfile=", "--branch", f"--include={','.join(measured)}"]
    pytest = ["-m", "pytest", "-x", "-q", "-m", "", "-p", "no:cacheprovider", "--without-reference"]
    coverage("run", *traced, *pytest, *(["-k", f"not ({but})"] if but else []), *suite)
    coverage("json", "-o", scratch / "coverage.json")
    files = json.loads((scratch / "coverage.json").read_text(encoding="utf-8"))["files"]
    assert set(files) == set(measured)
    return [
        f"{name}: {what}"
        for name in measured
        for what in files[name]["missing_lines"] + files[name]["missing_branches"]
    ]
