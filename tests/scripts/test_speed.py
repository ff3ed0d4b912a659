"""scripts/speed: every line that a page shows is measured; nothing here judges a time."""

import pytest

pytest.importorskip("tyro")
pytest.importorskip("pytest_benchmark")

from scripts.pages import measured
from scripts.speed import bench


@pytest.mark.prove
@pytest.mark.slow
def test_a_quick_run_measures_every_line_that_a_page_shows(capsys):
    assert bench.main(bench.Args(quick=True, peers=True)) == 0
    found = capsys.readouterr().out
    elsewhere = ("Pgx", "OpenSpiel", "RLCard", "PettingZoo", "classic/", "2 threads")  # other libraries, a second core
    ours = [line for line in measured.SHOWN if not any(word in line for word in elsewhere)]
    assert [line for line in ours if f"| {line} |" not in found] == []
