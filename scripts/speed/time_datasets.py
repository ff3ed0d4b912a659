"""Decisions a second that datasets are written and read with, and their bytes, beside Minari on the same games.

    python scripts/speed/time_datasets.py                      # print
    python scripts/speed/time_datasets.py --write --of data    # into docs/datasets.md, with the size of another dataset

The same games are stored as moves, as `blackjacky dataset` does it; with every decision whole, in Parquet, as lists and
as bytes; and by Minari, with an episode for each seat. What is written has been played and prepared before the time
begins, Minari's episodes included. All ways take turns on one thread, and are read to the last entry. Seconds are of
CPU time, which other programs on the machine disturb less.
"""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import gymnasium
import minari
import pyarrow as pa
import pyarrow.parquet as pq
import tyro

from blackjacky_agents import cli
from blackjacky_agents.arena.table import Moves, join_moves
from blackjacky_agents.cli.dataset import Args as DatasetArgs
from blackjacky_agents.cli.dataset import make_table
from blackjacky_agents.data import Dataset
from blackjacky_agents.data.minari_export import episodes_of
from blackjacky_agents.data.writing import Writer
from blackjacky_agents.reports import markdown_table, show_part, where, where_run
from blackjacky_env.games import DEFAULT, get_game, seat_id

PAGE = Path(__file__).parents[2] / "docs" / "datasets.md"
BATCH = 1024
TOGETHER = 2**16  # decisions read at once, as `Dataset.record_batches` does


@dataclass(frozen=True)
class Args:
    """Decisions a second that datasets are written and read with, and their bytes, beside Minari."""

    games: int = 2_000
    """Number of games."""
    players: str = "champion,counter*3"
    """Agents, one per seat."""
    rounds: int = 3
    """Number of rounds, of which the median counts."""
    of: Path | None = None
    """Also tell the size of this dataset."""
    write: bool = False
    """Write the tables into docs/datasets.md."""


class Way(NamedTuple):
    """A way of storing games."""

    write: Callable[[Path], object]
    """(folder): write them."""
    read: Callable[[Path], int]
    """(folder) -> the number of decisions, all read."""


class Measured(NamedTuple):
    """Figures of a way, by round."""

    written: list[float]
    """Decisions per CPU second."""
    read: list[float]
    bytes: list[int]


