"""scripts/proofs/prove_leaks.py: a short proof over all tables."""

import pytest

from scripts.proofs import prove_leaks
from scripts.proofs.prove_leaks import Args, main, tables

pytestmark = pytest.mark.prove


def test_a_short_proof_covers_every_table_and_finds_nothing(monkeypatch):
    written = []
    monkeypatch.setattr(prove_leaks, "save", lambda kind, rows, **facts: written.extend([rows, facts["settings"]]))
    assert main(Args(positions=40, workers=1, seed=3, told=True, write=True)) == 0
    rows, settings = written
    assert (len(rows), settings["positions"], settings["leaks"]) == (len(tables("black_jacky")), 40, 0)
    assert min(row["positions"] for row in rows) > 0
