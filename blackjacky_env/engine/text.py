"""Text for people and terminals; colours are ANSI escape codes, which `plain` removes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

WIDTH = 79  # some terminals break a line of 80 characters
FAINT, STRONG, TITLE, RED, YOURS = "90", "1", "1;33", "1;31", "1;36"
FACE_DOWN = "38;5;110;48;5;24"

_INNER = WIDTH - 4
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def plain(text: str) -> str:
    """``text`` without escape codes."""
    return _ESCAPE.sub("", text)


def paint(text: str, style: str) -> str:
    """``text`` in a style (the numbers of an escape code)."""
    return f"\x1b[{style}m{text}\x1b[0m" if text else ""


def pad(text: str, width: int) -> str:
    """``text`` padded with spaces to ``width`` visible characters."""
    return text + " " * (width - len(plain(text)))


def listed(words: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join([*([", ".join(words[:-1])] if words[1:] else []), *words[-1:]])


def joined(cells: Sequence[str], widths: Iterable[int]) -> str:
    """One line of a table."""
    return " ".join(pad(cell, width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def framed(lines: Iterable[str], title: str, when: str, seen_by: str) -> str:
    """Lines of at most 75 visible characters in a frame of 79."""
    dashes = WIDTH - 8 - len(plain(title)) - len(when)
    top = paint("╭─", FAINT) + f" {title} " + paint(f"{'─' * dashes} {when} ─╮", FAINT)
    bottom = paint(f"╰{'─' * (WIDTH - 5 - len(seen_by))} {seen_by} ─╯", FAINT)
    side = paint("│", FAINT)
    return "\n".join([top, *(f"{side} {pad(line, _INNER)} {side}" for line in lines), bottom])


def viewer(view: dict[str, Any]) -> int | None:
    """The seat whose view this is; None for a spectator's view and for one of everything."""
    open_hands = [seat for seat, hand in enumerate(view["hands"]) if isinstance(hand, list)]
    return open_hands[0] if len(open_hands) == 1 else None


def seen_by(view: dict[str, Any], names: Sequence[str] | None = None) -> str:
    """Whose view this is, in words; ``names`` by seat, None: ``player_0`` .. ."""
    seat = viewer(view)
    if seat is not None:
        return f"seen by {f'player_{seat}' if names is None else names[seat]}"
    return "all cards open" if isinstance(view["hands"][0], list) else "seen by a spectator"
