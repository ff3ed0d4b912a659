"""The table as a picture, drawn from a view, so that it shows nothing that the viewer may not know.

All crews lie open, so every viewer sees the same picture but for the movement cards chosen in secret.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from blackjacky_env.engine import svg
from blackjacky_env.engine.actions import HIDDEN
from blackjacky_env.engine.artwork import INK, RED
from blackjacky_env.engine.svg import data, group, say, use, words
from blackjacky_env.engine.text import View, count_of
from blackjacky_env.games.halunken import terminal
from blackjacky_env.games.halunken.state import COLOUR_LETTERS, FIELDS, LEVELS
from blackjacky_env.games.halunken.terminal import Figure
from blackjacky_env.games.halunken.words import BLACK_JACK

_TABLE_BOTTOM, _SEATS_TOP, _SEATS_HEIGHT, _WORDS_TOP = 358, 370, 180, 570
_GAP = 7  # between the seats
_BACK = "#2f4a76"
_NO_CARD = '<rect x="22" width="34" height="44" rx="5" class="lost"/>'

_CARD_COLOURS = {"R": ("#c4283a", "#fff"), "V": ("#7a48b8", "#fff"), "G": ("#666d78", "#fff"), "Y": ("#f2c530", INK)}
_SEAT_COLOURS = (("#2468b4", "#fff"), ("#1d7d55", "#fff"), ("#c4570c", "#fff"), ("#f6ecd6", INK))
_JACK_COLOURS = ("#17191e", "#fff")
_MARKS = (  # by seat, in a square of 8 units
    '<circle cx="4" cy="4" r="3.6"/>',
    '<path d="M4 0 8 7.4H0z"/>',
    '<path d="M.6.6h6.8v6.8H.6z"/>',
    '<path d="M4-.4 8.4 4 4 8.4-.4 4z"/>',
)
_LABELS = {
    "winner": "#8a6100",
    "buyer": "#20558f",
    "robs": "#0f6a5b",
    "robbed": "#b3121b",
    "overtaken": "#8a5a22",
}


class _Ring(NamedTuple):
    """Where the fields lie, field 0 at the left end of the upper row, the others clockwise, and what is within."""

    columns: int
    """Fields in the upper and in the lower row."""
    across: float
    """Distance of these fields."""
    left: float
    right: float
    rows: Sequence[float]
    """Heights of all rows of fields."""
    slots: tuple[float, int, float]
    """The movement cards: where they begin, how many are in a row, and their distance."""
    small: tuple[float, int]
    """Black Jack's movement cards: where they begin, and how many are in a row."""
    room: float
    """Width for the harbour."""

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    def places(self) -> list[tuple[float, float]]:
        top, *between, bottom = self.rows
        steps = [self.across * (i - (self.columns - 1) / 2) for i in range(self.columns)]
        return [
            *((self.middle + step, top) for step in steps),
            *((self.right, y) for y in between),
            *((self.middle - step, bottom) for step in steps),
            *((self.left, y) for y in reversed(between)),
        ]


_WIDE_RING = _Ring(5, 92, 108, 532, (130, 172, 234, 276), (155, 5, 68), (204, 12), 300)
_PHONE_RING = _Ring(4, 66, 68, 288, (82, 129, 187, 245, 292), (106, 3, 62), (204, 8), 186)


# ---------------------------------------------------------------- cards and figures


def _chip(name: str, x: float, y: float, width: float, height: float, attributes: str = "") -> str:
    """A rogue card: its value on its colour; the left edge, visible when cards overlap, shows the value."""
    fill, ink = _CARD_COLOURS[name[0]]
    size = max(height * 0.62, svg.PHONE_TEXT)
    paper = f'<rect width="{width:g}" height="{height:g}" rx="{height / 8:g}" fill="{fill}" stroke="{INK}"/>'
    value = _centred(name[1:], width / 2, height / 2, size, ink)
    return group([paper, value], x, y, attributes=attributes)


def _centred(text: str, x: float, y: float, size: float, fill: str) -> str:
    at = f'x="{svg.number(x)}" y="{svg.number(y + 0.36 * size)}" font-size="{svg.number(size)}"'
    return f'<text {at} fill="{fill}" text-anchor="middle">{text}</text>'


