"""Datasets of games: stored as moves, checked and expanded to decisions by the compiled rules as they are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import file_digest
from itertools import starmap
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow.fs import LocalFileSystem
from pydantic import Field

from blackjacky_agents.data.schema import games_schema
from blackjacky_agents.data.stored_games import Setup, StoredGames
from blackjacky_agents.storage.checked import Checked, in_short
from blackjacky_env.checks import check_choice, check_integer
from blackjacky_env.envs import TableEnv
from blackjacky_env.play import NONE, Decisions

Batch = dict[str, npt.NDArray[Any]]
"""Arrays by name, as `Dataset.batches` yields them."""
NAME = "dataset.json"
GAMES = "games"
"""Folder of the Parquet files, which other tools read as one."""
MOST_GAMES = 2**40

_ORDER, _WITHIN = 0, 1  # what random numbers are drawn for
_Count = Annotated[int, Field(ge=1, le=MOST_GAMES)]


class Shard(Checked):
    """One Parquet file of a dataset, in the folder `GAMES`; ``first`` is the number of its first game."""

    file: str
    first: int
    games: _Count
    decisions: int
    bytes: Annotated[int, Field(ge=1, le=2**32)]  # pipes and devices have none
    sha256: str

    @property
    def end(self) -> int:
        """Number of the game after its last one."""
        return self.first + self.games


def shard_name(first: int, games: int) -> str:
    """The name of a shard with ``games`` games from number ``first`` on."""
    return f"games-{first:09}-{first + games - 1:09}.parquet"


class Description(Checked):
    """The content of ``dataset.json``."""

    format: Literal[2] = 2
    setup: dict[str, Any]
    """Everything that determines the games, as `blackjacky_agents.arena.results_file.describe` returns it."""
    command: str
    """The command that made the dataset."""
    licence: str
    """SPDX identifier."""
    wanted: _Count
    """Number of games asked for; fewer are there as long as the command has not finished."""
    shards: tuple[Shard, ...]
    """In the order of their games."""

    @property
    def players(self) -> list[str]:
        """The names of the policies at the table, in no particular order of seats."""
        return list(self.setup["lineups"][0])

    @property
    def games(self) -> int:
        """Number of games in all shards."""
        return self.shards[-1].end if self.shards else 0

    @property
    def decisions(self) -> int:
        """Number of decisions in all shards."""
        return sum(shard.decisions for shard in self.shards)


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
        path = self.folder / NAME
        if not path.is_file():
            raise ValueError(f"{folder} holds no dataset: there is no {NAME}")
        try:
            self.description = Description.read(path)
            self.setup = _setup_of(self.description)
        except (ValueError, TypeError, LookupError, OverflowError) as error:
            why = in_short(error) if isinstance(error, ValueError) else repr(error)
            raise ValueError(f"{path} is no description of a dataset, or damaged: {why}") from None

    def __len__(self) -> int:
        """Number of games."""
        return self.description.games

    @property
    def decisions(self) -> int:
        """Number of decisions of all games."""
        return self.description.decisions

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
        the buffer (about 2 (K + A) bytes for a decision, K and A as below) and one piece.

        Args:
            size: B, decisions of a batch; the last one may have fewer.
            seed: of the order, for instance ``(seed, epoch)``.
            policies: names; only their decisions. None: all.
            reward: ``"win"``, or the game's score reward.
            transitions: whether to give the same player's next decision, too.
            buffer: decisions that are shuffled together; a longer game is shuffled alone.
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
        check_integer("size", size, 1, 2**31)
        check_integer("buffer", buffer, 1, 2**40)
        known = self.setup.policies
        wanted = [
            known.index(check_choice("policies", name, known)) for name in (known if policies is None else policies)
        ]
        own, parts = check_integer("part", part[0], 0, part[1] - 1), part[1]
        entropy = [check_integer("seed", each, 0, 2**63 - 1) for each in np.ravel(seed).tolist()]
        pieces = self._pieces(self.description.shards)
        order = np.random.default_rng([*entropy, _ORDER]).permutation(len(pieces))[own::parts]
        rng = np.random.default_rng([*entropy, _WITHIN, own, parts])
        begun: list[Batch] = []  # parts of the next batch
        missing = size
        for window in self._windows((self._read(*pieces[i]) for i in order), reward, buffer, threads):
            rows = rng.permutation(len(window["action"]))
            rows = rows[np.isin(window["policy"][rows], wanted)]
            for some in np.split(rows, range(missing, len(rows), size)):
                begun.append(_taken(window, some, transitions))
                missing -= len(some)
                if not missing:
                    yield _joined(begun)
                    begun, missing = [], size
        if missing < size:
            yield _joined(begun)

    def record_batches(self, reward: str = "win", threads: int = 1) -> Iterator[pa.RecordBatch]:
        """All decisions in order as Arrow record batches with `decisions_schema`; arguments and errors as `batches`."""
        for piece in self.games():
            for games, decisions, _ in self.setup.played_back(piece, reward, threads):
                yield self.setup.to_decisions(games, decisions)

    def games(self, shards: Sequence[Shard] | None = None) -> Iterator[StoredGames]:
        """The games of all shards, or of some, piece by piece in order, their moves not yet checked."""
        return starmap(self._read, self._pieces(self.description.shards if shards is None else shards))

    def check_sum(self, shard: Shard) -> None:
        """Raise `ValueError` if a shard is not the file that the description is of."""
        with self._path(shard).open("rb") as file:
            if file_digest(file, "sha256").hexdigest() != shard.sha256:
                raise ValueError(f"{file.name} was changed: its SHA-256 is not that of the description")

    def verify(self, progress: Callable[[int], object] = lambda games: None, threads: int = 1) -> None:
        """Compare all checksums, and play every game from its moves; `ValueError` names what is wrong.

        ``progress`` is called with a number of games whenever that many more have been checked.
        """
        for shard in self.description.shards:
            self.check_sum(shard)
            expected, decisions = shard.first, 0
            for games in self.games([shard]):
                if (games.episodes != expected + np.arange(len(games.seeds))).any():
                    raise ValueError(f"{self._path(shard)}: the numbers of its games are not in order")
                expected, decisions = expected + len(games.seeds), decisions + len(games.moves)
                for part, *_ in self.setup.played_back(games, threads=threads):
                    progress(len(part.seeds))
            if (expected, decisions) != (shard.end, shard.decisions):
                raise ValueError(f"{self._path(shard)} has other numbers of games and decisions than its description")

    # ------------------------------------------------------------ reading

    def _windows(self, pieces: Iterator[StoredGames], reward: str, buffer: int, threads: int) -> Iterator[Batch]:
        """Decisions of whole games as columns, as many as fit into the buffer; see `_taken`."""
        parts: list[Batch] = []
        held = 0
        for piece in pieces:
            for games, decisions, _ in self.setup.played_back(piece, reward, threads, min(buffer, 2**16)):
                if held and held + len(games.moves) > buffer:
                    yield _joined(parts)
                    parts, held = [], 0
                decisions.following[:] += np.where(decisions.following == NONE, 0, held)
                parts.append(_columns(games, decisions))
                held += len(games.moves)
        if parts:
            yield _joined(parts)

    def _path(self, shard: Shard) -> Path:
        """A shard's file; `ValueError`, before it is opened, if it has another size than in the description."""
        path = self.folder / GAMES / shard.file
        if (size := path.stat().st_size) != shard.bytes:
            raise ValueError(f"{path} was changed: it has {size:,} bytes, not {shard.bytes:,}")
        return path

    def _pieces(self, shards: Sequence[Shard]) -> list[tuple[ds.ParquetFileFragment, Shard]]:
        """The row groups of the shards, in order, each with its shard."""
        pieces: list[tuple[Any, Shard]] = []
        for shard, path in zip(shards, map(self._path, shards), strict=True):
            try:
                found = ds.ParquetFileFormat().make_fragment(str(path), LocalFileSystem()).split_by_row_group()
                pieces += [(piece, shard) for piece in found]
            except pa.ArrowException as error:
                raise ValueError(f"{path} is no Parquet file of games, or damaged: {error}") from None
        return pieces

    def _read(self, piece: ds.ParquetFileFragment, shard: Shard) -> StoredGames:
        """The games of a row group, their moves not yet checked; `ValueError` if it is damaged or has other games."""
        try:
            games = self.setup.from_arrow(piece.to_table(schema=games_schema(self.setup.num_players)))
            if (games.episodes < shard.first).any() or (games.episodes >= shard.end).any():
                raise ValueError("it has games of another file")
            return games
        except (pa.ArrowException, OSError, ValueError) as error:
            raise ValueError(f"{piece.path}, row group {piece.row_groups[0].id}: {error}") from None


