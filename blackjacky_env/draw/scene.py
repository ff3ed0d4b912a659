"""What lies on a table, told once, as data: pictures, terminals and words for readers are made from it.

A game makes a `Scene` of a view, so it shows nothing that the viewer may not know. Words are English templates, which
a renderer translates; seats and cards in them are named by the renderer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from blackjacky_env.draw.shapes import CREAM, INK

EVERYTHING: Literal["everything"] = "everything"


# ---------------------------------------------------------------- words


class Say(NamedTuple):
    """An English template and its values."""

    template: str
    values: Mapping[str, Value] = MappingProxyType({})


class Name(NamedTuple):
    """The name of the player at a seat."""

    seat: int


class CardName(NamedTuple):
    """A card as written in snapshots, or ``"hidden"``."""

    card: int | str


Value = str | int | Say | Name | CardName | Sequence["Value"]
"""What can be said; a sequence is a list of words with commas."""


def say(template: str, **values: Value) -> Say:
    """A template with its values."""
    return Say(template, values)


def printable(text: str) -> str:
    """``text`` without control characters, which could change what a terminal shows, and other unprintable ones."""
    return "".join(filter(str.isprintable, text))


def signed(points: int) -> str:
    """A number with a minus sign that looks like one."""
    return str(points).replace("-", "\N{MINUS SIGN}")


def in_words(value: Value, seats: Sequence[str], texts: Mapping[str, str] = MappingProxyType({})) -> str:
    """``value`` in a language.

    Args:
        value: what is said.
        seats: the names by seat.
        texts: translations by English template; what is missing stays English.
    """
    match value:
        case Say(template, values):
            filled = {name: in_words(each, seats, texts) for name, each in values.items()}
            return texts.get(template, template).format_map(filled)
        case Name(seat):
            return seats[seat]
        case CardName(name):
            return str(name)
        case str() | int():
            return str(value)
    return ", ".join(in_words(each, seats, texts) for each in value)


# ---------------------------------------------------------------- what is drawn


class Face(NamedTuple):
    """The front of a card."""

    corner: str
    """What its visible corner says, such as ``"10"``."""
    ground: str = CREAM
    ink: str = INK
    sign: str = ""
    """The shape below the corner, in the colour ``ink``; see `blackjacky_env.draw.shapes.SHAPES`."""
    motif: str = ""
    """The shape in the middle."""
    fill: str = ""
    """Colour of the motif; "": that of ``ink``."""
    letter: str = ""
    """What follows the corner in a terminal, such as ``"♠"``."""


class Card(NamedTuple):
    """A card on the table."""

    name: int | str = ""
    """As written in snapshots, for words and for whoever clicks it."""
    face: Face | None = None
    """None: it lies face down."""
    seen_through: bool = False
    """Whether it lies face down and the viewer knows it all the same."""
    struck: bool = False
    """Whether it is crossed out: it does not count."""
    spent: bool = False
    """Whether only its place is left."""
    lifted: bool = False
    """Whether it is chosen and sticks out of the hand."""
    framed: bool = False
    """Whether it is the best of those on the table."""
    mark: str = ""
    """A word or number on a badge."""
    owner: Figure | None = None
    """Whose card it is, if it does not lie before a seat."""
    data: Mapping[str, Any] = MappingProxyType({})
    """What an action says that takes it: entries of `blackjacky_env.declare.actions.ActionInfo` by name."""


class Figure(NamedTuple):
    """A head or a figure on the board."""

    shape: str
    fill: str
    letter: str = ""
    """In a terminal."""
    over: Sequence[str] = ()
    """Further shapes upon it, in the colour ``ink``."""
    ink: str = INK
    under: str = ""
    """A shape behind it."""
    called: Value = ""
    """Its name on a board."""


class Row(NamedTuple):
    """Cards side by side."""

    label: Say
    cards: Sequence[Card] = ()
    look: Literal["hand", "cards", "chips", "groups"] = "cards"
    """``hand``: as large as there is room, before the viewer, and clickable; ``chips``: tiny, in a line of their own;
    ``groups``: those of one ground together, in as few letters as possible."""
    after: Say | None = None
    """What is said behind them."""
    data: Mapping[str, Any] = MappingProxyType({})
    """As of a card, for a row that can be clicked as a whole; a ``pile`` by name."""
    packed: bool = False
    """Whether cards that lie face down are drawn as one with their number."""


class Fact(NamedTuple):
    """A number or word that belongs to a seat, below its label."""

    label: Say
    value: Value
    counts: bool = False
    """Whether it decides the settlement that is shown against the seat."""
    tokens: Sequence[Token] = ()
    """What a picture shows in place of the words."""


class Token(NamedTuple):
    """A small shape that is counted, such as a heart."""

    shape: str
    fill: str = ""
    """"": it is lost, and only its outline is left."""
    struck: bool = False
    """Whether it is being lost."""


class Tag(NamedTuple):
    """A word that stands out."""

    text: Say
    fill: str
    data: Mapping[str, Any] = MappingProxyType({})


class Seat(NamedTuple):
    """A player and what lies before it."""

    figure: Figure
    tags: Sequence[Tag] = ()
    notes: Sequence[Say] = ()
    """Words of less weight than the tags."""
    facts: Sequence[Fact] = ()
    rows: Sequence[Row] = ()
    played: Card | None = None
    """What it has put into the middle."""
    acts: bool = False
    loses: bool = False
    """Whether it loses something in the settlement that is shown, or fares worst."""


class CardPile(NamedTuple):
    """Cards upon each other, or a card in the middle that can be chosen."""

    label: Say
    top: Card
    cards: int | None = None
    """How many there are; None: it is a choice."""
    data: Mapping[str, Any] = MappingProxyType({})


class BoardField(NamedTuple):
    """A place on the track."""

    card: Card | None = None
    below: Sequence[Card] = ()
    figures: Sequence[Figure] = ()
    targets: Sequence[Figure] = ()
    """Those that will move here."""
    data: Mapping[str, Any] = MappingProxyType({})


class Scene(NamedTuple):
    """All that a viewer sees of a table."""

    title: str
    when: Sequence[Say]
    """Where the game is."""
    viewer: int | Literal["everything"] | None
    """A seat, `EVERYTHING`, or None: a spectator."""
    seats: Sequence[Seat]
    sentences: Sequence[Say]
    """What is asked of whom."""
    options: Sequence[str] = ()
    """The rule options that differ from the rule sheet, in English."""
    centre: Sequence[CardPile | Row] = ()
    track: Sequence[BoardField] = ()


# ---------------------------------------------------------------- in words


def described(scene: Scene) -> list[Value]:
    """The table in words, for readers without the picture: when, the middle, and each seat."""
    told: list[Value] = [say("{when}", when=list(scene.when))]
    told += [_in_the_middle(each) for each in scene.centre if isinstance(each, Row) or each.cards is not None]
    told += [
        say("Field {number}: {what}.", number=number, what=_on_field(field)) for number, field in enumerate(scene.track)
    ]
    return told + [say("{seat}: {what}.", seat=Name(q), what=_before(seat)) for q, seat in enumerate(scene.seats)]


def _in_the_middle(piece: CardPile | Row) -> Say:
    if isinstance(piece, Row):
        return say("{label}: {cards}.", label=piece.label, cards=_names(piece.cards))
    said: dict[str, Value] = {"label": piece.label, "count": piece.cards or 0}
    if piece.top.face is None:
        return say("{label}: {count} cards.", **said)
    return say("{label}: {count} cards, on top {card}.", **said, card=CardName(piece.top.name))


def _on_field(field: BoardField) -> list[Value]:
    cards = [*([field.card] if field.card else []), *field.below]
    return [*([_names(cards)] if cards else []), *(each.called for each in field.figures)] or [Say("empty")]


def _before(seat: Seat) -> list[Value]:
    told: list[Value] = [*(tag.text for tag in seat.tags), *seat.notes]
    told += [say("{label} {value}", label=fact.label, value=fact.value) for fact in seat.facts]
    rows = [row for row in seat.rows if row.cards]
    if seat.played is not None:
        rows.append(Row(Say("on the table"), [seat.played]))
    return told + [say("{label} {cards}", label=row.label, cards=_names(row.cards)) for row in rows]


def _names(cards: Iterable[Card]) -> Value:
    """The names of cards, and how many others lie face down."""
    shown = [card for card in cards if not card.spent]
    known = [card for card in shown if card.name not in ("", "hidden")]
    named: list[Value] = [_owned(card) for card in known]
    if hidden := len(shown) - len(named):
        named.append(say("{count} face down", count=hidden))
    return named or [Say("empty")]


def _owned(card: Card) -> Value:
    name = CardName(card.name)
    return name if card.owner is None else say("{owner} {card}", owner=card.owner.called, card=name)
