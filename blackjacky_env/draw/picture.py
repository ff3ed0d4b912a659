"""A scene as a picture: seats around a table or below a board, on a screen or on a phone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import cos, pi, sin

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
_BOARD = 374  # where a board ends
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
    when, corner = " · ".join([scene.title, *map(pen.said, scene.when)]), pen.said(viewed(scene))
    parts += [
        pen.words(when, 12, 24, 20, 430),
        pen.words(corner, WIDTH - 12, 24, 16, 170, "faint", "end"),
        pen.words(" · ".join(scene.options), 12, 40, 12, WIDTH - 24, "faint"),
    ]
    shown = [sentence for sentence in (last_action, *map(pen.said, scene.sentences)) if sentence]
    for i, line in enumerate([*shown[:2], " ".join(shown[2:])]):
        parts.append(pen.words(line, 16, _WORDS + 18 * i, 16, WIDTH - 32, "faint" if i else "ink"))
    ground = f'<rect width="{WIDTH}" height="{HEIGHT}" class="bg"/>'
    return svg.document(f"{when}, {corner}", 0, WIDTH, HEIGHT, [ground, *parts], theme)


def viewed(scene: Scene) -> Say:
    """Whose view it is."""
    if scene.viewer == "everything":
        return Say("all cards open")
    return Say("seen by a spectator") if scene.viewer is None else say("seen by {name}", name=Name(scene.viewer))


# ---------------------------------------------------------------- arrangements


def _near(scene: Scene) -> int:
    """The seat at the bottom, which is the viewer's."""
    return scene.viewer if isinstance(scene.viewer, int) else 0


def _panels(
    pen: Pen, scene: Scene, seats: Sequence[int], width: float, sizes: Sizes, most: float = 1e6
) -> tuple[list[Panel], float, float]:
    """Panels of equal width, their common height, and the scale at which they are ``most`` high."""
    panels = [Panel(pen, scene, seat, width, sizes, False) for seat in seats]
    height = max(panel.height for panel in panels)
    if height <= most:
        return panels, height, 1.0
    scale = most / height
    return [Panel(pen, scene, seat, width / scale, sizes, False) for seat in seats], most, scale


