"""The track of a board game as a ring of fields around rows of cards."""

from __future__ import annotations

from typing import NamedTuple

from blackjacky_env.draw.scene import BoardField, Card, Row, Say, Scene
from blackjacky_env.draw.shapes import BACK, INK
from blackjacky_env.draw.svg import CARD, Pen, box, chip, circle, data, group, text


class _Ring(NamedTuple):
    """Where the fields lie, field 0 at the left end of the upper row, the others clockwise."""

    columns: int
    """Fields in the upper and in the lower row."""
    across: float
    """Distance of these fields."""
    left: float
    right: float
    top: float
    bottom: float

    def places(self, fields: int) -> list[tuple[float, float]]:
        middle, between = (self.left + self.right) / 2, (fields - 2 * self.columns) // 2
        row = [middle + self.across * (i - (self.columns - 1) / 2) for i in range(self.columns)]
        column = [(self.top + self.bottom + _APART * (2 * i - between + 1)) / 2 for i in range(between)]
        return [
            *((x, self.top) for x in row),
            *((self.right, y) for y in column),
            *((x, self.bottom) for x in reversed(row)),
            *((self.left, y) for y in reversed(column)),
        ]


_WIDE, _PHONE = _Ring(5, 92, 108, 532, 132, 282), _Ring(4, 66, 68, 288, 82, 292)
_APART = 62  # of cards above each other
_SCALE = 0.74  # of the cards beside the fields
_WIDTH, _HEIGHT = CARD[0] * _SCALE, CARD[1] * _SCALE


def draw_track(pen: Pen, scene: Scene) -> list[str]:
    """A road with fields around water, and the rows of cards within."""
    ring = _PHONE if pen.is_phone else _WIDE
    places = ring.places(len(scene.track))
    size = ring.left, ring.top, ring.right - ring.left, ring.bottom - ring.top
    port = box(*size, 62, ' fill="#4a90c4" stroke="#a98a5f" stroke-width="42" opacity=".5"')
    fields = [_field(pen, i, field, *places[i], ring) for i, field in enumerate(scene.track)]
    figures = [
        pen.figure(figure, x - 15 + 12 * (2 * i - len(field.figures) + 1), y - 28, 40)
        for field, (x, y) in zip(scene.track, places, strict=True)
        for i, figure in enumerate(field.figures)
    ]
    rows, top = [], ring.top + (28.0 if pen.is_phone else 24.0)
    for row in (piece for piece in scene.centre if isinstance(piece, Row)):
        drawn, top = draw_row(pen, row, (ring.left + ring.right) / 2, top, size[2] - 56, 0.5 if pen.is_phone else 0.58)
        rows.append(drawn)
    return [port, *fields, *figures, *rows]


def _field(pen: Pen, number: int, field: BoardField, x: float, y: float, ring: _Ring) -> str:
    """A field, a dashed ring in the colour of each figure that is still to move here, and the cards outside."""
    parts = [circle(x, y, 17, ' class="panel edge"')]
    for i, figure in enumerate(field.targets):
        for stroke, width in ((INK, 6), (figure.fill, 4)):
            look = f' fill="none" stroke="{stroke}" stroke-width="{width}" stroke-dasharray="6 4"'
            parts.append(circle(x, y, 17 - 5 * i, look))
    parts.append(pen.words(str(number), x, y + 5, 14, look="faint", anchor="middle"))
    if y in (ring.top, ring.bottom):
        parts += _cards(pen, field, x - _WIDTH / 2, y - _HEIGHT - 23 if y == ring.top else y + 23)
    else:
        parts += _cards(pen, field, x - _WIDTH - 23 if x == ring.left else x + 23, y - _HEIGHT / 2)
    return group(parts, attributes=data(field.data))


def _cards(pen: Pen, field: BoardField, x: float, y: float) -> list[str]:
    """A field's card upon those below it: their number, or those that are known."""
    count, known = len(field.below), [card for card in field.below if card.face is not None]
    if field.card is None and not count:
        words = pen.words(Say("empty"), x + _WIDTH / 2, y + _HEIGHT / 2 + 5, 13, _WIDTH, "faint", "middle")
        ground = box(x, y, _WIDTH, _HEIGHT, 4, ' class="panel" opacity=".7"')
        return [ground, pen.card(Card(spent=True), x, y, _SCALE), words]
    parts = [pen.card(Card(), x + 3 * i, y + 3 * i, _SCALE) for i in range(min(count, 2), 0, -1)]
    parts.append(pen.card(field.card or Card(), x, y, _SCALE))
    parts += [chip(card, x + _WIDTH - 8, y + 1 + 18 * i, 17, 17) for i, card in enumerate(known)]
    if count and not known:
        parts.append(circle(x + _WIDTH, y + _HEIGHT - 2, 9, f' fill="{BACK}" stroke="#fff"'))
        parts.append(text(str(count), x + _WIDTH, y + _HEIGHT + 3, 14, ' fill="#fff" text-anchor="middle"'))
    return parts


def draw_row(pen: Pen, row: Row, x: float, y: float, room: float, scale: float) -> tuple[str, float]:
    """Cards or chips around ``x`` in lines that take ``room``, with their owners; and where they end."""
    is_chips, mark = row.look == "chips", 22.0 * any(card.owner for card in row.cards)
    wide, high = CARD[0] * scale + 4 + mark, CARD[1] * scale + 4
    if is_chips:
        wide, high = (26.0, 27.0) if row.data else (19.0, 21.0)
    in_line, parts = int(room // wide), []
    for i, card in enumerate(row.cards):
        in_this = min(in_line, len(row.cards) - i // in_line * in_line)
        left, top = x + wide * (i % in_line - in_this / 2), y + high * (i // in_line)
        is_live = row.data if is_chips else card.data
        known = data({"card": card.name, **card.data} if is_live else card.data)
        if is_chips:
            parts.append(chip(card, left, top, wide - 2, high - 3, known))
            continue
        is_before_seat = "seat" in card.data
        parts.append(pen.card(card, left + mark, top, scale, (' class="card"' if is_before_seat else "") + known))
        if card.owner is not None:
            parts.append(pen.figure(card.owner, left, top, 25))
    attributes = f' class="pile"{data(row.data)}' if row.data else ""
    return group(parts, attributes=attributes), y + high * -(-len(row.cards) // in_line)
