"""A scene as a picture: seats around a table or below a board, on a screen or on a phone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from blackjacky_env.checks import check_choice
from blackjacky_env.draw import svg
from blackjacky_env.draw.board import draw_track
from blackjacky_env.draw.panel import Panel, Sizes, played_card
from blackjacky_env.draw.scene import Card, Choice, Name, Pile, Row, Say, Scene, Sign, say
from blackjacky_env.draw.shapes import SIZES
from blackjacky_env.draw.svg import CARD, Pen, box, data, group

WIDTH, HEIGHT = 640, 600
"""Size of every document, in SVG user units."""
PHONE_WIDTH = 360
"""Width of the layout for phones, whose text is at least `svg.PHONE_TEXT` units high."""
LAYOUTS = ("document", "table", "phone")
"""``document``: title, table and sentences, 640 x 600 units; ``table``: the table alone, 640 units wide, for pages that
have a title of their own; ``phone``: the table alone, 360 units wide."""

_MARGIN, _TOP, _BOTTOM, _WORDS = 10, 44, 540, 560
_PHONE_MARGIN, _PHONE_GAP = 3, 6
_BOARD = 366  # where a board ends
_MANY = 8
"""Seats whose panels are small."""
_NAME_LENGTH = 14

_OTHER, _NEAR, _CROWDED = Sizes(17, 15, 42, 0.64), Sizes(19, 16, 46, 0.8), Sizes(15, 13, 30, 0.5)
_PHONE_OTHER, _PHONE_NEAR = Sizes(14, 13, 28, 0.52), Sizes(16, 14, 36, 0.72)


def names_of(players: int, names: Sequence[str] | None) -> list[str]:
    """A name for each seat, shortened; `ValueError` unless there is one for each."""
    if names is None:
        return [f"player_{seat}" for seat in range(players)]
    if len(names) != players:
        raise ValueError(f"names={names!r} has {len(names)} names; there are {players} players")
    printable = ["".join(filter(str.isprintable, name)) for name in names]
    return [name if len(name) <= _NAME_LENGTH else name[: _NAME_LENGTH - 1] + "…" for name in printable]


def draw_svg(
    scene: Scene,
    *,
    names: Sequence[str] | None = None,
    last_action: str = "",
    theme: str = "auto",
    layout: str = "document",
    texts: Mapping[str, str] | None = None,
) -> str:
    """A scene as an SVG.

    Args:
        scene: what lies on the table.
        names: names of the players by seat; None: ``player_0`` .. .
        last_action: the last action, in words, without secrets that the viewer may not know.
        theme: ``"light"``, ``"dark"`` or ``"auto"`` (what the reader's system prefers).
        layout: one of `LAYOUTS`.
        texts: translations of the words on the table, by the English template; None: English.

    Raises `ValueError` for an unknown theme or layout, or a wrong number of names.
    """
    check_choice("layout", layout, LAYOUTS)
    is_phone = layout == "phone"
    pen = Pen(names_of(len(scene.seats), names), texts or {}, is_phone)
    if is_phone:
        parts, height = _on_phone(pen, scene)
        return svg.document(scene.title, 0, PHONE_WIDTH, height, parts, theme)
    parts = _below_board(pen, scene) if scene.track else _around(pen, scene)
    if layout == "table":
        return svg.document(scene.title, _TOP - _MARGIN, WIDTH, _BOTTOM - _TOP + 2 * _MARGIN, parts, theme)
    when = " · ".join([scene.title, *map(pen.said, scene.when)])
    corner = pen.said(viewed(scene))
    head = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" class="bg"/>',
        pen.words(when, 12, 24, 20, 430),
        pen.words(corner, WIDTH - 12, 24, 16, 170, "faint", "end"),
        pen.words(" · ".join(scene.options), 12, 40, 12, WIDTH - 24, "faint"),
    ]
    said = [last_action, *map(pen.said, scene.sentences)]
    shown = [sentence for sentence in said if sentence]
    shown = [*shown[:2], " ".join(shown[2:])]
    lines = [
        pen.words(line, 16, _WORDS + 18 * i, 16, WIDTH - 32, "faint" if i else "ink") for i, line in enumerate(shown)
    ]
    return svg.document(f"{when}, {corner}", 0, WIDTH, HEIGHT, [*head, *parts, *lines], theme)


def viewed(scene: Scene) -> Say:
    """Whose view it is."""
    if scene.viewer == "everything":
        return Say("all cards open")
    return Say("seen by a spectator") if scene.viewer is None else say("seen by {name}", name=Name(scene.viewer))


# ---------------------------------------------------------------- arrangements


def _near(scene: Scene) -> int:
    """The seat at the bottom, which is the viewer's."""
    return scene.viewer if isinstance(scene.viewer, int) else 0


def _around(pen: Pen, scene: Scene) -> list[str]:
    near, seats = _near(scene), len(scene.seats)
    sizes = _OTHER if seats < _MANY else _CROWDED
    others = [Panel(pen, scene, (near + 1 + i) % seats, 200, sizes, False) for i in range(seats - 1)]
    own = Panel(pen, scene, near, WIDTH - 2 * _MARGIN, _NEAR, True)
    height, bottom = max(panel.height for panel in others), _BOTTOM - own.height
    most = _most_height(len(others), bottom)
    scale = min(1.0, most / height)
    if scale < 1:
        others = [Panel(pen, scene, panel.number, 200 / scale, sizes, False) for panel in others]
        height = most
    table = [
        box(70, _TOP + 24, WIDTH - 140, bottom - _TOP - 20, 150, "rim"),
        box(80, _TOP + 34, WIDTH - 160, bottom - _TOP - 40, 140, "felt"),
    ]
    places = _places(len(others), height, bottom - 8)
    drawn = [panel.drawn(*place, height, scale) for panel, place in zip(others, places, strict=True)]
    beside = any(place[1] > _TOP for place in places)
    top = _TOP + (height if len(others) != 2 else 30)
    middle = _middle(pen, scene, near, (WIDTH / 2, (top + bottom) / 2), bottom - top, beside)
    return [*table, *drawn, *middle, own.drawn(_MARGIN, bottom, own.height)]


def _beside(others: int) -> int:
    """How many of the other seats are at the left, and as many at the right."""
    return max(others > 2, (others - 2) // 2)


def _most_height(others: int, bottom: float) -> float:
    """How high the panels of the other seats can be."""
    rows = _beside(others) + 1
    return (bottom - _TOP - 10) / rows - 6 if rows > 1 else bottom - _TOP - 130


def _places(others: int, height: float, bottom: float) -> list[tuple[float, float]]:
    """Top left corners of the other seats' panels, clockwise from the left neighbour of the seat at the bottom."""
    beside = _beside(others)
    above = others - 2 * beside
    first = _TOP + height
    gap = (bottom - first - beside * height) / (beside + 1)
    rows = [first + gap + row * (height + gap) for row in range(beside)]
    free = (WIDTH - above * 200) / (above + 1)
    row = [(free + i * (200 + free), float(_TOP)) for i in range(above)]
    return [*((float(_MARGIN), y) for y in reversed(rows)), *row, *((float(WIDTH - _MARGIN - 200), y) for y in rows)]


def _middle(pen: Pen, scene: Scene, near: int, middle: tuple[float, float], room: float, narrow: bool) -> list[str]:
    """What lies between the seats: pieces in the middle, and the cards put there around it in a ``room`` so high."""
    seats = len(scene.seats)
    scale = 0.85 if seats <= 4 else 0.66 if seats < _MANY else 0.54
    down = min(66.0 if seats <= 4 else 88.0, room / 2 - CARD[1] * scale / 2 - 4)
    points = svg.around(seats, middle, 62 if seats <= 4 else 84, down)
    parts = _pieces(pen, scene.centre, middle, 210 if narrow else 420)
    for seat, each in enumerate(scene.seats):
        if each.played is not None:
            x, y = points[(seat - near) % seats]
            parts.append(played_card(pen, each.played, seat, x - CARD[0] * scale / 2, y - CARD[1] * scale / 2, scale))
    return parts


def _pieces(
    pen: Pen, pieces: Sequence[Pile | Choice | Sign | Row], middle: tuple[float, float], room: float
) -> list[str]:
    """Pieces side by side around the middle."""
    if not pieces:
        return []
    step = min(104.0, room / len(pieces))
    return [
        part
        for i, piece in enumerate(pieces)
        for part in _piece(pen, piece, middle[0] + step * (i - (len(pieces) - 1) / 2), middle[1], step)
    ]


def _piece(pen: Pen, piece: Pile | Choice | Sign | Row, x: float, y: float, room: float) -> list[str]:
    match piece:
        case Pile():
            return [_pile(pen, piece, x, y, room)]
        case Choice():
            scale = min(0.9, (room - 6) / CARD[0])
            left, top = x - CARD[0] * scale / 2, y - CARD[1] * scale / 2
            drawn = [
                pen.card(Card(face=piece.face), left, top, scale),
                pen.words(piece.text, x, y + 57 * scale, 14, room, anchor="middle"),
            ]
            return [group(drawn, attributes=data(piece.data))]
        case Sign():
            turned = " scale(-1 1)" if piece.turned else ""
            wide, high = SIZES[piece.shape]
            place = f' class="sign" transform="translate({x} {y}){turned} translate({-wide / 2} {-high / 2})"'
            return [f"<g{place}>{svg.use(piece.shape)}</g>", pen.words(piece.text, x, y + 5, 15, 52, anchor="middle")]
        case Row():
            return _open_row(pen, piece, x, y, max(room, 205))


def _open_row(pen: Pen, row: Row, x: float, y: float, room: float) -> list[str]:
    """Cards in the middle of the table, in rows of eight, with their label below."""
    if row.look == "chips":
        chips = [svg.chip(card, x - 13 + 28 * i, y - 18, 26, 26) for i, card in enumerate(row.cards)]
        return [*chips, pen.words(row.label, x, y + 22, 14, 60, anchor="middle")]
    scale = 0.85 if len(row.cards) <= 8 else 0.62
    lines = [row.cards[i : i + 8] for i in range(0, len(row.cards), 8)]
    wide, high = CARD[0] * scale, CARD[1] * scale + 3
    parts, top = [], y - high * len(lines) / 2
    for i, cards in enumerate(lines):
        step = min(wide + 3, (room - wide) / max(1, len(cards) - 1))
        left = x - (step * (len(cards) - 1) + wide) / 2
        for j, card in enumerate(cards):
            live = data({"card": card.name, **card.data}) if card.data else ""
            parts.append(pen.card(card, left + step * j, top + high * i, scale, live))
    parts.append(pen.words(row.label, x, top + high * len(lines) + 13, 14, room, anchor="middle"))
    return [group(parts, attributes=f' class="pile"{data(row.data)}' if row.data else "")]


def _pile(pen: Pen, pile: Pile, x: float, y: float, room: float) -> str:
    scale = min(0.9, (room - 20) / CARD[0])
    left, top = x - CARD[0] * scale / 2, y - CARD[1] * scale / 2 - 8
    depth = min(pile.cards, 3)
    cards = [pen.card(pile.top, left + 3 * i, top - 2 * i, scale) for i in range(depth)]
    label = say("{label} {count}", label=pile.label, count=pile.cards)
    words = pen.words(label, x, top + CARD[1] * scale + 17, 15, room, anchor="middle")
    return group([*cards, words], attributes=f' class="pile"{data(pile.data)}')


def _below_board(pen: Pen, scene: Scene) -> list[str]:
    """The track, and the seats in a row below it."""
    count = len(scene.seats)
    width = (WIDTH - 2 * _MARGIN - 7 * (count - 1)) / count
    sizes = _OTHER._replace(figure=38)
    panels = [Panel(pen, scene, seat, width, sizes, False) for seat in range(count)]
    height = max(panel.height for panel in panels)
    scale = min(1.0, (_BOTTOM - _BOARD) / height)
    if scale < 1:
        panels, height = [Panel(pen, scene, seat, width / scale, sizes, False) for seat in range(count)], height * scale
    drawn = [panel.drawn(_MARGIN + i * (width + 7), _BOTTOM - height, height, scale) for i, panel in enumerate(panels)]
    table = [box(70, 68, WIDTH - 140, 284, 150, "rim"), box(80, 78, WIDTH - 160, 264, 140, "felt")]
    return [*table, *draw_track(pen, scene), *drawn]


def _on_phone(pen: Pen, scene: Scene) -> tuple[list[str], float]:
    """Everything below each other, and how high it is."""
    if scene.track:
        parts, top = draw_track(pen, scene), 388.0
        rows, end = _phone_seats(pen, scene, range(len(scene.seats)), 2, top)
        return [*parts, *rows], end + _PHONE_MARGIN
    near, seats = _near(scene), len(scene.seats)
    others = [(near + 1 + i) % seats for i in range(seats - 1)]
    crowded = any(row.look == "groups" for seat in scene.seats for row in seat.rows)
    parts, end = _phone_seats(
        pen, scene, others, {1: 1, 2: 2, 4: 2}.get(len(others), 2 if crowded else 3), _PHONE_MARGIN
    )
    end += _PHONE_GAP
    if scene.centre:
        high = 96 if all(isinstance(piece, Pile | Choice | Sign) for piece in scene.centre) else 140
        parts += _pieces(pen, scene.centre, (PHONE_WIDTH / 2, end + high / 2 - 2), PHONE_WIDTH - 20)
        end += high
    own = Panel(pen, scene, near, PHONE_WIDTH - 2 * _PHONE_MARGIN, _PHONE_NEAR, True)
    return [*parts, own.drawn(_PHONE_MARGIN, end, own.height)], end + own.height + _PHONE_MARGIN


def _phone_seats(pen: Pen, scene: Scene, seats: Sequence[int], columns: int, top: float) -> tuple[list[str], float]:
    width = (PHONE_WIDTH - 2 * _PHONE_MARGIN - _PHONE_GAP * (columns - 1)) / columns
    panels = [Panel(pen, scene, seat, width, _PHONE_OTHER, False) for seat in seats]
    height = max(panel.height for panel in panels)
    drawn = [
        panel.drawn(
            _PHONE_MARGIN + i % columns * (width + _PHONE_GAP), top + i // columns * (height + _PHONE_GAP), height
        )
        for i, panel in enumerate(panels)
    ]
    return drawn, top + -(-len(seats) // columns) * (height + _PHONE_GAP) - _PHONE_GAP
