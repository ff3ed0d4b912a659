"""The table as a picture, drawn from a view, so that it shows nothing that the viewer may not know."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from blackjacky_env.engine import svg
from blackjacky_env.engine.artwork import FURS, INK
from blackjacky_env.engine.svg import data, group, say, use, words
from blackjacky_env.engine.text import View
from blackjacky_env.engine.trick_table import roles
from blackjacky_env.games.black_spy import terminal
from blackjacky_env.games.black_spy.state import BLACK, COLOUR_NAMES, MOON
from blackjacky_env.games.black_spy.terminal import by_colour, colour_of, number_of

_HEIGHT, _OWN_TOP, _OWN_HEIGHT, _WORDS_TOP = 130, 396, 160, 573
_MIDDLE = (svg.WIDTH / 2, (svg.TOP + _HEIGHT + _OWN_TOP) / 2)
_SPY = 7

Group = tuple[str, list[int]]
"""The numbers of cards of one colour."""

_CREAM, _BACK = "#fffdf6", "#2f4a76"
_COLOURS = {  # by colour of a card: its ground, and signs on it
    "blue": ("#1f62ad", "#fff"),
    "yellow": ("#f2c530", INK),
    "green": ("#1b7a43", "#fff"),
    "red": ("#c4283a", "#fff"),
    "black": ("#1d1f26", "#fff"),
}
_MARKS = {  # by colour, in a square of 8 units, so that colours differ in shape as well
    "blue": '<circle cx="4" cy="4" r="3.8"/>',
    "yellow": '<path d="M4 .2 8 7.6H0z"/>',
    "green": '<path d="M.5.5h7v7h-7z"/>',
    "red": '<path d="M4-.5 8.5 4 4 8.5-.5 4z"/>',
    "black": '<path d="M2.7 4.7a2.7 2.7 0 1 1 2.6 0L6.6 8.3H1.4z"/>',
}
_ARROW = '<path d="M-13-22A26 26 0 1 0 15-21" fill="none" class="now"/><path d="M-24-14-10-16-17-29z"/>'


def _table(view: View, options: dict[str, Any], names: Sequence[str]) -> list[str]:
    near, others = svg.near_and_others(view, len(names))
    corners = svg.places(len(others), _HEIGHT, _OWN_TOP)
    parts = [words(terminal.options_in_force(options), 12, 42, 10.5, 616, "faint")] if svg.is_document() else []
    parts += [_seat(view, seat, names, corner) for seat, corner in zip(others, corners, strict=True)]
    return [*parts, *_middle(view, near), _near_seat(view, near, names)]


# ---------------------------------------------------------------- cards


def _mark(colour: str, x: float, y: float, size: float, attributes: str = "") -> str:
    return group([_MARKS[colour]], x, y, round(size / 8, 2), f' fill="{_COLOURS[colour][1]}"{attributes}')


def _card(name: str, x: float, y: float, scale: float = 1, attributes: str = "") -> str:
    """A card, 52 x 78 units before scaling; its left edge, visible when cards overlap, shows number and mark."""
    colour, number = colour_of(name), number_of(name)
    ground, sign = _COLOURS[colour]
    size, left = (21, 2.5) if number > 9 else (25, 5)
    parts = [
        f'<rect width="52" height="78" rx="6" fill="{ground}" stroke="{_CREAM}" stroke-width="1.5"/>',
        f'<text x="{left}" y="23" font-size="{size}" fill="{sign}">{number}</text>',
        _mark(colour, 6, 29, 12),
        _motif(name),
    ]
    return group(parts, x, y, scale, attributes)


def _motif(name: str) -> str:
    """A spy on every 7 (B1), a star on the red 1 (B4), else the mark of the colour."""
    colour = colour_of(name)
    if number_of(name) == _SPY:
        look = 'fill="#4a505e" stroke="#d5d9e0"' if colour == COLOUR_NAMES[BLACK] else f'fill="{_CREAM}" stroke="{INK}"'
        return group([use("spy")], 5, 42, 0.78, f" {look}")
    if name == "red 1":
        return use("star", 12, 47, 1.25, "#ffd84d")
    return _mark(colour, 23, 49, 24, ' opacity=".35"')


def _card_attributes(name: str, seat: int, kind: str = "") -> str:
    """Attributes of a card; one of a ``kind`` that no action has cannot be clicked."""
    return ' class="card"' + data(card=name, seat=seat) + (data(kind=kind) if kind else "")


def _back(x: float, y: float, scale: float = 1) -> str:
    """A card face down, 36 x 50 units before scaling."""
    paper = f'<rect width="36" height="50" rx="5" fill="{_BACK}" stroke="#fff" stroke-width="1.5"/>'
    return group([paper, group([_MARKS["black"]], 7, 14, 2.75, ' fill="#86a3d0"')], x, y, scale)


def _pack(count: int, x: float, y: float, scale: float = 0.88) -> str:
    ring = f'<circle cx="18" cy="25" r="14" fill="{_BACK}"/>'
    number = f'<text x="18" y="32" font-size="20" fill="#fff" text-anchor="middle">{count}</text>'
    return group([_back(0, 0), ring, number], x, y, scale)


def _badge(colour: str, x: float, y: float, size: float) -> str:
    ground = f'<rect width="14" height="14" rx="3" fill="{_COLOURS[colour][0]}" stroke="{_CREAM}" stroke-width=".7"/>'
    return group([ground, _mark(colour, 3, 3, 8)], x, y, round(size / 14, 2))


# ---------------------------------------------------------------- cards in few words


def _width(line: Sequence[Group]) -> float:
    """Width of groups side by side, relative to the size of their letters."""
    return sum(1.5 + sum(0.29 + 0.57 * len(str(number)) for number in numbers) for _, numbers in line) + 0.3 * len(line)


def _groups(cards: Iterable[str], x: float, y: float, room: float, size: float, rows: int = 0) -> list[str]:
    """Cards by colour, each colour as its mark and the numbers on its ground.

    With ``rows`` they get smaller until they fit on that many; otherwise they take as many as they need.
    """
    groups = [*by_colour(cards).items()]
    lines = _into_lines(groups, room / size)
    while rows and (len(lines) > rows or any(_width(line) * size > room for line in lines)):
        size -= 0.5
        lines = _into_lines(groups, room / size)
    return [part for i, line in enumerate(lines) for part in _row_of_groups(line, x, y + i * (size + 2.5), size)]


def _into_lines(groups: Sequence[Group], room: float) -> list[list[Group]]:
    lines: list[list[Group]] = []
    for each in groups:
        if lines and _width([*lines[-1], each]) <= room:
            lines[-1].append(each)
        else:
            lines.append([each])
    return lines


def _captioned(
    caption: str, cards: list[str] | int, x: float, y: float, room: float, size: float = 14, rows: int = 0
) -> list[str]:
    if not cards or isinstance(cards, int):
        return []
    below, left = (12, 58) if rows else (11, 62)
    text = words(say(caption), x, y + below, 13 if rows else 12, left - 2 * bool(rows), "faint")
    return [text, *_groups(cards, x + left, y, room, size, rows)]


def _row_of_groups(line: Sequence[Group], x: float, y: float, size: float) -> list[str]:
    parts = []
    for colour, numbers in line:
        ground, sign = _COLOURS[colour]
        width = (_width([(colour, numbers)]) - 0.3) * size
        place = f'x="{svg.number(x)}" y="{svg.number(y)}" width="{svg.number(width)}" height="{svg.number(size + 1)}"'
        at = f'x="{svg.number(x + 1.15 * size)}" y="{svg.number(y + 0.88 * size)}" font-size="{svg.number(size)}"'
        parts += [
            f'<rect {place} rx="3" fill="{ground}" stroke="{_CREAM}" stroke-width=".7"/>',
            _mark(colour, x + 0.3 * size, y + 0.25 * size, 0.6 * size),
            f'<text {at} fill="{sign}">{" ".join(map(str, numbers))}</text>',
        ]
        x += width + 0.3 * size
    return parts


# ---------------------------------------------------------------- the middle of the table


def _middle(view: View, near: int, room: float = 205) -> list[str]:
    """What is decided now, ``room`` units wide; while cards are played the trick, with the colour called."""
    match view["phase"]:
        case "take":
            return _pile(view["pile"], len(view["totals"]), room)
        case "call":
            return [_colour_to_call(colour, i) for i, colour in enumerate(COLOUR_NAMES[:BLACK])]
        case "pass":
            return [_direction(view["pass_to"]), *_to_pass(view, near)]
        case "choose":
            return [
                _choice("others", say("for each of the others"), -62),
                _choice("myself", say("off their own total"), 8),
            ]
    called = view["called"]
    if called is None or view["phase"] == "over":
        return _trick(view, near)
    x, y = _MIDDLE
    return [
        _badge(called, x - 13, y - 20, 26),
        words(say("called"), x, y + 22, 14, 60, anchor="middle"),
        *_trick(view, near),
    ]


def _places(view: View) -> list[tuple[float, float]]:
    """A point for each seat's card, clockwise from the near seat."""
    seats = len(view["totals"])
    return svg.around(seats, _MIDDLE, 62 if seats < 5 else 80, 72 if seats < 5 else 78)


