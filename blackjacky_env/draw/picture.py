"""A scene as a picture: seats around a table or below a board, on a screen or on a phone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import cos, pi, sin

from blackjacky_env.checks import check_choice
from blackjacky_env.draw.board import draw_row, draw_track
from blackjacky_env.draw.panel import Panel, Sizes, played_card
from blackjacky_env.draw.scene import Name, Pile, Row, Say, Scene, printable, say
from blackjacky_env.draw.svg import CARD, Pen, box, data, document, group

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
Place = Callable[[int, float], tuple[float, float]]  # (number, height of all) -> left upper corner

_OTHER, _NEAR, _CROWDED = Sizes(17, 15, 42, 0.64), Sizes(19, 16, 46, 0.8, 1), Sizes(15, 13, 30, 0.5)
_PHONE_OTHER, _PHONE_NEAR = Sizes(14, 13, 28, 0.52, chip=(20, 16)), Sizes(16, 14, 36, 0.6, 0.77)


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
    if pen.is_phone:
        parts, end = (_with_board if scene.track else _on_phone)(pen, scene)
        return document(scene.title, 0, PHONE_WIDTH, end + _PHONE_MARGIN, parts, theme)
    parts = _with_board(pen, scene)[0] if scene.track else _around(pen, scene)
    if layout == "table":
        return document(scene.title, _TOP - _MARGIN, WIDTH, _BOTTOM - _TOP + 2 * _MARGIN, parts, theme)
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


def _near(scene: Scene) -> int:
    """The seat at the bottom, which is the viewer's."""
    return scene.viewer if isinstance(scene.viewer, int) else 0


def _others(scene: Scene) -> list[int]:
    """The other seats, clockwise from the left neighbour of the seat at the bottom."""
    return [(_near(scene) + 1 + i) % len(scene.seats) for i in range(len(scene.seats) - 1)]


def _panels(
    pen: Pen, scene: Scene, seats: Sequence[int], width: float, sizes: Sizes, most: float, place: Place
) -> tuple[list[str], float]:
    """Panels as wide and as high as each other, made smaller if they would be higher than ``most``; their height."""
    panels = [Panel(pen, scene, seat, width, sizes) for seat in seats]
    height, scale = max(panel.height for panel in panels), 1.0
    if height > most:
        height, scale = most, most / height
        panels = [Panel(pen, scene, seat, width / scale, sizes) for seat in seats]
    return [panel.drawn(*place(i, height), height, scale) for i, panel in enumerate(panels)], height


def _grid(pen: Pen, scene: Scene, seats: Sequence[int], columns: int, top: float) -> tuple[list[str], float]:
    """Panels in rows from ``top``, as wide as the picture; where they end."""
    whole, margin, gap = (PHONE_WIDTH, _PHONE_MARGIN, _PHONE_GAP) if pen.is_phone else (WIDTH, _MARGIN, 7)
    sizes, most = (_PHONE_OTHER, 1e6) if pen.is_phone else (_OTHER._replace(figure=38), _BOTTOM - top)
    width = (whole - 2 * margin - gap * (columns - 1)) / columns

    def place(i: int, height: float) -> tuple[float, float]:
        return margin + i % columns * (width + gap), top + i // columns * (height + gap)

    drawn, height = _panels(pen, scene, seats, width, sizes, most, place)
    return drawn, place(len(seats) - 1, height)[1] + height


