"""The panel of a seat: who sits there, what is told of it, and its cards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby
from typing import NamedTuple

from blackjacky_env.draw import svg
from blackjacky_env.draw.scene import INK, Card, Fact, Name, Row, Scene, Tag, Token, Value, say
from blackjacky_env.draw.svg import CARD, CHIP, Pen, box, data, group

_IN_ROW, _FEW = 8, 6
"""Cards of a hand in a row on a phone, so that a finger can hit each; cards that lie beside the name."""
_NAMED = 218
"""Width of what lies beside few cards."""


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


class Panel:
    """A seat's panel: its parts, and how high they are."""

    def __init__(self, pen: Pen, scene: Scene, seat: int, width: float, sizes: Sizes, is_near: bool) -> None:
        self.pen, self.scene, self.number, self.width = pen, scene, seat, width
        self.seat, self.sizes, self.is_near = scene.seats[seat], sizes, is_near
        self.parts: list[str] = []
        self.left = 8 if pen.is_phone else 12
        self.room = width - 2 * self.left + 2
        self.small_text = max(sizes.text - 2, svg.PHONE_TEXT)
        rows = [row for row in self.seat.rows if row.cards]
        self.is_compact = is_near and not pen.is_phone and sum(len(row.cards) for row in rows) <= _FEW
        self.is_compact &= all(row.look in ("hand", "cards") for row in rows)
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

    def _draw(self) -> float:
        """The figure and the name, around them what is told, and cards below or beside; returns the height."""
        sizes, pen, seat = self.sizes, self.pen, self.seat
        figure = sizes.figure if self.width > 150 or self.scene.track else 0
        if figure:
            self.parts.append(pen.figure(seat.figure, self.left - 2, 6, figure))
        end = _NAMED if self.is_compact else self.width - self._beside()
        x, y = self.left + figure + (8 if figure else 0), 9 + sizes.name
        is_wide = self.is_near and not pen.is_phone
        room = (_NAMED if is_wide else end) - x - 4
        self.parts.append(pen.words(Name(self.number), x, 6 + sizes.name * 0.85, sizes.name, room))
        if is_wide and not self.is_compact:
            x, y = _NAMED + 12, 9
        rows = [row for row in seat.rows if not (row.packed and _is_hidden(row.cards))]
        lines = [row for row in rows if row.look in ("chips", "groups")]
        told = [*map(self._tokens, seat.facts), *map(self._tag, seat.tags)]
        told += [self._words(", ".join(map(pen.said, seat.notes)), sizes.text - 1, "faint")] * bool(seat.notes)
        told += [self._fact(fact) for fact in seat.facts if not fact.tokens]
        y = self._flow(filter(None, told), y, end, x, 8 + figure)
        if self.is_near:
            y = self._flow((piece for row in lines for piece in self._line(row)), y, self.width, x, 8 + figure)
        y = max(y, 10 + figure)
        for row in () if self.is_near else lines:
            after = y + row.lines * (self._line_height if row.look == "groups" else self._chip[1] + 2)
            y = max(after, self._flow(iter(self._line(row)), y, self.width - self.left))
        cards = [row for row in rows if row.look in ("hand", "cards")]
        if any(row.cards for row in cards) or (cards and not self.is_near):
            y = max(y, self._cards([row for row in cards if row.cards], 10 if self.is_compact else y))
        return y + 5

    @property
    def _line_height(self) -> float:
        return self.sizes.text + 3

    def _flow(self, pieces: Iterator[Piece], y: float, end: float, beside: float = 0, below: float = 0) -> float:
        """Draw pieces side by side, on as many lines as they need; returns where the last line ends.

        Lines above ``below`` begin at ``beside``, the others at the left.
        """
        begin, y = (beside, y) if y < below - 12 else (self.left, max(y, below) if beside else y)
        x = begin
        for piece in pieces:
            if x > begin and x + piece.width > end - 4:
                return self._flow(chain([piece], pieces), y + self._line_height, end, beside, below)
            self.parts.append(piece.draw(x, y))
            x += piece.width + 6
        return y + self._line_height if x > begin else y

    def _beside(self) -> float:
        """Draw what lies in the right upper corner, and return its width."""
        x, played = self.width - 6, self.seat.played
        if self.pen.is_phone and played is not None:
            x -= CARD[0] * self.sizes.card
            self.parts.append(played_card(self.pen, played, self.number, x, 5, self.sizes.card))
            return self.width - x
        scale = self.sizes.card * 0.88
        for row in self.seat.rows:
            if row.packed and row.cards and _is_hidden(row.cards):
                x -= CARD[0] * scale
                self.parts.append(self.pen.card(Card(), x, 5, scale))
                self.parts.append(self.pen.badge(str(len(row.cards)), x + 3, CARD[1] * scale - 2))
        return self.width - x

    # -- what is told

    def _words(self, value: Value, size: float, look: str = "ink") -> Piece:
        width = min(self.room, self.pen.width(value, size))
        return Piece(width, lambda x, y: self.pen.words(value, x, y + 0.85 * size, size, self.width - x - 4, look))

    def _tag(self, tag: Tag) -> Piece:
        size = self.sizes.text - 1.5

        def draw(x: float, y: float) -> str:
            drawn = self.pen.label(tag.text, x, y, tag.fill, size, self.width - x - 4)[0]
            return group([drawn], attributes=data(tag.data)) if tag.data else drawn

        return Piece(self.pen.label(tag.text, 0, 0, tag.fill, size)[1], draw)

    def _tokens(self, fact: Fact) -> Piece | None:
        tokens, words = fact.tokens, None
        if len(tokens) > 3 and not any(token.struck for token in tokens):
            tokens = [token for token in tokens if token.fill][:1] or tokens[:1]
            words = self._words(say("x {count}", count=fact.value), self.sizes.text)

        def draw(x: float, y: float) -> str:
            return "".join(_token(token, x + 20 * i, y - 3) for i, token in enumerate(tokens))

        shown = Piece(20 * len(tokens), draw)
        return _joined(shown, words) if words else shown if tokens else None

    def _fact(self, fact: Fact) -> Piece:
        size, look = self.sizes.text, "bad" if fact.counts else "ink"
        words = self._words(say("{label} {value}", label=fact.label, value=fact.value), size, look)

        def framed(x: float, y: float) -> str:
            frame = svg.framed(words.width + 6, size + 4, 6, 2)
            return group([frame], x - 3, y - 1, attributes=' class="counted"') + words.draw(x, y)

        return Piece(words.width, framed) if fact.counts else words

    # -- rows of cards in a line

    @property
    def _chip(self) -> tuple[float, float]:
        return (20, 16) if self.pen.is_phone else CHIP

    def _line(self, row: Row) -> list[Piece]:
        """The label of a row and its cards, if it has any."""
        if not row.cards:
            return []
        if row.look == "groups":
            pieces = [self._group(list(cards)) for _, cards in groupby(row.cards, _ground)]
        else:
            pieces = [self._chips(row)]
        if row.says:
            pieces[0] = _joined(self._words(row.label, self.small_text, "faint"), pieces[0])
        return pieces + ([self._words(row.after, self.small_text, "faint")] if row.after else [])

    def _chips(self, row: Row) -> Piece:
        (width, height), count = self._chip, len(row.cards)
        step = min(width + 3, (self.room - (26 if row.after else 0) - width) / max(1, count - 1))

        def draw(x: float, y: float) -> str:
            places = [(card, x + step * i) for i, card in enumerate(row.cards)]
            return "".join(svg.chip(card, at, y, min(width, step - 1), height, self._live(card)) for card, at in places)

        return Piece(step * (count - 1) + width, draw)

    def _group(self, cards: Sequence[Card]) -> Piece:
        """Cards of one ground, as their mark and corners."""
        size, face = self.small_text, cards[0].face or svg.BLANK
        corners = " ".join(card.face.corner for card in cards if card.face)
        width = (1.8 + 0.58 * len(corners)) * size if corners else 1.2 * size

        def draw(x: float, y: float) -> str:
            mark = (x + 0.25 * size, y + 0.3 * size, 0.65 * size, 0.65 * size)
            sign = svg.fitted(face.sign, mark, face.ink) if face.sign else ""
            words = svg.text(corners, x + 1.2 * size, y + size, size, f' fill="{face.ink}"') if corners else ""
            return svg.filled(x, y, width, size + 3, 3, face.ground) + sign + words

        return Piece(width, draw)

    # -- cards

    def _cards(self, rows: Sequence[Row], y: float) -> float:
        """Rows of cards side by side, the hand of the nearest seat as large as there is room; where they end."""
        hand = next((row for row in rows if row.look == "hand" and not _is_hidden(row.cards)), None)
        if not self.is_near or hand is None:
            return self._side_by_side(rows, self.left, y, self.room, self.sizes.card)
        others, count = [row for row in rows if row is not hand], len(hand.cards)
        x, room, scale, lines = self.left, self.room, 0.77 if self.pen.is_phone else 1.0, 1
        if self.is_compact:
            x, y, room, scale = x + _NAMED, y + 8, room - _NAMED, 1.4
        elif self.pen.is_phone and count > _FEW:
            lines = -(-count // _IN_ROW)
            y = self._side_by_side(others, x, y + 12, room, 0.52) + 4 if others else y
        small, beside = min(0.8, 0.8 * scale), sum(len(row.cards) for row in others) if lines == 1 else 0
        free = room - (min(240, beside * 54 * small + 30) if beside else 0)
        step = _step(-(-count // lines), CARD[0] * scale, free)
        bottom = self._lay(hand.cards, x, y, step, scale, lines, is_hand=True)
        if beside:
            right = x + step * (count - 1) + (CARD[0] + 24) * scale
            self._side_by_side(others, right, bottom - CARD[1] * small, x + room - right, small)
        return bottom

    def _lay(
        self,
        cards: Sequence[Card],
        x: float,
        y: float,
        step: float,
        scale: float,
        lines: int = 1,
        is_hand: bool = False,
    ) -> float:
        """Cards in lines, those chosen a little higher; where they end."""
        in_line, high, lift = -(-len(cards) // lines), CARD[1] * scale + 4, 8 * any(card.lifted for card in cards)
        for i, card in enumerate(cards):
            top = y + high * (i // in_line) + (0 if card.lifted else lift)
            self.parts.append(self.pen.card(card, x + step * (i % in_line), top, scale, self._live(card, is_hand)))
        return y + lift + high * lines - 4

    def _side_by_side(self, rows: Sequence[Row], x: float, y: float, room: float, scale: float) -> float:
        """Rows of cards, many that lie face down as one with their number; where they end."""
        shown = [row.cards[:3] if _is_hidden(row.cards) and len(row.cards) > 4 else row.cards for row in rows]
        step = _step(sum(map(len, shown)), CARD[0] * scale, room - 12 * (len(rows) - 1))
        for row, cards in zip(rows, shown, strict=True):
            if self.is_near and row.says:
                self.parts.append(self.pen.words(row.label, x, y - 5, self.small_text, room, "faint"))
            self._lay(cards, x, y, step, scale)
            if len(cards) < len(row.cards):
                right = x + step * (len(cards) - 1) + CARD[0] * scale - 4
                self.parts.append(self.pen.badge(str(len(row.cards)), right, y + 6))
            x += step * len(cards) + 12
        return y + CARD[1] * scale

    def _live(self, card: Card, is_hand: bool = False) -> str:
        """Attributes of a card that can be clicked."""
        is_open = is_hand and card.face is not None and not card.seen_through
        known = {"card": card.name, **card.data} if is_open else card.data
        if "card" not in known:
            return data(known)
        return ' class="card"' + data({"seat": self.number, **known})


def _joined(one: Piece, other: Piece) -> Piece:
    along = one.width + 5
    return Piece(along + other.width, lambda x, y: one.draw(x, y) + other.draw(x + along, y))


def _step(count: int, width: float, room: float) -> float:
    """From card to card: they overlap if they must."""
    return min(width + 4, max(room - width, 0) / max(1, count - 1))


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
