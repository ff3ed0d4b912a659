"""Pieces of pictures as SVG: shapes, words that fit, cards, whole documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from blackjacky_env.checks import check_choice
from blackjacky_env.draw.scene import Card, Face, Figure, Say, Value, in_words, printable
from blackjacky_env.draw.shapes import BACK, INK, RED, SHAPES, style

THEMES = ("auto", "light", "dark")
PHONE_TEXT = 12.0
"""The smallest letters on a phone."""
LOSS = ' fill="none" stroke="#d8343c" stroke-width='  # stands out on the panels of both themes
CARD = (52, 78)
"""Width and height of a card before scaling."""
_LETTER = 0.56  # width of an average bold letter, relative to the font size
_USED = re.compile(r'href="#(\w+)"')
_MIDDLE = ' text-anchor="middle"'
_BLANK = Face("?", BACK, "#fff")


# ---------------------------------------------------------------- elements


@lru_cache(maxsize=10_000)
def number(value: float) -> str:
    """A coordinate rounded to a tenth, as short as possible."""
    return f"{round(value, 1) + 0.0:g}"  # + 0.0: the cache cannot tell -0 from 0


def data(values: Mapping[str, Any]) -> str:
    """``data-`` attributes, by which a web page finds what can be clicked."""
    return "".join(f" data-{name}={quoteattr(str(value))}" for name, value in values.items())


def _moved(x: float, y: float, scale: float) -> str:
    moved = f"translate({number(x)} {number(y)})" if x or y else ""
    scaled = f"scale({scale:g})" if scale != 1 else ""
    return f' transform="{moved}{scaled}"' if moved or scaled else ""


def group(parts: Iterable[str], x: float = 0, y: float = 0, scale: float = 1, attributes: str = "") -> str:
    """Parts moved and scaled together."""
    return f"<g{attributes}{_moved(x, y, scale)}>{''.join(parts)}</g>"


def use(shape: str, x: float = 0, y: float = 0, scale: float = 1, attributes: str = "") -> str:
    """One of the `SHAPES`."""
    return f'<use href="#{shape}"{_moved(x, y, scale)}{attributes}/>'


def fitted(shape: str, x: float, y: float, width: float, height: float, fill: str) -> str:
    """A shape in the middle of a box, as large as fits."""
    wide, high = SHAPES[shape][0]
    scale = round(min(width / wide, height / high), 2)
    return use(shape, x + (width - wide * scale) / 2, y + (height - high * scale) / 2, scale, f' fill="{fill}"')


def box(x: float, y: float, width: float, height: float, radius: float, attributes: str) -> str:
    """A rounded rectangle."""
    size = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
    return f'<rect {size} rx="{number(radius)}"{attributes}/>'


def circle(x: float, y: float, radius: float, attributes: str) -> str:
    """A circle around a point."""
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"{attributes}/>'


def text(words: str, x: float, y: float, size: float, attributes: str) -> str:
    """A line of text as it is."""
    return f'<text x="{number(x)}" y="{number(y)}" font-size="{number(size)}"{attributes}>{escape(words)}</text>'


@lru_cache(maxsize=10_000)
def width_of(words: str) -> float:
    """Approximate width of a text, relative to the font size."""
    wide = sum(letter in "MWmw@%" or letter > "\u2e7f" for letter in words)
    narrow = sum(letter in " .,:ijlft" for letter in words)
    return _LETTER * len(words) + 0.4 * wide - 0.22 * narrow + 0.12 * sum(map(str.isupper, words))


def _cut(words: str, room: float) -> str:
    """``words``, with an ellipsis in place of what does not fit; ``room`` is relative to the font size."""
    if width_of(words) <= room + 0.01:
        return words
    while len(words) > 1 and width_of(words + "…") > room:
        words = words[:-1]
    return words.rstrip() + "…"


# ---------------------------------------------------------------- words and cards


class Piece(NamedTuple):
    """Something in a line, drawn from its left upper corner."""

    width: float
    markup: str


class Pen:
    """Draws in a language, with names for the seats, on a phone or not."""

    def __init__(self, names: Sequence[str], texts: Mapping[str, str], is_phone: bool) -> None:
        self.names, self.texts, self.is_phone = names, texts, is_phone

    def said(self, value: Value) -> str:
        """``value`` in words."""
        return in_words(value, self.names, self.texts)

    def words(
        self, value: Value, x: float, y: float, size: float, room: float = 640, look: str = "ink", anchor: str = "start"
    ) -> str:
        """A line of text, made smaller if it is wider than ``room``; ``anchor``: start, middle or end.

        On a phone it is cut rather than made smaller than `PHONE_TEXT`.
        """
        line = printable(self.said(value))  # XML forbids most of the rest
        if not line:
            return ""
        if self.is_phone:
            line = _cut(line, room / PHONE_TEXT)
        at = "" if anchor == "start" else f' text-anchor="{anchor}"'
        return text(line, x, y, min(size, room / width_of(line)), f' class="{look}"{at}')

    def piece(self, value: Value, size: float, room: float, look: str = "ink") -> Piece:
        """A line of text that takes at most ``room``."""
        width = min(room, width_of(self.said(value)) * size)
        return Piece(width, self.words(value, 0, 0.85 * size, size, room, look))

    def label(self, value: Say, colour: str, size: float, room: float, attributes: str) -> Piece:
        """A white word in a rounded box; ``colour`` is dark enough for white."""
        words = self.said(value)
        letters = _LETTER * 1.1 * len(words)
        size = max(min(size, (room - 10) / letters), PHONE_TEXT)
        width = letters * size + 10
        ground = box(0, 0, width, size + 5, size / 2 + 2.5, f' fill="{colour}"')
        line = text(words, width / 2, size, size, f' fill="#fff"{_MIDDLE}')
        return Piece(width, group([ground, line], attributes=attributes))

    def figure(self, figure: Figure, x: float, y: float, height: float) -> str:
        """A figure so high."""
        scale = round(height / SHAPES[figure.shape][0][1], 2)
        over = [use(shape, attributes=f' fill="{figure.ink}" stroke="none"') for shape in figure.over]
        under = [use(figure.under)] if figure.under else []
        body = use(figure.shape, attributes=f' fill="{figure.fill}"')
        return group([*under, body, *over], x, y, scale, f' stroke="{INK}"')

    def card(self, card: Card, x: float, y: float, scale: float = 1, attributes: str = "") -> str:
        """A card, `CARD` units before scaling; its left edge, visible when cards overlap, tells it."""
        width, height = CARD
        if card.spent:
            return box(x, y, width * scale, height * scale, 6 * scale, ' class="lost"')
        parts = [_back()] if card.face is None or card.seen_through else [front(card.face)]
        if card.face is not None and card.seen_through:
            parts.append(group([front(card.face)], attributes=' opacity="0.7"'))
        if card.struck:
            parts.append(f'<path d="M2 {height - 2} {width - 2} 2" stroke="{RED}" stroke-width="4"/>')
        if card.framed:
            parts.append(box(-2, -2, width + 4, height + 4, 8, ' class="now" fill="none"'))
        if card.mark:
            parts.append(self.badge(self.said(Say(card.mark)), width - 3, 5 / scale, 13 / scale))
        return group(parts, x, y, scale, attributes)

    def badge(self, words: str, x: float, y: float, size: float = 13) -> str:
        """A short word in a round frame around a point."""
        width = max(1.3 * size, size * (0.6 + _LETTER * 1.1 * len(words)))
        ground = box(x - width / 2, y - 0.65 * size, width, 1.3 * size, 0.65 * size, ' class="panel edge"')
        return ground + text(words, x, y + 0.36 * size, size, f' class="ink"{_MIDDLE}')


def _back() -> str:
    return box(0, 0, *CARD, 6, f' fill="{BACK}" stroke="#fff"') + use("paw", 9, 22, 1, ' fill="#a9c1e6"')


def front(face: Face) -> str:
    """The front of a card."""
    (width, height), size = CARD, 25 if len(face.corner) < 2 else 24
    ink, fill = face.ink, face.fill or face.ink
    parts = [box(0, 0, width, height, 6, f' fill="{face.ground}" stroke="{INK}"')]
    if face.motif:
        place = (18, 40, width - 23, height - 46) if face.sign else (6, 26, width - 12, height - 32)
        parts.append(fitted(face.motif, *place, fill))
    elif not face.sign:
        middle = f' fill="{ink}" fill-opacity=".25"{_MIDDLE}'
        parts.append(text(face.corner, 29, 60, 38 if len(face.corner) < 3 else 20, middle))
    parts.append(text(face.corner, 4 if len(face.corner) < 2 else 2, 23, size, f' fill="{ink}"'))
    if face.sign:
        parts.append(fitted(face.sign, 5, 29, 13, 13, ink))
    return "".join(parts)


def draw_card(name: str, face: Face) -> str:
    """The front of a card as an SVG of its own."""
    width, height = CARD
    return document(name, 0, width + 2, height + 2, [group([front(face)], 1, 1)], "light")


def chip(card: Card, x: float, y: float, width: float, height: float, attributes: str = "") -> str:
    """A card as a small plate with its corner; only that if it is spent."""
    face, size = card.face or _BLANK, max(height * 0.62, PHONE_TEXT)
    look = ' class="faint"' if card.spent else f' fill="{face.ink}"'
    words = text(face.corner, width / 2, height / 2 + 0.36 * size, size, look + _MIDDLE)
    if card.spent:
        return group([words], x, y, 1, attributes)
    parts = [box(0, 0, width, height, height / 7, f' fill="{face.ground}" stroke="{INK}"')]
    parts.append(words if face.corner else fitted(face.motif, 2, 2, width - 4, height - 4, face.fill or face.ink))
    if card.struck:
        parts.append(f'<path d="M1 {number(height - 1)} {number(width - 1)} 1" stroke="{RED}" stroke-width="2"/>')
    return group(parts, x, y, 1, attributes)


# ---------------------------------------------------------------- the document


def document(title: str, top: float, width: float, height: float, parts: Iterable[str], theme: str) -> str:
    """A whole SVG that begins at ``top``, with a line for each part."""
    check_choice("theme", theme, THEMES)
    body, name = "\n".join(filter(None, parts)), f"table-{theme}"
    top_, wide, high = map(number, (top, width, height))
    root = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 {top_} {wide} {high}" width="{wide}" height="{high}"'
    used = set(_USED.findall(body))
    used |= {other for shape in used for other in _USED.findall(SHAPES[shape][1])}
    shapes = "".join(f'<g id="{shape}">{SHAPES[shape][1]}</g>' for shape in SHAPES if shape in used)
    return (
        f'<svg {root} class="{name}" role="img" aria-label={quoteattr(title)}>'
        f"<style>{style(name)}</style><defs>{shapes}</defs>\n{body}\n</svg>\n"
    )
