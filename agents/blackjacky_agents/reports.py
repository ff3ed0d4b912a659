"""What reports share: Markdown tables, generated parts of documents, and the facts about a machine."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any


def markdown_table(heading: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [heading, ["--"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def replace_part(text: str, name: str, part: str) -> str:
    """The text with everything between the markers of ``name`` replaced; `ValueError` if a marker is missing."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if begin not in text or end not in text:
        raise ValueError(f"the document lacks {begin} or {end}")
    before, _, rest = text.partition(begin)
    return f"{before}{begin}\n{part}\n{end}{rest.partition(end)[2]}"


def machine() -> dict[str, Any]:
    """Processor, number of cores and system."""
    return {"processor": processor(), "cores": os.cpu_count(), "system": platform.system()}


def processor() -> str:
    """The processor's name."""
    facts = Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*: (.+)$", facts.read_text(), re.MULTILINE) if facts.exists() else None
    return found[1] if found else platform.processor() or platform.machine()


def where() -> dict[str, Any]:
    """The facts about this machine, and the versions, that speeds depend on."""
    versions = {"Python": platform.python_version(), **{name: version(name.lower()) for name in ("Numba", "NumPy")}}
    return {"processor": processor(), "cores": os.cpu_count(), "versions": versions}


def where_run(facts: dict[str, Any]) -> str:
    """The same in words."""
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    return f"{facts['processor']}, {facts['cores']} cores, {versions}"


def duration(seconds: float) -> str:
    """Hours and minutes, or minutes and seconds."""
    minutes = int(seconds) // 60
    return f"{minutes // 60} h {minutes % 60:02d} min" if minutes >= 60 else f"{minutes} min {int(seconds) % 60:02d} s"
