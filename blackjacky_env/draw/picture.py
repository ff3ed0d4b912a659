"""A scene as a picture: seats around a table or below a board, on a screen or on a phone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from blackjacky_env.checks import check_choice
from blackjacky_env.draw.board import draw_row, draw_track
from blackjacky_env.draw.panel import Panel, Sizes
from blackjacky_env.draw.scene import Card, CardPile, Name, Row, Say, Scene, printable, say
from blackjacky_env.draw.svg import CARD, Pen, box, data, document, group

WIDTH, HEIGHT = 640, 600
"""Size of every document, in SVG user units."""
PHONE_WIDTH = 360
"""Width of the layout for phones, whose text is at least `svg.PHONE_TEXT` units high."""
LAYOUTS = ("document", "table", "phone")
"""``document``: title, table and sentences, 640 x 600 units; ``table``: the table alone, 640 units wide, for pages that
have a title of their own; ``phone``: the table alone, 360 units wide."""

_TOP, _BOTTOM, _WORDS = 44, 540, 560
_BOARD, _PHONE_BOARD = 374, 388  # where a board ends
_MIDDLE = 90  # the least height of the middle between the seats
_NAME_LENGTH = 14


class _Paper(NamedTuple):
    """What differs between a screen and a phone."""

    width: float
    margin: float
    gap: float
    other: Sizes
    near: Sizes


_SCREEN = _Paper(WIDTH, 10, 7, Sizes(17, 15, 38, 0.64), Sizes(19, 16, 46, 0.8, 1))
_PHONE = _Paper(PHONE_WIDTH, 3, 6, Sizes(14, 13, 28, 0.52, chip=(20, 16)), Sizes(16, 14, 36, 0.6, 0.77))


def names_of(players: int, names: Sequence[str] | None) -> list[str]:
    """A name for each seat, shortened; `ValueError` unless there is one for each."""
    if names is None:
        return [f"player_{seat}" for seat in range(players)]
    if len(names) != players:
        raise ValueError(f"names={names!r} has {len(names)} names; there are {players} players")
    shown = map(printable, names)
    return [name if len(name) <= _NAME_LENGTH else name[: _NAME_LENGTH - 1] + "…" for name in shown]


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
    pen = Pen(names_of(len(scene.seats), names), texts or {}, layout == "phone")
    parts, end = (_with_board if scene.track else _with_middle)(pen, scene)
    if pen.is_phone:
        return document(scene.title, 0, PHONE_WIDTH, end + _PHONE.margin, parts, theme)
    if layout == "table":
        return document(scene.title, _TOP - 10, WIDTH, _BOTTOM - _TOP + 20, parts, theme)
    when, corner = " · ".join([scene.title, *map(pen.said, scene.when)]), pen.said(viewed(scene))
    shown = [sentence for sentence in (last_action, *map(pen.said, scene.sentences)) if sentence]
    lines = enumerate([*shown[:2], " ".join(shown[2:])])
    parts = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" class="bg"/>',
        *parts,
        pen.words(when, 12, 24, 20, 430),
        pen.words(corner, WIDTH - 12, 24, 16, 170, "faint", "end"),
        pen.words(" · ".join(scene.options), 12, 40, 12, WIDTH - 24, "faint"),
        *(pen.words(line, 16, _WORDS + 18 * i, 16, WIDTH - 32, "faint" if i else "ink") for i, line in lines),
    ]
    return document(f"{when}, {corner}", 0, WIDTH, HEIGHT, parts, theme)


def viewed(scene: Scene) -> Say:
    """Whose view it is."""
    if scene.viewer == "everything":
        return Say("all cards open")
    return Say("seen by a spectator") if scene.viewer is None else say("seen by {name}", name=Name(scene.viewer))


# ---------------------------------------------------------------- arrangements


def _with_board(pen: Pen, scene: Scene) -> tuple[list[str], float]:
    """The track, and all seats in rows below it; where they end."""
    seats, columns = range(len(scene.seats)), 2 if pen.is_phone else len(scene.seats)
    top = _PHONE_BOARD if pen.is_phone else _BOARD
    drawn, end = _grid(pen, scene, seats, columns, top, 1e6 if pen.is_phone else _BOTTOM - top)
    table = [] if pen.is_phone else _table(68, 352)
    return [*table, *draw_track(pen, scene), *drawn], end


def _with_middle(pen: Pen, scene: Scene) -> tuple[list[str], float]:
    """The other seats clockwise from the left neighbour, the middle, and the viewer's seat; where it ends."""
    paper, near = _PHONE if pen.is_phone else _SCREEN, scene.viewer if isinstance(scene.viewer, int) else 0
    others = [(near + 1 + i) % len(scene.seats) for i in range(len(scene.seats) - 1)]
    own = Panel(pen, scene, near, paper.width - 2 * paper.margin, paper.near)
    is_crowded = pen.is_phone and any(row.look == "groups" for seat in scene.seats for row in seat.rows)
    columns = {1: 1, 2: 2, 4: 2}.get(len(others), 2 if is_crowded else 3)
    trick = [_in_trick(scene, seat) for seat in (*others, near) if scene.seats[seat].played]
    pieces = [*scene.centre, *([Row(Say(""), trick)] if trick else [])]
    if pen.is_phone:
        parts, top = _grid(pen, scene, others, columns, paper.margin, 1e6)
        bottom = top + (140 if len(others) > 5 or any(isinstance(piece, Row) for piece in scene.centre) else 104)
    else:
        bottom = _BOTTOM - own.height
        parts, top = _grid(pen, scene, others, columns, _TOP, bottom - _TOP - _MIDDLE)
    middle = _pieces(pen, pieces, paper.width / 2, (top + bottom) / 2, paper.width - 100, bottom - top)
    felt = _table(top + 4, bottom - 4, paper)
    return [*felt, *parts, *middle, own.drawn(paper.margin, bottom, own.height)], bottom + own.height


