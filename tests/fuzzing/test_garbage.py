"""The long run of garbage: what it tries, its limits, and that nothing that breaks a promise is overlooked."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from attacks import garbage
from attacks.common import BAD, ERROR, HANG, PROOFS, TRACEBACK

from tests.fuzzing.target import HarmError, Target
from tests.fuzzing.targets import TARGETS
from tests.fuzzing.test_fuzzing import raising


def test_every_target_gets_its_share():
    todo = garbage.tasks(100_000, 7)
    sizes = Counter()
    for task in todo:
        name, seed, first, last = task.arguments
        assert (seed, last - first) == (7, task.tries)
        sizes[name] += task.tries
    assert sizes.total() == 100_000
    assert sizes.keys() == TARGETS.keys()
    assert sizes["record"] == pytest.approx(20 * sizes["replay_page"], rel=0.01)
    assert max(task.tries for task in todo) <= 20_000


def test_the_inputs_of_a_target_are_tried_and_counted(monkeypatch, tmp_path):
    monkeypatch.setattr(garbage, "limit_memory", lambda: None)
    monkeypatch.setattr(garbage, "KEPT", tmp_path)
    counts = sum(garbage.attack_target("writer", 0, 10, 60), Counter())
    assert counts.total() == 50
    assert not counts.keys() & set(BAD)
    assert list(tmp_path.iterdir()) == []


def _hang(data):
    while True:
        pass


@pytest.mark.parametrize(
    ("parse", "outcome"),
    [
        (_hang, HANG),
        (raising(MemoryError()), ERROR),
        (raising(HarmError("a program is started")), ERROR),
        (raising(RecursionError("too deep")), TRACEBACK),
    ],
)
def test_what_breaks_a_promise_is_counted_and_kept(monkeypatch, tmp_path, capsys, parse, outcome):
    monkeypatch.setattr(garbage, "LIMIT", 0.05)
    monkeypatch.setattr(garbage, "KEPT", tmp_path)
    target = Target("any", "anything", parse, (ValueError,), lambda: [b"{}"])
    assert garbage.attempt(target, b"garbage") == outcome
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"garbage"]
    assert f": {outcome}\nTraceback" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is limited on Linux")
def test_memory_is_limited():
    code = "from attacks import garbage; garbage.limit_memory(); bytes(2**31)"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROOFS, capture_output=True, text=True, check=False)
    assert done.stderr.endswith("MemoryError\n")