def main(args: Args) -> None:
    """Measure, and print or write the tables."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["--players", args.players, "--games", str(args.games), "--threads", "1", "--out", f"{folder}/data"]
        if status := cli.run("dataset", command):
            raise SystemExit(status)
        dataset = Dataset(f"{folder}/data")
        parts = {"dataset-speed": report(args, dataset, measure(dataset, args))}
    if args.of is not None:
        parts["dataset-size"] = size_of(Dataset(args.of))
    for name, part in parts.items():
        show_part(PAGE, name, part, args.write)


def measure(dataset: Dataset, args: Args) -> dict[str, Measured]:
    """The figures of every way; the first round, which compiles, does not count."""
    every = ways(dataset, args.players)
    found = {name: Measured([], [], []) for name in every}
    for number in range(1 + args.rounds):
        for name, way in every.items():
            with tempfile.TemporaryDirectory() as folder:
                os.environ["MINARI_DATASETS_PATH"] = folder
                begun = time.process_time()
                way.write(Path(folder))
                written = time.process_time()
                if way.read(Path(folder)) != dataset.decisions:
                    raise RuntimeError(f"{name} does not read what it has written")
                read = time.process_time()
                size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
            rates = dataset.decisions / (written - begun), dataset.decisions / (read - written)
            print(f"round {number}: {name}: {rates[0]:,.0f} written, {rates[1]:,.0f} read, a CPU second", flush=True)
            if number:
                for figures, figure in zip(found[name], (*rates, size), strict=True):
                    figures.append(figure)
    return found


# ---------------------------------------------------------------- ways of storing games


def ways(dataset: Dataset, players: str) -> dict[str, Way]:
    """All ways, with what they write ready in memory."""
    batches = list(dataset.record_batches())
    episodes = [each for policy in range(len(dataset.setup.policies)) for each in episodes_of(dataset, policy)]
    played = join_moves([games.as_played() for games in dataset.every_piece()])
    moves = partial(write_moves, make_writer(players), played)
    return {
        "moves": Way(moves, lambda folder: sum(batch.num_rows for batch in Dataset(folder).record_batches())),
        f"moves, read shuffled, in batches of {BATCH:,}": Way(
            moves, lambda folder: sum(len(batch["action"]) for batch in Dataset(folder).batches(BATCH))
        ),
        "whole decisions, as lists": Way(partial(write_whole, batches), read_whole),
        "whole decisions, as bytes": Way(partial(write_whole, [in_bytes(batch) for batch in batches]), read_whole),
        "Minari (HDF5, its default)": Way(
            partial(write_minari, episodes),
            lambda _: sum(len(episode) for episode in minari.load_dataset("games-v0").iterate_episodes()),
        ),
    }


def make_writer(players: str) -> Writer:
    """What the command writes with."""
    table = make_table(DatasetArgs(players=players, rules=get_game(DEFAULT).options()))
    return Writer(Path(), table, "", "CC0-1.0")


def write_moves(writer: Writer, moves: Moves, folder: Path) -> None:
    """As the command does, with its check that the games can be played from their moves."""
    writer = replace(writer, folder=folder)
    writer.keep([writer.write_shard(0, moves)], len(moves.lengths))


def write_whole(batches: list[pa.RecordBatch], folder: Path) -> None:
    """All columns of all decisions in one Parquet file."""
    with pq.ParquetWriter(folder / "decisions.parquet", batches[0].schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)


def read_whole(folder: Path) -> int:
    """To Arrow record batches."""
    file = pq.ParquetFile(folder / "decisions.parquet")
    return sum(batch.num_rows for batch in file.iter_batches(TOGETHER, use_threads=False))


def in_bytes(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The same with observations and masks as bytes, which Parquet reads faster than lists."""
    for name in ("observation", "action_mask"):
        lists = batch[name]
        entries = lists.flatten().to_numpy()
        kind = pa.binary(lists.type.list_size * entries.itemsize)
        column = pa.FixedSizeBinaryArray.from_buffers(kind, len(lists), [None, pa.py_buffer(entries)])
        batch = batch.set_column(batch.schema.get_field_index(name), name, column)
    return batch


def write_minari(episodes: list[Any], _: Path) -> None:
    """With Minari's own writer."""
    env = gymnasium.make(seat_id(DEFAULT), observation_format="dict")
    spaces = {"observation_space": env.observation_space, "action_space": env.action_space}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an author and a permalink would be good
        minari.create_dataset_from_buffers("games-v0", episodes, **spaces)


# ---------------------------------------------------------------- the page


def report(args: Args, dataset: Dataset, found: dict[str, Measured]) -> str:
    """The table, with how it was made."""
    rows = [
        [
            name,
            f"{median(figures.bytes) / dataset.decisions:.2f}",
            *(f"{median(rates):,.0f} ({min(rates):,.0f} .. {max(rates):,.0f})" for rates in figures[:2]),
        ]
        for name, figures in found.items()
    ]
    heading = ["stored as", "bytes per decision", "written per CPU second", "read per CPU second"]
    versions = ", ".join(f"{name} {version(name)}" for name in ("pyarrow", "minari", "h5py"))
    command = f"python scripts/speed/time_datasets.py --games {args.games} --players '{args.players}'"
    how = (
        f"`{command} --rounds {args.rounds}`: {dataset.decisions:,} decisions of {len(dataset):,} games, one thread; "
        f"medians of {args.rounds} interleaved rounds, and the lowest and highest; {where_run(where())}, {versions}."
    )
    return f"{markdown_table(heading, rows)}\n\n{how}"


def size_of(dataset: Dataset) -> str:
    """The size of a dataset, with the command that wrote it."""
    made = dataset.description
    size = sum(shard.bytes for shard in made.shards)
    cells = [f"{len(dataset):,}", f"{dataset.decisions:,}", len(made.shards), f"{size:,}"]
    row = [*cells, f"{size / len(dataset):.1f}", f"{size / dataset.decisions:.2f}"]
    heading = ["games", "decisions", "files", "bytes", "bytes per game", "bytes per decision"]
    return f"{markdown_table(heading, [row])}\n\n`{made.command}`"


if __name__ == "__main__":
    main(tyro.cli(Args))
