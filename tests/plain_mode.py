"""Test files that print what they find, run once more in plain Python mode."""

from __future__ import annotations

import os
import subprocess
import sys


def printed_in_plain_mode(file: str) -> str:
    """What a test file prints when it is run as a script with ``NUMBA_DISABLE_JIT=1``."""
    plain = subprocess.run(
        [sys.executable, "-W", "error", file],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=300,
    )
    return plain.stdout
