"""The table as a picture, drawn from a view, so that it shows nothing that the viewer may not know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blackjacky_env.engine import svg
from blackjacky_env.engine.actions import HIDDEN, HIDDEN_WORDS
from blackjacky_env.engine.artwork import INK, RED
from blackjacky_env.engine.svg import MINUS, data, group, say, use, words
from blackjacky_env.engine.text import View, count_of
from blackjacky_env.games.black_jacky import terminal
from blackjacky_env.games.black_jacky.terminal import SeatCards

_HEIGHT, _OWN_TOP, _OWN_HEIGHT, _WORDS_TOP = 136, 338, 162, 523
_OWN_WIDTH = svg.WIDTH - 2 * svg.MARGIN

# From cool colours for low cards to hot ones for high cards, all light enough for dark digits.
_CARD_COLOURS = ("", "#bfe3f7", "#b9ebe0", "#c8ecb4", "#e2eda6", "#fbe6a0", "#fcd29c", "#fcbfa0", "#f9aeb6")
_MICE = (  # places of the mice on a big card, by its value
    (),
    ((20, 50),),
    ((20, 40), (20, 66)),
    ((20, 34), (20, 54), (20, 74)),
    ((6, 44), (35, 44), (6, 70), (35, 70)),
    ((6, 38), (35, 38), (20, 56), (6, 74), (35, 74)),
    ((6, 36), (35, 36), (6, 56), (35, 56), (6, 76), (35, 76)),
    ((35, 14), (6, 35), (35, 35), (6, 56), (35, 56), (6, 77), (35, 77)),
    ((35, 9), (35, 26), (6, 43), (35, 43), (6, 60), (35, 60), (6, 77), (35, 77)),
)
_LABELS = {
    "winner": "#8a6100",
    "first knock": "#6a2c91",
    "knocked": "#6a2c91",
    "last turn": "#20558f",
    "wanted": "#8a5a22",
    "out": "#5b5f66",
    "exchanges": "#0f6a5b",
}


def _table(view: View, options: dict[str, Any], names: Sequence[str]) -> list[str]:
    near, others = svg.near_and_others(view, len(names))
    seats = [_Seat(view, options, names, seat) for seat in (*others, near)]
    corners = svg.places(len(others), _HEIGHT, _OWN_TOP)
    parts = [_other_seat(seat, *corner) for seat, corner in zip(seats[:-1], corners, strict=True)]
    piles = ((243, 214, 26, 86, "middle"), (347, 214, 24, 86, "middle"))
    return [*parts, _piles(view, 1.3, 3, piles, 16), _near_seat(seats[-1])]


def _sentences(view: View, options: dict[str, Any], names: Sequence[str]) -> list[str]:
    told = terminal.sentences(view, names, lambda card: HIDDEN_WORDS["card"] if card == HIDDEN else str(card))
    return [*told, terminal.options_in_force(options)]


# ---------------------------------------------------------------- cards


def _card(value: int, x: float, y: float, scale: float = 1) -> str:
    """A small card, 36 x 50 units before scaling; its left edge, visible when cards overlap, shows its value."""
    digit = f'<text x="4" y="22" font-size="24" fill="{INK}">{value}</text>'
    return group([_paper(36, 50, _CARD_COLOURS[value]), digit, use("mouse", 8, 32)], x, y, scale)


def _paper(width: int, height: int, colour: str) -> str:
    return f'<rect width="{width}" height="{height}" rx="5" fill="{colour}" stroke="{INK}"/>'


def _laid_out(value: int, x: float, y: float, scale: float = 1) -> str:
    """T5: a 5 is turned over and counts nothing; everybody knows what it is."""
    if value != 5:
        return _card(value, x, y, scale)
    struck = f'<path d="M2 47 34 3" stroke="{INK}" stroke-width="2.5"/>'
    digit = f'<text x="4" y="22" font-size="24" fill="{INK}">5</text>'
    return group([_paper(36, 50, "#a7acb5"), digit, struck], x, y, scale)


def _big_card(value: int, x: float, y: float, seat: int, scale: float = 1.25) -> str:
    """A card of the hand at the bottom, 64 x 92 units before scaling, with as many mice as its value."""
    digit = f'<text x="5" y="27" font-size="30" fill="{INK}">{value}</text>'
    mice = [use("mouse", *place) for place in _MICE[value]]
    paper = _paper(64, 92, _CARD_COLOURS[value])
    return group([paper, digit, *mice], x, y, scale, f' class="card"{data(card=value, seat=seat)}')


def _known_card(value: int, x: float, y: float) -> str:
    """A card that lies face down but is known to the viewer: its face shows through its back."""
    return svg.backs(1, x, y) + f'<g opacity="0.7">{_card(value, x, y)}</g>'


def _plus_one(x: float, y: float) -> str:
    sign = '<text x="18" y="25" font-size="20" fill="#fff" text-anchor="middle">+1</text>'
    return group(['<circle cx="18" cy="18" r="17" fill="#6a2c91" stroke="#fff" stroke-width="2"/>', sign], x, y)


def _row(cards: SeatCards, x: float, y: float, room: float) -> list[str]:
    hand, hidden, draw = cards.known, 0, _known_card
    if isinstance(cards.hand, list):
        hand, draw = cards.hand, _card
    else:
        hidden = cards.hand - len(cards.known)
    beside = 0 if not hidden else 100 if hidden > 4 else 32 + 14 * hidden
    begins = svg.rows([len(hand), len(cards.laid), int(cards.plus_one)], [36, 36, 36], x + beside, room - beside)
    return [
        svg.backs(hidden, x, y),
        *(draw(value, left, y) for value, left in zip(hand, begins[0], strict=True)),
        *(_laid_out(value, left, y) for value, left in zip(cards.laid, begins[1], strict=True)),
        *(_plus_one(left, y + 7) for left in begins[2]),
    ]


# ---------------------------------------------------------------- seats


class _Seat:
    def __init__(self, view: View, options: dict[str, Any], names: Sequence[str], seat: int) -> None:
        self.view, self.options, self.seat, self.name = view, options, seat, names[seat]
        self.status, self.loses = view["status"][seat], svg.loses(view, seat)
        self.cards, self.before = terminal.cards_of(view, seat), SeatCards()
        if "settled" not in view and terminal.has_just_settled(view):
            self.before = terminal.settled_cards(view, seat)
        self.has_before = self.before.tenths is not None
        self.tip = terminal.tip_in_words(view, seat, names)

    def head(
        self, cat: tuple[float, float, float], name: tuple[float, float, float, float], x: float, y: float, room: float
    ) -> str:
        """The cat, the name, and at x, y the hearts, or the status of a player without hearts."""
        drawn = svg.cat(self.seat, *cat, awake=self.status != "out", wanted=self.status == "wanted")
        drawn += words(self.name, *name)
        if self.status == "saloon":
            return drawn + "".join(self.hearts(x, y, room))
        return drawn + svg.label(say(self.status), x, y - 1, _LABELS[self.status], "start")

    def hearts(self, x: float, y: float, room: float) -> list[str]:
        held, first = self.view["hearts"][self.seat], self.options["hearts"]
        if held and self.view["black_hearts"][self.seat]:
            ring = f'<g fill="{INK}" stroke="#fff" stroke-width="3" paint-order="stroke">{use("heart", x, y)}</g>'
            chance = words(say("last chance"), x + 24, y + 14, 14, 80, "faint") if room > 100 else ""
            return [ring, chance, self.cross(x, y)]
        if first > 3:
            count = svg.change(self.view, "hearts", self.seat)
            return [use("heart", x, y, fill=RED), words(f"x {count}", x + 22, y + 15, 17), self.cross(x, y)]
        hearts = [use("heart", x + 20 * i, y, fill=RED) for i in range(held)]
        lost = [use("heart", x + 20 * i, y) for i in range(held, first)]
        outlines = group(lost, attributes=' class="lost"') if lost else ""
        return [*hearts, outlines, self.cross(x + 20 * (held - 1), y)]

    def cross(self, x: float, y: float) -> str:
        looks = (("#fff", 4.5), (INK, 2.5)) if self.loses else ()
        lines = [
            f'<path d="M0-1 18 18M18-1 0 18" stroke="{colour}" stroke-width="{width}"/>' for colour, width in looks
        ]
        return group(lines, x, y, attributes=' class="struck"') if lines else ""

    def label(self, x: float, y: float, anchor: str = "end", size: float = 15) -> str:
        exchange = self.view["exchange"]
        word = "exchanges" if exchange and self.seat in exchange["pair"] else terminal.status_word(self.view, self.seat)
        if "settled" in self.view or word not in _LABELS or word == self.status:
            return ""
        return svg.label(say(word), x, y, _LABELS[word], anchor, size)

    def sum_or_tip(self, cards: SeatCards) -> str:
        return terminal.sum_in_words(cards, self.options) or self.tip

    def has_lost(self, cards: SeatCards) -> bool:
        """Whether a heart has been lost; while the sums count it is still among the others."""
        return cards.lost and "settled" not in self.view

    def caption(self, cards: SeatCards, x: float, y: float, size: float, room: float) -> list[str]:
        if not self.has_lost(cards):
            return [svg.counted(self.sum_or_tip(cards), x, y, size, room, cards.lost)]
        broken = [words(MINUS, x, y, size + 4, look="bad"), use("heart", x + 14, y - 14, fill=RED)]
        return [*broken, words(self.sum_or_tip(cards), x + 40, y, size, room - 40, "bad")]

    def panel(self, x: float, y: float, width: float, height: float, parts: Sequence[str]) -> str:
        return svg.seat_panel(self.view, self.seat, (x, y, width, height), parts)


def _other_seat(seat: _Seat, x: float, y: float) -> str:
    cards = seat.cards
    parts = [
        seat.head((14, 6, 0.92), (66, 24, 18, 126), 66, 33, 120),
        seat.label(194, 112),
        *_row(cards, 12, 58, 50 if seat.has_before else 178),
    ]
    if seat.has_before:
        parts += _settled_before(seat)
    else:
        parts += seat.caption(cards, 12, 128 if cards.hand or cards.laid else 88, 17, 178)
    return seat.panel(x, y, svg.PANEL, _HEIGHT, parts)


def _settled_before(seat: _Seat) -> list[str]:
    """The last settlement, beside the new hand, or above the tip of a player without a hand."""
    hand, before = seat.cards.hand, seat.before
    x = 66 if hand else 12
    settled = group(_row(before, 0, 0, (190 - x) / 0.82), x, 58, 0.82)
    if hand or not seat.sum_or_tip(seat.cards):
        word = words(say("before"), 12, 128, 14, 50, "faint") if hand else ""
        return [settled, *seat.caption(before, x, 128, 16, 190 - x), word]
    return [settled, *seat.caption(before, x, 114, 15, 178), *seat.caption(seat.cards, x, 131, 15, 178)]


def _near_seat(seat: _Seat) -> str:
    parts = [
        seat.head((16, 10, 1.25), (86, 32, 20, 140), 86, 42, 120),
        seat.label(214, 82),
        *seat.caption(seat.cards, 16, 146, 20, 200),
        *_near_cards(seat),
    ]
    return seat.panel(svg.MARGIN, _OWN_TOP, _OWN_WIDTH, _OWN_HEIGHT, parts)


def _hand_and_rest(cards: SeatCards) -> tuple[list[int], SeatCards]:
    return (cards.hand, cards._replace(hand=0)) if isinstance(cards.hand, list) else ([], cards)


def _near_cards(seat: _Seat) -> list[str]:
    """The hand, then its open cards, or those of the last settlement."""
    hand, rest = _hand_and_rest(seat.cards)
    rest = seat.before if seat.has_before else rest
    beside = 0 if isinstance(rest.hand, int) else len(rest.hand)
    hands, others = svg.rows([len(hand), beside + len(rest.laid) + rest.plus_one], [80, 38], 228, 380, 16)
    x = others[0] if others else 228
    parts = [_big_card(value, left, 34, seat.seat) for value, left in zip(hand, hands, strict=True)]
    parts += _row(rest, x, 62, 608 - x)
    if seat.has_before:
        parts += [words(say("before"), x, 50, 15, look="faint"), *seat.caption(rest, x, 140, 16, 608 - x)]
    elif rest.laid or rest.plus_one:
        parts.append(words(say("laid out"), x, 50, 15, look="faint"))
    return parts


# ---------------------------------------------------------------- piles


def _piles(
    view: View, scale: float, rise: float, places: Sequence[tuple[float, float, float, float, str]], size: float
) -> str:
    """Draw pile and discard pile; for each ``places`` has left, top, and place and anchor of its number of cards."""
    if view["discard_top"] is None:
        return ""
    count = count_of(view["draw_pile"])
    backs = [use("back", 3 * i, -rise * i, scale) for i in range(min(count, 3))]
    discard = [_card(view["discard_top"], 0, 0, scale)]
    piles = (
        ("draw", backs, say("draw {count}", count=count)),
        ("discard", discard, say("discard {count}", count=len(view["discards"]))),
    )
    parts = []
    for (name, cards, number), (x, y, left, below, anchor) in zip(piles, places, strict=True):
        caption = words(number, left, below, size, 100, anchor=anchor)
        parts.append(group([*cards, caption], x, y, attributes=f' class="pile"{data(pile=name)}'))
    return "".join(parts)


# ---------------------------------------------------------------- on a phone

_PHONE_HEIGHT, _PHONE_PILES, _PHONE_OWN = 126, 66, 142


def _on_phone(view: View, options: dict[str, Any], names: Sequence[str], theme: str) -> str:
    near, others = svg.near_and_others(view, len(names))
    corners = svg.phone_places(len(others), _PHONE_HEIGHT)
    seats = [_Seat(view, options, names, seat) for seat in (*others, near)]
    parts = [_phone_seat(seat, *corner) for seat, corner in zip(seats[:-1], corners, strict=True)]
    top = corners[-1][1] + _PHONE_HEIGHT + svg.PHONE_GAP
    piles = ((122, top + 2, -8, 33, "end"), (198, top + 2, 48, 33, "start"))
    parts += [_piles(view, 1.1, 0, piles, 14), _phone_near_seat(seats[-1], top + _PHONE_PILES)]
    return svg.phone(terminal.title(options), top + _PHONE_PILES + _PHONE_OWN + svg.PHONE_MARGIN, parts, theme)


def _phone_seat(seat: _Seat, x: float, y: float, width: float) -> str:
    cards, lost = seat.cards, seat.has_lost(seat.cards)
    caption = (seat.sum_or_tip(cards), 8, 119, 14, width - 14)
    parts = [
        seat.head((8, 5, 0.6), (40, 17, 14, width - 46), 40, 22, width - 44),
        group(_row(cards._replace(plus_one=False), 0, 0, (width - 14) / 0.8), 7, 42, 0.8),
        words(*caption, "bad") if lost else svg.counted(*caption, cards.lost),
        seat.label(6, 86, "start", 12),
    ]
    if lost:
        parts += [words(MINUS, width - 62, 101, 18, look="bad"), use("heart", width - 50, 87, 0.9, RED)]
    if cards.plus_one:
        parts.append(group([_plus_one(0, 0)], width - 30, 83, 0.7))
    return seat.panel(x, y, width, _PHONE_HEIGHT, parts)


def _phone_near_seat(seat: _Seat, top: float) -> str:
    width = svg.PHONE_WIDTH - 2 * svg.PHONE_MARGIN
    hand, rest = _hand_and_rest(seat.cards)
    hands, others = svg.rows([len(hand), len(rest.laid) + rest.plus_one], [56, 36], 10, width - 20, 12)
    x = others[0] if others else 10
    parts = [
        seat.head((10, 6, 0.8), (56, 21, 16, 130), 56, 28, 120),
        *seat.caption(seat.cards, 200, 40, 17, width - 210),
        *(_big_card(value, left, 52, seat.seat, 0.88) for value, left in zip(hand, hands, strict=True)),
        *_row(rest, x, 74, width - 10 - x),
        seat.label(width - 6, 5, "end", 12),
    ]
    return seat.panel(svg.PHONE_MARGIN, top, width, _PHONE_OWN, parts)


draw_svg = svg.picture(
    heading=lambda view, options: f"{terminal.title(options)} · {terminal.when(view)}",
    table=_table,
    phone=_on_phone,
    sentences=_sentences,
    bottom=_OWN_TOP,
    end=_OWN_TOP + _OWN_HEIGHT,
    words_top=_WORDS_TOP,
)
