"""Text for people and terminals, and a scene as text; colours are ANSI escape codes, which `plain` removes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from unicodedata import combining, east_asian_width

from blackjacky_env.draw.picture import names_of, viewed
from blackjacky_env.draw.scene import Card, Face, Figure, Row, Scene, Seat, in_words, say

WIDTH = 79  # some terminals break a line of 80 characters
FAINT, STRONG, TITLE, RED, YOURS = "90", "1", "1;33", "1;31", "1;36"

_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_BACK = "38;5;110;48;5;24"
_SHORT = 24  # columns of a row of cards that stands beside the name


def plain(text: str) -> str:
    """``text`` without escape codes."""
    return _ESCAPE.sub("", text)


def paint(text: str, style: str) -> str:
    """``text`` in a style (the numbers of an escape code)."""
    return f"\x1b[{style}m{text}\x1b[0m" if text else ""


def columns_of(text: str) -> int:
    """How many columns of a terminal a text takes: two for wide characters, none for accents and escape codes."""
    return sum(0 if combining(each) else 1 + (east_asian_width(each) in "WF") for each in plain(text))


def pad(text: str, width: int) -> str:
    """``text`` padded with spaces to ``width`` columns of a terminal."""
    return text + " " * (width - columns_of(text))


def listed(words: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join([*([", ".join(words[:-1])] if words[1:] else []), *words[-1:]])


# ---------------------------------------------------------------- a scene


def draw_text(scene: Scene, *, colour: bool = False, names: Sequence[str] | None = None, width: int = WIDTH) -> str:
    """A scene as text in a frame.

    Args:
        scene: what lies on the table.
        colour: without it the text has no escape codes, but the same characters.
        names: names of the players by seat; None: ``player_0`` .. .
        width: of the frame in columns; longer lines continue below.

    Raises `ValueError` for a wrong number of names.
    """
    text = _Terminal(scene, names_of(len(scene.seats), names), width).framed()
    return text if colour else plain(text)


class _Terminal:
    def __init__(self, scene: Scene, names: Sequence[str], width: int) -> None:
        self.scene, self.names, self.width = scene, names, width
        self.room = width - 4

    def framed(self) -> str:
        scene = self.scene
        when = " · ".join(in_words(each, self.names) for each in scene.when)
        top = _edge("╭─", f" {paint(scene.title, TITLE)} ", f" {when} ", "─╮", self.width)
        bottom = _edge("╰─", "", f" {in_words(viewed(scene), self.names)} ", "─╯", self.width)
        side = paint("│", FAINT)
        lines = [piece for line in self.lines() for piece in _broken(line.rstrip(), self.room)]
        return "\n".join([top, *(f"{side} {pad(line, self.room)} {side}" for line in lines), bottom])

    def lines(self) -> list[str]:
        scene = self.scene
        options = [paint(" · ".join(scene.options), FAINT)] * bool(scene.options)
        sentences = [in_words(each, self.names) for each in scene.sentences]
        blocks = [options, self.track(), self.seats(), self.centre(), sentences]
        return [line for block in blocks if block for line in ("", *block)][1:]

    # -- the seats

    def seats(self) -> list[str]:
        """A table with a column for each kind of fact and of short rows; long rows stand below."""
        seats = self.scene.seats
        facts = [*dict.fromkeys(fact.label.template for seat in seats for fact in seat.facts)]
        rows = [{row.label.template: _row(row) for row in seat.rows if row.cards} for seat in seats]
        labels = [*dict.fromkeys(label for each in rows for label in each)]
        cells = [self.cells(q, seat, facts) for q, seat in enumerate(seats)]
        beside = [label for label in labels if max(columns_of(each.get(label, "")) for each in rows) <= _SHORT]
        table = [[*line, *(each.get(label, "") for label in beside)] for line, each in zip(cells, rows, strict=True)]
        lines = _table(["", "", "", *facts, "played", *beside], table)
        if beside and max(map(columns_of, lines)) > self.room:
            beside, lines = [], _table(["", "", "", *facts, "played"], cells)
        below = []
        for name, each in zip(self.names, rows, strict=True):
            told = [f"{paint(label, FAINT)} {cards}" for label, cards in each.items() if label not in beside]
            below += _broken(f"   {name}  {'  '.join(told)}", self.room) if told else []
        return [*lines, *([""] if below else []), *below]

    def cells(self, number: int, seat: Seat, facts: Sequence[str]) -> list[str]:
        name = self.names[number]
        mark = paint("✗", RED) if seat.loses else paint("►", YOURS) if seat.acts else ""
        is_own = number == self.scene.viewer
        told = [in_words(each, self.names) for each in (*(tag.text for tag in seat.tags), *seat.notes)]
        values = {
            fact.label.template: paint(in_words(fact.value, self.names), RED if fact.counts else "0")
            for fact in seat.facts
        }
        called = f"{paint(name, YOURS) if is_own else name}{_letter(seat.figure)}"
        played = _card(seat.played) if seat.played else ""
        return [mark, called, ", ".join(told), *(values.get(label, "") for label in facts), played]

    # -- the middle and the track

    def centre(self) -> list[str]:
        found = []
        for piece in self.scene.centre:
            label = piece.label
            if isinstance(piece, Row):
                shown = _row(piece) or paint("empty", FAINT)
            elif piece.cards is None:
                label, shown = say("choice"), paint(in_words(label, self.names), _style(piece.top.face or Face("")))
            else:
                shown = f"{_cards([piece.top])} x {piece.cards}"
            found.append((in_words(label, self.names), shown))
        width = max((columns_of(label) for label, _ in found), default=0)
        return [
            line
            for label, shown in found
            for line in _broken(f"  {pad(paint(label, FAINT), width)}  {shown}", self.room)
        ]

    def track(self) -> list[str]:
        """A column for each field."""
        fields = self.scene.track
        if not fields:
            return []
        closed = [str(len(field.below)) if field.below else "" for field in fields]
        known = [_cards([card for card in field.below if card.face]) for field in fields]
        rows = {
            "field": [paint(str(number), FAINT) for number in range(len(fields))],
            "card": [_cards([field.card]) if field.card else paint("-", FAINT) for field in fields],
            "below": known if any(known) else [paint(each, _BACK) for each in closed],
            "there": ["".join(_letter(figure, "") for figure in field.figures) for field in fields],
        }
        return _table([], [[f"  {paint(name, FAINT)}", *cells] for name, cells in rows.items()])


def _table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows in columns as wide as their widest cell."""
    lines = [[paint(name, FAINT) for name in heading], *rows] if heading else rows
    widths = [max(map(columns_of, column)) for column in zip(*lines, strict=True)]
    kept = [i for i in range(len(widths)) if i == 0 or any(row[i] for row in rows)]
    return ["  ".join(pad(line[i], max(widths[i], 1)) for i in kept).rstrip() for line in lines]


