"""scripts/speed/compare_speed.py: what became slower is reported; nothing here measures time."""

import subprocess

import compare_speed
import pytest

CASES = {"test_same": [1.0, 1.1, 0.9], "test_slower": [1.0, 1.0, 1.0], "test_faster": [1.0, 1.0, 1.0]}
NOW = {"test_same": [1.0, 1.2, 0.5], "test_slower": [1.0, 1.3, 1.4], "test_faster": [0.7, 0.7, 9.0], "test_new": [1.0]}


def test_changes_are_those_of_the_medians():
    found = compare_speed.changes(CASES, NOW)
    assert found == {"test_same": 0.0, "test_slower": pytest.approx(0.3), "test_faster": pytest.approx(-0.3)}


def test_the_table_says_what_became_slower_or_faster_by_more_than_the_limit():
    lines = compare_speed.report(CASES, NOW, compare_speed.Args(base="main", limit=0.2)).splitlines()
    last = [line.split(" | ")[-1].rstrip(" |") for line in lines[2:]]
    assert last == ["+0%", "+30% **slower**", "-30% **faster**", "is new"]
    assert "**" not in compare_speed.report(CASES, NOW, compare_speed.Args(limit=0.5))


@pytest.mark.parametrize(("changed", "status"), [("test_slower", 1), ("test_faster", 0), ("test_same", 0)])
def test_the_exit_status_says_whether_something_became_slower(monkeypatch, changed, status):
    monkeypatch.setattr(compare_speed, "check_out", lambda commit, folder: folder)
    monkeypatch.setattr(compare_speed, "git", lambda *arguments: None)
    times = {"base": {changed: CASES[changed]}, "new": {changed: NOW[changed]}}
    monkeypatch.setattr(compare_speed, "measure_in_turn", lambda *arguments: times)
    assert compare_speed.main(compare_speed.Args()) == status


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"rounds": 0}, "--rounds 0"), ({"base": "no-such-commit"}, "'no-such-commit' is not a commit")],
)
def test_impossible_arguments_are_refused(arguments, message):
    with pytest.raises(SystemExit, match=message):
        compare_speed.main(compare_speed.Args(**arguments))


def test_each_tree_is_measured_by_its_own_cases(tmp_path, monkeypatch):
    called = []

    def run(command, **options):
        called.append((command[-1], options["cwd"]))
        (tmp_path / "cache.json").write_text('{"benchmarks": []}', encoding="utf-8")
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(compare_speed.subprocess, "run", run)
    assert compare_speed.measure(tmp_path / "tree", tmp_path / "cache") == {}
    assert called == [(str(tmp_path / "tree" / "tests" / "speed" / "speed.py"), tmp_path / "tree")]
