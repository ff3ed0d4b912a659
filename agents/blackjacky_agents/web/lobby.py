"""The lobby: which tables can be opened, orders for new ones, the open tables, and which of them are kept."""

from __future__ import annotations

import importlib
import json
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from blackjacky_agents.games import agent_names, get_kit
from blackjacky_agents.storage.checked import in_short
from blackjacky_agents.storage.files import write_file
from blackjacky_agents.web.host import Host
from blackjacky_agents.web.messages import MessageError
from blackjacky_agents.web.seats import levels, seats_for
from blackjacky_agents.web.table import Reader, Table, modified
from blackjacky_agents.wording import page_texts, pictured_cards
from blackjacky_env.declare import describe_options
from blackjacky_env.games import GAMES, get_game, usable_games
from blackjacky_env.reading import read_file

MAX_ORDER = 8192
"""Maximum size of an order in bytes."""
MAX_TABLES = 100
"""Number of tables that are kept."""
AWAY = 600.0
"""Seconds for which nobody's place at an unfinished game is given to others, such as while a connection is lost."""


def lobby_tokens(folder: Path | None) -> tuple[str, str]:
    """The tokens in the two addresses of the lobby; a folder, which is made, keeps them as it keeps those of seats.

    Raises `ValueError` if the file that keeps them is damaged.
    """
    tokens = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
    if folder is None:
        return tokens
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "lobby.json"
    if not path.exists():
        write_file(path, json.dumps(tokens), is_private=True)
        return tokens
    kept = re.fullmatch(rb'\["([\w-]{32})", "([\w-]{32})"\]', read_file(path))
    if kept is None:
        raise ValueError(f"{path} does not hold the two tokens of a lobby: delete it, and new ones are made")
    return kept[1].decode(), kept[2].decode()


def describe_games() -> list[dict[str, Any]]:
    """All usable games, with what a form for a new table needs, JSON-ready.

    Of each: its facts, ``agents`` (names, weakest first), ``levels`` (an agent by ``easy``, ``medium`` and ``hard``),
    ``tables``, ``options`` (as from `describe_options`), and its texts by language. ``minutes`` 0: not known.
    """
    return [*map(_described, usable_games())]


def _described(name: str) -> dict[str, Any]:
    game, texts = get_game(name), page_texts(name)
    return {
        "name": name,
        "title": game.title,
        "minutes": get_kit(name).minutes,
        "has_picture": picture_of(name) is not None,
        "variants": [
            {"name": each.name, "min": each.min_players, "max": each.max_players, "default": each.default_players}
            for each in game.variants
        ],
        "agents": agent_names(name),
        "levels": levels(name),
        "tables": [{"name": name, **asdict(table)} for name, table in game.tables.items()],
        "options": describe_options(game.options),
        "words": {language: own["options"] for language, own in texts.items()},
        "summary": {language: own["summary"] for language, own in texts.items()},
        "playing": {language: own["agents"] for language, own in texts.items()},
        "help": {language: own["help"] for language, own in texts.items()},
        "pictures": pictured_cards(name),
    }


def picture_of(name: str) -> Path | None:
    """The picture of a table in the folder of a game, if there is one."""
    module = importlib.import_module(GAMES[name].target.partition(":")[0])
    path = Path(module.__file__ or "").with_name("table.svg")
    return path if path.is_file() else None


class TableOrder(BaseModel):
    """An order for a new table."""

    model_config = ConfigDict(strict=True, extra="forbid")

    game: str
    variant: str
    people: list[str] = Field(min_length=1)
    """Names of the people, spread around the table."""
    agents: list[str]
    """Agents between them, in order."""
    rules: dict[str, Any]
    """Rule options."""

    def table(self) -> Table:
        """The table; `MessageError` (``order``) if its size, its rule options or its names are impossible."""
        try:
            return Table(self.game, seats_for(self.game, self.people, self.agents), self.variant, self.rules)
        except (TypeError, ValueError) as error:
            raise MessageError("order", str(error)) from error


def read_order(text: bytes) -> TableOrder:
    """Parse and check an order: the fields of `TableOrder` as JSON; `MessageError` (``order``) if it is invalid.

    Agents must be among those of the game: an order cannot make the server read files, nor think for long.
    """
    try:
        return check_order(TableOrder.model_validate_json(text))
    except ValidationError as error:
        raise MessageError("order", f"this is no order: {in_short(error)}") from None


def check_order(order: TableOrder) -> TableOrder:
    """The order; `MessageError` (``order``) for unknown games, rule options or agents, or too many players."""
    if order.game not in (games := usable_games()):
        raise MessageError("order", f"game={ascii(order.game)[:40]} is unknown; allowed are {', '.join(games)}")
    options = [each["name"] for each in describe_options(get_game(order.game).options)]
    for name in order.rules:  # which also keeps out the options of environments, such as a window to draw in
        if name not in options:
            raise MessageError("order", f"rule option {ascii(name)[:40]} is unknown; allowed are {', '.join(options)}")
    allowed = agent_names(order.game)
    for name in order.agents:
        if name not in allowed:
            raise MessageError("order", f"agent {ascii(name)[:40]} is unknown; allowed are {', '.join(allowed)}")
    limit = get_game(order.game).max_players
    if len(order.people) + len(order.agents) > limit:
        raise MessageError("order", f"there are more than {limit} players")
    return order


def listed(table: Table, addresses: Mapping[Reader, str]) -> dict[str, Any]:
    """A table as the lobby shows it, with the seconds since 1970 when its file was last written.

    ``addresses``: of seats that may be shown, and of spectators (None).
    """
    return {
        "title": table.env.game.title,
        "seats": [
            {"name": seat.name, "agent": seat.agent, "address": addresses.get(q)} for q, seat in enumerate(table.seats)
        ],
        "round": table.round,
        "moves": table.move - table.earlier,
        "over": table.over,
        "changed": None if table.path is None else modified(table.path),
        "watch": addresses.get(None),
    }


# ---------------------------------------------------------------- which tables are kept


def has_room(hosts: Sequence[Host], coming: int) -> bool:
    """Whether so many more tables can be opened, perhaps in place of others."""
    return len(hosts) - len(replaceable(hosts)) + coming <= MAX_TABLES


def replaceable(hosts: Sequence[Host]) -> list[Host]:
    """Tables whose places others may have, in the order in which they go: never used, over, left long ago."""
    now = time.time()
    left = [
        host for host in hosts if host.is_empty and (host.table.over or now - host.last_change >= AWAY * host.is_used)
    ]
    return sorted(left, key=lambda host: (host.is_used, not host.table.over, host.last_change))
