"""scripts/documents/measure_openspiel.py: both solvers give a policy the same value, and NFSP is measured."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspiel")
pytest.importorskip("tree", reason="dm-tree, which OpenSpiel's agents need")


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The script, with its results in a folder of the test."""
    measuring = importlib.import_module("measure_openspiel")
    monkeypatch.setattr(measuring, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(measuring, "RESULTS", tmp_path / "results")
    return measuring


def test_openspiel_and_our_solver_value_policies_alike_and_nfsp_is_trained(script: Any, tmp_path: Path) -> None:
    args = script.Args(games=("black_jacky",), tables=("mini-1", "mini-2"), minutes=0.005)
    script.main(args)
    file = tmp_path / "results" / "black_jacky" / "openspiel.json"
    rows = json.loads(file.read_text("utf-8"))
    for row in rows.values():
        policies = row["agreement"]["policies"]
        assert len(policies) == 3
        assert all(both["difference"] < 1e-9 for both in policies.values())
        assert min(both["openspiel"]["exploitability"] for both in policies.values()) < 1e-5
        assert max(both["openspiel"]["exploitability"] for both in policies.values()) > 0.5
    assert rows["mini-1"]["agreement"]["information_states"] == 48
    assert all(0 < distance < 1 for _, distance in rows["mini-1"]["nfsp"])
    before = file.read_bytes()
    script.main(args)
    assert file.read_bytes() == before
