"""blackjacky dataset: what it prints and writes, how it goes on, what it refuses."""

from pathlib import Path

import pytest

from blackjacky_agents.data import Dataset

PLAYERS = "dataset --agents threshold,random*2"

pytestmark = pytest.mark.usefixtures("empty_folder")


def test_it_writes_games_between_the_named_agents_and_says_how_large_they_are(typed):
    folder = Path("data")
    told = typed(f"{PLAYERS} --games 30 --games-per-file 20 --seed 4 --hearts 1 --licence CC-BY-4.0 --output data")
    dataset = Dataset(folder)
    size = sum(path.stat().st_size for path in folder.glob("*/*.parquet"))
    assert f"| 30 | {dataset.decisions:,} | 2 | {size:,} | {size / 30:.1f} |" in told.out
    assert dataset.description.players == ["threshold", "random", "random"]
    assert (dataset.setup.options["hearts"], dataset.description.licence) == (1, "CC-BY-4.0")
    assert dataset.description.command in (folder / "README.md").read_text(encoding="utf-8")


def test_it_verifies_what_was_written_and_names_what_was_changed(typed):
    typed(f"{PLAYERS} --games 10 --output data")
    told = typed("dataset --verify --output data").out
    decisions = Dataset(Path("data")).decisions
    assert told == f"10 games, {decisions} decisions: the checksums are right, and all moves can be played.\n"
    description = Path("data/dataset.json")
    description.write_text(description.read_text("utf-8").replace('"wanted": 10', '"wanted": 1030'), "utf-8")
    assert typed("dataset --verify --output data").out == f"{told[:-1]} 1,020 more are still to be played.\n"
    (path,) = Path("data").glob("*/*.parquet")
    path.write_bytes(path.read_bytes()[:-1])
    assert f"{path} was changed" in typed("dataset --verify --output data", status=2).err
