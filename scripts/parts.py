"""Generated parts of documents, between `<!-- NAME:begin -->` and `<!-- NAME:end -->`."""

from __future__ import annotations

from pathlib import Path


def with_part(text: str, name: str, part: str) -> str:
    """The text with everything between the markers of ``name`` replaced; `ValueError` if a marker is missing."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if begin not in text or end not in text:
        raise ValueError(f"the document lacks {begin} or {end}")
    before, _, rest = text.partition(begin)
    return f"{before}{begin}\n{part}\n{end}{rest.partition(end)[2]}"


def write(path: Path, text: str) -> None:
    """Written aside and renamed, so that a stop leaves the old or the new."""
    aside = path.with_suffix(".part")
    aside.write_text(text, encoding="utf-8", newline="\n")
    aside.replace(path)
