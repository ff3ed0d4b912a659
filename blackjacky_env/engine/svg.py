"""Drawing shared by the pictures of all games: the document, text that fits, rows of cards, places of the seats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from math import cos, pi, sin
from types import MappingProxyType
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from blackjacky_env.engine.artwork import FURS, SHAPES, style
from blackjacky_env.engine.checks import check_choice
from blackjacky_env.engine.text import View, plain, seen_by, viewer

Options = dict[str, Any]

WIDTH, HEIGHT = 640, 600
"""Size of every document, in SVG user units."""
PHONE_WIDTH = 360
"""Width of the layout for phones, whose text is at least `PHONE_TEXT` units high."""
PHONE_TEXT = 12.0
PHONE_MARGIN, PHONE_GAP = 3, 6
PHONE_IN_ROW = 8
"""Cards of a hand in a row on a phone, so that a finger can hit each."""
LAYOUTS = ("document", "table", "phone")
"""``document``: title, table and sentences, 640 x 600 units; ``table``: the table alone, 640 units wide, for pages that
have a title of their own; ``phone``: the table alone, 360 units wide."""
THEMES = ("auto", "light", "dark")
MARGIN, TOP = 10, 44
MINUS = "\N{MINUS SIGN}"
PANEL = 200
"""Width of a seat's panel."""
LOSS = "#d8343c"  # stands out on the panels of both themes
LETTER = 0.56
"""Width of an average bold letter, relative to the font size."""

_WIDE_LETTER = 0.62  # the same in a wide font
_USED = re.compile(r'href="#(\w+)"')
_NAME_LENGTH = 14


# ---------------------------------------------------------------- setting


class Setting(NamedTuple):
    """Settings of a whole picture."""

    layout: str = "document"
    texts: Mapping[str, str] = {}
    """Translations of the words in the picture, by the English template."""


_SETTING: ContextVar[Setting] = ContextVar("setting", default=Setting())  # noqa: B039  # immutable in use


@contextmanager
def setting(layout: str, texts: Mapping[str, str] | None) -> Iterator[None]:
    """Draw in one of the `LAYOUTS` and in the language of ``texts`` (None: English).

    Raises `ValueError` for an unknown layout.
    """
    check_choice("layout", layout, LAYOUTS)
    token = _SETTING.set(Setting(layout, texts or {}))
    try:
        yield
    finally:
        _SETTING.reset(token)


def is_document() -> bool:
    """Whether the picture has room for more than the table."""
    return _SETTING.get().layout == "document"


def say(template: str, **values: object) -> str:
    """An English template in the language of the picture, filled with ``values``; English if it is not translated."""
    return _SETTING.get().texts.get(template, template).format(**values)


# ---------------------------------------------------------------- elements


@lru_cache(maxsize=10_000)
def number(value: float) -> str:
    """A coordinate rounded to a tenth, as short as possible."""
    return f"{round(value, 1) + 0.0:g}"  # + 0.0: the cache cannot tell -0 from 0


def data(**values: object) -> str:
    """``data-`` attributes, by which a web page finds what can be clicked."""
    return "".join(f" data-{name}={quoteattr(str(value))}" for name, value in values.items())


def group(parts: Sequence[str], x: float = 0, y: float = 0, scale: float = 1, attributes: str = "") -> str:
    """Parts moved and scaled together."""
    moved = f" translate({number(x)} {number(y)})" if x or y else ""
    scaled = f" scale({scale:g})" if scale != 1 else ""
    transform = f' transform="{(moved + scaled).strip()}"' if moved or scaled else ""
    return f"<g{attributes}{transform}>{''.join(parts)}</g>"


def use(shape: str, x: float = 0, y: float = 0, scale: float = 1, fill: str = "") -> str:
    """One of the `SHAPES`."""
    colour = f' fill="{fill}"' if fill else ""
    if scale != 1:
        return f'<use href="#{shape}" transform="translate({number(x)} {number(y)}) scale({scale:g})"{colour}/>'
    place = (f' x="{number(x)}"' if x else "") + (f' y="{number(y)}"' if y else "")
    return f'<use href="#{shape}"{place}{colour}/>'


