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
    return markdown_table(["Python", "versions", *packages, "result", "date"], rows)


def in_words(found: Sequence[Mapping[str, Any]], group: str) -> str:
    """A table that lists the versions of packages, those of the package alone left out."""
    rows = []
    for each in found:
        versions = dict(each["versions"])
        python = versions.pop("python")
        more = [f"{name} {version}" for name, version in versions.items() if name not in COLUMNS["base"]]
        rows.append([f"`{each['of']}`", python, each["level"], ", ".join(more), *end(each)])
    return markdown_table([group, "Python", "versions", "that is", "result", "date"], rows)


def end(cell: Mapping[str, Any]) -> list[str]:
    """The last columns of a cell: the result and when it was found."""
    told = cell["tests"] if cell["outcome"] == "passed" else f"**failed**: `{cell['reason']}`"
    return [told, cell["date"]]


def missing(found: Sequence[Mapping[str, Any]]) -> str:
    """A table of cells without a result, or a sentence that there are none."""
    if not found:
        return "Nothing: every cell has a result."
    rows = [
        [
            " ".join(filter(None, (each["group"], each["of"]))),
            each["python"],
            each["level"],
            f"`{each['reason']}`",
            each["date"],
        ]
        for each in found
    ]
    return markdown_table(["cell", "Python", "versions", "reason", "date"], rows)
