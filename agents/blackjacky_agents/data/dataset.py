"""Datasets of games: stored as moves, checked and expanded to decisions by the compiled rules as they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from blackjacky_agents.data.description import GAMES, Description, Shard, checksum, read_description
from blackjacky_agents.data.games import Games, Setup
from blackjacky_agents.data.pages import RowGroup, read_row_group, read_row_groups
from blackjacky_agents.data.shuffling import Batch, shuffled


class Dataset:
    """A dataset in a folder, as ``blackjacky dataset`` writes it.

    Files are checked as they are read, since a stranger may have written them: types, options, version, policies; and
    each game is played from its moves, of which every one must be legal and the last must end the game with the result
    that is stored.

    Examples:
        >>> from blackjacky_agents.data import Dataset
        >>> dataset = Dataset("data")                                            # doctest: +SKIP
        >>> for batch in dataset.batches(1024, seed=0, policies=["champion"]):   # doctest: +SKIP
        ...     batch["observation"], batch["action_mask"], batch["action"]

    Args:
        folder: the folder.

    Raises `ValueError` if it holds no dataset, a damaged one, or one of another version of its game; `OSError` if it
    cannot be read.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.description: Description = read_description(self.folder)
        made = self.description.setup
        table = (made["num_players"], made["variant"], made["options"])
        self.setup = Setup(self.description.game, *table, self.description.policies)
        self._found: dict[str, list[RowGroup]] = {}  # by file

    def __len__(self) -> int:
        """Number of games."""
        return self.description.games

    @property
    def decisions(self) -> int:
        """Number of decisions of all games."""
        return sum(shard.decisions for shard in self.description.shards)

    def batches(
        self,
        size: int,
        seed: int | Sequence[int] = 0,
        policies: Sequence[str] | None = None,
        reward: str = "win",
        transitions: bool = False,
        buffer: int = 2**18,
        part: tuple[int, int] = (0, 1),
        threads: int = 1,
    ) -> Iterator[Batch]:
        """All decisions once, in random order, as NumPy arrays; the same seed gives the same batches.

        Pieces of the shards are read in random order into a buffer, whose decisions are shuffled. Memory is bounded by
        the buffer (about K + A bytes for a decision, K and A as below) and one piece.

        Args:
            size: B, decisions of a batch; the last one may have fewer.
            seed: of the order, for instance ``(seed, epoch)``.
            policies: names; only their decisions. None: all.
            reward: ``"win"``, or the game's score reward.
            transitions: whether to give the same player's next decision, too.
            buffer: decisions that are shuffled together.
            part: (i, n): only every n-th piece from the i-th on, for n readers that share the dataset.
            threads: CPU threads; the batches do not depend on it.

        Yields:
            Arrays by name: ``observation`` (B, K), int8 or int16; ``action_mask`` (B, A), int8; ``action`` (B,), int64;
            ``reward`` (B,), float32, what the player received from this step to its next decision; ``terminated``
            (B,), bool, whether it had none; ``seat`` (B,), int8; ``policy`` (B,), int64, an index in
            ``setup.policies``; ``episode`` (B,), int64; ``step`` (B,), int64, the number of the decision in its game.
            With ``transitions`` also ``next_observation`` and ``next_action_mask``, which repeat the decision's own
            where it is the last.

        Raises:
            ValueError: an argument is out of range, or a file is damaged or does not fit its description.
            OSError: a file cannot be read.
        """
        yield from shuffled(self, size, seed, policies, reward, transitions, buffer, part, threads)

    def record_batches(self, reward: str = "win", threads: int = 1) -> Iterator[pa.RecordBatch]:
        """All decisions in order as Arrow record batches with `decisions_schema`; arguments and errors as `batches`."""
        for piece in self.every_piece():
            for games, decisions, _ in self.setup.played_back(piece, reward, threads):
                yield self.setup.to_decisions(games, decisions)

    def pieces(self, shards: Sequence[Shard] | None = None) -> list[tuple[Shard, int]]:
        """All row groups, or those of some shards: the shard, and the number of the row group in it."""
        return [
            (shard, number)
            for shard in (self.description.shards if shards is None else shards)
            for number in range(len(self._row_groups(shard)))
        ]

    def every_piece(self, shards: Sequence[Shard] | None = None) -> Iterator[Games]:
        """The games of `pieces` in order, their moves not yet checked; errors as in `read_games`."""
        return (self.read_games(*piece) for piece in self.pieces(shards))

    def check_sum(self, shard: Shard) -> None:
        """Raise `ValueError` if a shard is not the file that the description is of."""
        if checksum(self._path(shard)) != shard.sha256:
            raise ValueError(f"{self._path(shard)} was changed: its SHA-256 is not that of the description")

    def verify(self, progress: Callable[[int], object] = lambda games: None, threads: int = 1) -> None:
        """Compare all checksums, and play every game from its moves; `ValueError` names what is wrong.

        ``progress`` is called with a number of games whenever that many more have been checked.
        """
        for shard in self.description.shards:
            self.check_sum(shard)
            expected, decisions = shard.first, 0
            for games in self.every_piece([shard]):
                if (games.episodes != expected + np.arange(len(games.seeds))).any():
                    raise ValueError(f"{self._path(shard)}: the numbers of its games are not in order")
                expected, decisions = expected + len(games.seeds), decisions + len(games.moves)
                for part, *_ in self.setup.played_back(games, threads=threads):
                    progress(len(part.seeds))
            if (expected, decisions) != (shard.end, shard.decisions):
                raise ValueError(f"{self._path(shard)} has other numbers of games and decisions than its description")

    # ------------------------------------------------------------ reading

    def read_games(self, shard: Shard, number: int) -> Games:
        """A row group of a shard, its moves not yet checked; `ValueError` if it is damaged or of another table."""
        path = self._path(shard)
        try:
            table = read_row_group(path, self._row_groups(shard)[number], self.setup.num_players)
            return self.setup.from_arrow(table)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise ValueError(f"{path}, row group {number}: {error}") from None

    def _path(self, shard: Shard) -> Path:
        path = self.folder / GAMES / shard.file
        if path.stat().st_size != shard.bytes:
            raise ValueError(f"{path} was changed: it does not have the {shard.bytes:,} bytes of the description")
        return path

    def _row_groups(self, shard: Shard) -> list[RowGroup]:
        if shard.file not in self._found:
            path = self._path(shard)
            try:
                self._found[shard.file] = read_row_groups(path, self.setup.num_players)
            except ValueError as error:
                raise ValueError(f"{path} is no Parquet file of games, or damaged: {error}") from None
        return self._found[shard.file]
