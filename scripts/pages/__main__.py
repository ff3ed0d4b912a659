"""Make every table and picture of the pages: from `results`, from the cards of shipped agents, and from the games.

    python -m scripts.pages           write everything that is out of date
    python -m scripts.pages --check   write nothing; fail if anything is out of date

Nothing is measured or trained (`python -m scripts.measure` does that). Results made with other weights than those that
are shipped are refused.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import tyro

from blackjacky_agents.storage.files import write_file
from scripts.pages import agents, benchmark, curves, exact, games, measured, pictures, strength
from scripts.pages.part import Part
from scripts.results import ROOT

MAKERS = (games, agents, exact, benchmark, measured, pictures, curves, strength)


@dataclass(frozen=True)
class Args:
    """Make every table and picture of the pages."""

    check: bool = False  # Write nothing; fail if anything is out of date.


def main(args: Args) -> int:
    """Write or check; returns the exit status."""
    try:
        return update([part for maker in MAKERS for part in maker.parts()], args.check)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def update(parts: Iterable[Part], check: bool = False) -> int:
    """Write or check these parts; returns the exit status."""
    stale = False
    for path, content in documents(parts):
        if path.exists() and path.read_text(encoding="utf-8") == content:
            continue
        stale = True
        if not check:
            write_file(path, content)
        name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
        print(f"{name} {'is out of date' if check else 'written'}")
    if stale and check:
        print("run: python -m scripts.pages", file=sys.stderr)
    return int(stale and check)


def documents(parts: Iterable[Part]) -> Iterator[tuple[Path, str]]:
    """Path and new content of each document; `ValueError` names one that lacks a marker."""
    for path, of_page in groupby(sorted(parts, key=lambda part: part.page), lambda part: part.page):
        content = ""
        for part in of_page:
            if not part.name:
                content = part.content
                continue
            try:
                content = replace_part(content or path.read_text(encoding="utf-8"), part.name, part.content)
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from None
        yield path, content


def replace_part(text: str, name: str, part: str) -> str:
    """``text`` with the part between the markers of ``name`` replaced; `ValueError` if a marker is missing."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if begin not in text or end not in text:
        raise ValueError(f"the document lacks {begin} or {end}")
    before, _, rest = text.partition(begin)
    return f"{before}{begin}\n{part}\n{end}{rest.partition(end)[2]}"


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
