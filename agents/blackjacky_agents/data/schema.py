"""The Arrow schemas of datasets: games as stored in Parquet files, and the decisions that they are expanded to."""

from __future__ import annotations

import pyarrow as pa

from blackjacky_env.declare import Game

_NAME = pa.dictionary(pa.int32(), pa.string())

_SETUP = (
    ("game", _NAME, "name of the game"),
    ("version", pa.int16(), "version of the game: the number in `NAME-v0`"),
    ("options", _NAME, "table size, variant and all rule options, as JSON"),
)


def games_schema(num_players: int) -> pa.Schema:
    """One row for each game, as stored: seeds and moves, from which everything else follows."""
    return _schema(
        ("episode", pa.int64(), "number of the game, from 0"),
        ("seed", pa.int64(), "seed of the game, as for `reset`"),
        ("policies", pa.list_(pa.string(), num_players), "name of the policy in each seat"),
        ("actions", pa.list_(pa.uint16()), "all actions, in the order of play"),
        ("winners", pa.list_(pa.bool_(), num_players), "whether each seat has won"),
        ("scores", pa.list_(pa.int32(), num_players), "final score of each seat, such as its hearts"),
        *_SETUP,
    )


def decisions_schema(game: Game, num_players: int) -> pa.Schema:
    """One row for each decision, as games are expanded on reading."""
    layout = game.layout
    return _schema(
        ("episode", pa.int64(), "number of the game, from 0"),
        ("step", pa.int32(), "number of the decision in its game, from 0"),
        ("seat", pa.int8(), "seat of the player to act"),
        ("policy", _NAME, "name of the policy in that seat"),
        ("observation", pa.list_(pa.from_numpy_dtype(layout.dtype), layout.size), "what the player sees"),
        ("action_mask", pa.list_(pa.int8(), game.num_actions), "1 for its legal actions"),
        ("action", pa.int16(), "what it chose"),
        ("reward", pa.list_(pa.float32(), num_players), "reward of each seat for this step"),
        ("terminated", pa.bool_(), "whether the step ended the game"),
        ("seed", pa.int64(), "seed of the game, as for `reset`"),
        *_SETUP,
    )


def _schema(*columns: tuple[str, pa.DataType, str]) -> pa.Schema:
    return pa.schema(pa.field(name, kind, nullable=False, metadata={"meaning": text}) for name, kind, text in columns)
