"""Leagues on a Ray cluster: what they learn is the same as without one, also when nodes are killed."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("ray", reason="of the extra `cluster`")
pytest.importorskip("sb3_contrib", reason="of the extra `train`")

from tests.agents.test_cluster import told_by

pytestmark = pytest.mark.prove


@pytest.fixture(scope="module")
def on_cluster(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    told: dict[str, Any] = told_by("use_cluster_league", tmp_path_factory.mktemp("cluster"))
    return told


@pytest.mark.parametrize("way", ["in turns", "side by side"])
def test_a_cluster_that_loses_a_node_learns_what_one_process_does(on_cluster: dict[str, Any], way: str):
    assert on_cluster["cluster"][way] == on_cluster["here"][way]
    assert on_cluster["here"]["in turns"]["weights"] != on_cluster["here"]["side by side"]["weights"]  # older ones
    assert any(name.startswith("exploiter") for name in on_cluster["here"][way]["pool"])
