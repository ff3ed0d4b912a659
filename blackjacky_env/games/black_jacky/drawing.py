"""The table as a picture, drawn from a view, so that it shows nothing that the viewer may not know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from blackjacky_env.engine import svg
from blackjacky_env.engine.actions import HIDDEN, HIDDEN_WORDS
from blackjacky_env.engine.artwork import INK, RED
from blackjacky_env.engine.svg import MINUS, View, data, group, say, use, words
from blackjacky_env.games.black_jacky import terminal

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


class _Cards(NamedTuple):
    """The cards of a seat, with a caption."""

    hand: list[int] | int
    laid: Sequence[int]
    plus_one: bool
    caption: str
    lost: bool
    counted: bool = False
    """Whether the sum counts at this moment, so that a lost heart is still among the others."""


def _table(view: View, options: dict[str, Any], names: Sequence[str]) -> list[str]:
    near, others = svg.near_and_others(view, len(names))
    corners = svg.places(len(others), _HEIGHT, _OWN_TOP)
    parts = [_seat(view, options, seat, names, corner) for seat, corner in zip(others, corners, strict=True)]
    return [*parts, _piles(view), _near_seat(view, options, near, names)]


def _sentences(view: View, options: dict[str, Any], names: Sequence[str]) -> list[str]:
    return [*terminal.sentences(view, names, _in_words), terminal.options_in_force(options)]


def _in_words(card: int | str) -> str:
    return HIDDEN_WORDS["card"] if card == HIDDEN else str(card)


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


def _plus_one(x: float, y: float) -> str:
    sign = '<text x="18" y="25" font-size="20" fill="#fff" text-anchor="middle">+1</text>'
    return group(['<circle cx="18" cy="18" r="17" fill="#6a2c91" stroke="#fff" stroke-width="2"/>', sign], x, y)


def _row(cards: _Cards, x: float, y: float, room: float) -> list[str]:
    """Hand, laid-out cards and "+1", side by side."""
    hand = cards.hand if isinstance(cards.hand, list) else []
    hidden = cards.hand if isinstance(cards.hand, int) else 0
    hidden_room = 0 if not hidden else 100 if hidden > 4 else 32 + 14 * hidden
    begins = svg.rows(
        [len(hand), len(cards.laid), int(cards.plus_one)], [36, 36, 36], x + hidden_room, room - hidden_room
    )
    return [
        svg.backs(hidden, x, y),
        *(_card(value, left, y) for value, left in zip(hand, begins[0], strict=True)),
        *(_laid_out(value, left, y) for value, left in zip(cards.laid, begins[1], strict=True)),
        *(_plus_one(left, y + 7) for left in begins[2]),
    ]


# ---------------------------------------------------------------- the cards of a seat


def _now(view: View, options: dict[str, Any], seat: int, names: Sequence[str]) -> _Cards:
    """The cards of the current round; when the game is over, those of its last settlement."""
    if view["phase"] == "over" or "settled" in view:
        return _settled(view, options, seat, names)
    if view["status"][seat] != "saloon" or view["phase"] == "tip":
        return _Cards([], [], False, _tip(view, seat, names), False)
    caption = _sum_so_far(view, seat, options)
    return _Cards(view["hands"][seat], view["displays"][seat], view["plus_one"] == seat, caption, False)


def _sum_so_far(view: View, seat: int, options: dict[str, Any]) -> str:
    """The sum of an open hand; otherwise that of the open cards, if there are any."""
    hand, laid = view["hands"][seat], view["displays"][seat]
    tenths = terminal.tenths_of(hand if isinstance(hand, list) else [], laid) + 10 * (view["plus_one"] == seat)
    if isinstance(hand, list) or hand == 0:
        return _sum(tenths, options)
    return f"{_as_number(tenths)} + ?" if tenths else ""


def _sum(tenths: int, options: dict[str, Any], lost: bool = False) -> str:
    """A sum, and whether it is bust or loses a heart (S2)."""
    if tenths >= 10 * options["bust_at"]:
        return say("{sum} bust", sum=_as_number(tenths))
    return say("{sum} lowest", sum=_as_number(tenths)) if lost else _as_number(tenths)


def _as_number(tenths: int) -> str:
    return say("{whole}.{tenth}", whole=tenths // 10, tenth=tenths % 10)


def _settled(view: View, options: dict[str, Any], seat: int, names: Sequence[str]) -> _Cards:
    """The cards as revealed at the last settlement, with their sum."""
    settlement = view["last_settlement"]
    tenths = None if settlement is None else settlement["sums"][seat]
    if tenths is None:
        return _Cards([], [], False, _tip(view, seat, names), False)
    hand, laid, lost = settlement["hands"][seat], settlement["displays"][seat], seat in settlement["losers"]
    plus_one = tenths - terminal.tenths_of(hand, laid) == 10
    return _Cards(hand, laid, plus_one, _sum(tenths, options, lost), lost, "settled" in view)


def _before(view: View, options: dict[str, Any], seat: int, names: Sequence[str]) -> _Cards | None:
    """The cards of the last settlement, if nothing has happened since."""
    settlement = view["last_settlement"]
    if "settled" in view or not terminal.has_just_settled(view) or settlement["sums"][seat] is None:
        return None
    return _settled(view, options, seat, names)


def _tip(view: View, seat: int, names: Sequence[str]) -> str:
    tip = view["tips"][seat]
    if tip is None:
        return ""
    return say("tipped {name}" if view["phase"] == "over" else "tips {name}", name=names[tip])


def _caption(cards: _Cards, x: float, y: float, size: float, room: float) -> list[str]:
    if not cards.lost or cards.counted:
        return [svg.counted(cards.caption, x, y, size, room, cards.lost)]
    broken = [words(MINUS, x, y, size + 4, look="bad"), use("heart", x + 14, y - 14, fill=RED)]
    return [*broken, words(cards.caption, x + 40, y, size, room - 40, "bad")]


# ---------------------------------------------------------------- seats


def _hearts(view: View, options: dict[str, Any], seat: int, x: float, y: float, room: float) -> list[str]:
    """The hearts held, and an outline for each lost one; a black heart is the last chance."""
    held, first, loses = view["hearts"][seat], options["hearts"], svg.loses(view, seat)
    if held and view["black_hearts"][seat]:
        ring = f'<g fill="{INK}" stroke="#fff" stroke-width="3" paint-order="stroke">{use("heart", x, y)}</g>'
        chance = words(say("last chance"), x + 24, y + 14, 14, 80, "faint") if room > 100 else ""
        return [ring, chance, _struck(x, y) if loses else ""]
    if first > 3:
        heart, count = use("heart", x, y, fill=RED), svg.change(view, "hearts", seat)
        return [heart, words(f"x {count}", x + 22, y + 15, 17), _struck(x, y) if loses else ""]
    hearts = [use("heart", x + 20 * i, y, fill=RED) for i in range(held)]
    lost = [use("heart", x + 20 * i, y) for i in range(held, first)]
    outlines = group(lost, attributes=' class="lost"') if lost else ""
    return [*hearts, outlines, _struck(x + 20 * (held - 1), y) if loses else ""]


def _struck(x: float, y: float) -> str:
    """A cross over a heart that is being lost."""
    cross = "M0-1 18 18M18-1 0 18"
    looks = (("#fff", 4.5), (INK, 2.5))
    lines = [f'<path d="{cross}" stroke="{stroke}" stroke-width="{width}"/>' for stroke, width in looks]
    return group(lines, x, y, attributes=' class="struck"')


def _status(view: View, seat: int) -> str:
    """What the seat has done in this round; nothing any more at the settlement."""
    if "settled" in view:
        return ""
    exchange = view["exchange"]
    if exchange and seat in exchange["pair"]:
        return "exchanges"
    return terminal.status_word(view, seat)


def _standing(view: View, options: dict[str, Any], seat: int, x: float, y: float, room: float = 120) -> list[str]:
    """Hearts, or the status of a player without hearts."""
    status = view["status"][seat]
    if status == "saloon":
        return _hearts(view, options, seat, x, y, room)
    return [svg.label(say(status), x, y - 1, _LABELS[status], "start")]


def _label(view: View, seat: int, right: float, y: float) -> str:
    word = _status(view, seat)
    if word not in _LABELS or word == view["status"][seat]:
        return ""
    return svg.label(say(word), right, y, _LABELS[word])


def _cat(view: View, seat: int, x: float, y: float, scale: float) -> str:
    status = view["status"][seat]
    return svg.cat(seat, x, y, scale, awake=status != "out", wanted=status == "wanted")


def _seat(view: View, options: dict[str, Any], seat: int, names: Sequence[str], corner: tuple[float, float]) -> str:
    """The panel of another seat."""
    cards, before = _now(view, options, seat, names), _before(view, options, seat, names)
    parts = [
        _cat(view, seat, 14, 6, 0.92),
        words(names[seat], 66, 24, 18, 126),
        *_standing(view, options, seat, 66, 33),
        _label(view, seat, 194, 112),
        *_row(cards, 12, 58, 178 if before is None else 50),
        *(_caption(cards, 12, 128 if cards.hand or cards.laid else 88, 17, 178) if before is None else []),
        *([] if before is None else _seat_before(cards, before)),
    ]
    return svg.panel(*corner, svg.PANEL, _HEIGHT, seat, seat == view["player"], parts, svg.loses(view, seat))


def _seat_before(cards: _Cards, before: _Cards) -> list[str]:
    """The last settlement, beside the new hand, or above the tip of a player without a hand."""
    x = 66 if cards.hand else 12
    settled = group(_row(before, 0, 0, (190 - x) / 0.82), x, 58, 0.82)
    if cards.hand or not cards.caption:
        word = words(say("before"), 12, 128, 14, 50, "faint") if cards.hand else ""
        return [settled, *_caption(before, x, 128, 16, 190 - x), word]
    return [settled, *_caption(before, x, 114, 15, 178), *_caption(cards, x, 131, 15, 178)]


def _near_seat(view: View, options: dict[str, Any], seat: int, names: Sequence[str]) -> str:
    """The seat at the bottom, with big cards if its hand is open."""
    cards, before = _now(view, options, seat, names), _before(view, options, seat, names)
    parts = [
        _cat(view, seat, 16, 10, 1.25),
        words(names[seat], 86, 32, 20, 140),
        *_standing(view, options, seat, 86, 42),
        _label(view, seat, 214, 82),
        *_caption(cards, 16, 146, 20, 200),
        *_near_cards(cards, before, seat),
    ]
    size = (_OWN_WIDTH, _OWN_HEIGHT)
    return svg.panel(svg.MARGIN, _OWN_TOP, *size, seat, seat == view["player"], parts, svg.loses(view, seat))


def _near_cards(cards: _Cards, before: _Cards | None, seat: int) -> list[str]:
    """The hand, then its open cards, or those of the last settlement."""
    hand = cards.hand if isinstance(cards.hand, list) else []
    rest = before or cards._replace(hand=[] if hand else cards.hand)
    beside = 0 if isinstance(rest.hand, int) else len(rest.hand)
    hands, others = svg.rows([len(hand), beside + len(rest.laid) + rest.plus_one], [80, 38], 228, 380, 16)
    x = others[0] if others else 228
    parts = [_big_card(value, left, 34, seat) for value, left in zip(hand, hands, strict=True)]
    parts += _row(rest, x, 62, 608 - x)
    if before:
        parts += [words(say("before"), x, 50, 15, look="faint"), *_caption(before, x, 140, 16, 608 - x)]
    elif rest.laid or rest.plus_one:
        parts.append(words(say("laid out"), x, 50, 15, look="faint"))
    return parts


# ---------------------------------------------------------------- piles


def _size(cards: list[int] | int) -> int:
    return cards if isinstance(cards, int) else len(cards)


def _piles(view: View) -> str:
    """Draw pile and discard pile with their numbers of cards."""
    if view["discard_top"] is None:
        return ""
    count, below = _size(view["draw_pile"]), len(view["discards"])
    draw = [use("back", 3 * i, -3 * i, 1.3) for i in range(min(count, 3))]
    discard = [_card(view["discard_top"], 0, 0, 1.3)]
    words_below = [words(say("draw {count}", count=count), 26, 86, 16, 100, anchor="middle")]
    words_beside = [words(say("discard {count}", count=below), 24, 86, 16, 100, anchor="middle")]
    return group([*draw, *words_below], 243, 214, attributes=f' class="pile"{data(pile="draw")}') + group(
        [*discard, *words_beside], 347, 214, attributes=f' class="pile"{data(pile="discard")}'
    )


# ---------------------------------------------------------------- on a phone

_PHONE_HEIGHT, _PHONE_PILES, _PHONE_OWN = 126, 66, 142


def _on_phone(view: View, options: dict[str, Any], names: Sequence[str], theme: str) -> str:
    """The other seats in rows, the piles, and at the bottom the near seat."""
    near, others = svg.near_and_others(view, len(names))
    corners = svg.phone_places(len(others), _PHONE_HEIGHT)
    parts = [_phone_seat(view, options, seat, names, corner) for seat, corner in zip(others, corners, strict=True)]
    top = corners[-1][1] + _PHONE_HEIGHT + svg.PHONE_GAP
    parts += [_phone_piles(view, top), _phone_near_seat(view, options, near, names, top + _PHONE_PILES)]
    return svg.phone(terminal.title(options), top + _PHONE_PILES + _PHONE_OWN + svg.PHONE_MARGIN, parts, theme)


def _phone_seat(
    view: View, options: dict[str, Any], seat: int, names: Sequence[str], corner: tuple[float, float, float]
) -> str:
    """The panel of another seat."""
    x, y, width = corner
    cards = _now(view, options, seat, names)
    parts = [
        _cat(view, seat, 8, 5, 0.6),
        words(names[seat], 40, 17, 14, width - 46),
        *_standing(view, options, seat, 40, 22, width - 44),
        group(_row(cards._replace(plus_one=False), 0, 0, (width - 14) / 0.8), 7, 42, 0.8),
        _phone_caption(cards, width),
        _phone_label(view, seat, 6, 86),
        *_phone_marks(cards, width),
    ]
    return svg.panel(x, y, width, _PHONE_HEIGHT, seat, seat == view["player"], parts, svg.loses(view, seat))


def _phone_caption(cards: _Cards, width: float) -> str:
    if cards.counted:
        return svg.counted(cards.caption, 8, 119, 14, width - 14, cards.lost)
    return words(cards.caption, 8, 119, 14, width - 14, "bad" if cards.lost else "ink")


def _phone_marks(cards: _Cards, width: float) -> list[str]:
    """A lost heart and the "+1", at the right end of the line below the cards."""
    lost = [words(MINUS, width - 62, 101, 18, look="bad"), use("heart", width - 50, 87, 0.9, RED)]
    lost *= cards.lost and not cards.counted
    return [*lost, group([_plus_one(0, 0)], width - 30, 83, 0.7) if cards.plus_one else ""]


def _phone_label(view: View, seat: int, x: float, y: float, anchor: str = "start") -> str:
    """What the seat has done in this round."""
    word = _status(view, seat)
    if word not in _LABELS or word == view["status"][seat]:
        return ""
    return svg.label(say(word), x, y, _LABELS[word], anchor, 12)


def _phone_piles(view: View, top: float) -> str:
    """Draw pile and discard pile side by side, each beside its number of cards."""
    if view["discard_top"] is None:
        return ""
    count, below = _size(view["draw_pile"]), len(view["discards"])
    draw = [use("back", 3 * i, 0, 1.1) for i in range(min(count, 3))]
    draw.append(words(say("draw {count}", count=count), -8, 33, 14, 104, anchor="end"))
    discard = [_card(view["discard_top"], 0, 0, 1.1)]
    discard.append(words(say("discard {count}", count=below), 48, 33, 14, 104))
    return group(draw, 122, top + 2, attributes=f' class="pile"{data(pile="draw")}') + group(
        discard, 198, top + 2, attributes=f' class="pile"{data(pile="discard")}'
    )


def _phone_near_seat(view: View, options: dict[str, Any], seat: int, names: Sequence[str], top: float) -> str:
    """The seat at the bottom, with big cards if its hand is open."""
    cards = _now(view, options, seat, names)
    width = svg.PHONE_WIDTH - 2 * svg.PHONE_MARGIN
    hand = cards.hand if isinstance(cards.hand, list) else []
    rest = cards._replace(hand=[] if hand else cards.hand)
    hands, others = svg.rows([len(hand), len(rest.laid) + rest.plus_one], [56, 36], 10, width - 20, 12)
    x = others[0] if others else 10
    parts = [
        _cat(view, seat, 10, 6, 0.8),
        words(names[seat], 56, 21, 16, 130),
        *_standing(view, options, seat, 56, 28),
        *_caption(cards, 200, 40, 17, width - 210),
        *(_big_card(value, left, 52, seat, 0.88) for value, left in zip(hand, hands, strict=True)),
        *_row(rest, x, 74, width - 10 - x),
        _phone_label(view, seat, width - 6, 5, "end"),
    ]
    size, loses = (width, _PHONE_OWN), svg.loses(view, seat)
    return svg.panel(svg.PHONE_MARGIN, top, *size, seat, seat == view["player"], parts, loses)


draw_svg = svg.picture(
    heading=lambda view, options: f"{terminal.title(options)} · {terminal.when(view)}",
    table=_table,
    phone=_on_phone,
    sentences=_sentences,
    bottom=_OWN_TOP,
    end=_OWN_TOP + _OWN_HEIGHT,
    words_top=_WORDS_TOP,
)