def _around(pen: Pen, scene: Scene) -> list[str]:
    """The viewer's seat below, the others above and, of four and more, beside a table."""
    seats, others = len(scene.seats), _others(scene)
    own = Panel(pen, scene, _near(scene), WIDTH - 2 * _MARGIN, _NEAR)
    bottom = _BOTTOM - own.height
    beside = max(seats > 3, (seats - 3) // 2)  # at the left, and as many at the right
    most = (bottom - _TOP - 10) / (beside + 1) - 6 if beside else bottom - _TOP - 130
    sizes = _OTHER if seats < _MANY else _CROWDED
    above = len(others) - 2 * beside
    free = (WIDTH - above * 200) / (above + 1)

    def place(i: int, height: float) -> tuple[float, float]:
        if beside <= i < beside + above:
            return free + (i - beside) * (200 + free), _TOP
        step, from_below = (bottom - 8 - _TOP) / (beside + 1), 1 + (i if i < beside else len(others) - 1 - i)
        return (_MARGIN if i < beside else WIDTH - _MARGIN - 200), bottom - 8 - step * from_below

    drawn, height = _panels(pen, scene, others, 200, sizes, most, place)
    top = _TOP + (height if len(others) != 2 else 30)
    y, room = (top + bottom) / 2, bottom - top
    middle = _pieces(pen, scene, WIDTH / 2, y, 210 if beside else 420) + _trick(pen, scene, y, room)
    return [*_table(_TOP + 24, bottom + 4), *drawn, *middle, own.drawn(_MARGIN, bottom, own.height)]


def _table(top: float, bottom: float) -> list[str]:
    rim = box(70, top, WIDTH - 140, bottom - top, 150, ' class="rim"')
    return [rim, box(80, top + 10, WIDTH - 160, bottom - top - 20, 140, ' class="felt"')]


def _trick(pen: Pen, scene: Scene, y: float, room: float) -> list[str]:
    """The cards that the seats have put into the middle, each before its seat, in a ``room`` so high."""
    seats = len(scene.seats)
    scale = 0.85 if seats <= 4 else 0.66 if seats < _MANY else 0.54
    across, down = (62.0, 66.0) if seats <= 4 else (84.0, 88.0)
    down = min(down, room / 2 - CARD[1] * scale / 2 - 4)
    parts = []
    for seat, each in enumerate(scene.seats):
        if each.played is not None:
            angle = 2 * pi * (seat - _near(scene)) / seats
            left = WIDTH / 2 - across * sin(angle) - CARD[0] * scale / 2
            top = y + down * cos(angle) - CARD[1] * scale / 2
            parts.append(played_card(pen, each.played, seat, left, top, scale))
    return parts


def _pieces(pen: Pen, scene: Scene, x: float, y: float, room: float) -> list[str]:
    """What lies in the middle, side by side around a point."""
    step = min(104.0, room / max(1, len(scene.centre)))
    first, parts = x - step * (len(scene.centre) - 1) / 2, []
    for i, piece in enumerate(scene.centre):
        at = first + step * i
        parts.append(_pile(pen, piece, at, y, step) if isinstance(piece, Pile) else _row(pen, piece, at, y, room))
    return parts


def _pile(pen: Pen, pile: Pile, x: float, y: float, room: float) -> str:
    scale = min(0.9, (room - 20) / CARD[0])
    left, top = x - CARD[0] * scale / 2, y - CARD[1] * scale / 2 - 8
    cards = [pen.card(pile.top, left + 3 * i, top - 2 * i, scale) for i in range(min(pile.cards or 1, 3))]
    label = say("{label} {count}", label=pile.label, count=pile.cards) if pile.cards is not None else pile.label
    words = pen.words(label, x, top + CARD[1] * scale + 17, 15, room, anchor="middle")
    return group([*cards, words], attributes=f' class="pile"{data(pile.data)}')


def _row(pen: Pen, row: Row, x: float, y: float, room: float) -> str:
    scale, room = 0.85 if len(row.cards) <= 8 else 0.62, max(room, 205)
    height = draw_row(pen, row, x, 0, room, scale)[1]
    drawn, end = draw_row(pen, row, x, y - height / 2, room, scale)
    return drawn + pen.words(row.label, x, end + 13, 14, room, anchor="middle")


def _with_board(pen: Pen, scene: Scene) -> tuple[list[str], float]:
    """The track, and the seats in rows below it; where they end."""
    seats = range(len(scene.seats))
    drawn, end = _grid(pen, scene, seats, 2, 388) if pen.is_phone else _grid(pen, scene, seats, len(seats), _BOARD)
    table = [] if pen.is_phone else _table(68, 352)
    return [*table, *draw_track(pen, scene), *drawn], end


def _on_phone(pen: Pen, scene: Scene) -> tuple[list[str], float]:
    """The other seats, the middle and the viewer's seat below each other; where they end."""
    others = _others(scene)
    crowded = any(row.look == "groups" for seat in scene.seats for row in seat.rows)
    columns = {1: 1, 2: 2, 4: 2}.get(len(others), 2 if crowded else 3)
    parts, end = _grid(pen, scene, others, columns, _PHONE_MARGIN)
    end += _PHONE_GAP
    if scene.centre:
        high = 96 if all(isinstance(piece, Pile) for piece in scene.centre) else 140
        parts += _pieces(pen, scene, PHONE_WIDTH / 2, end + high / 2 - 2, PHONE_WIDTH - 20)
        end += high
    own = Panel(pen, scene, _near(scene), PHONE_WIDTH - 2 * _PHONE_MARGIN, _PHONE_NEAR)
    return [*parts, own.drawn(_PHONE_MARGIN, end, own.height)], end + own.height
