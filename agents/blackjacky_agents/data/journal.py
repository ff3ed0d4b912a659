"""The games of an incomplete shard, in a file that is only appended to and may be cut off anywhere."""

from __future__ import annotations

import os
import re
from hashlib import sha256
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa

from blackjacky_agents.arena.table import Moves
from blackjacky_agents.data.games import lists_of
from blackjacky_agents.data.schema import games_schema
from blackjacky_agents.files import write_file
from blackjacky_env.reading import MAX_DATA

_SUM, _SIZE = 16, 8  # bytes of a checksum and of a size


def is_journal(name: str) -> bool:
    """Whether a file is named like a journal."""
    return re.fullmatch(r"\.games-\d{9,13}\.journal", name) is not None


class Journal:
    """A file of entries, each the games of a job as an Arrow record batch, with its size and a checksum."""

    def __init__(self, folder: Path, first: int, num_players: int) -> None:
        self.first = first
        self.path = folder / f".games-{first:09}.journal"
        self._players = num_players
        self._schema = pa.schema([games_schema(num_players).field(name) for name in ("actions", "winners", "scores")])

    def read(self) -> list[Moves]:
        """All whole entries; what follows them, of an entry cut by a kill, is removed."""
        if not self.path.exists():
            return []
        entries, end = [], 0
        with self.path.open("rb") as file:
            while (moves := self._next_entry(file)) is not None:
                entries.append(moves)
                end = file.tell()
        if end < self.path.stat().st_size:
            os.truncate(self.path, end)
        return entries

    def start(self, moves: list[Moves]) -> None:
        """Replace the file by one with these entries, atomically."""
        write_file(self.path, b"".join(map(self._entry, moves)))

    def append(self, moves: Moves) -> None:
        """Add an entry."""
        with self.path.open("ab") as file:
            file.write(self._entry(moves))

    def _entry(self, moves: Moves) -> bytes:
        actions = pa.ListArray.from_arrays(pa.array(moves.starts.astype(np.int32)), pa.array(moves.actions))
        columns = [actions, lists_of(moves.winners), lists_of(moves.scores)]
        batch = pa.RecordBatch.from_arrays(columns, schema=self._schema)
        content: bytes = batch.serialize().to_pybytes()
        return sha256(content).digest()[:_SUM] + len(content).to_bytes(_SIZE, "little") + content

    def _next_entry(self, file: IO[bytes]) -> Moves | None:
        """The entry that begins where the file is read; None if it is not whole."""
        checksum, size = file.read(_SUM), int.from_bytes(file.read(_SIZE), "little")
        content = file.read(size) if size <= MAX_DATA else b""
        if len(content) < size or sha256(content).digest()[:_SUM] != checksum:
            return None
        try:
            batch = pa.ipc.read_record_batch(pa.py_buffer(content), self._schema)
            batch.validate(full=True)
        except (pa.ArrowException, OSError):
            return None
        actions, winners, scores = batch.columns
        shape = (len(actions), self._players)
        return Moves(
            winners.flatten().to_numpy(zero_copy_only=False).reshape(shape),
            scores.flatten().to_numpy().reshape(shape),
            actions.value_lengths().to_numpy(),
            actions.flatten().to_numpy(),
        )