def _in_trick(scene: Scene, number: int) -> Card:
    """The card that a seat has put into the middle, with the seat's figure and what can be clicked."""
    seat = scene.seats[number]
    assert seat.played is not None
    known = {"seat": number, "kind": "played", **seat.played.data} if seat.played.face else {}
    return seat.played._replace(owner=seat.figure, data=known)


def _grid(
    pen: Pen, scene: Scene, seats: Sequence[int], columns: int, top: float, most: float
) -> tuple[list[str], float]:
    """Panels of one size in rows from ``top``, made smaller if they would be higher than ``most``; where they end."""
    paper = _PHONE if pen.is_phone else _SCREEN
    width, rows = (paper.width - 2 * paper.margin + paper.gap) / columns - paper.gap, -(-len(seats) // columns)
    most = most / rows - paper.gap
    panels = [Panel(pen, scene, seat, width, paper.other) for seat in seats]
    height, scale = max(panel.height for panel in panels), 1.0
    if height > most:
        scale = most / height
        panels = [Panel(pen, scene, seat, width / scale, paper.other) for seat in seats]
        height = scale * max(panel.height for panel in panels)
    drawn = []
    for i, panel in enumerate(panels):
        x, y = paper.margin + i % columns * (width + paper.gap), top + i // columns * (height + paper.gap)
        drawn.append(panel.drawn(x, y, height, scale))
    return drawn, top + rows * (height + paper.gap)


def _table(top: float, bottom: float, paper: _Paper = _SCREEN) -> list[str]:
    left, radius = paper.width / 12, (bottom - top) / 2
    rim = box(left, top, paper.width - 2 * left, bottom - top, radius, ' class="rim"')
    return [rim, box(left + 8, top + 8, paper.width - 2 * left - 16, bottom - top - 16, radius - 8, ' class="felt"')]


def _pieces(pen: Pen, pieces: Sequence[CardPile | Row], x: float, y: float, room: float, high: float) -> list[str]:
    """What lies in the middle, side by side around a point, in cards that leave room for their label below."""
    step = min(104.0, room / max(1, len(pieces)))
    first, most, parts = x - step * (len(pieces) - 1) / 2, (high - 42) / CARD[1], []
    for i, piece in enumerate(pieces):
        at = first + step * i
        drawn = _row(pen, piece, at, y, room, most) if isinstance(piece, Row) else _pile(pen, piece, at, y, step, most)
        parts.append(drawn)
    return parts


def _pile(pen: Pen, pile: CardPile, x: float, y: float, room: float, most: float) -> str:
    scale = min(0.68 if pen.is_phone else 0.9, (room - 20) / CARD[0], most)
    left, top = x - CARD[0] * scale / 2, y - CARD[1] * scale / 2 - 8
    cards = [pen.card(pile.top, left + 3 * i, top - 2 * i, scale) for i in range(min(pile.cards or 1, 3))]
    label = say("{label} {count}", label=pile.label, count=pile.cards) if pile.cards is not None else pile.label
    words = pen.words(label, x, top + CARD[1] * scale + 17, 15, room, anchor="middle")
    return group([*cards, words], attributes=f' class="pile"{data(pile.data)}')


def _row(pen: Pen, row: Row, x: float, y: float, room: float, most: float) -> str:
    scale, room = 0.62 if pen.is_phone or len(row.cards) > 6 else 0.85, max(room, 205)
    if row.label.template:
        scale, y = min(scale, most), y - 8
    height = draw_row(pen, row, x, 0, room, scale)[1]
    drawn, end = draw_row(pen, row, x, y - height / 2, room, scale)
    return drawn + pen.words(row.label, x, end + 13, 14, room, anchor="middle")
