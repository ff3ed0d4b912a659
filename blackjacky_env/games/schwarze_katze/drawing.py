"""The table as a picture, drawn from a view, so that it shows nothing that the viewer may not know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blackjacky_env.engine import svg
from blackjacky_env.engine.artwork import INK, RED
from blackjacky_env.engine.svg import data, group, say, use, words
from blackjacky_env.engine.text import View
from blackjacky_env.engine.trick_table import roles
from blackjacky_env.games.schwarze_katze import terminal

_HEIGHT, _OWN_TOP, _OWN_HEIGHT, _WORDS_TOP = 84, 412, 138, 572
_MIDDLE = (320.0, 268.0)
_BLACK_CAT = "QS"


def _table(view: View, options: dict[str, Any], names: Sequence[str]) -> list[str]:
    near, others = svg.near_and_others(view, len(names))
    corners = svg.places(len(others), _HEIGHT, _OWN_TOP)
    parts = [_seat(view, seat, names, corner) for seat, corner in zip(others, corners, strict=True)]
    return [*parts, *_trick(view, near), _near_seat(view, near, names)]


# ---------------------------------------------------------------- cards


def _card(name: str, x: float, y: float, scale: float = 1, attributes: str = "") -> str:
    """A card, 50 x 70 units before scaling; its left edge, visible when cards overlap, shows its rank and suit."""
    rank, suit = name[:-1], name[-1]
    colour = RED if suit in "DH" else INK
    paper = f'<rect width="50" height="70" rx="6" fill="#fffdf6" stroke="{INK}"/>'
    corner = f'<text x="4" y="23" font-size="{22 if rank == "10" else 25}" fill="{colour}">{rank}</text>'
    picture = group([use("cat"), use("awake")], 17, 31, 0.62, f' fill="{INK}"')
    middle = picture if name == _BLACK_CAT else use(suit, 25, 42, 1.1, colour)
    return group([paper, corner, use(suit, 5, 28, 0.75, colour), middle], x, y, scale, f' class="card"{attributes}')


def _trick(view: View, near: int) -> list[str]:
    seats = len(view["totals"])
    scale = 1.0 if seats <= 6 else 0.72
    points = svg.around(seats, _MIDDLE, *((66, 74) if seats <= 4 else (88, 102)))
    parts = []
    for turn, (seat, name) in enumerate(view["table"]):
        x, y = points[(seat - near) % seats]
        parts.append(_card(name, x - 25 * scale, y - 35 * scale, scale, data(card=name, seat=seat)))
        if turn == 0:
            parts.append(words(say("led"), x, y + 35 * scale + 15, 15, anchor="middle"))
    return parts


# ---------------------------------------------------------------- seats


def _tallies(view: View, seat: int) -> list[str]:
    """Tricks and penalty of this deal; the total, and the penalty of the last deal."""
    last, total = view["last_deal"], svg.change(view, "totals", seat)
    now = f"{_tricks(view, seat)}, {_penalty(view, seat)}"
    if last is None:
        return [now, say("total {total}", total=total)]
    return [now, say("total {total} (last {last})", total=total, last=svg.signed(last[seat]))]


def _tricks(view: View, seat: int) -> str:
    tricks = view["tricks_taken"][seat]
    return say("1 trick") if tricks == 1 else say("{tricks} tricks", tricks=tricks)


def _penalty(view: View, seat: int) -> str:
    return say("penalty {points}", points=svg.signed(view["penalties"][seat]))


def _roles(view: View, seat: int) -> str:
    return ", ".join(map(say, roles(view, seat)))


def _seat(view: View, seat: int, names: Sequence[str], corner: tuple[float, float]) -> str:
    hand = view["hands"][seat]
    now, total = _tallies(view, seat)
    roles = words(_roles(view, seat), 58, 39, 15, 92, "faint")
    loses = svg.loses(view, seat)
    parts = [svg.cat(seat, 14, 4, 0.8), words(names[seat], 58, 21, 17, 92), svg.winner(view, seat, 194, 23)]
    if isinstance(hand, list) and hand:
        parts += [
            words(_roles(view, seat), 194, 21, 13, 60, "faint", "end"),
            *_ranks(hand, "CD", 60),
            *_ranks(hand, "HS", 78),
        ]
        parts.append(words(f"{_tricks(view, seat)}, {total.split(' (')[0]}", 58, 39, 15, 136))
    else:
        parts += [roles, _hidden(hand) if hand else "", svg.counted(now, 12, 59, 15, 180, loses)]
        parts.append(words(total, 12, 79 if loses else 77, 15, 180))
    return svg.seat_panel(view, seat, (*corner, svg.PANEL, _HEIGHT), parts)


def _hidden(count: int) -> str:
    ground = '<circle cx="176" cy="26" r="13" fill="#2f4a76"/>'
    number = f'<text x="176" y="32" font-size="18" fill="#fff" text-anchor="middle">{count}</text>'
    return use("back", 160, 4, 0.88) + ground + number


def _ranks(hand: Sequence[str], suits: str, y: float) -> list[str]:
    held = [(suit, " ".join(card[:-1] for card in hand if card[-1] == suit)) for suit in suits]
    held = [(suit, ranks) for suit, ranks in held if ranks]
    size = min(15.0, 180 / (svg.LETTER * max(sum(len(ranks) + 3 for _, ranks in held), 1)))
    parts, x = [], 12.0
    for suit, ranks in held:
        look = "bad" if suit in "DH" else "ink"
        parts += [group([use(suit, x, y - 0.8 * size, size / 22)], attributes=f' class="{look}"')]
        parts += [words(ranks, x + size, y, size, look=look)]
        x += svg.LETTER * size * (len(ranks) + 3)
    return parts


def _near_seat(view: View, seat: int, names: Sequence[str]) -> str:
    hand, loses = view["hands"][seat], svg.loses(view, seat)
    now, total = _tallies(view, seat)
    parts = [
        svg.cat(seat, 14, 6, 0.95),
        words(names[seat], 68, 26, 19, 160),
        words(_roles(view, seat), 68, 46, 16, 160, "faint"),
        svg.winner(view, seat, 132, 32),
        svg.counted(now, 608, 26, 17, 360, loses, "end"),
        words(total, 608, 46, 17, 360, anchor="end"),
    ]
    if isinstance(hand, list):
        (begins,) = svg.rows([len(hand)], [50], 12, 596)
        parts += [_card(c, x, 60, 1, data(card=c, seat=seat)) for c, x in zip(hand, begins, strict=True)]
    elif hand:
        parts.append(svg.backs(hand, 12, 64))
    return svg.seat_panel(view, seat, (svg.MARGIN, _OWN_TOP, svg.WIDTH - 20, _OWN_HEIGHT), parts)


# ---------------------------------------------------------------- on a phone

_PHONE_HEIGHT = 92


def _on_phone(view: View, options: dict[str, Any], names: Sequence[str], theme: str) -> str:
    near, others = svg.near_and_others(view, len(names))
    corners = svg.phone_places(len(others), _PHONE_HEIGHT)
    parts = [_phone_seat(view, seat, names, corner) for seat, corner in zip(others, corners, strict=True)]
    top = corners[-1][1] + _PHONE_HEIGHT + svg.PHONE_GAP
    hand = view["hands"][near]
    height = 66 + (60 * svg.phone_lines(len(hand)) if isinstance(hand, list) else 0)
    parts.append(_phone_near_seat(view, near, names, top, height))
    return svg.phone("Schwarze Katze", top + height + svg.PHONE_MARGIN, parts, theme)


def _phone_seat(view: View, seat: int, names: Sequence[str], corner: tuple[float, float, float]) -> str:
    x, y, width = corner
    left, loses = width - 43, svg.loses(view, seat)
    parts = [
        words(names[seat], 8, 17, 14, left - 10),
        words(_tricks(view, seat), 8, 36, 13, left - 8, "faint"),
        svg.counted(_penalty(view, seat), 8, 70, 13, width - 14, loses, look="faint"),
        words(say("total {total}", total=svg.change(view, "totals", seat)), 8, 85, 13, width - 14),
        *_phone_played(view, seat, left, 5),
        svg.winner(view, seat, width - 4, 40, 12),
    ]
    return svg.seat_panel(view, seat, (x, y, width, _PHONE_HEIGHT), parts)


def _phone_played(view: View, seat: int, x: float, y: float) -> list[str]:
    played = dict(view["table"]).get(seat)
    if played:
        return [_card(played, x, y, 0.74, data(card=played, seat=seat))]
    return [
        words(role, x + 40, y + 14 + 15 * i, 12, 44, "faint", "end")
        for i, role in enumerate(map(say, roles(view, seat)))
    ]


def _phone_near_seat(view: View, seat: int, names: Sequence[str], top: float, height: float) -> str:
    hand, (now, total), loses = view["hands"][seat], _tallies(view, seat), svg.loses(view, seat)
    width = svg.PHONE_WIDTH - 2 * svg.PHONE_MARGIN
    parts = [
        svg.cat(seat, 8, 8, 0.95),
        words(names[seat], 62, 20, 16, 180),
        svg.counted(now, 62, 38, 14, 230, loses),
        words(total, 62, 57 if loses else 55, 14, 230),
        *_phone_played(view, seat, width - 44, 6),
        svg.winner(view, seat, width - 4, 4, 12),
    ]
    if isinstance(hand, list):
        places = svg.phone_rows(len(hand), 40, 8, width - 16)
        parts += [
            _card(c, x, 64 + 60 * row, 0.8, data(card=c, seat=seat)) for c, (x, row) in zip(hand, places, strict=True)
        ]
    return svg.seat_panel(view, seat, (svg.PHONE_MARGIN, top, width, height), parts)


draw_svg = svg.picture(
    heading=lambda view, options: " · ".join(
        filter(None, ["Schwarze Katze", terminal.when(view, options), terminal.options_in_force(options)])
    ),
    table=_table,
    phone=_on_phone,
    sentences=lambda view, options, names: [terminal.sentence(view, names)],
    bottom=_OWN_TOP,
    end=_OWN_TOP + _OWN_HEIGHT,
    words_top=_WORDS_TOP,
)
