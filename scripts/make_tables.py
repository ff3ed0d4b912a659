"""Write the generated tables into the games' README files.

    python scripts/make_tables.py           write them
    python scripts/make_tables.py --check   only say which are out of date, and fail if any is

A table stands between `<!-- NAME:begin -->` and `<!-- NAME:end -->`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro

import blackjacky_env
from blackjacky_env.engine.game import Game
from blackjacky_env.games import GAMES, get_game


@dataclass(frozen=True)
class Args:
    """Write the generated tables into the games' README files."""

    check: bool = False
    """Write nothing; fail if a table is out of date."""


def main(args: Args) -> None:
    """Write or check all tables of all games."""
    stale = []
    for name in GAMES:
        path = Path(blackjacky_env.__file__).parent / name / "README.md"
        old = path.read_text(encoding="utf-8")
        new = with_tables(old, get_game(name))
        if new != old:
            stale.append(path)
            if not args.check:
                path.write_text(new, encoding="utf-8", newline="\n")
    for path in stale:
        print(f"{path.parent.name}/{path.name} {'is out of date' if args.check else 'written'}")
    if stale and args.check:
        sys.exit("run: python scripts/make_tables.py")


def with_tables(text: str, game: Game) -> str:
    """The text of a README with all tables of ``game`` made anew; `ValueError` if a marker is missing."""
    for name, table in TABLES.items():
        begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
        if begin not in text or end not in text:
            raise ValueError(f"the README of {game.name} lacks {begin} or {end}")
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n{table(game)}\n{end}{rest.partition(end)[2]}"
    return text


def markdown(heading: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [heading, ["--"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


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
    return markdown(["action", "name"], ((span(ids[0], len(ids)), in_short(names)) for ids, names in rows))


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
    return markdown(["entries", "name", "shape", "range", "meaning"], rows)


def state(game: Game) -> str:
    """The fields of the vector that `state()` gives."""
    rows, offset = [], 0
    for name in game.table_fields:
        dimensions = game.state_dtype[name].shape
        length = int(np.prod(dimensions))
        rows.append([span(offset, length), f"`{name}`", shape(dimensions)])
        offset += length
    return markdown(["entries", "field", "shape"], rows)


TABLES: dict[str, Callable[[Game], str]] = {"actions": actions, "observation": observation, "state": state}

if __name__ == "__main__":
    main(tyro.cli(Args))