def _trick(view: View, near: int) -> list[str]:
    seats = len(view["totals"])
    scale = {3: 1, 4: 0.85, 5: 0.8, 6: 0.72}[seats]
    points, parts = _places(view), []
    for turn, (seat, name) in enumerate(view["table"], 1):
        x, y = points[(seat - near) % seats]
        left, top = x - 26 * scale, y - 39 * scale
        parts += [*_played(view, seat, name, left, top, scale), _order_badge(turn, left + 52 * scale - 3, top + 5)]
    return parts


def _played(view: View, seat: int, name: str, x: float, y: float, scale: float) -> list[str]:
    card = _card(name, x, y, scale, _card_attributes(name, seat, "played"))
    if seat != terminal.winner_of(view["table"]):
        return [card]
    frame = '<rect x="-2" y="-2" width="56" height="82" rx="8" fill="none" class="now"/>'
    return [card, group([frame], x, y, scale)]


def _order_badge(number: int, x: float, y: float) -> str:
    led = number == 1
    ring = f'<circle cx="{svg.number(x)}" cy="{svg.number(y)}" r="8.5" class="{"sign" if led else "panel edge"}"/>'
    return ring + words(str(number), x, y + 4.5, 13, look="bg" if led else "ink", anchor="middle")


def _direction(pass_to: str) -> str:
    x, y = _MIDDLE
    towards = words(say(pass_to), x, y + 5, 15, 48, anchor="middle")
    if pass_to == "across":
        ends = '<path d="M-10-20 0-36 10-20zM-10 20 0 36 10 20z"/>'
        return group([ends], x, y, attributes=' class="sign"') + towards
    turned = "" if pass_to == "left" else ' transform="scale(-1 1)"'
    return group([f"<g{turned}>{_ARROW}</g>"], x, y, attributes=' class="sign"') + towards