def box(x: float, y: float, width: float, height: float, radius: float, look: str) -> str:
    """A rounded rectangle; ``look``: classes."""
    size = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
    return f'<rect {size} rx="{number(radius)}" class="{look}"/>'


def words(
    text: str, x: float, y: float, size: float, room: float = WIDTH, look: str = "ink", anchor: str = "start"
) -> str:
    """A line of text, made smaller if it is wider than ``room``; ``anchor``: start, middle or end.

    On a phone it is cut rather than made smaller than `PHONE_TEXT`.
    """
    text = text if text.isprintable() else "".join(filter(str.isprintable, text))  # XML forbids most of the rest
    if not text:
        return ""
    if _SETTING.get().layout == "phone":
        text = _cut(text, room / PHONE_TEXT)
    fitting = min(size, room / _letters(text))
    at = "" if anchor == "start" else f' text-anchor="{anchor}"'
    place = f'x="{number(x)}" y="{number(y)}" font-size="{number(fitting)}"'
    return f'<text {place} class="{look}"{at}>{escape(text)}</text>'


@lru_cache(maxsize=10_000)
def _letters(text: str) -> float:
    """Approximate width of a text, relative to the font size."""
    wide = sum(letter in "MWmw@%" or letter > "\u2e7f" for letter in text)
    return LETTER * len(text) + 0.4 * wide + 0.12 * sum(map(str.isupper, text))


def _cut(text: str, room: float) -> str:
    """``text``, with an ellipsis in place of what does not fit; ``room`` is relative to the font size."""
    if _letters(text) <= room + 0.01:
        return text
    while len(text) > 1 and _letters(text + "…") > room:
        text = text[:-1]
    return text.rstrip() + "…"


def label(text: str, x: float, y: float, colour: str, anchor: str = "end", size: float = 15) -> str:
    """A white word in a rounded box that starts or ends at ``x``; ``colour``: a background dark enough for white."""
    width, height = _WIDE_LETTER * size * len(text) + 10, size + 5
    right = x if anchor == "end" else x + width
    measures = f'width="{number(width)}" height="{number(height)}" rx="{number(height / 2)}"'
    ground = f'<rect x="{number(right - width)}" y="{number(y)}" {measures} fill="{colour}"/>'
    middle = f'x="{number(right - width / 2)}" y="{number(y + size)}" font-size="{number(size)}"'
    return f'{ground}<text {middle} fill="#fff" text-anchor="middle">{escape(text)}</text>'


def cat(seat: int, x: float, y: float, scale: float = 0.92, awake: bool = True, wanted: bool = False) -> str:
    """The head of the cat at this seat, 48 units wide and high before scaling."""
    fur = use("cat", fill=FURS[seat % len(FURS)]) + (use("stripes") if seat % 2 else "")
    parts = [use("poster") if wanted else "", fur, use("awake" if awake else "asleep")]
    return group(parts, x, y, scale)


def backs(count: int, x: float, y: float, step: float = 14, most: int = 4) -> str:
    """``count`` cards face down; more than ``most`` are drawn as three and their number."""
    if count <= most:
        return "".join(use("back", x + step * i, y) for i in range(count))
    return backs(3, x, y, 8) + words(f"x {count}", x + 58, y + 32, 18)


def rows(counts: Sequence[int], widths: Sequence[float], x: float, room: float, gap: float = 10) -> list[list[float]]:
    """Left edges of the cards of several rows, all side by side from ``x``, each row with its own card width.

    If they need more than ``room``, the cards of each row overlap, and in the end all rows do.
    """
    filled = [(count, width) for count, width in zip(counts, widths, strict=True) if count]
    free = room - sum(width for _, width in filled) - gap * (len(filled) - 1)
    wanted = sum((count - 1) * (width + 4) for count, width in filled)
    squeezed = min(1.0, free / wanted) if wanted else 1.0
    if squeezed < 0.25:
        return _overlapping(counts, x, room - max(widths))
    begins = []
    for count, width in zip(counts, widths, strict=True):
        step = (width + 4) * squeezed
        begins.append([x + step * i for i in range(count)])
        x += width + step * (count - 1) + gap if count else 0
    return begins


