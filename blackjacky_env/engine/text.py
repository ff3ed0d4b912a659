"""Text for people and terminals; colours are ANSI escape codes, which `plain` removes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any
from unicodedata import combining, east_asian_width

View = dict[str, Any]

WIDTH = 79  # some terminals break a line of 80 characters
FAINT, STRONG, TITLE, RED, YOURS = "90", "1", "1;33", "1;31", "1;36"
FACE_DOWN = "38;5;110;48;5;24"

_INNER = WIDTH - 4
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def plain(text: str) -> str:
    """``text`` without escape codes."""
    return _ESCAPE.sub("", text)


def printable(text: str) -> str:
    """``text`` without control characters, which could change what a terminal shows, and other unprintable ones."""
    return "".join(filter(str.isprintable, text))


def paint(text: str, style: str) -> str:
    """``text`` in a style (the numbers of an escape code)."""
    return f"\x1b[{style}m{text}\x1b[0m" if text else ""


def pad(text: str, width: int) -> str:
    """``text`` padded with spaces to ``width`` columns of a terminal."""
    return text + " " * (width - columns_of(plain(text)))


def columns_of(text: str) -> int:
    """How many columns of a terminal a text without escape codes takes: two for wide characters, none for accents."""
    return sum(0 if combining(each) else 1 + (east_asian_width(each) in "WF") for each in text)


def listed(words: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join([*([", ".join(words[:-1])] if words[1:] else []), *words[-1:]])


def joined(cells: Sequence[str], widths: Iterable[int]) -> str:
    """One line of a table."""
    return " ".join(pad(cell, width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def wrapped(pieces: Iterable[str], width: int, between: str = " ") -> list[str]:
    """Pieces side by side, on as many lines of ``width`` visible characters as they need."""
    lines: list[str] = []
    for piece in pieces:
        if lines and len(plain(lines[-1] + between + piece)) <= width:
            lines[-1] += between + piece
        else:
            lines.append(piece)
    return lines


def table(columns: Mapping[str, int], rows: Iterable[Iterable[Sequence[str]]]) -> list[str]:
    """The lines of a table.

    Args:
        columns: Width by heading.
        rows: For each column a cell, which is a list of lines.
    """
    heading = joined([paint(name, FAINT) for name in columns], columns.values())
    return [heading, *(joined(line, columns.values()) for row in rows for line in zip_longest(*row, fillvalue=""))]


def count_of(cards: Sequence[Any] | int) -> int:
    """The number of cards, which a view lists if they are open, and counts if they are hidden."""
    return cards if isinstance(cards, int) else len(cards)


def framed(lines: Iterable[str], title: str, when: str, seen_by: str) -> str:
    """Lines in a frame of 79 characters; those longer than 75 continue below."""
    dashes = WIDTH - 8 - len(plain(title)) - len(when)
    top = paint("╭─", FAINT) + f" {title} " + paint(f"{'─' * dashes} {when} ─╮", FAINT)
    bottom = paint(f"╰{'─' * (WIDTH - 5 - len(seen_by))} {seen_by} ─╯", FAINT)
    side = paint("│", FAINT)
    inner = [piece for line in lines for piece in _broken(line, _INNER)]
    return "\n".join([top, *(f"{side} {pad(line, _INNER)} {side}" for line in inner), bottom])


def fitted(drawing: str, width: int) -> str:
    """A framed drawing in a frame of ``width`` characters, at most `WIDTH`; longer lines continue below.

    A drawing without a frame stays as it is.
    """
    if not plain(drawing).startswith("╭"):
        return drawing
    width = min(width, WIDTH)
    top, *lines, bottom = drawing.split("\n")
    side = paint("│", FAINT) if "\x1b" in drawing else "│"
    inner = [piece for line in lines for piece in _broken(_inside(line), width - 4)]
    edges = [_narrowed(edge, width) for edge in (top, bottom)]
    return "\n".join([edges[0], *(f"{side} {pad(line, width - 4)} {side}" for line in inner), edges[1]])


def _inside(line: str) -> str:
    """What stands between the sides of a frame."""
    return re.sub(r"^(?:\x1b\[[0-9;]*m)?│(?:\x1b\[0m)? | ?(?:\x1b\[[0-9;]*m)?│(?:\x1b\[0m)?$", "", line).rstrip()


def _broken(line: str, width: int) -> list[str]:
    """A line in pieces of at most ``width`` visible characters, broken between columns or words if possible."""
    pieces: list[str] = []
    while columns_of(plain(line)) > width:
        wide = columns_of(plain(line)) - len(plain(line))
        at = _break_at(plain(line), max(width - wide, width // 2), 4 if pieces else 0)
        head, tail = _split(line, at)
        pieces.append(head.rstrip())
        line = f"    {tail.lstrip()}"
    return [*pieces, line]


def _break_at(text: str, width: int, indented: int) -> int:
    for gap in ("  ", " "):
        if (at := text.rfind(gap, indented, width + 1)) > indented and text[:at].strip():
            return at
    return width


def _split(line: str, at: int) -> tuple[str, str]:
    """A line split after ``at`` visible characters; a style that is open there continues in the rest."""
    seen, style, i = 0, "", 0
    while seen < at:
        if found := _ESCAPE.match(line, i):
            style, i = "" if found[0] == "\x1b[0m" else found[0], found.end()
        else:
            seen, i = seen + 1, i + 1
    return line[:i] + ("\x1b[0m" if style else ""), style + line[i:]


def _narrowed(edge: str, width: int) -> str:
    """An edge of a frame made narrower: its line is shortened, then its words."""
    surplus = columns_of(plain(edge)) - width
    longest = max(re.findall("─+", edge), key=len)
    edge = edge.replace(longest, "─" * max(len(longest) - surplus, 1), 1)
    surplus = columns_of(plain(edge)) - width
    if surplus <= 0:
        return edge
    text = plain(edge)  # the words at the left lose their end
    return f"{text[: width // 2 - 1]}…{text[-(width - width // 2) :]}"


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


def drawn(lines: Iterable[str], title: str, when: str, corner: str, in_force: str, colour: bool) -> str:
    """A table as `Words.draw_text` returns it.

    Args:
        lines: At most 75 visible characters each.
        title: The game's name, perhaps with its variant.
        when: Where the game is.
        corner: Whose view it is.
        in_force: The options that differ from the rule sheet, in words, for the line above; "": none.
        colour: Without it the text has no escape codes, but the same characters.
    """
    above = [paint(in_force, FAINT), ""] if in_force else []
    text = framed([*above, *lines], paint(title, TITLE), when, corner)
    return text if colour else plain(text)


def win(view: View, names: Sequence[str]) -> str:
    """Who has won, as a sentence."""
    verb = "wins" if len(view["winners"]) == 1 else "win"
    return paint(f"{listed([names[winner] for winner in view['winners']])} {verb}.", STRONG)


_SEAT = re.compile(r"player_(\d+)")


def with_names(drawing: str, names: Sequence[str]) -> str:
    """A drawn table with the players' ``names`` by seat in place of ``player_0`` and so on.

    Columns and frame stay in place, since the next run of spaces grows or shrinks; a name too long for its column is
    cut.
    """
    return "\n".join(_rename(line, names) for line in drawing.split("\n"))


def _rename(line: str, names: Sequence[str]) -> str:
    pieces = re.split("( {2,}|─{3,})", line)  # runs of spaces and of the frame stand at odd places
    surplus = 0
    for i in range(0, len(pieces), 2):
        before, run = pieces[i], pieces[i + 1 : i + 2]
        pieces[i] = _SEAT.sub(_called(names, before, run if i + 3 < len(pieces) else None), before)
        surplus += len(pieces[i]) - len(before)
        if run:
            surplus = _resize(pieces, i + 1, surplus)
    if surplus and len(pieces) > 1:  # as in the lower edge of the frame, which ends with a name
        _resize(pieces, 1, surplus)
    return "".join(pieces)


def _called(names: Sequence[str], piece: str, run: Sequence[str] | None) -> Callable[[re.Match[str]], str]:
    """What replaces a seat in a piece of a line: a name, cut or padded to its column if more columns follow ``run``."""
    fits = sum(map(len, run or ())) - 1 if re.search(rf"{_SEAT.pattern}$", plain(piece)) else 0

    def name(found: re.Match[str]) -> str:
        called, width = names[int(found[1])], len(found[0])
        if run is None:
            return called
        return _cut(called, width + fits) if fits else f"{_cut(called, width):{width}}"

    return name


def _cut(name: str, width: int) -> str:
    """A name cut to ``width`` characters; the number of a copy stays."""
    if len(name) <= width:
        return name
    number = found[0] if (found := re.search(r" \d+$", name)) else ""
    return f"{name[: width - 1 - len(number)]}…{number}"


def _resize(pieces: list[str], i: int, surplus: int) -> int:
    """Shorten a run by ``surplus`` characters, but not below 1; returns what is left of the surplus."""
    length = max(len(pieces[i]) - surplus, 1)
    left = surplus - (len(pieces[i]) - length)
    pieces[i] = pieces[i][0] * length
    return left
