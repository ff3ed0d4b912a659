"""The tables of docs/release.md, from the results of scripts/proofs/rehearse_release.py in docs/release.json."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from parts import DOCS, ROOT, Part

from blackjacky_agents.reports import duration, markdown_table, where_run

RESULTS = DOCS / "release.json"
PAGE = DOCS / "release.md"


def parts() -> Iterator[Part]:
    """Packages, environments, limits and log."""
    found = json.loads(RESULTS.read_text("utf-8"))
    limits = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["blackjacky"]["release"]
    yield Part(PAGE, "packages", packages(found))
    yield Part(PAGE, "environments", environments(found["environments"]))
    yield Part(PAGE, "limits", limit_table(limits, found))
    yield Part(PAGE, "log", "```\n" + "\n".join(found["log"]) + "\n```")


def packages(found: Mapping[str, Any]) -> str:
    """Wheel and sdist, and how they were made."""
    rows = [[each["name"], f"{each['bytes']:,}", f"`{each['sha256']}`"] for each in found["archives"].values()]
    tools = ", ".join(f"{name} {number}" for name, number in found["tools"].items())
    made = f"Commit `{found['commit'][:12]}`, {found['date']}, with {tools}: {where_run(found['where'])}."
    return f"{markdown_table(['package', 'bytes', 'SHA-256'], rows)}\n\n{made}"


def environments(found: Mapping[str, Mapping[str, Any]]) -> str:
    """A row for each environment, the failed ones too."""
    heading = ["installed", "packages", "MB", "time", "torch", "GPU packages", "tried", "failed"]
    return markdown_table(heading, [row(name, each) for name, each in found.items()])


def row(name: str, each: Mapping[str, Any]) -> list[object]:
    """The row of an environment."""
    failed = plain(each["error"]) or "no"
    if "packages" not in each:
        return [f"`{name}`", *["-"] * 6, failed]
    tried = "<br>".join(f"`{trial}`" if not trial.startswith("the code") else trial for trial in each["tried"])
    size = f"{each['bytes'] / 1e6:,.0f}"
    return [
        name,
        each["packages"],
        size,
        duration(each["seconds"]),
        each["torch"] or "-",
        len(each["gpu"]),
        tried,
        failed,
    ]


def limit_table(limits: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """The limits and what was found, and the largest packages of an installation without extras."""
    base, archives = found["environments"]["none"], found["archives"]
    tried = {name: each for name, each in found["environments"].items() if not name.startswith("README")}
    extras = {kind: [name for name, each in tried.items() if each.get(kind)] for kind in ("torch", "gpu")}
    rows = [
        ["`wheel_bytes`", f"{limits['wheel_bytes']:,}", f"{archives['wheel']['bytes']:,}"],
        ["`sdist_bytes`", f"{limits['sdist_bytes']:,}", f"{archives['sdist']['bytes']:,}"],
        ["`base_megabytes`", limits["base_megabytes"], f"{base['bytes'] / 1e6:,.0f}"],
        *([f"`{kind}`", ", ".join(limits[kind]), ", ".join(extras[kind])] for kind in ("torch", "gpu")),
    ]
    largest = ", ".join(f"{name} {length / 1e6:,.1f}" for name, length in base["sizes"].items())
    return f"{markdown_table(['limit', 'at most', 'found'], rows)}\n\nMegabytes without extras: {largest}."


def plain(text: str) -> str:
    """What a command has printed, as a cell of a table."""
    return text.replace("|", "&#124;").replace("\n", " ").replace("<", "&lt;")
