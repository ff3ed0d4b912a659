"""The tables of docs/matrix.md, made of what `scripts/proofs/verify_matrix.py` has found."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from parts import DOCS, ROOT, Part

from blackjacky_agents.reports import markdown_table

RESULTS = ROOT / "scripts" / "proofs" / "matrix.json"
PAGE = DOCS / "matrix.md"
COLUMNS = {
    "base": ("numpy", "numba", "gymnasium", "pettingzoo", "safetensors"),
    "train": ("numpy", "numba", "gymnasium", "torch", "stable-baselines3", "sb3-contrib"),
}
"""Packages that have a column, by group of cells."""
TESTED = ("passed", "failed")
NONE = "No results yet."


def parts() -> Iterator[Part]:
    """Where the cells have run, a table for each group of them, and one of what is missing, with the reason."""
    found = list(json.loads(RESULTS.read_text("utf-8")).values())
    systems = sorted({each["system"] for each in found if each["outcome"] in TESTED})
    yield Part(PAGE, "systems", f"These have run on {', '.join(systems)}.")
    for group, packages in COLUMNS.items():
        yield Part(PAGE, group, with_columns(tested(found, group), packages))
    for group in ("extra", "framework"):
        yield Part(PAGE, group, in_words(tested(found, group), group))
    yield Part(PAGE, "missing", missing([each for each in found if each["outcome"] not in TESTED]))


def tested(found: Sequence[Mapping[str, Any]], group: str) -> list[Mapping[str, Any]]:
    """The cells of a group whose tests have run."""
    return [each for each in found if each["group"] == group and each["outcome"] in TESTED]


def with_columns(found: Sequence[Mapping[str, Any]], packages: Sequence[str]) -> str:
    """A table with a column for each package."""
    rows = [
        [each["versions"]["python"], each["level"], *(each["versions"].get(name, "") for name in packages), *end(each)]
        for each in found
    ]
    return markdown_table(["Python", "versions", *packages, "result", "date"], rows) if rows else NONE


def in_words(found: Sequence[Mapping[str, Any]], group: str) -> str:
    """A table that lists the versions of packages, those of the package alone left out."""
    rows = []
    for each in found:
        versions = dict(each["versions"])
        python = versions.pop("python")
        more = [f"{name} {version}" for name, version in versions.items() if name not in COLUMNS["base"]]
        rows.append([f"`{each['of']}`", python, each["level"], ", ".join(more), *end(each)])
    return markdown_table([group, "Python", "versions", "that is", "result", "date"], rows) if rows else NONE


def end(cell: Mapping[str, Any]) -> list[str]:
    """The last columns of a cell: the result and when it was found."""
    told = cell["tests"] if cell["outcome"] == "passed" else f"**failed**: `{cell['reason']}`"
    return [told, cell["date"]]


def missing(found: Sequence[Mapping[str, Any]]) -> str:
    """A table of cells that could not be installed, and a sentence with the names of those that have not been run."""
    rows = [
        [f"`{name_of(each)}`", f"`{each['reason']}`", each["date"]] for each in found if each["outcome"] == "left out"
    ]
    waiting = [f"`{name_of(each)}`" for each in found if each["outcome"] == "not run"]
    told = [markdown_table(["cell", "reason", "date"], rows)] if rows else []
    told += [f"Not run yet: {', '.join(waiting)}."] if waiting else []
    return "\n\n".join(told) or "Nothing: every cell has a result."


def name_of(cell: Mapping[str, Any]) -> str:
    """The name of a cell, as `--cells` takes it."""
    return "-".join(filter(None, (cell[part] for part in ("group", "of", "python", "level"))))
