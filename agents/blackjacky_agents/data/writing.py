"""Writing datasets: games are played in jobs, kept in a journal, and moved into Parquet files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
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
    GAMES,
    MOST_GAMES,
    NAME,
    Description,
    Shard,
    is_shard,
    read_description,
    shard_name,
)
from blackjacky_agents.data.games import Games, Setup
from blackjacky_agents.data.journal import Journal, is_journal
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
        """Play until the dataset has so many games; those that are there are kept.

        The files depend on the table, ``games`` and ``shard`` alone, however often the program was killed meanwhile.

        Args:
            games: total number, including those in the folder.
            threads: number of cores; None: all. Agents that are not compiled play in processes.
            progress: called with the number of games played, including those found, whenever it has increased.
            cluster: plays the games instead of this machine, with the same results.

        Raises:
            ValueError: the folder holds more games, or something else.
            FolderInUseError: another process writes to the folder.
            IllegalActionError: an agent chose an illegal action; all earlier games are kept.
            ClusterError: the cluster was lost; all earlier games are kept.
        """
        check_integer("games", games, 1, MOST_GAMES)
        cores = check_threads(threads)
        with only_writer(self.folder):
            found = self.find(games)
            shards = list(found.shards) if found else []
            there = found.games if found else 0
            self.keep(shards, games)
            if there == games:
                progress(there)
            else:
                with open_jobs(self.table, play_moves, cores, cluster) as jobs:
                    for shard in self._fill(shards, games, jobs, progress, cores):
                        shards = [*(each for each in shards if each.first < shard.first), shard]
                        self.keep(shards, games)
            self._tidy(shards)
            return self._description(shards, games)

    def keep(self, shards: Sequence[Shard], games: int) -> None:
        """Write description and data card of a dataset with these files, in which there shall be so many games."""
        description = self._description(shards, games)
        write_json(self.folder / NAME, description.as_json())
        write_file(self.folder / CARD, data_card(description))

    def write_shard(self, first: int, moves: Moves, threads: int = 1) -> Shard:
        """Play games back from their moves, and write them into a file of their own, atomically.

        Raises `ValueError` unless the moves are those of whole games with these results.
        """
        games = self._games(first, moves)
        self._play_back(games, threads)
        content, count = self._parquet(games), len(moves.lengths)
        name = shard_name(first, count)
        (self.folder / GAMES).mkdir(exist_ok=True)
        write_file(self.folder / GAMES / name, content)
        return Shard(name, first, count, len(games.moves), len(content), sha256(content).hexdigest())

    def _fill(
        self, shards: list[Shard], games: int, jobs: Jobs[Moves], progress: Callable[[int], object], threads: int
    ) -> Iterator[Shard]:
        """Play the missing games, and yield each shard when it has been written."""
        journal, kept = self._unfinished(shards)
        first = journal.first
        played = jobs.play(first + _count(kept), games)
        while first < games:
            size = min(self.shard, games - first)
            while (there := _count(kept)) < size:
                progress(first + there)
                moves, _ = next(played)
                journal.append(moves)
                kept.append(moves)
            progress(first + there)
            together = join_moves(kept)
            yield self.write_shard(first, together.part(slice(size)), threads)
            first, done = first + size, journal
            kept, journal = [together.part(slice(size, None))], Journal(self.folder, first, self.setup.num_players)
            if _count(kept):
                journal.start(kept)
            done.path.unlink()

    def _unfinished(self, shards: list[Shard]) -> tuple[Journal, list[Moves]]:
        """The journal of the shard that is not complete, and the games that it has."""
        complete = [shard for shard in shards if shard.games == self.shard]
        journal = Journal(self.folder, complete[-1].end if complete else 0, self.setup.num_players)
        kept = journal.read()
        if kept and not self._can_be_played(self._games(journal.first, join_moves(kept))):
            kept = []
            journal.start(kept)
        if len(complete) < len(shards) and _count(kept) < shards[-1].games:
            kept = [games.as_played() for games in Dataset(self.folder).every_piece(shards[-1:])]
            journal.start(kept)
        return journal, kept

    def _games(self, first: int, moves: Moves) -> Games:
        """Games with these moves, of which the first has this number."""
        episodes = first + np.arange(len(moves.lengths))
        schedule = self.table.schedule(first, len(episodes))
        return Games(episodes, *schedule, moves.winners, moves.scores, moves.actions, moves.starts)

    def _can_be_played(self, games: Games) -> bool:
        try:
            self._play_back(games)
        except ValueError:
            return False
        return True

    def _play_back(self, games: Games, threads: int = 1) -> None:
        """Raise `ValueError` unless the moves are those of whole games with these results."""
        for _ in self.setup.played_back(games, threads=threads):
            pass

    def _parquet(self, games: Games) -> bytes:
        sink, longest = pa.BufferOutputStream(), int(np.diff(games.starts).max(initial=1))
        write_games(self.setup.to_arrow(games), sink, min(MOST_ROWS, MOST_VALUES // longest))
        content: bytes = sink.getvalue().to_pybytes()
        return content

    def _tidy(self, shards: Sequence[Shard]) -> None:
        """Remove journals, and files that longer ones have replaced."""
        listed = {shard.file for shard in shards}
        left = [path for path in self.folder.iterdir() if is_journal(path.name)]
        for path in (*left, *(self.folder / GAMES).iterdir()):
            if path.name.startswith(".") or (is_shard(path.name) and path.name not in listed):
                path.unlink()

    @cached_property
    def _described(self) -> dict[str, Any]:
        return {**describe(self.table), "games_per_file": self.shard}

    @cached_property
    def setup(self) -> Setup:
        """What all games have in common."""
        table = self.table
        names = [agent.name for agent in table.agents]
        return Setup(get_game(table.game), table.num_players, table.variant, table.options, names)

    def _description(self, shards: Sequence[Shard], games: int) -> Description:
        return Description(self._described, self.command, self.licence, games, tuple(shards))


def _count(kept: list[Moves]) -> int:
    return sum(len(moves.lengths) for moves in kept)
