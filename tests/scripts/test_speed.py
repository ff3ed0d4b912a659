"""scripts/speed: cases are measured in turn, and what became slower is reported; nothing here judges a time."""

from __future__ import annotations

import pytest

pytest.importorskip("tyro")

from scripts.speed import bench
from scripts.speed.bench import Args, compared, main

BASE = {"same [steps/s]": [1.0, 1.2, 1.1], "slower [steps/s]": [4.0, 4.0], "faster [s]": [1.0, 1.0]}
NEW = {"same [steps/s]": [1.0, 1.3, 1.1], "slower [steps/s]": [2.0, 2.2], "faster [s]": [0.7, 0.5], "new [s]": [1.0]}


def test_what_became_slower_or_faster_by_more_than_the_limit_is_marked_and_slower_cases_fail() -> None:
    text, slower = compared(BASE, NEW, Args(base="main"))
    marks = [line.split(" | ")[-1] for line in text.splitlines()[2:]]
    assert marks == ["+0% |", "+91% **slower** |", "-40% **faster** |", "is new |"]
    assert slower
    assert not compared(BASE, {**NEW, "slower [steps/s]": [4.0, 4.0]}, Args(base="main"))[1]


@pytest.mark.prove
@pytest.mark.slow
def test_a_quick_run_measures_every_line_with_a_target(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pytest_benchmark")
    assert main(Args(quick=True, peers=True)) == 0
    found = capsys.readouterr().out
    lines = {line.rpartition(" [")[0] for line in bench.GOALS["targets"]}
    elsewhere = ("Pgx", "OpenSpiel", "connect_four", "threads", "two threads")  # other libraries, a second core
    assert [line for line in lines if f"| {line} |" not in found and not any(word in line for word in elsewhere)] == []
