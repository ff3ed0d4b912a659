"""Generate parts of the documents: tables of the games, results, measurements, pictures.

    python scripts/documents/generate.py           update everything that is out of date
    python scripts/documents/generate.py --check   write nothing; fail if anything is out of date

Nothing is measured or trained: results are read from agents/results, from the score cards in results and from the cards
of shipped agents.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import make_exact
import make_facts
import make_forecasts
import make_pictures
import make_positions
import make_results
import make_standings
import make_tables
import tyro
from parts import ROOT, Part

from blackjacky_agents.files import write_file
from blackjacky_agents.reports import replace_part

MAKERS = (
    make_tables,
    make_results,
    make_standings,
    make_exact,
    make_forecasts,
    make_facts,
    make_positions,
    make_pictures,
)


@dataclass(frozen=True)
class Args:
    """Generate parts of the documents: tables of the games, results, measurements, pictures."""

    check: bool = False
    """Write nothing; fail if anything is out of date."""


def main(args: Args) -> int:
    """Write or check; returns the exit status."""
    stale = False
    for path, content in documents([part for made in MAKERS for part in made.parts()]):
        if path.exists() and path.read_text(encoding="utf-8") == content:
            continue
        stale = True
        if not args.check:
            write_file(path, content)
        print(f"{path.relative_to(ROOT).as_posix()} {'is out of date' if args.check else 'written'}")
    if stale and args.check:
        print("run: python scripts/documents/generate.py", file=sys.stderr)
    return int(stale and args.check)


def documents(parts: Sequence[Part]) -> Iterator[tuple[Path, str]]:
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


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
