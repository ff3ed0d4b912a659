"""Games as datasets store them: between Arrow tables and NumPy arrays, and played again from their moves."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from blackjacky_agents.data.schema import decisions_schema, games_schema
from blackjacky_env.checks import check_choice
from blackjacky_env.compiled import zeros
from blackjacky_env.declare import Game
from blackjacky_env.play import Decisions, expand_games, new_decisions, score_all


class StoredGames(NamedTuple):
    """N games as they are stored."""

    episodes: npt.NDArray[np.int64]
    """Number of each game, shape (N,)."""
    seeds: npt.NDArray[np.int64]
    """Seed of each game as for ``reset``, shape (N,)."""
    seats: npt.NDArray[np.int64]
    """Index in `Setup.policies` of the policy in each seat, shape (N, num_players)."""
    winners: npt.NDArray[np.bool_]
    """Whether each seat won, shape (N, num_players)."""
    scores: npt.NDArray[np.int32]
    """Final score of each seat, shape (N, num_players)."""
    moves: npt.NDArray[np.uint16]
    """All actions, game after game, shape (R,)."""
    starts: npt.NDArray[np.int64]
    """Where the moves of each game begin, and R, shape (N + 1,)."""

    @property
    def game_of_move(self) -> npt.NDArray[np.int64]:
        """Index of the game of each move, shape (R,)."""
        return np.repeat(np.arange(len(self.seeds)), np.diff(self.starts))

    @property
    def steps(self) -> npt.NDArray[np.int64]:
        """Number of each move in its game, shape (R,)."""
        return np.arange(len(self.moves)) - self.starts[self.game_of_move]

    def part(self, first: int, last: int) -> StoredGames:
        """The games first .. last - 1, without copying their moves."""
        *by_game, moves, starts = self
        begin, end = starts[first], starts[last]
        some = [column[first:last] for column in by_game]
        return StoredGames._make([*some, moves[begin:end], starts[first : last + 1] - begin])


@dataclass(frozen=True)
class Setup:
    """What all games of a dataset have in common."""

    game: Game
    num_players: int
    variant: str
    options: dict[str, Any]
    """All rule options in force."""
    policies: list[str]
    """Names of the policies; a policy's number is its index here."""

    def played_back(
        self, games: StoredGames, reward: str = "win", threads: int = 1, most: int = 2**16
    ) -> Iterator[tuple[StoredGames, Decisions, npt.NDArray[Any]]]:
        """Play games from their moves: a few at a time, what every decision saw and earned, and the final states, (N,).

        Nothing is trusted: `ValueError` if the moves are not those of whole games that end as stored. ``reward`` is
        ``"win"``, or the game's score reward; ``most``: decisions at a time, unless a single game has more.
        """
        check_choice("reward", reward, ("win", self.game.score_reward))
        first = 0
        while first < len(games.seeds):
            end = int(np.searchsorted(games.starts, games.starts[first] + most, side="right")) - 1
            part = games.part(first, max(end, first + 1))
            first += len(part.seeds)
            decisions, states = new_decisions(self.game, len(part.moves)), zeros(len(part.seeds), self.game.state_dtype)
            states[:] = self.game.new_state(self.num_players, self.variant, self.options)
            number = int(part.episodes[0])
            expand_games(self.game, states, part.seeds, part.moves, part.starts, decisions, reward, threads, number)
            self._check_results(part, states)
            yield part, decisions, states

    def _check_results(self, games: StoredGames, states: npt.NDArray[Any]) -> None:
        scores = np.zeros((len(states), self.game.max_players), np.int64)
        score_all(self.game)(states, scores)
        own = slice(self.num_players)
        differs = ((states["winners"][:, own] > 0) != games.winners) | (scores[:, own] != games.scores)
        if differs.any():
            number = games.episodes[np.argmax(differs.any(axis=1))]
            raise ValueError(f"game {number} ends differently than stored; it was changed, or the rules are others")

    def from_arrow(self, table: pa.Table) -> StoredGames:
        """The games of a table with `games_schema`; `ValueError` if it is damaged or of another setup."""
        table.validate(full=True)
        columns, shape = {}, (table.num_rows, self.num_players)
        for name in table.column_names:
            column = table[name].combine_chunks()
            columns[name] = column.flatten() if pa.types.is_nested(column.type) else column
            if column.null_count or columns[name].null_count:
                raise ValueError(f"{name} has nulls")
        for name, own in self._constants().items():
            if others := set(pc.unique(columns[name]).to_pylist()) - {own}:
                raise ValueError(f"{name} is {others.pop()!r:.200}, not {own!r}")
        if (seeds := columns["seed"].to_numpy().astype(np.int64)).min(initial=0) < 0:
            raise ValueError(f"seed {seeds.min()} is negative")
        seats = pc.index_in(columns["policies"], pa.array(self.policies, pa.string()))
        if seats.null_count:
            raise ValueError(f"it has other policies than {', '.join(self.policies)}")
        lengths = pc.list_value_length(table["actions"]).to_numpy()
        return StoredGames(
            columns["episode"].to_numpy(),
            seeds,
            seats.to_numpy().astype(np.int64).reshape(shape),
            columns["winners"].to_numpy(zero_copy_only=False).reshape(shape),
            columns["scores"].to_numpy().reshape(shape),
            columns["actions"].to_numpy(),
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        )

    def to_arrow(self, games: StoredGames) -> pa.Table:
        """The table with `games_schema` of which `from_arrow` makes these games."""
        names = pa.array(self.policies, pa.string()).take(pa.array(games.seats.ravel()))
        columns = [
            pa.array(games.episodes),
            pa.array(games.seeds),
            pa.FixedSizeListArray.from_arrays(names, self.num_players),
            pa.ListArray.from_arrays(pa.array(games.starts.astype(np.int32)), pa.array(games.moves)),
            _lists_of(games.winners),
            _lists_of(games.scores),
            *self._repeated(len(games.seeds)),
        ]
        return pa.Table.from_arrays(columns, schema=games_schema(self.num_players))

    def to_decisions(self, games: StoredGames, decisions: Decisions) -> pa.RecordBatch:
        """Games that were played back as a record batch with `decisions_schema`."""
        count, steps, of_game = len(games.moves), games.steps, games.game_of_move
        columns = [
            pa.array(games.episodes[of_game]),
            pa.array(steps.astype(np.int32)),
            pa.array(decisions.seats),
            _named(games.seats[of_game, decisions.seats], self.policies),
            _lists_of(decisions.observations),
            _lists_of(decisions.masks),
            pa.array(decisions.actions),
            _lists_of(decisions.rewards[:, : self.num_players]),
            pa.array(steps == np.diff(games.starts)[of_game] - 1),
            pa.array(games.seeds[of_game]),
            *self._repeated(count),
        ]
        return pa.RecordBatch.from_arrays(columns, schema=decisions_schema(self.game, self.num_players))

    def _constants(self) -> dict[str, Any]:
        options = {"num_players": self.num_players, "variant": self.variant, **self.options}
        return {"game": self.game.name, "version": self.game.version, "options": json.dumps(options)}

    def _repeated(self, count: int) -> list[pa.Array]:
        name, version, options = self._constants().values()
        every = np.zeros(count, np.int32)
        return [_named(every, [name]), pa.array(np.full(count, version, np.int16)), _named(every, [options])]


def _named(numbers: npt.NDArray[Any], names: Sequence[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(numbers.astype(np.int32)), pa.array(names, pa.string()))


def _lists_of(array: npt.NDArray[Any]) -> pa.Array:
    """The rows of an array (N, M) as N lists of M entries."""
    return pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(array).ravel()), array.shape[1])