def _colours(figure: Figure) -> tuple[str, str]:
    """The colour of a seat or of Black Jack, and that of signs on it."""
    return _JACK_COLOURS if isinstance(figure, str) else _SEAT_COLOURS[figure]


def _figure(figure: Figure, x: float, y: float, scale: float = 1) -> str:
    """A captain with the mark of the seat, or Black Jack with an eye patch, 30 x 40 units before scaling."""
    fill, ink = _colours(figure)
    if isinstance(figure, str):
        patch = group([use("eye_patch")], attributes=f' fill="{INK}" stroke="{INK}"')
        return group([use("captain", fill=fill), patch], x, y, scale, ' stroke="#fff" stroke-width="1.2"')
    mark = group([_MARKS[figure]], 11, 24, attributes=f' fill="{ink}" stroke="none"')
    return group([use("captain", fill=fill), mark], x, y, scale, f' stroke="{INK}" stroke-width="1.2"')


# ---------------------------------------------------------------- the ring


def _board(view: View, options: dict[str, Any], ring: _Ring) -> list[str]:
    parts = [_port(ring), *(_field(view, field, ring) for field in range(FIELDS)), *_figures(view, ring)]
    parts += _movement_cards(view, options, ring)
    return parts + _black_jacks_cards(view, options, ring) if terminal.has_black_jack(options) else parts


def _port(ring: _Ring) -> str:
    left, top = ring.left, ring.rows[0]
    width, height = ring.right - left, ring.rows[-1] - top
    road = (
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="62" fill="none" '
        'stroke="#a98a5f" stroke-opacity=".6" stroke-width="42"/>'
    )
    water = (
        f'<rect x="{left + 21}" y="{top + 21}" width="{width - 42}" height="{height - 42}" rx="41" '
        'fill="#4a90c4" fill-opacity=".4"/>'
    )
    return road + water


def _field(view: View, field: int, ring: _Ring) -> str:
    x, y = ring.places()[field]
    circle = f'<circle cx="{x:g}" cy="{y:g}" r="17" class="panel edge"/>'
    number = words(str(field), x, y + 5, 14, look="faint", anchor="middle")
    tavern = _tavern(view["taverns"][field], *_card_place(field, ring))
    return group([circle, *_landings(view, field, ring), number, *tavern], attributes=data(kind="field", number=field))


def _card_place(field: int, ring: _Ring) -> tuple[float, float]:
    """Top left corner of a tavern's card, outside the ring."""
    x, y = ring.places()[field]
    if y in (ring.rows[0], ring.rows[-1]):
        return x - 20, y - 78 if y == ring.rows[0] else y + 24
    return (x - 66 if x == ring.left else x + 26), y - 27


def _tavern(tavern: dict[str, Any], x: float, y: float) -> list[str]:
    top, hidden, count = tavern["top"], tavern["hidden"], count_of(tavern["hidden"])
    known = [] if isinstance(hidden, int) else hidden
    if top is None and not count:
        place = f'x="{x:g}" y="{y:g}" width="40" height="54" rx="6"'
        return [
            f'<rect {place} class="bg"/><rect {place} class="lost"/>',
            words(say("empty"), x + 20, y + 32, 13, 40, "faint", "middle"),
        ]
    parts = [_back(x + 3 * i, y + 3 * i) for i in range(min(count, LEVELS - 1), 0, -1)]
    parts.append(_back(x, y) if top is None else _chip(top, x, y, 40, 54))
    parts += [_chip(name, x + 32, y + 1 + 18 * i, 17, 17) for i, name in enumerate(known)]
    return [*parts, _badge(count, x + 40, y + 52) if count and not known else ""]


def _back(x: float, y: float) -> str:
    paper = f'<rect width="40" height="54" rx="6" fill="{_BACK}" stroke="#fff"/>'
    return group([paper, group([use("anchor", 8, 14)], attributes=' stroke="#a9c1e6"')], x, y)


