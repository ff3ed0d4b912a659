"""The panel of a seat: who sits there, what is told of it, and its cards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from blackjacky_env.draw import svg
from blackjacky_env.draw.scene import INK, Card, Fact, Name, Row, Scene, Tag, Token, say
from blackjacky_env.draw.svg import CARD, CHIP, Pen, box, data, group

_IN_ROW, _FEW = 8, 6
"""Cards of a hand in a row on a phone, so that a finger can hit each; cards that lie beside the name."""


class Sizes(NamedTuple):
    """How large a panel's pieces are."""

    name: float
    text: float
    figure: float
    card: float
    """Scale of cards."""


class Piece(NamedTuple):
    """Something in a line: its width, and what draws it at a left and a top edge."""

    width: float
    draw: Callable[[float, float], str]


def _flow(
    pieces: Iterable[Piece], x: float, y: float, room: float, line: float, gap: float = 6
) -> tuple[list[str], float]:
    """Pieces side by side, on as many lines as they need; what is drawn, and where the last line ends."""
    drawn, left = [], x
    for piece in pieces:
        if left > x and left + piece.width > x + room:
            left, y = x, y + line
        drawn.append(piece.draw(left, y))
        left += piece.width + gap
    return drawn, y + line if drawn else y


class Panel:
    """A seat's panel: its parts, and how high they are."""

    def __init__(self, pen: Pen, scene: Scene, seat: int, width: float, sizes: Sizes, is_near: bool) -> None:
        self.pen, self.scene, self.number, self.width = pen, scene, seat, width
        self.seat, self.sizes, self.is_near = scene.seats[seat], sizes, is_near
        self.parts: list[str] = []
        self.left = 8 if pen.is_phone else 12
        self.room = width - 2 * self.left + 2
        self.is_compact = is_near and not pen.is_phone and self._has_few_cards()
        self.height = self._draw()

    def drawn(self, x: float, y: float, height: float, scale: float = 1) -> str:
        """The panel, with a thick border and an arrow if it is the seat's turn, and a red border if it loses.

        Its parts are made smaller by ``scale``.
        """
        width, parts = self.width * scale, self.parts if scale == 1 else [group(self.parts, scale=round(scale, 3))]
        ground = box(0, 0, width, height, 12, f"panel {'now' if self.seat.acts else 'edge'}")
        loss = svg.framed(width, height, 12, 4) if self.seat.loses else ""
        arrow = '<path d="M-6 14 12 28-6 42z" class="sign"/>' if self.seat.acts else ""
        look = f' class="seat{" loser" * self.seat.loses}"{data({"seat": self.number})}'
        return group([ground, loss, arrow, *parts], x, y, attributes=look)

    def _has_few_cards(self) -> bool:
        """Whether there is room for the cards beside the name."""
        rows = [row for row in self.seat.rows if row.cards]
        return all(row.look in ("hand", "cards") for row in rows) and sum(len(row.cards) for row in rows) <= _FEW

    def _draw(self) -> float:
        y = self._head()
        rows = [row for row in self.seat.rows if not (row.packed and _is_hidden(row.cards))]
        lines = [row for row in rows if row.look in ("chips", "groups")]
        if self.is_near and self.pen.is_phone:
            parts, y = _flow(
                [self._line(row) for row in lines if row.cards], self.left, y, self.room, self._line_height + 2
            )
            self.parts += parts
        elif not self.is_near:
            for row in lines:
                y = self._own_lines(row, y)
        cards = [row for row in rows if row.look in ("hand", "cards")]
        if any(row.cards for row in cards) or (cards and not self.is_near):
            end = self._cards(cards, 10 if self.is_compact else y)
            y = max(y, end)
        return y + 5

    @property
    def _line_height(self) -> float:
        return self.sizes.text + 3

    @property
    def _small_text(self) -> float:
        return max(self.sizes.text - 2, svg.PHONE_TEXT)

    def _head(self) -> float:
        """The figure, the name, tokens, tags, notes and facts; where they end."""
        sizes, pen, seat = self.sizes, self.pen, self.seat
        figure = sizes.figure if self.width > 150 or self.scene.track else 0
        if figure:
            self.parts.append(pen.figure(seat.figure, self.left - 2, 6, figure))
        x = self.left + figure + (8 if figure else 0)
        beside = self._beside()
        room = (190 if self.is_near and not pen.is_phone else self.width) - x - (beside if not self.is_near else 0) - 4
        self.parts.append(pen.words(Name(self.number), x, 6 + sizes.name * 0.85, sizes.name, room))
        y = 6 + sizes.name + 3
        tags = [self._tag(tag) for tag in seat.tags]
        tokens = [self._tokens(fact) for fact in seat.facts if fact.tokens]
        notes = [self._note(", ".join(map(pen.said, seat.notes)), room)] if seat.notes else []
        facts = [self._fact(fact) for fact in seat.facts if not fact.tokens]
        if self.scene.track:
            parts, end = _flow([*facts, *tokens, *tags, *notes], x, y, room, self._line_height + 2)
            self.parts += parts
            return max(end, 8 + figure)
        parts, end = _flow([*tokens, *tags, *notes], x, y, room, self._line_height + 3)
        self.parts += parts
        if self.is_compact:
            parts, below = _flow(facts, self.left, max(end, 8 + figure), 190, self._line_height)
        elif self.is_near and not pen.is_phone:
            lines = [self._line(row) for row in self.seat.rows if row.look in ("chips", "groups") and row.cards]
            parts, below = _flow(facts, 230, 9, self.width - 240 - beside, self._line_height, 12)
            more, below = _flow(lines, 230, below + 2, self.width - 240, self._line_height + 1, 12)
            parts += more
        else:
            parts, below = _flow(facts, self.left, max(end, 8 + figure), self.room, self._line_height)
        self.parts += parts
        return max(end, below, 10 + figure)

    def _beside(self) -> float:
        """Draw what lies in the right upper corner, and return its width."""
        x, played = self.width - 6, self.seat.played
        if self.pen.is_phone and played is not None:
            x -= CARD[0] * self.sizes.card
            self.parts.append(played_card(self.pen, played, self.number, x, 5, self.sizes.card))
            return self.width - 6 - x
        scale = self.sizes.card * 0.88
        for row in self.seat.rows:
            if row.packed and row.cards and _is_hidden(row.cards):
                x -= CARD[0] * scale
                self.parts.append(self.pen.card(Card(), x, 5, scale))
                self.parts.append(self.pen.badge(str(len(row.cards)), x + 3, CARD[1] * scale - 2))
        return self.width - x - 3

    def _tag(self, tag: Tag) -> Piece:
        size = self.sizes.text - 1.5

        def draw(x: float, y: float) -> str:
            drawn = self.pen.label(tag.text, x, y, tag.fill, size, self.width - x - 4)[0]
            return group([drawn], attributes=data(tag.data)) if tag.data else drawn

        return Piece(self.pen.label(tag.text, 0, 0, tag.fill, size)[1], draw)

    def _tokens(self, fact: Fact) -> Piece:
        if len(fact.tokens) > 3 and not any(token.struck for token in fact.tokens):
            kept = [token for token in fact.tokens if token.fill][:1] or fact.tokens[:1]
            number = say("x {count}", count=fact.value)
            width = 22 + self.pen.width(number, self.sizes.text)
            return Piece(
                width,
                lambda x, y: _token(kept[0], x, y) + self.pen.words(number, x + 22, y + 14, self.sizes.text, 60),
            )
        return Piece(
            20 * len(fact.tokens),
            lambda x, y: "".join(_token(token, x + 20 * i, y) for i, token in enumerate(fact.tokens)),
        )

    def _note(self, words: str, room: float) -> Piece:
        size = self.sizes.text - 1
        width = min(room, self.pen.width(words, size))
        return Piece(width, lambda x, y: self.pen.words(words, x, y + 0.85 * size, size, room, "faint"))

    def _fact(self, fact: Fact) -> Piece:
        words, size = say("{label} {value}", label=fact.label, value=fact.value), self.sizes.text
        width = min(self.room, self.pen.width(words, size))

        def draw(x: float, y: float) -> str:
            if not fact.counts:
                return self.pen.words(words, x, y + 0.85 * size, size, width)
            frame = group([svg.framed(width + 6, size + 4, 6, 2)], x - 3, y - 1, attributes=' class="counted"')
            return frame + self.pen.words(words, x, y + 0.85 * size, size, width, "bad")

        return Piece(width, draw)

    # -- rows of cards

    def _line(self, row: Row) -> Piece:
        """A row in a line: its label and its cards."""
        size = self._small_text
        label = self.pen.width(row.label, size) + 6 if row.says else 0
        cards = self._small(row)
        after = row.after

        def draw(x: float, y: float) -> str:
            parts = [self.pen.words(row.label, x, y + size, size, look="faint")] if row.says else []
            parts.append(cards.draw(x + label, y))
            if after is not None:
                parts.append(self.pen.words(after, x + label + cards.width + 4, y + size, size, look="faint"))
            return group(parts, attributes=data(row.data)) if row.data else "".join(parts)

        return Piece(label + cards.width, draw)

    def _own_lines(self, row: Row, y: float) -> float:
        """A row on lines of its own; where they end."""
        height = self._line_height + 2 if row.look == "groups" else self._chip[1] + 2
        if not row.cards:
            return y + height * row.lines
        if row.look == "groups":
            pieces = [self._small(row._replace(cards=tuple(cards))) for _, cards in groupby(row.cards, _ground)]
            if row.says:
                pieces = [self._note(self.pen.said(row.label), 60), *pieces]
            parts, end = _flow(pieces, self.left, y, self.room, height, 4)
            self.parts += parts
            return max(end, y + height * row.lines)
        self.parts.append(self._line(row).draw(self.left, y))
        return y + height

    @property
    def _chip(self) -> tuple[float, float]:
        return (20, 16) if self.pen.is_phone else CHIP

    def _small(self, row: Row) -> Piece:
        if row.look == "groups":
            return self._groups(row.cards)
        (width, height), count = self._chip, len(row.cards)
        label = self.pen.width(row.label, self._small_text) + 6 if row.says else 0
        room = self.room - label - (26 if row.after else 0)
        step = min(width + 3, (room - width) / max(1, count - 1))

        def draw(x: float, y: float) -> str:
            return "".join(
                svg.chip(card, x + step * i, y, min(width, step - 1), height, self._live(card))
                for i, card in enumerate(row.cards)
            )

        return Piece(step * (count - 1) + width, draw)

    def _groups(self, cards: Sequence[Card]) -> Piece:
        """Cards of one ground together, as marks and corners."""
        size = self._small_text
        pieces = []
        for _, group_of in groupby(cards, _ground):
            faces = [card.face for card in group_of if card.face is not None]
            corners = " ".join(face.corner for face in faces)
            pieces.append((faces[0], corners, (1.5 + 0.58 * len(corners) + 0.3) * size if corners else 1.2 * size))

        def draw(x: float, y: float) -> str:
            parts = []
            for face, corners, width in pieces:
                parts.append(svg.filled(x, y, width, size + 3, 3, face.ground))
                if face.sign:
                    parts.append(
                        svg.fitted(face.sign, (x + 0.25 * size, y + 0.3 * size, 0.65 * size, 0.65 * size), face.ink)
                    )
                parts.append(
                    svg.text(corners, x + 1.2 * size, y + size, size, f' fill="{face.ink}"') if corners else ""
                )
                x += width + 3
            return "".join(parts)

        return Piece(sum(width for _, _, width in pieces) + 3 * (len(pieces) - 1), draw)

    def _cards(self, rows: Sequence[Row], y: float) -> float:
        """Rows of cards side by side, the hand of the nearest seat as large as there is room."""
        shown = [row for row in rows if row.cards]
        hand = next((row for row in shown if row.look == "hand" and not _is_hidden(row.cards)), None)
        if self.is_near and hand is not None:
            return self._hand(hand, [row for row in shown if row is not hand], y)
        return self._beside_each_other(shown, self.left, y, self.room, self.sizes.card)

    def _hand(self, hand: Row, others: Sequence[Row], y: float) -> float:
        if self.pen.is_phone and len(hand.cards) > _FEW:
            y = self._beside_each_other(others, self.left, y + 12, self.room, 0.52) + 4 if others else y
            return self._hand_in_lines(hand, y)
        scale = 0.77 if self.pen.is_phone else 1.4 if self.is_compact else 1.0
        left = 230 if self.is_compact else self.left
        y += 8 if self.is_compact else 0
        beside, small = sum(len(row.cards) for row in others), min(0.8, 0.8 * scale)
        room = self.left + self.room - left - (min(240, beside * 54 * small + 30) if beside else 0)
        (lefts,) = svg.spread([len(hand.cards)], CARD[0] * scale, left, room, 0)
        lift = 10 if any(card.lifted for card in hand.cards) else 0
        for card, x in zip(hand.cards, lefts, strict=True):
            self.parts.append(self.pen.card(card, x, y + lift * (not card.lifted), scale, self._live(card, True)))
        if others:
            x = lefts[-1] + CARD[0] * scale + 24 * scale
            self._beside_each_other(others, x, y + CARD[1] * (scale - small), self.left + self.room - x, small)
        return y + CARD[1] * scale + lift

    def _hand_in_lines(self, hand: Row, y: float) -> float:
        """A hand of a phone's near seat, so that a finger can hit each card."""
        scale, count = 0.77, len(hand.cards)
        lines = -(-count // _IN_ROW)
        in_line, high = -(-count // lines), CARD[1] * scale + 4
        step = min(CARD[0] * scale + 3, (self.room - CARD[0] * scale) / max(1, in_line - 1))
        y += 7 if any(card.lifted for card in hand.cards) else 0
        for i, card in enumerate(hand.cards):
            top = y + high * (i // in_line) - 7 * card.lifted
            self.parts.append(self.pen.card(card, self.left + step * (i % in_line), top, scale, self._live(card, True)))
        return y + high * lines

    def _beside_each_other(self, rows: Sequence[Row], x: float, y: float, room: float, scale: float) -> float:
        width, size = CARD[0] * scale, self._small_text
        packed = [
            row._replace(cards=row.cards[:3]) if _is_hidden(row.cards) and len(row.cards) > 4 else row for row in rows
        ]
        lefts = svg.spread([len(row.cards) for row in packed], width, x, room, 12)
        for row, whole, places in zip(packed, rows, lefts, strict=True):
            if self.is_near and row.says:
                self.parts.append(self.pen.words(row.label, places[0], y - 5, size, room, "faint"))
            for card, left in zip(row.cards, places, strict=True):
                self.parts.append(self.pen.card(card, left, y, scale, self._live(card)))
            if len(whole.cards) > len(row.cards):
                self.parts.append(self.pen.badge(str(len(whole.cards)), places[-1] + width - 4, y + 6))
        return y + CARD[1] * scale

    def _live(self, card: Card, is_hand: bool = False) -> str:
        """Attributes of a card that can be clicked."""
        is_open = is_hand and card.face is not None and not card.seen_through
        known = {"card": card.name, **card.data} if is_open else card.data
        if "card" not in known:
            return data(known)
        return ' class="card"' + data({"seat": self.number, **known})


def _ground(card: Card) -> str:
    return "" if card.face is None else card.face.ground


def _is_hidden(cards: Sequence[Card]) -> bool:
    return all(card.face is None for card in cards)


def _token(token: Token, x: float, y: float) -> str:
    if not token.fill:
        return group([svg.use(token.shape, x, y)], attributes=' class="lost"')
    drawn = svg.use(token.shape, x, y, fill=token.fill)
    if not token.struck:
        return drawn
    lines = (f'<path d="M0-1 18 18M18-1 0 18" stroke="{colour}" stroke-width="{wide}"/>' for colour, wide in _CROSS)
    return drawn + group(lines, x, y, attributes=' class="struck"')


_CROSS = (("#fff", 4.5), (INK, 2.5))


def played_card(pen: Pen, card: Card, seat: int, x: float, y: float, scale: float) -> str:
    """A card that a seat has put into the middle."""
    known = {"card": card.name, "seat": seat, "kind": "played", **card.data}
    return pen.card(card, x, y, scale, ' class="card"' + data(known) if card.face is not None else "")
