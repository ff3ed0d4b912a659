"""Writing datasets shard by shard: games are played, then played back from their moves, then written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from blackjacky_agents.arena.cluster import ClusterExecutor
from blackjacky_agents.arena.jobs import Jobs, open_jobs
from blackjacky_agents.arena.results_file import describe, refuse_other_setup
from blackjacky_agents.arena.table import Moves, Table, join_moves, play_moves
from blackjacky_agents.data.card import data_card
from blackjacky_agents.data.dataset import Dataset
from blackjacky_agents.data.description import (
    FORMAT,
    GAMES,
    MOST_GAMES,
    NAME,
    Description,
    Shard,
    read_description,
    shard_name,
)
from blackjacky_agents.data.games import Games, Setup
from blackjacky_agents.data.pages import MOST_ROWS, MOST_VALUES, write_games
from blackjacky_agents.files import only_writer, write_file, write_json
from blackjacky_env.checks import check_integer
from blackjacky_env.compiled import check_threads
from blackjacky_env.games import get_game

SHARD = 2**16  # games of a shard, by default
MOST_IN_SHARD = 2**22  # a shard is made in memory
CARD = "README.md"


@dataclass(frozen=True)
class Writer:
    """Writes the games of a table as a dataset, or goes on with one.

    Args:
        folder: the dataset's folder, made if there is none.
        table: everything that determines the games; it has one line-up.
        command: the command line, for the data card.
        licence: SPDX identifier of the data's licence.
        shard: games of a shard.
    """

    folder: Path
    table: Table
    command: str
    licence: str
    shard: int = SHARD

    def find(self, games: int) -> Description | None:
        """The dataset to go on with to so many games; None: there is none, and the folder is free.

        Raises `ValueError` if the folder holds something else, or a dataset with other games or more of them.
        """
        if not (self.folder / NAME).exists():
            others = [path.name for path in self.folder.glob("*") if not path.name.startswith(".")]
            if others:
                raise ValueError(f"{self.folder} holds other files, such as {others[0]}: use another place (--out)")
            return None
        found = read_description(self.folder)
        refuse_other_setup(self.folder / NAME, found.setup, self._described, "--out")
        if found.games > games:
            raise ValueError(
                f"{self.folder} holds {found.games:,} games, more than {games:,}: use another place (--out)"
            )
        for shard in found.shards[-1:]:
            Dataset(self.folder).check_sum(shard)
        return found

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
            found = self.find(games)
            description = self.keep(found.shards if found else (), games)
            whole = description.shards
            if description.games < games:
                whole = tuple(shard for shard in whole if shard.games == self.shard)
                with open_jobs(self.table, play_moves, cores, cluster) as jobs:
                    for shard in self._fill(whole[-1].end if whole else 0, games, jobs, progress, cores):
                        whole = (*whole, shard)
                        description = self.keep(whole, games)
            progress(games)
            listed = {shard.file for shard in whole}
            for path in (self.folder / GAMES).iterdir():  # what longer files have replaced, or a kill has left
                if path.name not in listed:
                    path.unlink()
            return description

    def keep(self, shards: Sequence[Shard], games: int) -> Description:
        """Write description and data card of a dataset with these files, in which there shall be so many games."""
        description = Description(self._described, self.command, self.licence, games, tuple(shards))
        write_json(self.folder / NAME, {"format": FORMAT, **asdict(description)})
        write_file(self.folder / CARD, data_card(description))
        return description

    def write_shard(self, first: int, moves: Moves, threads: int = 1) -> Shard:
        """Play games back from their moves, and write them into a file of their own, atomically.

        Raises `ValueError` unless the moves are those of whole games with these results.
        """
        count, sink = len(moves.lengths), pa.BufferOutputStream()
        schedule = self.table.schedule(first, count)
        episodes = first + np.arange(count)
        games = Games(episodes, *schedule, moves.winners, moves.scores, moves.actions, moves.starts)
        for _ in self.setup.played_back(games, threads=threads):
            pass
        rows = min(MOST_ROWS, MOST_VALUES // int(moves.lengths.max(initial=1)))
        write_games(self.setup.to_arrow(games), sink, rows)
        content = sink.getvalue().to_pybytes()
        name = shard_name(first, count)
        (self.folder / GAMES).mkdir(exist_ok=True)
        write_file(self.folder / GAMES / name, content)
        return Shard(name, first, count, len(games.moves), len(content), sha256(content).hexdigest())

    def _fill(
        self, first: int, games: int, jobs: Jobs[Moves], progress: Callable[[int], object], threads: int
    ) -> Iterator[Shard]:
        """Play the missing games, and yield each shard when it has been written."""
        played, kept, there = jobs.play(first, games), [], first
        progress(first)
        while first < games:
            end = min(first + self.shard, games)
            while there < end:
                kept.append(next(played)[0])
                there += len(kept[-1].lengths)
                progress(there)
            together = join_moves(kept)
            yield self.write_shard(first, together.part(slice(end - first)), threads)
            first, kept = end, [together.part(slice(end - first, None))]

    @cached_property
    def _described(self) -> dict[str, Any]:
        return {**describe(self.table), "games_per_file": self.shard}

    @cached_property
    def setup(self) -> Setup:
        """What all games have in common."""
        table = self.table
        names = [agent.name for agent in table.agents]
        return Setup(get_game(table.game), table.num_players, table.variant, table.options, names)
