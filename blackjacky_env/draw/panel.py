"""The panel of a seat: who sits there, what is told of it, and its cards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from blackjacky_env.draw import svg
from blackjacky_env.draw.scene import Card, Fact, Name, Row, Say, Scene, Value, say
from blackjacky_env.draw.shapes import INK
from blackjacky_env.draw.svg import CARD, LOSS, PHONE_TEXT, Pen, Piece, box, data, group, width_of

_IN_LINE, _FEW = 8, 6
"""Cards of a hand in a line on a phone, so that a finger can hit each; so many and fewer need no second line."""


class Sizes(NamedTuple):
    """How large a panel's pieces are."""

    name: float
    text: float
    figure: float
    card: float
    """Scale of cards."""
    hand: float = 0
    """Scale of those of the nearest seat, whose hand can be clicked; 0: it is another one."""
    chip: tuple[float, float] = (25, 20)


class Panel:
    """A seat's panel: its parts, and how high they are.

    In it lie, from above: the figure with the name, and around them what is told; lines of small cards; and cards.
    """

    def __init__(self, pen: Pen, scene: Scene, number: int, width: float, sizes: Sizes) -> None:
        self.pen, self.seat, self.number, self.width, self.sizes = pen, scene.seats[number], number, width, sizes
        self.left = 8.0 if pen.is_phone else 12.0
        self.room = width - 2 * self.left + 2
        self.small_text = max(sizes.text - 2, PHONE_TEXT)
        self.line_height = sizes.text + 3
        self.parts: list[str] = []
        rows = [row for row in self.seat.rows if row.cards and row.look in ("hand", "cards")]
        self.packed = [row for row in rows if row.packed and row.cards[0].face is None]
        self.rows = [row for row in rows if row not in self.packed]
        self.hand = next((row for row in self.rows if row.look == "hand" and sizes.hand), None)
        self.is_narrow = width < 150 and not scene.track
        y = self._lines(self._head(0 if self.is_narrow else sizes.figure))
        self.height = self._cards(y) + 5

    def drawn(self, x: float, y: float, height: float, scale: float = 1) -> str:
        """The panel, with a thick border and an arrow if it is the seat's turn, and a red border if it loses.

        Its parts are made smaller by ``scale``.
        """
        width, parts = self.width * scale, self.parts if scale == 1 else [group(self.parts, scale=round(scale, 3))]
        ground = box(0, 0, width, height, 12, f' class="panel {"now" if self.seat.acts else "edge"}"')
        loss = box(0, 0, width, height, 12, f'{LOSS}"4"') if self.seat.loses else ""
        arrow = '<path d="M-6 14 12 28-6 42z" class="sign"/>' if self.seat.acts else ""
        return group([ground, loss, arrow, *parts], x, y, 1, f' class="seat"{data({"seat": self.number})}')

    # -- what is told

    def _head(self, figure: float) -> float:
        """The figure, the name and what is told; returns where they end, as all these methods do."""
        sizes, (end, corner_ends) = self.sizes, self._corner()
        x = self.left
        if figure:
            self.parts.append(self.pen.figure(self.seat.figure, x - 2, 6, figure))
            x += figure + 8
        self.parts.append(self.pen.words(Name(self.number), x, 6 + sizes.name * 0.85, sizes.name, end - x - 4))
        y = self._flow(self._told(end - x - 4), 9 + sizes.name, end - 4, x, 8 + figure)
        return max(y, 10 + figure, corner_ends)

    def _corner(self) -> tuple[float, float]:
        """What lies in the right upper corner; returns where it begins and ends."""
        scale, x = self.sizes.card, self.width - 6
        width, height = CARD[0] * scale, CARD[1] * scale
        for row in self.packed:
            x -= width
            self.parts.append(self.pen.card(Card(), x, 5, scale))
            self.parts.append(self.pen.badge(str(len(row.cards)), x + 3, height - 2))
        return x, height + 5 if self.packed else 0

    def _told(self, room: float) -> Iterator[Piece]:
        seat, size = self.seat, self.sizes.text
        if self.is_narrow:
            yield Piece(18, self.pen.figure(seat.figure, -2, -3, 20))
        for fact in seat.facts:
            if fact.tokens:
                yield self._tokens(fact)
        for tag in seat.tags:
            yield self.pen.label(tag.text, tag.fill, size - 1.5, room, data(tag.data))
        if seat.notes:
            yield self.pen.piece(seat.notes, size - 1, room, "faint")
        for fact in seat.facts:
            if not fact.tokens:
                told: Value = say("{label} {value}", label=fact.label, value=fact.value)
                if fact.counts and self.pen.is_phone and width_of(self.pen.said(told)) * PHONE_TEXT > self.room:
                    told = fact.value  # whose frame says what it is
                words = self.pen.piece(told, size, self.room, "bad" if fact.counts else "ink")
                frame = box(-3, -1, words.width + 6, size + 4, 6, f'{LOSS}"2"') if fact.counts else ""
                yield Piece(words.width, frame + words.markup)

    def _tokens(self, fact: Fact) -> Piece:
        """The tokens of a fact, many of them as one with their number."""
        tokens, words = fact.tokens, Piece(0, "")
        if len(tokens) > 3 and not any(token.struck for token in tokens):
            tokens = sorted(tokens, key=lambda token: not token.fill)[:1]
            words = self.pen.piece(say("x {count}", count=fact.value), self.sizes.text, self.room)
        drawn = []
        for i, token in enumerate(tokens):
            look = f' fill="{token.fill}"' if token.fill else ' class="lost"'
            drawn.append(svg.use(token.shape, 20 * i, -3, attributes=look))
            for colour, wide in (("#fff", 4.5), (INK, 2.5)) if token.struck else ():
                cross = f'<path d="M0-1 18 18M18-1 0 18" stroke="{colour}" stroke-width="{wide}"/>'
                drawn.append(group([cross], 20 * i, -3))
        width = 20.0 * len(tokens)
        return Piece(width + words.width, "".join(drawn) + group([words.markup], width + 5))

    def _flow(self, pieces: Iterable[Piece], y: float, end: float, beside: float = 0, below: float = 0) -> float:
        """Pieces side by side, on as many lines as they need.

        Lines above ``below`` begin at ``beside``, the others at the left.
        """
        x = begin = beside if y < below else self.left
        for piece in pieces:
            if x > begin and x + piece.width > end:
                y += self.line_height
                x = begin = beside if y < below - 12 else self.left
                y = max(y, below) if begin != beside else y
            self.parts.append(group([piece.markup], x, y))
            x += piece.width + 9
        return y + self.line_height if x > begin else y

    # -- cards

    def _lines(self, y: float) -> float:
        """Groups one after the other, and chips in a line for each row, which is kept free for a row without any."""
        rows = [row for row in self.seat.rows if row.look == "groups"]
        y = self._flow((piece for row in rows for piece in self._groups(row)), y, self.width - 4)
        for row in self.seat.rows:
            if row.look == "chips":
                self._chips(row, y)
                y += self.sizes.chip[1] + 2
        return y

    def _groups(self, row: Row) -> Iterator[Piece]:
        """The label of a row, and for each colour the mark and the corners of its cards."""
        size = self.small_text
        if row.cards:
            yield self.pen.piece(row.label, size, self.room, "faint")
        for ground, cards in groupby(row.cards, lambda card: card.face.ground if card.face else ""):
            faces = [card.face for card in cards if card.face]
            corners = " ".join(face.corner for face in faces)
            width = (1.8 + 0.58 * len(corners)) * size if corners else 1.2 * size
            parts = [box(0, 0, width, size + 3, 3, f' fill="{ground}"')]
            if faces[0].sign:
                parts.append(svg.fitted(faces[0].sign, 0.25 * size, 0.3 * size, 0.65 * size, 0.65 * size, faces[0].ink))
            if corners:
                parts.append(svg.text(corners, 1.2 * size, size, size, f' fill="{faces[0].ink}"'))
            yield Piece(width, "".join(parts))

    def _chips(self, row: Row, y: float) -> None:
        (width, height), after = self.sizes.chip, 26 if row.after else 0
        step = min(width + 3, (self.room - after - width) / max(1, len(row.cards) - 1))
        for i, card in enumerate(row.cards):
            x, live = self.left + step * i, self._live(row, card)
            self.parts.append(svg.chip(card, x, y, min(width, step - 1), height, live))
        if row.after:
            x = self.left + step * len(row.cards) + 4
            self.parts.append(self.pen.words(row.after, x, y + 0.75 * height, self.small_text, after, "faint"))

    def _cards(self, y: float) -> float:
        """The other cards; on a phone those before the hand of the nearest seat are small if there are many."""
        scale, lines, rows = self.sizes.hand or self.sizes.card, 1, self.rows
        if self.hand and self.pen.is_phone and sum(len(row.cards) for row in rows) > _FEW:
            others = [row for row in rows if row is not self.hand]
            y = self._lay(others, y, self.sizes.card) + 4 if others else y
            rows, lines = [self.hand], -(-len(self.hand.cards) // _IN_LINE)
        return self._lay(rows, y, scale, lines) if rows else y

    def _lay(self, rows: Sequence[Row], y: float, scale: float, lines: int = 1) -> float:
        """Rows of cards side by side, which overlap if they must; those chosen stick out."""
        cards = [card for row in rows for card in row.cards]
        width, in_line, high = CARD[0] * scale, -(-len(cards) // lines), CARD[1] * scale + 4
        step = min(width + 4, max(self.room - width - 12 * (len(rows) - 1), 0) / max(1, in_line - 1))
        lift, x = 8 * any(card.lifted for card in cards), self.left
        labels = [row.label if self.sizes.hand and row is not self.hand else Say("") for row in rows]
        y += 12 if any(label.template for label in labels) else 0
        for row, label in zip(rows, labels, strict=True):
            self.parts.append(self.pen.words(label, x, y - 3, self.small_text, 100, "faint"))
            for i, card in enumerate(row.cards):
                top = y + high * (i // in_line) + (0 if card.lifted else lift)
                self.parts.append(self.pen.card(card, x + step * (i % in_line), top, scale, self._live(row, card)))
            x += step * len(row.cards) + 12
        return y + lift + high * lines - 4

    def _live(self, row: Row, card: Card) -> str:
        """Attributes of a card that can be clicked."""
        is_open = row is self.hand and card.face is not None and not card.seen_through
        known = {"card": card.name, **card.data} if is_open else card.data
        if "card" not in known:
            return data(known)
        return ' class="card"' + data({"seat": self.number, **known})