def _badge(count: int, x: float, y: float) -> str:
    ring = f'<circle cx="{x:g}" cy="{y:g}" r="9" fill="{_BACK}" stroke="#fff"/>'
    return ring + _centred(str(count), x, y, 14, "#fff")


def _landings(view: View, field: int, ring: _Ring) -> list[str]:
    """A dashed ring in the colour of each figure that is still to move to the field."""
    x, y = ring.places()[field]
    return [
        f'<circle cx="{x:g}" cy="{y:g}" r="{17 - 5 * i}" fill="none" stroke="{stroke}" stroke-width="{width}" '
        'stroke-dasharray="6 4"/>'
        for i, figure in enumerate(each for each in terminal.standing(view) if _target(view, each) == field)
        for stroke, width in ((INK, 6), (_colours(figure)[0], 4))
    ]


def _target(view: View, figure: Figure) -> int | None:
    """H6: the field that a figure will move to; None if it stays, its Rum is not named, or it will be pushed first."""
    fields, mover, number = terminal.standing(view), view["mover"], terminal.of_figure(view, "numbers", figure)
    if number in (0, "Rum") or (mover is not None and fields[figure] == fields[mover]):
        return None
    return int(fields[figure] + number) % FIELDS


def _figures(view: View, ring: _Ring) -> list[str]:
    fields = terminal.standing(view)
    parts = []
    for figure, field in fields.items():
        there = [each for each in fields if fields[each] == field]
        x, y = ring.places()[field]
        parts.append(_figure(figure, x - 15 + 12 * (2 * there.index(figure) - len(there) + 1), y - 28))
    return parts


# ---------------------------------------------------------------- the middle


