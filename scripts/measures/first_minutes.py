"""Time a newcomer's first commands, in a clone with empty caches: results/first_minutes.json.

How long installing takes depends on the network and on pip's cache. Needs make and git, and ten minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import tyro

from scripts.results import ROOT, save


@dataclass(frozen=True)
class Args:
    """Time a newcomer's first commands, in a clone with empty caches."""


TARGETS = {"install": "packages installed (`make install`)", "train": "end of `make train`"}
OURS = ("PYTHONPATH", "VIRTUAL_ENV", "NUMBA_CACHE_DIR", "NUMBA_OPT", "MAKEFLAGS", "MAKELEVEL")
"""Variables that lead to this environment."""


def seconds(target: str) -> int:
    """From `git clone` of HEAD into an empty folder to the end of `make TARGET`; what it prints goes to stderr."""
    environment = {name: value for name, value in os.environ.items() if name not in OURS}
    with tempfile.TemporaryDirectory() as folder:
        begun, clone = time.perf_counter(), Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        subprocess.run(["make", target], cwd=clone, stdout=sys.stderr, env=environment, check=True)
        return round(time.perf_counter() - begun)


if __name__ == "__main__":
    tyro.cli(Args)
    rows = [{"from `git clone` to": what, "seconds": seconds(target)} for target, what in TARGETS.items()]
    print(f"{save('first_minutes', rows)} written")
