"""``dataset.json``: what a dataset holds and how it was made; a stranger may have written it, so it is checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blackjacky_env.checks import check_integer
from blackjacky_env.declare import Game
from blackjacky_env.games import get_game
from blackjacky_env.play import identity
from blackjacky_env.reading import MAX_LIST, parse_json, read_file

NAME = "dataset.json"
GAMES = "games"
"""Folder of the Parquet files, which other tools read as one."""
FORMAT = 2
MOST_GAMES = 2**40

_LONGEST = 1000  # characters of a text


@dataclass(frozen=True)
class Shard:
    """One Parquet file of a dataset, in the folder `GAMES`; ``first`` is the number of its first game."""

    file: str
    first: int
    games: int
    decisions: int
    bytes: int
    sha256: str

    @property
    def end(self) -> int:
        """Number of the game after its last one."""
        return self.first + self.games


def shard_name(first: int, games: int) -> str:
    """The name of a shard with ``games`` games from number ``first`` on."""
    return f"games-{first:09}-{first + games - 1:09}.parquet"


@dataclass(frozen=True)
class Description:
    """The content of ``dataset.json``."""

    setup: dict[str, Any]
    """Everything that determines the games, as `blackjacky_agents.arena.results_file.describe` returns it."""
    command: str
    """The command that made the dataset."""
    licence: str
    """SPDX identifier."""
    wanted: int
    """Number of games asked for; fewer are there as long as the command has not finished."""
    shards: tuple[Shard, ...]
    """In the order of their games."""

    @property
    def game(self) -> Game:
        """The game."""
        return get_game(self.setup["game"])

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


def read_description(folder: Path) -> Description:
    """The description of the dataset in a folder.

    Raises `ValueError` if there is none, it is damaged, or its games are of another version; `OSError` if it cannot be
    read.
    """
    path = folder / NAME
    if not path.is_file():
        raise ValueError(f"{folder} holds no dataset: there is no {NAME}")
    try:
        return _checked(_of(dict, "it", parse_json(read_file(path, MAX_LIST))))
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        why = f"it lacks {error}" if isinstance(error, KeyError) else error
        raise ValueError(f"{path} is no description of a dataset, or damaged: {why}") from None


def _checked(found: Mapping[str, Any]) -> Description:
    if found["format"] != FORMAT:
        raise ValueError(f"its format is not {FORMAT}")
    _check_table(_of(dict, "setup", found["setup"]))
    shards: list[Shard] = []
    for number, each in enumerate(_of(list, "shards", found["shards"])):
        shards.append(_shard(_of(dict, f"shard {number}", each), number, shards[-1].end if shards else 0))
    command, licence = (_text(name, found[name]) for name in ("command", "licence"))
    wanted = check_integer("wanted", found["wanted"], 1, MOST_GAMES)
    return Description(found["setup"], command, licence, wanted, tuple(shards))


def _check_table(setup: Mapping[str, Any]) -> None:
    """Raise `ValueError` or `TypeError` unless games of this table can be played here."""
    game = get_game(_text("game", setup["game"]))
    if setup["version"] != game.version:
        raise ValueError(f"its games are of {game.name}-v{setup['version']!r:.20}; installed is version {game.version}")
    size, variant = game.choose_table(setup["num_players"], _text("variant", setup["variant"]))
    options = game.check_options(size, variant, _of(dict, "options", setup["options"]))
    for name, own in identity(game, size, variant, options).items():
        if setup[name] != own:
            raise ValueError(f"{name} is not what the game makes of it")
    _text("the version of blackjacky", setup["versions"]["blackjacky"])
    (lineup,) = _of(list, "lineups", setup["lineups"])
    names = [_text("a policy", name) for name in _of(list, "a line-up", lineup)]
    if len(names) != size:
        raise ValueError(f"{len(names)} policies do not play at a table of {size}")


def _shard(found: Mapping[str, Any], number: int, first: int) -> Shard:
    most = {"games": MOST_GAMES, "decisions": 2**62, "bytes": 2**32}
    games, decisions, size = (check_integer(name, found[name], 0, limit) for name, limit in most.items())
    if (found["first"], found["file"]) != (first, shard_name(first, games)) or games == 0:
        raise ValueError(f"shard {number} is not named {shard_name(first, games)}")
    if re.fullmatch("[0-9a-f]{64}", _text("sha256", found["sha256"])) is None:
        raise ValueError(f"sha256 of shard {number} is no checksum")
    return Shard(found["file"], first, games, decisions, size, found["sha256"])


def _of(kind: type, name: str, value: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{name} is no {kind.__name__}")
    return value


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise TypeError(f"{name} is no text of up to {_LONGEST} characters")
    return value
