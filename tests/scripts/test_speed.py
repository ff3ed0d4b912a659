"""scripts/speed: every target is measured; nothing here judges a time."""

import pytest

pytest.importorskip("tyro")
pytest.importorskip("pytest_benchmark")

from scripts.speed import bench


@pytest.mark.prove
@pytest.mark.slow
def test_a_quick_run_measures_every_line_with_a_target(capsys):
    assert bench.main(bench.Args(quick=True, peers=True)) == 0
    found = capsys.readouterr().out
    lines = {line.rpartition(" [")[0] for line in bench.GOALS["targets"]}
    elsewhere = ("Pgx", "OpenSpiel", "connect_four", "threads", "two threads")  # other libraries, a second core
    assert [line for line in lines if f"| {line} |" not in found and not any(word in line for word in elsewhere)] == []