def _movement_cards(view: View, options: dict[str, Any], ring: _Ring) -> list[str]:
    if view["opener"] is None:
        return []
    figures: list[Figure] = [*range(len(view["crews"]))]
    figures += [BLACK_JACK] * terminal.has_black_jack(options)
    top, in_row, step = ring.slots
    left = ring.middle - step * min(in_row, len(figures)) / 2 + 6
    return [
        group(_slot(view, figure), left + step * (i % in_row), top + 50 * (i // in_row))
        for i, figure in enumerate(figures)
    ]


def _slot(view: View, figure: Figure) -> list[str]:
    """What a figure has laid or offered in this round, and what it laid in the last one; 56 x 46 units."""
    bids = view["phase"] == "bid" and isinstance(figure, int)
    card = _offer(view, int(figure)) if bids else _laid(view, figure)
    return [_figure(figure, 0, 0, 0.62), card, _laid_before(view, figure)]


def _offer(view: View, seat: int) -> str:
    offer = view["offers"][seat]
    if offer is None:
        passed = terminal.has_passed(view, seat)
        return _NO_CARD + (words(say("pass"), 39, 27, 13, 32, "faint", "middle") if passed else "")
    highest = '<rect x="20" y="-2" width="38" height="48" rx="7" fill="none" class="now"/>'
    return (highest if seat == view["bidder"] else "") + _chip(offer, 22, 0, 34, 44)


def _laid(view: View, figure: Figure) -> str:
    if terminal.has_revealed(view, figure):
        return _open_movement_card(view, figure)
    choice = terminal.of_figure(view, "choices", figure)
    if choice is None:
        return _NO_CARD
    fill, ink = _colours(figure)
    paper = f'<rect x="22" width="34" height="44" rx="5" fill="{fill}" stroke="#fff"/>'
    if choice == HIDDEN:
        return paper + group([use("anchor", 27, 9)], attributes=f' stroke="{ink}"')
    return paper + _value(choice, 39, 22, ink)


def _open_movement_card(view: View, figure: Figure) -> str:
    card, number = (terminal.of_figure(view, key, figure) for key in ("laid", "numbers"))
    frame = f'<rect x="22" width="34" height="44" rx="5" fill="{_colours(figure)[0]}" stroke="{INK}"/>'
    paper = '<rect x="26" y="4" width="26" height="36" rx="2" fill="#fffdf6"/>'
    named = _centred(str(number), 39, 28, 16, "#fff") if card == "Rum" and isinstance(number, int) and number else ""
    struck = f'<path d="M22 43 56 1" stroke="{RED}" stroke-width="4"/>'
    return frame + paper + _value(card, 39, 22, INK) + named + (struck if terminal.is_cancelled(view, figure) else "")


def _value(card: int | str, x: float, y: float, fill: str, size: float = 24) -> str:
    if card == "Rum":
        return use("bottle", x - size / 2.6, y - size / 1.6, size / 20, fill)
    return _centred(str(card), x, y, size, fill)


def _laid_before(view: View, figure: Figure) -> str:
    card = terminal.of_figure(view, "laid", figure)
    if card is None or terminal.has_revealed(view, figure):
        return ""
    struck = f'<path d="M0 18 17 0" stroke="{RED}" stroke-width="2"/>' if terminal.is_cancelled(view, figure) else ""
    return group([_small(card, _colours(figure)), struck], 1, 27)


def _black_jacks_cards(view: View, options: dict[str, Any], ring: _Ring) -> list[str]:
    cards, (top, in_row) = terminal.cards_of_black_jack(options), ring.small
    asked = view["phase"] == "choose_for_black_jack"
    row = [
        group(
            [_small(card, _JACK_COLOURS, card in view["black_jack_spent"])],
            19 * (i % in_row),
            20 * (i // in_row),
            attributes=data(kind="move", number=card) if asked else "",
        )
        for i, card in enumerate(cards)
    ]
    below = top + 22 + 20 * ((len(cards) - 1) // in_row)
    left = ring.middle + 1 - 19 * min(in_row, len(cards)) / 2
    return [group(row, left, top), _harbour(view["harbour"], ring, below)]


def _harbour(cards: Sequence[str], ring: _Ring, top: float) -> str:
    (begins,) = svg.rows([len(cards)], [24], 0, ring.room)
    beside = 34 if ring is _WIDE_RING or len(cards) < 6 else 0
    width = beside + (begins[-1] + 24 if begins else 0)
    chips = [_chip(card, beside + x, 0, 24, 26, data(card=card)) for card, x in zip(cards, begins, strict=True)]
    anchor = group([use("anchor")], attributes=' class="edge"') if beside else ""
    return group([anchor, *chips], ring.middle - width / 2, top, attributes=f' class="pile"{data(pile="harbour")}')


def _small(card: int | str, colours: tuple[str, str], spent: bool = False) -> str:
    """A small movement card, 17 x 18 units; only its value if it is spent."""
    fill, ink = colours
    if spent:
        value = "R" if card == "Rum" else str(card)
        return words(value, 8.5, 14, 13, look="faint", anchor="middle")
    return f'<rect width="17" height="18" rx="3" fill="{fill}" stroke="{INK}"/>' + _value(card, 8.5, 9, ink, 13)


# ---------------------------------------------------------------- seats


def _seat(view: View, seat: int, names: Sequence[str]) -> str:
    width = (svg.WIDTH - 2 * svg.MARGIN - _GAP * (len(names) - 1)) / len(names)
    parts = [
        _figure(seat, 14, 4),
        words(names[seat], 50, 21, 17, width - 56),
        svg.counted(_score(view, seat), 50, 39, 15, width - 56, svg.loses(view, seat), look="faint"),
        *_own_movement_cards(view, seat, width),
        *_crew(view["crews"][seat], seat, width - 20),
        *_labels(view, seat, width),
    ]
    x = svg.MARGIN + seat * (width + _GAP)
    return svg.seat_panel(view, seat, (x, _SEATS_TOP, width, _SEATS_HEIGHT), parts)


def _score(view: View, seat: int) -> str:
    score = svg.change(view, "scores", seat)
    if not view["game"]:
        return say("score {score}", score=score)
    return say("score {score}, total {total}", score=score, total=svg.change(view, "totals", seat))


def _own_movement_cards(view: View, seat: int, width: float) -> list[str]:
    asked = view["phase"] == "choose" and seat == view["player"]
    step = min(24, (width - 20 - 17) / 7)
    return [
        group(
            [_small(card, _SEAT_COLOURS[seat], card in view["spent"][seat])],
            10 + step * i,
            50,
            attributes=data(kind="move", number=card) if asked else "",
        )
        for i, card in enumerate(terminal.MOVEMENT_CARDS)
    ]


def _crew(
    cards: Sequence[str], seat: int, room: float, height: float = 24, colours: Sequence[str] = tuple(COLOUR_LETTERS)
) -> list[str]:
    parts, doubled = [], terminal.doubled_colour(cards)
    for row, colour in enumerate(colours):
        names, y = [card for card in cards if card[0] == colour], 72 + (height + height // 12) * row
        (begins,) = svg.rows([len(names)], [25], 10, room - 22 * (colour == doubled))
        parts += [
            _chip(name, x, y, 25, height, f' class="card"{data(card=name, seat=seat)}')
            for name, x in zip(names, begins, strict=True)
        ]
        if colour == doubled:
            parts.append(words("x 2", begins[-1] + 29, y + height / 2 + 5, 14, look="faint"))
    return parts


def _labels(view: View, seat: int, width: float, size: float = 15) -> list[str]:
    parts, right = [], width - 8
    for role in terminal.roles(view, seat):
        label = svg.label(say(role), right, 2 - size, _LABELS[role], size=size)
        parts.append(group([label], attributes=data(kind="rob_buyer")) if role == "buyer" else label)
        right -= 0.62 * size * len(say(role)) + 14
    return parts


# ---------------------------------------------------------------- on a phone

_PHONE_RING_ROOM, _PHONE_HEIGHT, _PHONE_ROW = 388, 132, 17


def _on_phone(view: View, options: dict[str, Any], names: Sequence[str], theme: str) -> str:
    parts = _board(view, options, _PHONE_RING)
    width = (svg.PHONE_WIDTH - 2 * svg.PHONE_MARGIN - svg.PHONE_GAP) / 2
    lines = max(len(_crew_colours(crew)) for crew in view["crews"])
    height = _PHONE_HEIGHT - _PHONE_ROW * (len(COLOUR_LETTERS) - lines)
    for seat in range(len(names)):
        x = svg.PHONE_MARGIN + seat % 2 * (width + svg.PHONE_GAP)
        y = _PHONE_RING_ROOM + seat // 2 * (height + svg.PHONE_GAP)
        parts.append(_phone_seat(view, seat, names, (x, y, width, height)))
    rows = -(-len(names) // 2)
    end = _PHONE_RING_ROOM + rows * (height + svg.PHONE_GAP) - svg.PHONE_MARGIN
    return svg.phone(terminal.title(options), end, parts, theme)


def _crew_colours(crew: Sequence[str]) -> list[str]:
    return [colour for colour in COLOUR_LETTERS if any(card[0] == colour for card in crew)]


def _phone_seat(view: View, seat: int, names: Sequence[str], place: tuple[float, float, float, float]) -> str:
    width, crew = place[2], view["crews"][seat]
    parts = [
        _figure(seat, 8, 3, 0.82),
        words(names[seat], 38, 17, 15, width - 44),
        svg.counted(_score(view, seat), 38, 33, 13, width - 44, svg.loses(view, seat), look="faint"),
        group(_own_movement_cards(view, seat, width), 0, -9),
        group(_crew(crew, seat, width - 18, _PHONE_ROW - 1, _crew_colours(crew)), 0, -10),
        *_labels(view, seat, width, 12),
    ]
    return svg.seat_panel(view, seat, place, parts)


draw_svg = svg.picture(
    heading=lambda view, options: f"{terminal.title(options)} · {terminal.when(view, options)}",
    corner=lambda view, options, names: terminal.options_in_force(options) or terminal.seen_by(view),
    table=lambda view, options, names: [
        *_board(view, options, _WIDE_RING),
        *(_seat(view, seat, names) for seat in range(len(names))),
    ],
    phone=_on_phone,
    sentences=lambda view, options, names: [terminal.sentence(view, names)],
    bottom=_TABLE_BOTTOM,
    end=_SEATS_TOP + _SEATS_HEIGHT,
    words_top=_WORDS_TOP,
)