# ---------------------------------------------------------------- cards


def _row(row: Row) -> str:
    after = f" {row.after.template}" if row.after else ""
    if row.look == "chips":
        return " ".join(_card(card._replace(name="")) for card in row.cards) + after
    if row.look == "groups" or any(" " in str(card.name) for card in row.cards):
        return _groups(row.cards) + after
    return _cards(row.cards) + after


def _cards(cards: Sequence[Card]) -> str:
    """Cards side by side; many that lie face down as one with their number."""
    hidden = [card for card in cards if card.face is None]
    if len(hidden) > 4 or (len(hidden) == len(cards) > 1):
        shown = [_card(card) for card in cards if card.face is not None]
        return " ".join([*shown, f"{paint('[?]', _BACK)} x {len(hidden)}"])
    return " ".join(map(_card, cards))


def _card(card: Card) -> str:
    face = card.face
    if card.spent:
        return paint("·", FAINT)
    if face is None:
        return paint("[?]", _BACK)
    said = f"{face.corner}{face.letter}" if face.letter else str(card.name) or face.corner
    said = f"({said})" if card.struck else f"[{said}]" if card.seen_through else f"{said}*" if card.framed else said
    return paint(said, _style(face))


def _groups(cards: Sequence[Card]) -> str:
    """Cards of one ground together, after the first word of their names."""
    pieces = []
    for ground, group in groupby(cards, lambda card: card.face.ground if card.face else ""):
        found = list(group)
        colour = str(found[0].name).split(" ")[0]
        numbers = " ".join(card.face.corner for card in found if card.face and card.face.corner)
        face = found[0].face or Face("", ground)
        pieces.append(paint(f"{colour} {numbers}".strip(), _style(face)))
    return " ".join(pieces)


def _letter(figure: Figure, before: str = " ") -> str:
    return before + paint(figure.letter, _style(Face("", figure.fill, figure.ink))) if figure.letter else ""


def _style(face: Face) -> str:
    """Colours of a card among the 256 of a terminal."""
    return f"1;38;5;{_nearest(face.ink)};48;5;{_nearest(face.ground)}"


def _nearest(colour: str) -> int:
    digits = colour.removeprefix("#")
    digits = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
    red, green, blue = (round(int(digits[i : i + 2], 16) / 51) for i in (0, 2, 4))
    return 16 + 36 * red + 6 * green + blue


# ---------------------------------------------------------------- lines


def _edge(begin: str, left: str, right: str, end: str, width: int) -> str:
    """An edge of the frame: words at the left and at the right, cut if there is too little room."""
    room = width - 4
    if columns_of(left + right) > room:
        left = f" {plain(left).strip()[: max(0, room - columns_of(right) - 3)]}… " if left else ""
        right = right if columns_of(left + right) <= room else f"{right[: room - columns_of(left) - 2]}… "
    dashes = "─" * (room - columns_of(left + right))
    return paint(begin, FAINT) + left + paint(f"{dashes}{right}{end}", FAINT)


def _broken(line: str, width: int) -> list[str]:
    """A line in pieces of at most ``width`` visible characters, broken between columns or words if possible."""
    pieces: list[str] = []
    while columns_of(line) > width:
        wide = columns_of(line) - len(plain(line))
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
