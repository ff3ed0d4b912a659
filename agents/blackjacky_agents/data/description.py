"""``dataset.json``: what a dataset holds and how it was made; a stranger may have written it, so it is checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import file_digest
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

_SHARD = re.compile(r"games-\d{9,13}-\d{9,13}\.parquet")
_SUM = re.compile(r"[0-9a-f]{64}")
_LONGEST = 1000  # characters of a text


@dataclass(frozen=True)
class Shard:
    """One Parquet file of a dataset."""

    file: str
    """Name of the file in the folder `GAMES`."""
    first: int
    """Number of its first game."""
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


def is_shard(name: str) -> bool:
    """Whether a file is named like a shard."""
    return _SHARD.fullmatch(name) is not None


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
    def policies(self) -> list[str]:
        """The names of the different policies."""
        return list(dict.fromkeys(self.players))

    @property
    def games(self) -> int:
        """Number of games in all shards."""
        return sum(shard.games for shard in self.shards)

    def as_json(self) -> dict[str, Any]:
        """The content, JSON-ready."""
        return {"format": FORMAT, **asdict(self)}


def read_description(folder: Path) -> Description:
    """The description of the dataset in a folder.

    Raises `ValueError` if there is none, it is damaged, or its games are of another version; `OSError` if it cannot be
    read.
    """
    path = folder / NAME
    if not path.is_file():
        raise ValueError(f"{folder} holds no dataset: there is no {NAME}")
    try:
        return _checked(parse_json(read_file(path, MAX_LIST)))
    except KeyError as error:
        raise ValueError(f"{path} is no description of a dataset, or damaged: it lacks {error}") from None
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"{path} is no description of a dataset, or damaged: {error}") from None


def _checked(found: Any) -> Description:
    if not isinstance(found, dict) or found["format"] != FORMAT:
        raise ValueError(f"its format is not {FORMAT}")
    setup = found["setup"]
    if not isinstance(setup, dict):
        raise TypeError("setup is no object")
    _check_table(setup)
    shards = tuple(_shard(each, number) for number, each in enumerate(_listed("shards", found["shards"])))
    _check_order(shards)
    wanted = check_integer("wanted", found["wanted"], 1, MOST_GAMES)
    return Description(setup, _text("command", found["command"]), _text("licence", found["licence"]), wanted, shards)


def _check_table(setup: Mapping[str, Any]) -> None:
    """Raise `ValueError` or `TypeError` unless games of this table can be played here."""
    game = get_game(_text("game", setup["game"]))
    if setup["version"] != game.version:
        raise ValueError(f"its games are of {game.name}-v{setup['version']!r:.20}; installed is version {game.version}")
    variant = None if setup["variant"] is None else _text("variant", setup["variant"])
    size, variant = game.choose_table(setup["num_players"], variant)
    if not isinstance(setup["options"], dict):
        raise TypeError("options is no object")
    own = identity(game, size, variant, game.check_options(size, variant, setup["options"]))
    for name in own:
        if setup[name] != own[name]:
            raise ValueError(f"{name} is not what the game makes of it")
    (lineup,) = _listed("lineups", setup["lineups"])
    _text("the version of blackjacky", setup["versions"]["blackjacky"])
    names = [_text("a policy", name) for name in _listed("a line-up", lineup)]
    if len(names) != size:
        raise ValueError(f"{len(names)} policies do not play at a table of {size}")


def _shard(found: Any, number: int) -> Shard:
    if not isinstance(found, dict):
        raise TypeError(f"shard {number} is no object")
    first = check_integer("first", found["first"], 0, MOST_GAMES)
    games = check_integer("games", found["games"], 1, MOST_GAMES)
    decisions = check_integer("decisions", found["decisions"], 0, 2**62)
    size = check_integer("bytes", found["bytes"], 0, 2**32)
    if found["file"] != shard_name(first, games):
        raise ValueError(f"shard {number} is not named {shard_name(first, games)}")
    if _SUM.fullmatch(_text("sha256", found["sha256"])) is None:
        raise ValueError(f"sha256 of shard {number} is no checksum")
    return Shard(found["file"], first, games, decisions, size, found["sha256"])


def _check_order(shards: tuple[Shard, ...]) -> None:
    expected = 0
    for shard in shards:
        if shard.first != expected:
            raise ValueError(f"{shard.file} follows game {expected - 1}")
        expected = shard.end


def _listed(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{name} is no list")
    return value


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise TypeError(f"{name} is no text of up to {_LONGEST} characters")
    return value


def checksum(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
