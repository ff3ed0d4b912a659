"""How long the tests take, from the files that `make test` and `make prove` write: results/tests.json.

make test; cp build/test.xml build/test-1.xml                      once for each run
python -m scripts.measures.suite build/test-1.xml build/prove.xml
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import tyro

from scripts.results import save


@dataclass(frozen=True)
class Args:
    """How long the tests take."""

    files: tyro.conf.Positional[
        tuple[Path, ...]
    ]  # JUnit files: `test*.xml` of `make test`, `prove*.xml` of `make prove`.


def main(args: Args) -> None:
    """Write the result."""
    what = "Runs of all tests on two processes: all their seconds, and the tests that took longest."
    try:
        rows = [row(path) for path in args.files]
    except (OSError, ValueError, ElementTree.ParseError) as error:
        sys.exit(f"error: {error}; expected are files that make test or make prove has written, such as build/test.xml")
    path = save("tests", rows, what=what)
    print(f"{path} written")


def row(path: Path) -> Mapping[str, object]:
    """The times of one run."""
    [suite] = ElementTree.parse(path).iter("testsuite")
    tests = [(float(test.get("time", 0)), str(test.get("name"))) for test in suite.iter("testcase")]
    seconds, name = max(tests)
    counts = {count: int(suite.get(count, 0)) for count in ("tests", "skipped", "failures")}
    return {
        "run": f"`make {path.stem.partition('-')[0]}`",
        **counts,
        "minutes": round(float(suite.get("time", 0)) / 60, 1),
        "minutes of all tests": round(sum(time for time, _ in tests) / 60, 1),
        "longest test": f"`{name.partition('[')[0]}`",
        "its seconds": round(seconds),
    }


if __name__ == "__main__":
    main(tyro.cli(Args))