def _to_pass(view: View, near: int) -> list[str]:
    """B3: the cards chosen by the others, face down in front of them, and those of the near seat unless it is open."""
    parts, points, seats = [], _places(view), len(view["totals"])
    for seat, chosen in enumerate(view["chosen"]):
        if seat == near and isinstance(chosen, list):
            continue
        x, y = points[(seat - near) % seats]
        count = chosen if isinstance(chosen, int) else len(chosen)
        parts += [_back(x - 14 + 11 * (i - (count - 1) / 2), y - 20, 0.78) for i in range(count)]
    return parts


def _pile(pile: list[str] | int, players: int, room: float) -> list[str]:
    """V3: the mole's pile, open to the seat that takes."""
    x, y = _MIDDLE
    caption = words(say("the mole's pile"), x, y - 96, 15, 200, anchor="middle")
    if isinstance(pile, int):
        backs = [_back(x - 31 + 3 * i, y - 28 - 3 * i, 1.4) for i in range(3)]
        return [caption, *backs, _pack(pile, x - 22, y - 37, 1.4)]
    scale = min(0.78, (room / players - 3) / 52)  # at first in three rows
    across, down = 52 * scale + 3, 78 * scale + 3
    left, top = x - (across * min(players, len(pile)) - 3) / 2, y - 86
    places = [(left + across * (i % players), top + down * (i // players)) for i in range(len(pile))]
    cards = [_card(name, *at, scale, data(kind="card", card=name)) for name, at in zip(pile, places, strict=True)]
    return [caption, *cards]


def _colour_to_call(colour: str, place: int) -> str:
    """V4: one of four colours, in a square around the middle."""
    x, y = _MIDDLE[0] - 56 + 60 * (place % 2), _MIDDLE[1] - 56 + 60 * (place // 2)
    ground = f'<rect width="52" height="52" rx="10" fill="{_COLOURS[colour][0]}" stroke="{_CREAM}" stroke-width="2"/>'
    return group([ground, _mark(colour, 13, 13, 26)], x, y, attributes=data(kind="call", number=colour))


def _choice(kind: str, whose: str, above: float) -> str:
    """V2: one of the two things that a player with all black cards can choose."""
    box = svg.box(0, 0, 190, 54, 12, "panel edge")
    lines = [
        words(say("{points} points", points=MOON), 95, 23, 18, anchor="middle"),
        words(whose, 95, 43, 16, 180, anchor="middle"),
    ]
    return group([box, *lines], _MIDDLE[0] - 95, _MIDDLE[1] + above, attributes=data(kind=kind))


# ---------------------------------------------------------------- seats


def _avatar(seat: int, x: float, y: float, scale: float) -> str:
    return group([use("spy", fill=FURS[seat % len(FURS)])], x, y, scale, f' stroke="{INK}"')


def _taken(view: View, seat: int, x: float, y: float, points: bool = True) -> list[str]:
    black, spies = view["black_taken"][seat], view["good_spies_taken"][seat]
    parts = [_badge(COLOUR_NAMES[BLACK], x, y - 12, 14), words(str(black), x + 18, y, 15)]
    x += 20 + 9 * len(str(black))
    if spies:
        spy = group([use("spy")], x + 4, y - 14, 0.38, f' fill="{_CREAM}" stroke="{INK}" stroke-width="2"')
        parts += [spy, words(str(spies), x + 22, y, 15)]
        x += 34
    if not points:
        return parts
    return [*parts, svg.counted(_in_points(view["points"][seat]), x + 8, y, 15, 90, svg.loses(view, seat))]


def _in_points(points: int) -> str:
    return say("1 point") if points == 1 else say("{points} points", points=svg.signed(points))


def _total(view: View, seat: int) -> str:
    last, total = view["last_deal"], svg.change(view, "totals", seat)
    of = say("total {total} of {limit}", total=total, limit=terminal.limit(view))
    return of if last is None else f"{of} {_last(view, seat)}"


def _last(view: View, seat: int) -> str:
    return "" if view["last_deal"] is None else say("(last {points})", points=svg.signed(view["last_deal"][seat]))


def _roles(view: View, seat: int, x: float, y: float, room: float) -> list[str]:
    parts = []
    if view["red_star"] == seat:
        parts.append(group([use("star")], x, y - 13, 0.75, f' fill="#ffd84d" stroke="{INK}" stroke-width="1.3"'))
        x, room = x + 19, room - 19
    return [*parts, words(", ".join(map(say, roles(view, seat))), x, y, 14, room, "faint")]


def _lacks(view: View, seat: int, x: float, y: float, room: float) -> list[str]:
    lacks = view["lacks"][seat]
    if not lacks:
        return []
    colours = [each for each in lacks if isinstance(each, str)]
    numbers = " ".join(str(each) for each in lacks if not isinstance(each, str))
    no = 8.3 + 14 * svg.LETTER * len(say("no"))
    marks = [_badge(colour, x + no + 15 * i, y - 11, 13) for i, colour in enumerate(colours)]
    begin = no + 2 + 15 * len(colours)
    return [words(say("no"), x, y, 14, look="faint"), *marks, words(numbers, x + begin, y, 14, room - begin)]


def _seat(view: View, seat: int, names: Sequence[str], corner: tuple[float, float]) -> str:
    hand = view["hands"][seat]
    shown = hand if isinstance(hand, list) and hand else view["played"][seat]
    parts = [
        _avatar(seat, 14, 5, 0.88),
        words(names[seat], 56, 21, 17, 98),
        *_roles(view, seat, 56, 40, 98),
        _pack(hand, 160, 5) if isinstance(hand, int) and hand else "",
        svg.winner(view, seat, 194, 26),
        *_taken(view, seat, 12, 61),
        words(_total(view, seat), 12, 78, 15, 178),
        *_lacks(view, seat, 12, 94, 178),
        *_groups(shown, 10, 99, 180, 12.5, rows=2),
    ]
    return svg.seat_panel(view, seat, (*corner, svg.PANEL, _HEIGHT), parts)


def _near_seat(view: View, seat: int, names: Sequence[str]) -> str:
    hand = view["hands"][seat]
    parts = [
        _avatar(seat, 14, 6, 1.05),
        words(names[seat], 66, 24, 18, 130),
        *_roles(view, seat, 66, 44, 130),
        svg.winner(view, seat, 200, 30),
        *_captioned("left there", view["left"][seat], 206, 11, 160, rows=2),
        *_captioned("passed", view["passed"][seat], 206, 11, 160, rows=1),
        *_captioned("received", view["received"][seat], 206, 31, 160, rows=1),
        *_taken(view, seat, 436, 24),
        words(_total(view, seat), 436, 44, 15, 174),
        *_lacks(view, seat, 14, 65, 150),
        *_captioned("played", view["played"][seat], 206, 51, 344, rows=1),
    ]
    if isinstance(hand, list):
        (begins,) = svg.rows([len(hand)], [52], 12, 596)
        parts += _hand(view, seat, [(x, 74) for x in begins], 1, 12)
    elif hand:
        parts.append(_pack(hand, 14, 84))
    return svg.seat_panel(view, seat, (svg.MARGIN, _OWN_TOP, svg.WIDTH - 20, _OWN_HEIGHT), parts)


def _hand(view: View, seat: int, places: Iterable[tuple[float, float]], scale: float, lift: float) -> list[str]:
    chosen, parts = list(view["chosen"][seat]), []
    kind = "held" if view["phase"] == "take" else ""
    for name, (x, y) in zip(view["hands"][seat], places, strict=True):
        lifted = name in chosen
        if lifted:
            chosen.remove(name)
        parts.append(
            _card(name, x, y - lift * lifted, scale, _card_attributes(name, seat, "chosen" if lifted else kind))
        )
    return parts


# ---------------------------------------------------------------- on a phone

_PHONE_MIDDLES = {"take": (108, 216), "call": (64, 128), "choose": (72, 144), "pass": (40, 76)}
"""By phase: how far the middle of the table lies below the other seats, and how much room it takes."""
_BEFORE_PLAY, _BESIDE = ("take", "call", "pass"), ("pass", "choose")
_PHONE_HAND = 129
"""Top of the near seat's hand, below what it knows."""


def _on_phone(view: View, options: dict[str, Any], names: Sequence[str], theme: str) -> str:
    near, others = svg.near_and_others(view, len(names))
    height = 72 if view["phase"] in _BEFORE_PLAY else 120 + 15 * (len(others) < 4)
    corners = svg.phone_places(len(others), height, 2)
    parts = [_phone_seat(view, seat, names, corner, height) for seat, corner in zip(others, corners, strict=True)]
    top = corners[-1][1] + height + svg.PHONE_GAP
    middle, room = _PHONE_MIDDLES.get(view["phase"], (0, 0))
    if room:
        is_pass = view["phase"] == "pass"
        decided = [_direction(view["pass_to"])] if is_pass else _middle(view, near, svg.PHONE_WIDTH)
        x, y, scale = svg.PHONE_WIDTH / 2, top + middle, 1.0
        if len(corners) % 2 and len(corners) > 1 and view["phase"] in _BESIDE:  # beside the last of the others
            x, y, scale, room = x * 1.5, corners[-1][1] + height / 2, 0.9, 0
        parts.append(group(decided, x - scale * _MIDDLE[0], y - scale * _MIDDLE[1], scale))
    hand = view["hands"][near]
    own = _PHONE_HAND - 1 + (64 * svg.phone_lines(len(hand)) if isinstance(hand, list) else 0)
    parts.append(_phone_near_seat(view, near, names, top + room, own))
    return svg.phone("Black Spy", top + room + own + svg.PHONE_MARGIN, parts, theme)


def _phone_seat(view: View, seat: int, names: Sequence[str], corner: tuple[float, float, float], height: float) -> str:
    x, y, width = corner
    hand = view["hands"][seat]
    parts = [
        words(names[seat], 8, 17, 15, width - 58),
        *_roles(view, seat, 8, 33, width - 58),
        svg.counted(_phone_total(view, seat), 8, 50, 13, width - 56, svg.loses(view, seat)),
        *_taken(view, seat, 8, 66, points=False),
        *_lacks(view, seat, 8, 82, width - 14),
        *_phone_played(view, seat, width - 47, 5),
        svg.winner(view, seat, width - 5, 24),
        *_groups(hand if isinstance(hand, list) and hand else view["played"][seat], 7, 88, width - 12, svg.PHONE_TEXT),
    ]
    return svg.seat_panel(view, seat, (x, y, width, height), parts)


def _phone_total(view: View, seat: int) -> str:
    if "settled" in view:
        return say("total {total}", total=svg.change(view, "totals", seat))
    return say(
        "total {total}, now {points}", total=svg.signed(view["totals"][seat]), points=svg.signed(view["points"][seat])
    )


def _phone_played(view: View, seat: int, x: float, y: float) -> list[str]:
    played, chosen = dict(view["table"]).get(seat), view["chosen"][seat]
    if played is not None:
        return _played(view, seat, played, x, y, 0.78)
    return [_back(x + 14 - 10 * i, y, 0.75) for i in range(chosen if isinstance(chosen, int) else 0)]


def _phone_near_seat(view: View, seat: int, names: Sequence[str], top: float, height: float) -> str:
    width = svg.PHONE_WIDTH - 2 * svg.PHONE_MARGIN
    called = view["called"] if view["phase"] == "play" else None
    total = say("total {total}", total=svg.change(view, "totals", seat))
    hand = view["hands"][seat]
    places = svg.phone_rows(len(hand), 40, 7, width - 14) if isinstance(hand, list) else []
    parts = [
        _avatar(seat, 8, 6, 0.8),
        words(names[seat], 46, 19, 16, 110),
        *_roles(view, seat, 46, 37, 110),
        *_taken(view, seat, 160, 19),
        words(f"{total} {_last(view, seat)}".strip(), 160, 37, 14, 144),
        *([words(say("called"), 176, 55, 13, 60, "faint"), _badge(called, 240, 43, 15)] if called else []),
        *_lacks(view, seat, 8, 55, 160),
        *_phone_played(view, seat, width - 47, 5),
        svg.winner(view, seat, width - 5, 5),
        *_captioned("left there", view["left"][seat], 8, 62, width - 130, svg.PHONE_TEXT),
        *_captioned("passed", view["passed"][seat], 8, 62, width - 130, svg.PHONE_TEXT),
        *_captioned("received", view["received"][seat], 8, 78, width - 70, svg.PHONE_TEXT),
        *_groups(view["played"][seat], 7, 95, width - 14, svg.PHONE_TEXT),
        *(_hand(view, seat, [(x, _PHONE_HAND + 64 * row) for x, row in places], 0.77, 8) if places else []),
    ]
    return svg.seat_panel(view, seat, (svg.PHONE_MARGIN, top, width, height), parts)


draw_svg = svg.picture(
    heading=lambda view, options: f"Black Spy · {terminal.when(view)}",
    table=_table,
    phone=_on_phone,
    sentences=lambda view, options, names: [terminal.sentence(view, options, names)],
    bottom=_OWN_TOP,
    end=_OWN_TOP + _OWN_HEIGHT,
    words_top=_WORDS_TOP,
)
