"""The track of a board game as a ring of fields, with what lies within."""

from __future__ import annotations

from typing import NamedTuple

from blackjacky_env.draw import svg
from blackjacky_env.draw.scene import BACK, INK, Card, Field, Row, Say, Scene
from blackjacky_env.draw.svg import CARD, Pen, data, group


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

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    def places(self, fields: int) -> list[tuple[float, float]]:
        between = (fields - 2 * self.columns) // 2
        steps = [self.across * (i - (self.columns - 1) / 2) for i in range(self.columns)]
        rows = [(self.top + self.bottom + _APART * (2 * i - between + 1)) / 2 for i in range(between)]
        return [
            *((self.middle + step, self.top) for step in steps),
            *((self.right, y) for y in rows),
            *((self.middle - step, self.bottom) for step in steps),
            *((self.left, y) for y in reversed(rows)),
        ]


_WIDE, _PHONE = _Ring(5, 92, 108, 532, 132, 282), _Ring(4, 66, 68, 288, 82, 292)
_APART = 62  # of cards above each other
_CARD = 0.74  # scale of the cards beside the fields


def draw_track(pen: Pen, scene: Scene) -> list[str]:
    """The ring of fields, and the rows of cards within it."""
    ring = _PHONE if pen.is_phone else _WIDE
    places = ring.places(len(scene.track))
    fields = [_field(pen, i, field, places[i], ring) for i, field in enumerate(scene.track)]
    figures = [_figures(pen, field, places[i]) for i, field in enumerate(scene.track)]
    return [_port(ring), *fields, *figures, *_within(pen, scene, ring)]


def _port(ring: _Ring) -> str:
    """A road around water."""
    place = ring.left, ring.top, ring.right - ring.left, ring.bottom - ring.top
    return group(
        [svg.box(*place, 62, more=' fill="#4a90c4" stroke="#a98a5f" stroke-width="42"')], attributes=' opacity=".5"'
    )


def _field(pen: Pen, number: int, field: Field, place: tuple[float, float], ring: _Ring) -> str:
    x, y = place
    circle = f'<circle cx="{svg.number(x)}" cy="{svg.number(y)}" r="17" class="panel edge"/>'
    words = pen.words(str(number), x, y + 5, 14, look="faint", anchor="middle")
    parts = [circle, *_targets(field, place), words, *_cards(pen, field, *_card_place(place, ring))]
    return group(parts, attributes=data(field.data))


def _targets(field: Field, place: tuple[float, float]) -> list[str]:
    """A dashed ring in the colour of each figure that is still to move here."""
    x, y = map(svg.number, place)
    return [
        f'<circle cx="{x}" cy="{y}" r="{17 - 5 * i}" fill="none" stroke="{stroke}" stroke-width="{width}" '
        'stroke-dasharray="6 4"/>'
        for i, figure in enumerate(field.targets)
        for stroke, width in ((INK, 6), (figure.fill, 4))
    ]


def _card_place(place: tuple[float, float], ring: _Ring) -> tuple[float, float]:
    """Top left corner of a field's card, outside the ring."""
    (x, y), width, height = place, CARD[0] * _CARD, CARD[1] * _CARD
    if y in (ring.top, ring.bottom):
        return x - width / 2, y - height - 23 if y == ring.top else y + 23
    return (x - width - 23 if x == ring.left else x + 23), y - height / 2


def _cards(pen: Pen, field: Field, x: float, y: float) -> list[str]:
    width, height, count = CARD[0] * _CARD, CARD[1] * _CARD, len(field.below)
    if field.card is None and not count:
        empty = svg.box(x, y, width, height, 6, "lost", ' fill="none"')
        return [empty, pen.words(Say("empty"), x + width / 2, y + height / 2 + 5, 13, width, "faint", "middle")]
    top = Card() if field.card is None else field.card
    parts = [pen.card(Card(), x + 3 * i, y + 3 * i, _CARD) for i in range(min(count, 2), 0, -1)]
    parts.append(pen.card(top, x, y, _CARD))
    known = [card for card in field.below if card.face is not None]
    parts += [svg.chip(card, x + width - 8, y + 1 + 18 * i, 17, 17) for i, card in enumerate(known)]
    if count and not known:
        at = f'cx="{svg.number(x + width)}" cy="{svg.number(y + height - 2)}"'
        ring = f'<circle {at} r="9" fill="{BACK}" stroke="#fff"/>'
        parts.append(ring + svg.text(str(count), x + width, y + height + 3, 14, ' fill="#fff" text-anchor="middle"'))
    return parts


def _figures(pen: Pen, field: Field, place: tuple[float, float]) -> str:
    count = len(field.figures)
    return "".join(
        pen.figure(figure, place[0] - 15 + 12 * (2 * i - count + 1), place[1] - 28, 40)
        for i, figure in enumerate(field.figures)
    )


def _within(pen: Pen, scene: Scene, ring: _Ring) -> list[str]:
    """The rows of the centre, each in a line of its own, or in several."""
    parts, y = [], ring.top + (28.0 if pen.is_phone else 24.0)
    for row in (piece for piece in scene.centre if isinstance(piece, Row)):
        is_chips, scale, room = row.look == "chips", *((0.5, 54.0) if pen.is_phone else (0.58, 61.0))
        wide, high = (
            (26.0 if row.data else 19.0, 27.0 if row.data else 21.0) if is_chips else (room, CARD[1] * scale + 4)
        )
        drawn, in_line = [], int((ring.right - ring.left - 56) // wide)
        for i, card in enumerate(row.cards):
            along, count = i % in_line, min(in_line, len(row.cards) - i // in_line * in_line)
            x, top = ring.middle + wide * (along - count / 2), y + high * (i // in_line)
            if is_chips:
                known = {**({"card": card.name} if row.data else {}), **card.data}
                drawn.append(svg.chip(card, x, top, wide - 2, high - 3, data(known)))
                continue
            drawn += [pen.card(card, x + 22, top, scale)]
            drawn += [] if card.owner is None else [pen.figure(card.owner, x, top, 25)]
        y += high * -(-len(row.cards) // in_line)
        parts.append(group(drawn, attributes=f' class="pile"{data(row.data)}' if row.data else ""))
    return parts