def _setup_of(description: Description) -> Setup:
    """What the games have in common; an error unless they can be played here and each shard is where it has to be."""
    made, first = description.setup, 0
    table = TableEnv(made["game"], made["num_players"], made["variant"], **made["options"])  # checks the options
    if made["version"] != table.game.version:
        raise ValueError(f"it is of version {made['version']!r:.20}; installed is version {table.game.version}")
    if not re.fullmatch(r"[\w.!+-]{1,50}", made["versions"]["blackjacky"]):
        raise ValueError("it does not say which version of blackjacky has made it")
    policies = description.players
    if len(policies) != table.num_players or not all(isinstance(name, str) for name in policies):
        raise ValueError(f"{len(policies)} policies do not play at a table of {table.num_players}")
    for number, shard in enumerate(description.shards):
        if (shard.first, shard.file) != (first, shard_name(first, shard.games)):
            raise ValueError(f"shard {number} is not named {shard_name(first, shard.games)}")
        first = shard.end
    return Setup(table.game, table.num_players, table.variant, table.options, list(dict.fromkeys(policies)))


def _columns(games: StoredGames, decisions: Decisions) -> Batch:
    of_game = games.game_of_move
    return {
        "observation": decisions.observations,
        "action_mask": decisions.masks,
        "action": decisions.actions,
        "reward": decisions.earned,
        "seat": decisions.seats,
        "policy": games.seats[of_game, decisions.seats],
        "episode": games.episodes[of_game],
        "step": games.steps,
        "following": decisions.following,
    }


def _taken(window: Batch, rows: npt.NDArray[np.int64], transitions: bool) -> Batch:
    """A batch of some rows of a window, copied."""
    batch = {name: column[rows] for name, column in window.items()}
    following = batch.pop("following")
    batch |= {"action": batch["action"].astype(np.int64), "terminated": following == NONE}
    if transitions:
        following = np.where(batch["terminated"], rows, following)
        batch |= {f"next_{name}": window[name][following] for name in ("observation", "action_mask")}
    return batch


def _joined(parts: Sequence[Batch]) -> Batch:
    return parts[0] if len(parts) == 1 else {name: np.concatenate([each[name] for each in parts]) for name in parts[0]}
