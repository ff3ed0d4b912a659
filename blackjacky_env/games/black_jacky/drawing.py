"""The table as a picture, drawn from a view, so that it shows nothing that the viewer may not know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from blackjacky_env.engine import svg
from blackjacky_env.engine.actions import HIDDEN, HIDDEN_WORDS
from blackjacky_env.engine.artwork import INK, RED
from blackjacky_env.engine.svg import MINUS, View, data, group, use, words
from blackjacky_env.engine.text import plain, seen_by, viewer
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


def draw_svg(
    view: View,
    options: dict[str, Any],
    *,
    names: Sequence[str] | None = None,
    last_action: str = "",
    theme: str = "auto",
) -> str:
    """The table that ``view`` shows, as an SVG of 640 x 600 units.

    Args:
        view: from `TableEnv.view` or `TableEnv.snapshot`.
        options: from `TableEnv.config_dict`.
        names: names of the players by seat; None: ``player_0`` .. .
        last_action: the last action, in words, without secrets that the viewer may not know.
        theme: ``"light"``, ``"dark"`` or ``"auto"`` (what the reader's system prefers).

    Raises `ValueError` for an unknown theme or a wrong number of names.
    """
    players = svg.names_of(len(view["hearts"]), names)
    near = viewer(view) or 0
    corners = svg.places(len(players) - 1, _HEIGHT, _OWN_TOP)
    parts = [_seat(view, options, (near + 1 + i) % len(players), players, corner) for i, corner in enumerate(corners)]
    parts += [_piles(view), _near_seat(view, options, near, players)]
    sentences = map(plain, terminal.sentences(view, players, _in_words))
    parts += svg.lines([last_action, *sentences, terminal.options_in_force(options)], _WORDS_TOP)
    title = f"{terminal.title(options)} · {terminal.when(view)}"
    return svg.document(title, seen_by(view, players), _OWN_TOP, parts, theme)


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


def _big_card(value: int, x: float, y: float, seat: int) -> str:
    """A card of the hand at the bottom, 64 x 92 units before scaling, with as many mice as its value."""
    digit = f'<text x="5" y="27" font-size="30" fill="{INK}">{value}</text>'
    mice = [use("mouse", *place) for place in _MICE[value]]
    return group(
        [_paper(64, 92, _CARD_COLOURS[value]), digit, *mice], x, y, 1.25, f' class="card"{data(card=value, seat=seat)}'
    )


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
    if view["phase"] == "over":
        return _settled(view, options, seat, names)
    if view["status"][seat] != "saloon" or view["phase"] == "tip":
        return _Cards([], [], False, _tip(view, seat, names), False)
    total = plain(terminal.sum_so_far(view, seat, options))
    caption = "" if total == "?" else total
    return _Cards(view["hands"][seat], view["displays"][seat], view["plus_one"] == seat, caption, False)


def _settled(view: View, options: dict[str, Any], seat: int, names: Sequence[str]) -> _Cards:
    """The cards as revealed at the last settlement, with their sum."""
    settlement = view["last_settlement"]
    tenths = None if settlement is None else settlement["sums"][seat]
    if tenths is None:
        return _Cards([], [], False, _tip(view, seat, names), False)
    hand, laid, lost = settlement["hands"][seat], settlement["displays"][seat], seat in settlement["losers"]
    plus_one = tenths - terminal.tenths_of(hand, laid) == 10
    return _Cards(hand, laid, plus_one, terminal.sum_in_words(tenths, options, lost), lost)


def _before(view: View, options: dict[str, Any], seat: int, names: Sequence[str]) -> _Cards | None:
    """The cards of the last settlement, if nothing has happened since."""
    settlement = view["last_settlement"]
    if not terminal.has_just_settled(view) or settlement["sums"][seat] is None:
        return None
    return _settled(view, options, seat, names)


def _tip(view: View, seat: int, names: Sequence[str]) -> str:
    tip = view["tips"][seat]
    verb = "tipped" if view["phase"] == "over" else "tips"
    return "" if tip is None else f"{verb} {names[tip]}"


def _caption(cards: _Cards, x: float, y: float, size: float, room: float) -> list[str]:
    if not cards.lost:
        return [words(cards.caption, x, y, size, room)]
    broken = [words(MINUS, x, y, size + 4, look="bad"), use("heart", x + 14, y - 14, fill=RED)]
    return [*broken, words(cards.caption, x + 40, y, size, room - 40, "bad")]


# ---------------------------------------------------------------- seats


def _hearts(view: View, options: dict[str, Any], seat: int, x: float, y: float) -> list[str]:
    """The hearts held, and an outline for each lost one; a black heart is the last chance."""
    held, first = view["hearts"][seat], options["hearts"]
    if held and view["black_hearts"][seat]:
        ring = f'<g fill="{INK}" stroke="#fff" stroke-width="3" paint-order="stroke">{use("heart", x, y)}</g>'
        return [ring, words("last chance", x + 24, y + 14, 14, 80, "faint")]
    if first > 3:
        return [use("heart", x, y, fill=RED), words(f"x {held}", x + 22, y + 15, 17)]
    hearts = [use("heart", x + 20 * i, y, fill=RED) for i in range(held)]
    lost = [use("heart", x + 20 * i, y) for i in range(held, first)]
    return [*hearts, group(lost, attributes=' class="lost"') if lost else ""]


def _status(view: View, seat: int) -> str:
    exchange = view["exchange"]
    if exchange and seat in exchange["pair"]:
        return "exchanges"
    return terminal.status_word(view, seat)


def _standing(view: View, options: dict[str, Any], seat: int, x: float, y: float) -> list[str]:
    """Hearts, or the status of a player without hearts."""
    status = view["status"][seat]
    if status == "saloon":
        return _hearts(view, options, seat, x, y)
    return [svg.label(status, x, y - 1, _LABELS[status], "start")]


def _label(view: View, seat: int, right: float, y: float) -> str:
    word = _status(view, seat)
    return svg.label(word, right, y, _LABELS[word]) if word in _LABELS and word != view["status"][seat] else ""


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
    return svg.panel(*corner, svg.PANEL, _HEIGHT, seat, seat == view["player"], parts)


def _seat_before(cards: _Cards, before: _Cards) -> list[str]:
    """The last settlement, beside the new hand, or above the tip of a player without a hand."""
    x = 66 if cards.hand else 12
    settled = group(_row(before, 0, 0, (190 - x) / 0.82), x, 58, 0.82)
    if cards.hand or not cards.caption:
        word = words("before", 12, 128, 14, 50, "faint") if cards.hand else ""
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
    return svg.panel(svg.MARGIN, _OWN_TOP, _OWN_WIDTH, _OWN_HEIGHT, seat, seat == view["player"], parts)


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
        parts += [words("before", x, 50, 15, look="faint"), *_caption(before, x, 140, 16, 608 - x)]
    elif rest.laid or rest.plus_one:
        parts.append(words("laid out", x, 50, 15, look="faint"))
    return parts


# ---------------------------------------------------------------- piles


def _piles(view: View) -> str:
    """Draw pile and discard pile with their numbers of cards."""
    if view["discard_top"] is None:
        return ""
    count = view["draw_pile"] if isinstance(view["draw_pile"], int) else len(view["draw_pile"])
    below = len(view["discards"])
    draw = [use("back", 3 * i, -3 * i, 1.3) for i in range(min(count, 3))]
    discard = [_card(view["discard_top"], 0, 0, 1.3)]
    words_below = [words(f"draw {count}", 26, 86, 16, 100, anchor="middle")]
    words_beside = [words(f"discard {below}", 24, 86, 16, 100, anchor="middle")]
    return group([*draw, *words_below], 243, 214, attributes=f' class="pile"{data(pile="draw")}') + group(
        [*discard, *words_beside], 347, 214, attributes=f' class="pile"{data(pile="discard")}'
    )