def _overlapping(counts: Sequence[int], x: float, room: float) -> list[list[float]]:
    step = room / max(1, sum(counts) - 1)
    firsts = [sum(counts[:i]) for i in range(len(counts))]
    return [[x + step * (first + i) for i in range(count)] for first, count in zip(firsts, counts, strict=True)]


# ---------------------------------------------------------------- seats


def names_of(players: int, names: Sequence[str] | None) -> list[str]:
    """A name for each seat, shortened; `ValueError` unless there is one for each."""
    if names is None:
        return [f"player_{seat}" for seat in range(players)]
    if len(names) != players:
        raise ValueError(f"names={names!r} has {len(names)} names; there are {players} players")
    printable = ["".join(filter(str.isprintable, name)) for name in names]
    return [name if len(name) <= _NAME_LENGTH else name[: _NAME_LENGTH - 1] + "…" for name in printable]


def places(others: int, height: float, bottom: float) -> list[tuple[float, float]]:
    """Top left corners of the other seats' panels, clockwise from the left neighbour of the seat at the bottom."""
    beside = max(others > 2, (others - 2) // 2)
    above = others - 2 * beside
    first = TOP + height
    gap = (bottom - first - beside * height) / (beside + 1)
    rows = [first + gap + row * (height + gap) for row in range(beside)]
    free = (WIDTH - above * PANEL) / (above + 1)
    row = [(free + i * (PANEL + free), float(TOP)) for i in range(above)]
    right = WIDTH - MARGIN - PANEL
    return [*((float(MARGIN), y) for y in reversed(rows)), *row, *((float(right), y) for y in rows)]


def phone_places(others: int, height: float, columns: int = 3) -> list[tuple[float, float, float]]:
    """Left edge, top edge and width of panels on a phone, row by row in at most so many columns."""
    columns = {1: 1, 2: 2, 4: 2}.get(others, columns)
    width = (PHONE_WIDTH - 2 * PHONE_MARGIN - PHONE_GAP * (columns - 1)) / columns
    return [
        (PHONE_MARGIN + i % columns * (width + PHONE_GAP), PHONE_MARGIN + i // columns * (height + PHONE_GAP), width)
        for i in range(others)
    ]


def phone_lines(cards: int) -> int:
    """The number of rows of a hand on a phone, at least one."""
    return max(1, -(-cards // PHONE_IN_ROW))


def phone_rows(cards: int, width: float, x: float, room: float) -> list[tuple[float, int]]:
    """Left edge and row of each card of a hand on a phone."""
    in_row = -(-cards // phone_lines(cards))
    step = min(width + 4, (room - width) / max(1, in_row - 1))
    return [(x + step * (i % in_row), i // in_row) for i in range(cards)]


def around(count: int, middle: tuple[float, float], across: float, down: float) -> list[tuple[float, float]]:
    """Points on an oval, clockwise from the lowest."""
    angles = [2 * pi * i / count for i in range(count)]
    return [(middle[0] - across * sin(angle), middle[1] + down * cos(angle)) for angle in angles]


def panel(
    x: float,
    y: float,
    width: float,
    height: float,
    seat: int,
    on_turn: bool,
    parts: Sequence[str],
    loses: bool = False,
) -> str:
    """A seat's panel: ``parts`` on a background, with a thick border and an arrow if it is the seat's turn.

    A seat that ``loses`` a settlement has a red border.
    """
    ground = box(0, 0, width, height, 12, f"panel {'now' if on_turn else 'edge'}")
    arrow = '<path d="M-6 14 12 28-6 42z" class="sign"/>' if on_turn else ""
    look = f' class="seat{" loser" * loses}"{data(seat=seat)}'
    return group([ground, _border(width, height, 12, 4) if loses else "", arrow, *parts], x, y, attributes=look)


# ---------------------------------------------------------------- settlements


class Settled(NamedTuple):
    """What a settlement changes: ``view["settled"]`` of a view that shows this moment; no other view has that key.

    The rest of the view is as before the settlement, so that the picture shows what is lost while it is still there.
    """

    losers: Sequence[int] = ()
    """Seats that lose something, or fare worst."""
    after: Mapping[str, Sequence[int]] = MappingProxyType({})
    """Numbers by seat afterwards, by their key in the view."""


_NOTHING_SETTLED = Settled()


def loses(view: View, seat: int) -> bool:
    """Whether the view shows a settlement in which the seat loses something, or fares worst."""
    return seat in view.get("settled", _NOTHING_SETTLED).losers


def seat_panel(view: View, seat: int, place: tuple[float, float, float, float], parts: Sequence[str]) -> str:
    """The `panel` of a seat in a view; ``place``: left, top, width and height."""
    return panel(*place, seat, seat == view["player"], parts, loses(view, seat))


def change(view: View, key: str, seat: int) -> str:
    """The number of a seat, and in the view of a settlement what it becomes."""
    after = view.get("settled", _NOTHING_SETTLED).after
    numbers = dict.fromkeys(each[key][seat] for each in (view, after) if key in each)
    return " → ".join(str(each).replace("-", MINUS) for each in numbers)


def counted(
    text: str,
    x: float,
    y: float,
    size: float,
    room: float,
    loses: bool,
    anchor: str = "start",
    look: str = "ink",
) -> str:
    """A line of text with a sum that counts in a settlement; in a frame and red if the sum ``loses``."""
    if not loses:
        return words(text, x, y, size, room, look, anchor)
    width = min(room, _letters(text) * size + 8)
    left = x - 3 if anchor == "start" else x - width + 3
    frame = group([_border(width, size + 6, 6, 2)], left, y - size - 0.5, attributes=' class="counted"')
    return frame + words(text, left + 4, y, size, width - 8, "bad")


def _border(width: float, height: float, radius: float, thick: float) -> str:
    place = f'width="{number(width)}" height="{number(height)}" rx="{number(radius)}"'
    return f'<rect {place} fill="none" stroke="{LOSS}" stroke-width="{thick}"/>'


# ---------------------------------------------------------------- the document


def document(title: str, right: str, bottom: float, end: float, parts: Sequence[str], theme: str) -> str:
    """A picture in the layout ``document`` or ``table``.

    Args:
        title: words above the table in a document.
        right: words at the right of the title.
        bottom: where the table itself ends.
        end: where the lowest panel ends.
        parts: everything on the table.
        theme: one of `THEMES`.
    """
    table = [
        box(70, TOP + 24, WIDTH - 140, bottom - TOP - 20, 150, "rim"),
        box(80, TOP + 34, WIDTH - 160, bottom - TOP - 40, 140, "felt"),
    ]
    if _SETTING.get().layout == "table":
        return _drawn(title, (TOP - MARGIN, WIDTH, end - TOP + 2 * MARGIN), [*table, *parts], theme)
    head = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" class="bg"/>',
        words(title, 12, 29, 20, 430),
        words(right, WIDTH - 12, 29, 16, 170, "faint", "end"),
    ]
    return _drawn(f"{title}, {right}", (0, WIDTH, HEIGHT), [*head, *table, *parts], theme)


def phone(title: str, height: float, parts: Sequence[str], theme: str) -> str:
    """A picture in the layout ``phone``, ``height`` units high."""
    return _drawn(title, (0, PHONE_WIDTH, height), parts, theme)


def _drawn(title: str, size: tuple[float, float, float], parts: Sequence[str], theme: str) -> str:
    """The whole SVG; ``size``: top, width and height."""
    check_choice("theme", theme, THEMES)
    top, width, height = map(number, size)
    body, name = "".join(parts), f"table-{theme}"
    root = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 {top} {width} {height}" width="{width}" height="{height}"'
    return (
        f'<svg {root} class="{name}" role="img" aria-label={quoteattr(title)}>'
        f"<style>{style(name)}</style><defs>{_used_shapes(body)}</defs>{body}</svg>\n"
    )


def _used_shapes(body: str) -> str:
    used = set(_USED.findall(body))
    return "".join(f'<g id="{name}">{SHAPES[name]}</g>' for name in SHAPES if name in used)


def picture(
    *,
    heading: Callable[[View, Options], str],
    table: Callable[[View, Options, Sequence[str]], list[str]],
    phone: Callable[[View, Options, Sequence[str], str], str],
    sentences: Callable[[View, Options, Sequence[str]], Iterable[str]],
    corner: Callable[[View, Options, Sequence[str]], str] = lambda view, options, names: seen_by(view, names),
    bottom: float,
    end: float,
    words_top: float,
) -> Callable[..., str]:
    """The `Words.draw_svg` of a game, which says only where things lie.

    Args:
        heading: (view, options) -> the words above the table at the left.
        table: (view, options, names) -> what lies on the table, for the document and the desktop.
        phone: (view, options, names, theme) -> the whole picture for a phone.
        sentences: (view, options, names) -> what is said below the table in a document, as in a terminal.
        corner: (view, options, names) -> the words above the table at the right.
        bottom: where the table ends.
        end: where the seats end.
        words_top: where the sentences begin.
    """

    def draw_svg(
        view: View,
        options: Options,
        *,
        names: Sequence[str] | None = None,
        last_action: str = "",
        theme: str = "auto",
        layout: str = "document",
        texts: Mapping[str, str] | None = None,
    ) -> str:
        """The table that ``view`` shows, as an SVG.

        Args:
            view: from `TableEnv.view` or `TableEnv.snapshot`; see `Settled` for one of a settlement.
            options: from `TableEnv.config_dict`.
            names: names of the players by seat; None: ``player_0`` .. .
            last_action: the last action, in words, without secrets that the viewer may not know.
            theme: ``"light"``, ``"dark"`` or ``"auto"`` (what the reader's system prefers).
            layout: one of `LAYOUTS`.
            texts: translations of the words on the table, by the English template; None: English.

        Raises `ValueError` for an unknown theme or layout, or a wrong number of names.
        """
        players = names_of(options["num_players"], names)
        with setting(layout, texts):
            if layout == "phone":
                return phone(view, options, players, theme)
            parts = table(view, options, players)
            if layout == "document":
                parts += lines([last_action, *map(plain, sentences(view, options, players))], words_top)
            return document(heading(view, options), corner(view, options, players), bottom, end, parts, theme)

    return draw_svg


def near_and_others(view: View, seats: int) -> tuple[int, list[int]]:
    """The seat at the bottom, which is the viewer's, and the others, clockwise."""
    near = viewer(view) or 0
    return near, [(near + 1 + i) % seats for i in range(seats - 1)]


def winner(view: View, seat: int, right: float, y: float, size: float = 15) -> str:
    """The mark of a seat that has won."""
    return label(say("winner"), right, y, "#8a6100", size=size) if seat in view["winners"] else ""


def signed(points: int) -> str:
    """A number with a minus sign that looks like one."""
    return str(points).replace("-", MINUS)


def lines(sentences: Sequence[str], top: float) -> list[str]:
    """Sentences on lines of their own, the first in bold; empty ones are left out."""
    shown = [sentence for sentence in sentences if sentence]
    looks = ["ink", *["faint"] * len(shown)]
    return [words(text, 16, top + 21 * i, 17, WIDTH - 32, looks[i]) for i, text in enumerate(shown)]
