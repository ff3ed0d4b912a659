"""scripts/proofs/mutate_rules.py: a changed rule is noticed, and the list of explained survivors fits the rules."""

import os

import pytest

from scripts.proofs import mutate_rules
from scripts.proofs.mutate_rules import REFERENCE, RULES_TESTS, SURVIVED, judge, subjects, try_some

pytestmark = [pytest.mark.prove, pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")]
CHANGES = {
    ("# T2", "# nothing changes"): SURVIVED,
    ("v == 2:  # T2", "v == 8:"): RULES_TESTS,
    ("q = left_of(s, q)\n    return q", "q = p if q == p else q\n    return q"): RULES_TESTS,  # never ends
    ('"""Start a game', "no Python"): RULES_TESTS,
}


def test_changes_of_the_rules_are_noticed():
    code = subjects()["black_jacky"].rules.read_text(encoding="utf-8")
    assert all(old in code for old, _ in CHANGES)
    found = try_some("black_jacky", {new: code.replace(old, new) for old, new in CHANGES})
    assert found == {new: by for (_, new), by in CHANGES.items()}


def test_survivors_and_explanations_must_match(capsys):
    reasons = {"a": "cannot happen", "b": "is not used"}
    assert judge({"a": SURVIVED, "b": SURVIVED, "c": REFERENCE}, reasons) == 0
    assert judge({"a": SURVIVED, "b": REFERENCE}, reasons) == 1
    assert "is explained, but was killed by the reference implementation: b" in capsys.readouterr().err
    assert judge({"c": SURVIVED}, reasons) == 1
    assert "survives without an explanation: c" in capsys.readouterr().err


@pytest.mark.parametrize("subject", subjects().values(), ids=list(subjects()))
def test_every_explained_mutant_changes_a_line_that_the_rules_have(subject):
    lines = {line.strip() for line in subject.rules.read_text(encoding="utf-8").splitlines()}
    explained = mutate_rules.explained(subject)
    assert all(explained.values())
    assert {name.partition(": ")[2].partition(" => ")[0] for name in explained} <= lines
