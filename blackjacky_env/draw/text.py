"""Text for people and terminals, and a scene as text; colours are ANSI escape codes, which `plain` removes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from unicodedata import combining, east_asian_width

from blackjacky_env.draw.picture import names_of, viewed
from blackjacky_env.draw.scene import Card, Face, Figure, Row, Scene, in_words

WIDTH = 79  # some terminals break a line of 80 characters
_FAINT, _TITLE, _RED, _YOURS, _BACK = "90", "1;33", "1;31", "1;36", "38;5;110;48;5;24"
_SHORT = 24  # columns of a row of cards that stands beside the name
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_WORD = re.compile(r" *(?:\x1b\[[^m]*m[^\x1b]*\x1b\[0m|[^ \x1b])+")


def plain(text: str) -> str:
    """``text`` without escape codes."""
    return _ESCAPE.sub("", text)


def _paint(text: str, style: str) -> str:
    """``text`` in a style (the numbers of an escape code)."""
    return f"\x1b[{style}m{text}\x1b[0m" if text else ""


@lru_cache(1 << 14)
def columns_of(text: str) -> int:
    """How many columns of a terminal a text takes: two for wide characters, none for accents and escape codes."""
    return sum(0 if combining(each) else 1 + (east_asian_width(each) in "WF") for each in plain(text))


def _pad(text: str, width: int) -> str:
    return text + " " * (width - columns_of(text))


def listed(words: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join([*([", ".join(words[:-1])] if words[1:] else []), *words[-1:]])


# ---------------------------------------------------------------- a scene


def draw_text(scene: Scene, *, colour: bool = False, names: Sequence[str] | None = None, width: int = WIDTH) -> str:
    """A scene as text.

    Args:
        scene: what lies on the table.
        colour: without it the text has no escape codes, but the same characters.
        names: names of the players by seat; None: ``player_0`` .. .
        width: columns; longer lines continue below.

    Raises `ValueError` for a wrong number of names.
    """
    shown = names_of(len(scene.seats), names)
    when = [_paint(scene.title, _TITLE), *(in_words(each, shown) for each in (*scene.when, viewed(scene)))]
    options = [_paint(option, _FAINT) for option in scene.options]
    blocks = [
        [" · ".join(each) for each in (when, options) if each],
        _track(scene),
        _seats(scene, shown, width),
        _centre(scene, shown),
        [in_words(each, shown) for each in scene.sentences],
    ]
    lines = [line for block in blocks if block for line in ("", *block)][1:]
    text = "\n".join(piece for line in lines for piece in _broken(line.rstrip(), width))
    return text if colour else plain(text)


def _seats(scene: Scene, names: Sequence[str], width: int) -> list[str]:
    """A table with a column for each kind of fact and of short rows; long rows stand below."""
    facts = [*dict.fromkeys(fact.label.template for seat in scene.seats for fact in seat.facts)]
    rows = [{row.label.template: _row(row) for row in seat.rows if row.cards} for seat in scene.seats]
    labels = [*dict.fromkeys(label for each in rows for label in each)]
    cells = [_cells(scene, q, names, facts) for q in range(len(names))]
    beside = [label for label in labels if max(columns_of(each.get(label, "")) for each in rows) <= _SHORT]
    table = [[*line, *(each.get(label, "") for label in beside)] for line, each in zip(cells, rows, strict=True)]
    lines = _table([["", "", "", *facts, "played", *beside], *table])
    if beside and max(map(columns_of, lines)) > width:
        beside, lines = [], _table([["", "", "", *facts, "played"], *cells])
    below = []
    for name, each in zip(names, rows, strict=True):
        told = [f"{_paint(label, _FAINT)} {cards}" for label, cards in each.items() if label not in beside]
        below += [f"   {name}  {'  '.join(told)}"] if told else []
    return [*lines, *([""] if below else []), *below]


def _cells(scene: Scene, number: int, names: Sequence[str], facts: Sequence[str]) -> list[str]:
    seat, name = scene.seats[number], names[number]
    mark = _paint("✗", _RED) if seat.loses else _paint("►", _YOURS) if seat.acts else ""
    told = [in_words(each, names) for each in (*(tag.text for tag in seat.tags), *seat.notes)]
    values = {
        fact.label.template: _paint(in_words(fact.value, names), _RED if fact.counts else "0") for fact in seat.facts
    }
    called = f"{_paint(name, _YOURS) if number == scene.viewer else name} {_letter(seat.figure)}"
    played = _card(seat.played) if seat.played else ""
    return [mark, called.rstrip(), ", ".join(told), *(values.get(label, "") for label in facts), played]


def _centre(scene: Scene, names: Sequence[str]) -> list[str]:
    found = []
    for piece in scene.centre:
        label = in_words(piece.label, names)
        if isinstance(piece, Row):
            found.append((label, _row(piece) or _paint("empty", _FAINT)))
        elif piece.cards is None:
            found.append(("choice", _paint(label, _style(piece.top.face))))
        else:
            found.append((label, f"{_cards([piece.top])} x {piece.cards}"))
    width = max((columns_of(label) for label, _ in found), default=0)
    return [f"  {_pad(_paint(label, _FAINT), width)}  {shown}" for label, shown in found]


def _track(scene: Scene) -> list[str]:
    """A column for each field."""
    fields = scene.track
    if not fields:
        return []
    known = [_cards([card for card in field.below if card.face]) for field in fields]
    closed = [_paint(str(len(field.below)) if field.below else "", _BACK) for field in fields]
    rows = {
        "field": [str(number) for number in range(len(fields))],
        "card": [_cards([field.card]) if field.card else _paint("-", _FAINT) for field in fields],
        "below": known if any(known) else closed,
        "there": ["".join(map(_letter, field.figures)) for field in fields],
    }
    return _table([[f"  {name}", *cells] for name, cells in rows.items()])


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows, the first of which is the heading, in columns as wide as their widest cell."""
    lines = [[_paint(name, _FAINT) for name in rows[0]], *rows[1:]]
    widths = [max(map(columns_of, column)) for column in zip(*lines, strict=True)]
    kept = [i for i in range(len(widths)) if i == 0 or any(row[i] for row in rows[1:])]
    return ["  ".join(_pad(line[i], max(widths[i], 1)) for i in kept).rstrip() for line in lines]


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
    hidden = sum(card.face is None for card in cards)
    if hidden > 4 or hidden == len(cards) > 1:
        return " ".join([*(_card(card) for card in cards if card.face), f"{_card(Card())} x {hidden}"])
    return " ".join(map(_card, cards))


