"""Write the generated tables into the games' README files, and that of the games into the first page.

    python scripts/documents/make_tables.py           write them
    python scripts/documents/make_tables.py --check   only say which are out of date, and fail if any is

A table stands between `<!-- NAME:begin -->` and `<!-- NAME:end -->`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import tyro

import blackjacky_env
from blackjacky_agents.files import write_file
from blackjacky_agents.reports import markdown_table, replace_part
from blackjacky_env.engine.game import Game
from blackjacky_env.games import GAMES, get_game

ROOMS = Path(blackjacky_env.__file__).parent


@dataclass(frozen=True)
class Args:
    """Write the generated tables into the games' README files."""

    check: bool = False
    """Write nothing; fail if a table is out of date."""


def main(args: Args) -> None:
    """Write or check all tables of all games."""
    stale = []
    pages = {ROOMS / name / "README.md": partial(with_tables, game=get_game(name)) for name in GAMES}
    pages[ROOMS.parent / "README.md"] = partial(with_part, name="games", part=games())
    for path, renewed in pages.items():
        old = path.read_text(encoding="utf-8")
        new = renewed(old)
        if new != old:
            stale.append(path)
            if not args.check:
                write_file(path, new)
    for path in stale:
        print(f"{path.relative_to(ROOMS.parent)} {'is out of date' if args.check else 'written'}")
    if stale and args.check:
        sys.exit("run: python scripts/documents/make_tables.py")


def with_tables(text: str, game: Game) -> str:
    """The text of a README with all tables of ``game`` made anew; `ValueError` if a marker is missing."""
    for name, table in TABLES.items():
        text = replace_part(text, name, table(game))
    return text


def games() -> str:
    """All games in one table."""
    rows = []
    for name in GAMES:
        game, room = get_game(name), f"blackjacky_env/{name}"
        seat = f"blackjacky/{name.title().replace('_', '')}Seat-v{game.version}"
        rows.append(
            [
                f"[![{game.title}]({room}/table.svg)]({room}/README.md)<br>[{game.title}]({room}/README.md)",
                f"{game.min_players} .. {game.max_players}",
                f"`Discrete({game.num_actions})`",
                f"{game.layout.size} {game.layout.dtype}",
                f"`{name}_v{game.version}`<br>`blackjacky/{name}-v{game.version}`<br>`{seat}`",
            ]
        )
    return markdown_table(
        ["game", "players", "actions", "observation", "module, ids for PettingZoo and Gymnasium"], rows
    )


def span(first: int, length: int) -> str:
    """Where in a vector a part lies."""
    return str(first) if length == 1 else f"{first} .. {first + length - 1}"


def shape(dimensions: Sequence[int]) -> str:
    """A shape as people write it; nothing for a single number."""
    return " x ".join(map(str, dimensions))


def actions(game: Game) -> str:
    """All actions; those that differ only in numbers, in one row."""
    rows: list[tuple[list[int], list[str]]] = []
    for action in range(game.num_actions):
        name = game.words.action_name(action)
        if rows and rows[-1][0][-1] == action - 1 and pattern(rows[-1][1][-1]) == pattern(name):
            rows[-1][0].append(action)
            rows[-1][1].append(name)
        else:
            rows.append(([action], [name]))
    return markdown_table(["action", "name"], ((span(ids[0], len(ids)), in_short(names)) for ids, names in rows))


def pattern(name: str) -> str:
    """A name without what changes from one action of a row to the next."""
    return re.sub(r"\bme\b|left\+\d|\d+(?!:)", "#", name)


def in_short(names: Sequence[str]) -> str:
    """Up to three names in full, of more the first two and the last."""
    shown = names if len(names) <= 3 else [*names[:2], "...", names[-1]]
    return ", ".join(name if name == "..." else f"`{name}`" for name in shown)


def observation(game: Game) -> str:
    """The parts of the observation vector."""
    rows = (
        [
            span(part["offset"], part["length"]),
            f"`{part['name']}`",
            shape(part["shape"]),
            f"{part['low']} .. {part['high']}",
            part["meaning"],
        ]
        for part in game.layout.describe()
    )
    return markdown_table(["entries", "name", "shape", "range", "meaning"], rows)


def state(game: Game) -> str:
    """The fields of the vector that `state()` gives."""
    rows, offset = [], 0
    for name in game.table_fields:
        dimensions = game.state_dtype[name].shape
        length = int(np.prod(dimensions))
        rows.append([span(offset, length), f"`{name}`", shape(dimensions)])
        offset += length
    return markdown_table(["entries", "field", "shape"], rows)


TABLES: dict[str, Callable[[Game], str]] = {"actions": actions, "observation": observation, "state": state}

if __name__ == "__main__":
    main(tyro.cli(Args))
