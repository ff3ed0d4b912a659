"""Writing datasets: games are played, written shard by shard, and described in ``dataset.json`` and a data card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from blackjacky_agents.arena.cluster import ClusterExecutor
from blackjacky_agents.arena.fixture import LineupFixture, Results, join
from blackjacky_agents.arena.results_file import describe, refuse_other_setup
from blackjacky_agents.arena.workers import Jobs, open_jobs
from blackjacky_agents.data.loading import GAMES, MOST_GAMES, NAME, Dataset, Description, Shard, shard_name
from blackjacky_agents.data.schema import games_schema
from blackjacky_agents.data.stored_games import Setup, StoredGames
from blackjacky_agents.reports import markdown_table
from blackjacky_agents.storage.files import only_writer, write_file
from blackjacky_env.checks import check_integer
from blackjacky_env.compiled import check_threads
from blackjacky_env.games import get_game

SHARD = 2**16  # games of a shard, by default
MOST_IN_SHARD = 2**22  # a shard is made in memory
CARD = "README.md"
_ROWS = 2**12  # of a row group, the piece that is read at once


@dataclass(frozen=True)
class Writer:
    """Writes the games of a table as a dataset, or goes on with one.

    Args:
        folder: the dataset's folder, made if there is none.
        fixture: everything that determines the games; it has one line-up.
        command: the command line, for the data card.
        licence: SPDX identifier of the data's licence.
        shard: games of a shard.
    """

    folder: Path
    fixture: LineupFixture
    command: str
    licence: str
    shard: int = SHARD

    def find(self, games: int) -> tuple[Shard, ...]:
        """The shards of the dataset to go on with to so many games; none: there is no dataset, the folder is free.

        Raises `ValueError` if the folder holds something else, or a dataset with other games or more of them.
        """
        if not (self.folder / NAME).exists():
            others = [path.name for path in self.folder.glob("*") if not path.name.startswith(".")]
            if others:
                raise ValueError(f"{self.folder} holds other files, such as {others[0]}: use another place (--output)")
            return ()
        there = Dataset(self.folder)
        refuse_other_setup(self.folder / NAME, there.description.setup, self._described)
        if len(there) > games:
            raise ValueError(
                f"{self.folder} holds {len(there):,} games, more than {games:,}: use another place (--output)"
            )
        for shard in there.description.shards[-1:]:
            there.check_sum(shard)
        return there.description.shards

    def write(
        self,
        games: int,
        threads: int | None = None,
        progress: Callable[[int], object] = lambda games: None,
        cluster: ClusterExecutor | None = None,
    ) -> Description:
        """Play until the dataset has so many games; whole shards that are there are kept, a shorter one is replaced.

        The files depend on the table, ``games`` and ``shard`` alone, however often the program was killed meanwhile.

        Args:
            games: total number, including those in the folder.
            threads: number of cores; None: all. Agents that are not compiled play in processes.
            progress: called with the number of games played, including those kept, whenever it has increased.
            cluster: plays the games instead of this machine, with the same results.

        Raises:
            ValueError: the folder holds more games, or something else.
            FolderInUseError: another process writes to the folder.
            IllegalActionError: an agent chose an illegal action; all earlier shards are kept.
            ClusterError: the cluster was lost; all earlier shards are kept.
        """
        check_integer("games", games, 1, MOST_GAMES)
        cores = check_threads(threads)
        with only_writer(self.folder):
            shards = self.find(games)
            description = self._describe(shards, games)
            if description.games < games:
                shards = tuple(shard for shard in shards if shard.games == self.shard)
                with open_jobs(self.fixture, True, cores, cluster) as jobs:
                    for shard in self._fill(shards[-1].end if shards else 0, games, jobs, progress):
                        shards = (*shards, shard)
                        description = self._describe(shards, games)
            progress(games)
            for path in (self.folder / GAMES).iterdir():  # what longer files have replaced, or a kill has left
                if path.name not in {shard.file for shard in shards}:
                    path.unlink()
            return description

    def _fill(self, first: int, games: int, jobs: Jobs, progress: Callable[[int], object]) -> Iterator[Shard]:
        """Play the missing games, and yield each shard when it has been written."""
        played, kept, there = jobs.play(first, games), [], first
        progress(first)
        while first < games:
            end = min(first + self.shard, games)
            while there < end:
                kept.append(next(played)[0])
                there += len(kept[-1].lengths)
                progress(there)
            together = join(kept)
            yield self._write_shard(first, together.part(slice(end - first)))
            first, kept = end, [together.part(slice(end - first, None))]

    def _write_shard(self, first: int, played: Results) -> Shard:
        """Write games into a file of their own, atomically."""
        count, sink, fixture = len(played.lengths), pa.BufferOutputStream(), self.fixture
        schedule = fixture.schedule(first, count)
        numbers = first + np.arange(count)
        games = StoredGames(numbers, *schedule, played.winners, played.scores, played.actions, played.starts)
        names = [agent.name for agent in fixture.agents]
        setup = Setup(get_game(fixture.game), fixture.num_players, fixture.variant, fixture.options, names)
        write_games(setup.to_arrow(games), sink, _ROWS)
        content, name = sink.getvalue().to_pybytes(), shard_name(first, count)
        (self.folder / GAMES).mkdir(exist_ok=True)
        write_file(self.folder / GAMES / name, content)
        return Shard(
            file=name,
            first=first,
            games=count,
            decisions=len(games.moves),
            bytes=len(content),
            sha256=sha256(content).hexdigest(),
        )

    def _describe(self, shards: Sequence[Shard], games: int) -> Description:
        """Write description and data card of a dataset with these files, in which there shall be so many games."""
        setup, command, licence = self._described, self.command, self.licence
        made = Description(setup=setup, command=command, licence=licence, wanted=games, shards=tuple(shards))
        write_file(self.folder / NAME, made.model_dump_json(indent=2) + "\n")
        write_file(self.folder / CARD, data_card(made))
        return made

    @cached_property
    def _described(self) -> dict[str, Any]:
        return {**describe(self.fixture), "games_per_file": self.shard}


def write_games(table: pa.Table, sink: Any, rows: int) -> None:
    """Write a table with `games_schema` as a Parquet file; ``rows``: of a row group."""
    repeated = [
        f"{field.name}.list.element" if pa.types.is_nested(field.type) else field.name
        for field in table.schema
        if field.name not in ("episode", "seed")  # in which no value repeats
    ]
    pq.write_table(
        table, sink, row_group_size=rows, use_dictionary=repeated, compression="zstd", write_statistics=False
    )


_CARD = """\
---
license: {tag}
task_categories: [reinforcement-learning]
tags: [offline-reinforcement-learning, multi-agent, imitation-learning, card-game]
configs: [{{config_name: default, data_files: games/*.parquet}}]
---

# Games of {title}

{games:,} games with {decisions:,} decisions between {players}, as Parquet files.{missing}

Every game is whole, and every seat is in it. The players are programs: the games tell nothing about people, and no more
about good play than their players know. Use them for imitation, offline reinforcement learning, models of opponents and
of beliefs, or statistics of play. Made with blackjacky {version} by

```
{command}
```

`dataset.json` has rules, seed, versions and hashes of the players, and checksums of the files: with the same versions,
the command writes the same games. `blackjacky dataset --verify --output .` compares the checksums and plays all games
again.

## Columns

{columns}

Nothing else is needed to play the games again. `blackjacky_agents.data.Dataset` does so, with the compiled rules, and
yields observation, mask of legal actions, action and reward of every decision (`pip install 'blackjacky[data]'`):

```python
from blackjacky_agents.data import Dataset

for batch in Dataset(".").batches(1024, seed=0):  # shuffled, as NumPy arrays
    batch["observation"], batch["action_mask"], batch["action"]
```

## Licence

{licence}
"""


def data_card(description: Description) -> str:
    """The card, in Markdown, with the metadata block that the Hugging Face Hub reads."""
    setup, players = description.setup, Counter(description.players)
    missing = description.wanted - description.games
    columns = (
        [f"`{field.name}`", f"`{field.type}`", field.metadata[b"meaning"].decode()]
        for field in games_schema(setup["num_players"])
    )
    return _CARD.format(
        tag=description.licence.lower(),
        title=get_game(setup["game"]).title,
        games=description.games,
        decisions=description.decisions,
        players=", ".join(f"{count} x `{name}`" if count > 1 else f"`{name}`" for name, count in players.items()),
        missing=f" {missing:,} more are still to be played." if missing else "",
        version=setup["versions"]["blackjacky"],
        command=description.command,
        columns=markdown_table(["column", "type", "meaning"], columns),
        licence=description.licence,
    )