def _around(pen: Pen, scene: Scene) -> list[str]:
    near, seats = _near(scene), len(scene.seats)
    own = Panel(pen, scene, near, WIDTH - 2 * _MARGIN, _NEAR, True)
    bottom = _BOTTOM - own.height
    others, beside = _others(scene), max(seats > 3, (seats - 3) // 2)  # at the left, and as many at the right
    most = (bottom - _TOP - 10) / (beside + 1) - 6 if beside else bottom - _TOP - 130
    panels, height, scale = _panels(pen, scene, others, 200, _OTHER if seats < _MANY else _CROWDED, most)
    places = _places(len(others), beside, height, bottom - 8)
    drawn = [panel.drawn(*place, height, scale) for panel, place in zip(panels, places, strict=True)]
    top = _TOP + (height if len(others) != 2 else 30)
    middle = _middle(pen, scene, near, (WIDTH / 2, (top + bottom) / 2), bottom - top, beside > 0)
    return [*_table(_TOP + 24, bottom + 4), *drawn, *middle, own.drawn(_MARGIN, bottom, own.height)]


def _table(top: float, bottom: float) -> list[str]:
    rim = box(70, top, WIDTH - 140, bottom - top, 150, "rim")
    return [rim, box(80, top + 10, WIDTH - 160, bottom - top - 20, 140, "felt")]


def _others(scene: Scene) -> list[int]:
    """The other seats, clockwise from the left neighbour of the seat at the bottom."""
    return [(_near(scene) + 1 + i) % len(scene.seats) for i in range(len(scene.seats) - 1)]


def _places(others: int, beside: int, height: float, bottom: float) -> list[tuple[float, float]]:
    """Top left corners of the other seats' panels."""
    above = others - 2 * beside
    gap = (bottom - _TOP - height - beside * height) / (beside + 1)
    rows = [_TOP + height + gap + row * (height + gap) for row in range(beside)]
    free = (WIDTH - above * 200) / (above + 1)
    row = [(free + i * (200 + free), float(_TOP)) for i in range(above)]
    return [*((float(_MARGIN), y) for y in reversed(rows)), *row, *((float(WIDTH - _MARGIN - 200), y) for y in rows)]


def _middle(pen: Pen, scene: Scene, near: int, middle: tuple[float, float], room: float, narrow: bool) -> list[str]:
    """What lies between the seats: pieces in the middle, and the cards put there around it in a ``room`` so high."""
    seats = len(scene.seats)
    scale = 0.85 if seats <= 4 else 0.66 if seats < _MANY else 0.54
    down = min(66.0 if seats <= 4 else 88.0, room / 2 - CARD[1] * scale / 2 - 4)
    parts = _pieces(pen, scene.centre, middle, 210 if narrow else 420)
    for seat, each in enumerate(scene.seats):
        if each.played is not None:
            angle = 2 * pi * (seat - near) / seats
            x = middle[0] - (62 if seats <= 4 else 84) * sin(angle) - CARD[0] * scale / 2
            y = middle[1] + down * cos(angle) - CARD[1] * scale / 2
            parts.append(played_card(pen, each.played, seat, x, y, scale))
    return parts


def _pieces(
    pen: Pen, pieces: Sequence[Pile | Choice | Sign | Row], middle: tuple[float, float], room: float
) -> list[str]:
    """Pieces side by side around the middle."""
    step = min(104.0, room / max(1, len(pieces)))
    first = middle[0] - step * (len(pieces) - 1) / 2
    return [_piece(pen, piece, first + step * i, middle[1], step) for i, piece in enumerate(pieces)]


def _piece(pen: Pen, piece: Pile | Choice | Sign | Row, x: float, y: float, room: float) -> str:
    match piece:
        case Pile():
            scale = min(0.9, (room - 20) / CARD[0])
            left, top = x - CARD[0] * scale / 2, y - CARD[1] * scale / 2 - 8
            cards = [pen.card(piece.top, left + 3 * i, top - 2 * i, scale) for i in range(min(piece.cards, 3))]
            label = say("{label} {count}", label=piece.label, count=piece.cards)
            words = pen.words(label, x, top + CARD[1] * scale + 17, 15, room, anchor="middle")
            return group([*cards, words], attributes=f' class="pile"{data(piece.data)}')
        case Choice():
            scale = min(0.9, (room - 6) / CARD[0])
            card = pen.card(Card(face=piece.face), x - CARD[0] * scale / 2, y - CARD[1] * scale / 2, scale)
            words = pen.words(piece.text, x, y + 57 * scale, 14, room, anchor="middle")
            return group([card, words], attributes=data(piece.data))
        case Sign():
            turned = " scale(-1 1)" if piece.turned else ""
            wide, high = SIZES[piece.shape]
            place = f' class="sign" transform="translate({x} {y}){turned} translate({-wide / 2} {-high / 2})"'
            return f"<g{place}>{svg.use(piece.shape)}</g>" + pen.words(piece.text, x, y + 5, 15, 52, anchor="middle")
    if piece.look == "chips":
        chips = [svg.chip(card, x - 13 + 28 * i, y - 18, 26, 26) for i, card in enumerate(piece.cards)]
        return group([*chips, pen.words(piece.label, x, y + 22, 14, 60, anchor="middle")])
    return _open_row(pen, piece, x, y, max(room, 205))


def _open_row(pen: Pen, row: Row, x: float, y: float, room: float) -> str:
    """Cards in the middle of the table, in rows of eight, with their label below."""
    scale = 0.85 if len(row.cards) <= 8 else 0.62
    lines = [row.cards[i : i + 8] for i in range(0, len(row.cards), 8)]
    wide, high = CARD[0] * scale, CARD[1] * scale + 3
    parts, top = [], y - high * len(lines) / 2
    for cards in lines:
        step = min(wide + 3, (room - wide) / max(1, len(cards) - 1))
        left = x - (step * (len(cards) - 1) + wide) / 2
        for i, card in enumerate(cards):
            live = data({"card": card.name, **card.data}) if card.data else ""
            parts.append(pen.card(card, left + step * i, top, scale, live))
        top += high
    parts.append(pen.words(row.label, x, top + 13, 14, room, anchor="middle"))
    return group(parts, attributes=f' class="pile"{data(row.data)}' if row.data else "")


def _below_board(pen: Pen, scene: Scene) -> list[str]:
    """The track, and the seats in a row below it."""
    count = len(scene.seats)
    drawn, _ = _grid(pen, scene, range(count), count, (WIDTH, _MARGIN, 7), _OTHER._replace(figure=38), _BOARD)
    return [*_table(68, 352), *draw_track(pen, scene), *drawn]


def _on_phone(pen: Pen, scene: Scene) -> tuple[list[str], float]:
    """Everything below each other, and how high it is."""
    page = PHONE_WIDTH, _PHONE_MARGIN, _PHONE_GAP
    if scene.track:
        rows, end = _grid(pen, scene, range(len(scene.seats)), 2, page, _PHONE_OTHER, 388)
        return [*draw_track(pen, scene), *rows], end + _PHONE_MARGIN
    others = _others(scene)
    crowded = any(row.look == "groups" for seat in scene.seats for row in seat.rows)
    columns = {1: 1, 2: 2, 4: 2}.get(len(others), 2 if crowded else 3)
    parts, end = _grid(pen, scene, others, columns, page, _PHONE_OTHER, _PHONE_MARGIN)
    end += _PHONE_GAP
    if scene.centre:
        high = 96 if all(isinstance(piece, Pile | Choice | Sign) for piece in scene.centre) else 140
        parts += _pieces(pen, scene.centre, (PHONE_WIDTH / 2, end + high / 2 - 2), PHONE_WIDTH - 20)
        end += high
    own = Panel(pen, scene, _near(scene), PHONE_WIDTH - 2 * _PHONE_MARGIN, _PHONE_NEAR, True)
    return [*parts, own.drawn(_PHONE_MARGIN, end, own.height)], end + own.height + _PHONE_MARGIN


def _grid(
    pen: Pen, scene: Scene, seats: Sequence[int], columns: int, page: tuple[int, int, int], sizes: Sizes, top: float
) -> tuple[list[str], float]:
    """Panels in rows from ``top`` on a page of a width, with a margin and gaps; where they end."""
    whole, margin, gap = page
    width = (whole - 2 * margin - gap * (columns - 1)) / columns
    panels, height, scale = _panels(pen, scene, seats, width, sizes, 1e6 if pen.is_phone else _BOTTOM - top)
    places = [(margin + i % columns * (width + gap), top + i // columns * (height + gap)) for i in range(len(seats))]
    drawn = [panel.drawn(*place, height, scale) for panel, place in zip(panels, places, strict=True)]
    return drawn, places[-1][1] + height
