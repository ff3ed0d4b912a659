"""scripts/proofs/mutate_rules.py: a changed rule is noticed, and the list of explained survivors fits the rules."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import mutate_rules
import pytest

SCRIPTS = Path(mutate_rules.__file__).parent
TRY = """
import sys
import mutate_rules
mutate_rules.prepare()
mutate_rules.SECONDS = 2
subject = mutate_rules.subjects()["black_jacky"]
code = subject.rules.read_text(encoding="utf-8")
old, new = sys.argv[1:3]
assert old in code
print(mutate_rules.passes(subject, code.replace(old, new), sys.argv[3:]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
@pytest.mark.parametrize(
    ("old", "new", "passes"),
    [
        ("# T2", "# nothing changes", "True"),
        ("v == 2:  # T2", "v == 8:", "False"),
        ("q = left_of(s, q)\n    return q", "q = p if q == p else q\n    return q", "False"),  # never ends
        ('"""Start a game', "no Python", "False"),
    ],
)
def test_a_change_of_the_rules_is_noticed(old, new, passes):
    tests = ["tests/games/black_jacky/test_rules.py", "-k", "t2 or t4"]
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(SCRIPTS)}
    command = [sys.executable, "-c", TRY, old, new, *tests]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=1200)
    assert done.stdout.strip() == passes, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_mutants_are_tried_in_a_process_of_their_own():
    killed_by = mutate_rules.try_some("black_jacky", mutate_rules.ROOT, {"f: 1 => (": "no Python"})
    assert killed_by == {"f: 1 => (": mutate_rules.RULES_TESTS}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_a_mutant_whose_process_was_killed_from_outside_does_not_count_as_noticed(monkeypatch):
    monkeypatch.setattr(mutate_rules, "run_tests", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(RuntimeError, match="signal 9 killed the process of a mutant"):
        mutate_rules.passes(mutate_rules.subjects()["black_jacky"], "", [])


def test_a_mutant_is_named_after_what_changed_and_where():
    source = "def f(x):\n    if x > 0:\n        return 1\n    return 1\n"
    names = []
    for mutant in (
        "def f(x):\n    if x > 0:\n        return 2\n    return 1\n",
        source.replace("    return 1\n", "    return 2\n"),
    ):
        names.append(mutate_rules.name_of("f", source, mutant, names))
    assert names == ["f: return 1 => return 2", "f: return 1 => return 2 #2"]


def test_a_sample_of_the_mutants_is_part_of_every_larger_one():
    names = [f"f: {i} => {i + 1}" for i in range(1000)]
    small, large, all_of_them = (
        {name for name in names if mutate_rules.is_sampled(name, share)} for share in (0.2, 0.5, 1)
    )
    assert small < large < all_of_them == set(names)
    assert 150 < len(small) < 250


def test_survivors_and_explanations_must_match(capsys):
    survived, reasons = mutate_rules.SURVIVED, {"a": "cannot happen", "b": "is not used"}
    assert mutate_rules.judge({"a": survived, "b": survived, "c": "reference implementation"}, reasons) == 0
    assert mutate_rules.judge({"a": survived, "b": "reference implementation"}, reasons) == 1
    assert "is explained, but was killed by the reference implementation: b" in capsys.readouterr().err
    assert mutate_rules.judge({"c": survived}, reasons) == 1
    assert "survives without an explanation: c" in capsys.readouterr().err


@pytest.mark.parametrize("subject", mutate_rules.subjects().values(), ids=list(mutate_rules.subjects()))
def test_every_explained_mutant_changes_a_line_that_the_rules_have(subject):
    lines = {line.strip() for line in subject.rules.read_text(encoding="utf-8").splitlines()}
    explained = mutate_rules.explained(subject)
    assert all(explained.values())
    assert {name.partition(": ")[2].partition(" => ")[0] for name in explained} <= lines
