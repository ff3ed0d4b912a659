"""Generated parts of pages, and tables of rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from blackjacky_agents.reports import markdown_table, percent
from scripts.results import ROOT

DOCS = ROOT / "docs"
MISSING = "Nothing has been measured yet."

Row = Mapping[str, Any]


class Part(NamedTuple):
    """A generated part of a document."""

    page: Path
    name: str  # The part is between ``<!-- NAME:begin -->`` and ``<!-- NAME:end -->``; empty: the whole file.
    content: str


def table(rows: Iterable[Row], columns: Mapping[str, Callable[[Row], object]]) -> str:
    """A table of rows: a function for the cells of each column."""
    return markdown_table([*columns], ([cell(row) for cell in columns.values()] for row in rows))


def plain_tables(rows: Iterable[Row]) -> str:
    """Rows as they are: consecutive ones with the same names are a table with these headings."""
    tables = []
    for names, group in groupby(rows, key=tuple):
        own = list(group)
        tables.append(markdown_table(names, ([shown(name, row[name]) for name in names] for row in own)))
    return "\n\n".join(tables)


def shown(name: str, value: Any) -> str:
    """A value of a column as text."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return f"{value[:-1]} %" if re.search(r"\d%$", value) else value  # as `percent` writes it
    if name == "win rate":
        return percent(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"


def rate(row: Row | None, mean: str = "win_rate") -> str:
    """A win rate with its 95 % interval; a dash where it was not measured, as against a bot newer than the agent."""
    if row is None:
        return "-"
    return f"**{percent(row[mean])}** ({100 * row['low']:.1f} .. {100 * row['high']:.1f})"


def code(text: object) -> str:
    """Text as code."""
    return f"`{text}`"