def _card(card: Card) -> str:
    face = card.face
    if card.spent:
        return _paint("·", _FAINT)
    if face is None:
        return _paint("[?]", _BACK)
    said = f"{face.corner}{face.letter}" if face.letter else str(card.name) or face.corner
    said = f"({said})" if card.struck else f"[{said}]" if card.seen_through else f"{said}*" if card.framed else said
    return _paint(said, _style(face))


def _groups(cards: Sequence[Card]) -> str:
    """Cards of one ground together, after the first word of their names."""
    pieces = []
    for _, group in groupby(cards, lambda card: card.face and card.face.ground):
        found = list(group)
        words = [str(found[0].name).split(" ")[0], *(card.face.corner for card in found if card.face)]
        pieces.append(_paint(" ".join(filter(None, words)), _style(found[0].face)))
    return " ".join(pieces)


def _letter(figure: Figure) -> str:
    return _paint(figure.letter, _style(Face("", figure.fill, figure.ink)))


def _style(face: Face | None) -> str:
    """Colours of a card among the 256 of a terminal."""
    return f"1;38;5;{_nearest(face.ink)};48;5;{_nearest(face.ground)}" if face else _BACK


def _nearest(colour: str) -> int:
    digits = colour.removeprefix("#")
    digits = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
    red, green, blue = (round(int(digits[i : i + 2], 16) / 51) for i in (0, 2, 4))
    return 16 + 36 * red + 6 * green + blue


# ---------------------------------------------------------------- lines


def _broken(line: str, width: int) -> list[str]:
    """A line in pieces of at most ``width`` columns, broken between words; what is painted is never broken."""
    pieces = [""]
    for word in _WORD.findall(line):
        if pieces[-1].strip() and columns_of(pieces[-1] + word) > width:
            pieces.append(f"    {word.lstrip()}")
        else:
            pieces[-1] += word
    return pieces
