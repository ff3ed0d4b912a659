"""The comparison with Minari: all ways store the same games, and the page says how it was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("minari", reason="of the extra `minari`")

import time_datasets
from time_datasets import Args

from blackjacky_agents import cli
from blackjacky_agents.data import Dataset


def test_every_way_is_written_and_read_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    names = ("dataset-speed", "dataset-size")
    page.write_text("".join(f"<!-- {name}:begin -->\n<!-- {name}:end -->\n" for name in names), encoding="utf-8")
    monkeypatch.setattr(time_datasets, "PAGE", page)
    monkeypatch.setenv("MINARI_DATASETS_PATH", "")  # set by the script, and what it was when the test ends
    assert cli.run("dataset", ["--players", "random*2", "--games", "30", "--out", str(tmp_path / "data")]) == 0
    time_datasets.main(Args(games=20, players="random*3", rounds=1, of=tmp_path / "data", write=True))
    told = page.read_text(encoding="utf-8")
    for way in ("moves", "whole decisions, as lists", "whole decisions, as bytes", "Minari (HDF5, its default)"):
        assert f"\n| {way} | " in told
    assert "time_datasets.py --games 20 --players 'random*3' --rounds 1`" in told
    dataset = Dataset(tmp_path / "data")
    assert f"| 30 | {dataset.decisions:,} | 1 | {dataset.description.shards[0].bytes:,} | " in told
    assert "round 1: moves: " in capsys.readouterr().out


def test_a_way_that_loses_decisions_is_no_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli.run("dataset", ["--players", "random*2", "--games", "5", "--out", str(tmp_path)]) == 0
    forgetful = {"nothing": time_datasets.Way(lambda folder: None, lambda folder: 0)}
    monkeypatch.setattr(time_datasets, "ways", lambda *_: forgetful)
    monkeypatch.setenv("MINARI_DATASETS_PATH", "")
    with pytest.raises(RuntimeError, match="nothing does not read what it has written"):
        time_datasets.measure(Dataset(tmp_path), Args(rounds=1))
