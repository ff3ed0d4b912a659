"""Datasets of games: stored as moves, checked and expanded to decisions by the compiled rules as they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import file_digest
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from blackjacky_agents.data.description import GAMES, Description, Shard, read_description
from blackjacky_agents.data.games import Games, Setup
from blackjacky_agents.data.pages import RowGroup, read_row_group, read_row_groups
from blackjacky_env.checks import check_integer
from blackjacky_env.play import NONE, Decisions, new_decisions

Batch = dict[str, npt.NDArray[Any]]
"""Arrays by name, as `Dataset.batches` yields them."""

_ORDER, _WITHIN = 0, 1  # what random numbers are drawn for


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
        policies = list(dict.fromkeys(self.description.players))
        self.setup = Setup(self.description.game, *table, policies)
        self._found: dict[str, list[RowGroup]] = {}  # by file

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
        check_integer("size", size, 1, 2**31)
        check_integer("buffer", buffer, 1, 2**40)
        wanted = None if policies is None else list(map(self._policy, policies))
        own, parts = check_integer("part", part[0], 0, part[1] - 1), part[1]
        entropy = [check_integer("seed", each, 0, 2**63 - 1) for each in np.ravel(seed).tolist()]
        pieces = self.pieces()
        order = np.random.default_rng([*entropy, _ORDER]).permutation(len(pieces))[own::parts]
        rng = np.random.default_rng([*entropy, _WITHIN, own, parts])
        left: Batch = {}
        for window in self._windows((self.read_games(*pieces[i]) for i in order), reward, buffer, threads):
            rows = rng.permutation(len(window["action"]))
            if wanted is not None:
                rows = rows[np.isin(window["policy"][rows], wanted)]
            while len(rows):
                room = size - _length(left)
                left = _joined(left, _taken(window, rows[:room], transitions))
                rows = rows[room:]
                if _length(left) == size:
                    yield left
                    left = {}
        if left:
            yield left

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

    def _policy(self, name: str) -> int:
        if name not in self.setup.policies:
            raise ValueError(f"policies has {name!r}; the dataset's are {', '.join(map(repr, self.setup.policies))}")
        return self.setup.policies.index(name)

    def _windows(self, pieces: Iterator[Games], reward: str, buffer: int, threads: int) -> Iterator[Batch]:
        """Decisions of whole games, as many as fit into the buffer, whose memory is used again; see `_taken`."""
        memory, window = new_decisions(self.setup.game, buffer), []
        used = 0
        for games in pieces:
            first = 0
            while first < len(games.seeds):
                last = games.fitting(first, buffer - used)
                if last > first:
                    some = games.part(first, last)
                    place = memory.part(used, used + len(some.moves))
                    self.setup.play_back(some, place, reward, threads)
                    place.following[:] += np.where(place.following == NONE, 0, used)
                    of_game = some.game_of_move
                    window.append((some.seats[of_game, place.seats], some.episodes[of_game], some.steps))
                    used, first = used + len(some.moves), last
                elif used:
                    yield _columns(memory.part(0, used), window)
                    used, window = 0, []
                else:
                    needed = int(games.starts[first + 1] - games.starts[first])
                    raise ValueError(f"buffer={buffer} is too small for a game of {needed} decisions")
        if used:
            yield _columns(memory.part(0, used), window)

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


def _columns(decisions: Decisions, numbers: Sequence[tuple[npt.NDArray[np.int64], ...]]) -> Batch:
    policies, episodes, steps = map(np.concatenate, zip(*numbers, strict=True))
    return {
        "observation": decisions.observations,
        "action_mask": decisions.masks,
        "action": decisions.actions,
        "reward": decisions.earned,
        "seat": decisions.seats,
        "policy": policies,
        "episode": episodes,
        "step": steps,
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


def _length(batch: Batch) -> int:
    return len(batch["action"]) if batch else 0


def _joined(first: Batch, second: Batch) -> Batch:
    return {name: np.concatenate([first[name], second[name]]) for name in second} if first else second
