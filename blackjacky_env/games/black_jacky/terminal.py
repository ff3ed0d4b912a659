"""The table as text for a terminal, and texts shared with the picture.

Text is drawn with ANSI escape codes, which are removed at the end for plain text. It is drawn from a view, so it shows
nothing that the viewer may not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, zip_longest
from typing import Any

from blackjacky_env.engine.actions import HIDDEN
from blackjacky_env.engine.text import (
    FACE_DOWN,
    FAINT,
    RED,
    STRONG,
    TITLE,
    YOURS,
    drawn,
    joined,
    listed,
    paint,
    plain,
    seen_by,
    viewer,
    win,
)

View = dict[str, Any]
Row = Sequence[list[str]]
"""The cells of one seat, each a list of lines."""

_COLUMNS = {"": 2, "seat": 9, "hearts": 6, "status": 11, "hand": 15, "laid out": 15, "sum": 11}

# Cards have colours of their own, from cool for low to hot for high; everything else uses the terminal's colours, so
# that it is readable on light and dark backgrounds.
_CARD_COLOURS = (0, 117, 80, 114, 150, 222, 215, 209, 204)
_BLACK_HEART = "1;38;5;231;48;5;239"
_TURNED_OVER = "38;5;250;48;5;238"
_PLUS_ONE = "1;38;5;231;48;5;90"
_STATUS_STYLES = {"wanted": "33", "out": FAINT, "winner": TITLE, "first knock": "1;35", "knocked": "35"}


# ---------------------------------------------------------------- headings


def title(options: dict[str, Any]) -> str:
    """The game and its variant."""
    return "Black Jacky" if options["variant"] == "classic" else "Black Jacky · Schnell-Duell"


def when(view: View) -> str:
    """The round, and its current turn or phase."""
    now = {"over": "game over", "tip": "tips"}.get(view["phase"], f"turn {view['turn'] + 1}")
    return f"round {view['round'] + 1} · {now}"


def options_in_force(options: dict[str, Any]) -> str:
    """The options that differ from the rule sheet, in words."""
    turns = options["max_turns_per_round"]
    words = {
        "max_card": f"cards 1..{options['max_card']}",
        "bust_at": f"bust at {options['bust_at']}",
        "hand_size": f"hands of {options['hand_size']}",
        "tricks": "tricks " + (" ".join(map(str, options["tricks"])) or "none"),
        "max_turns_per_round": f"{turns} turns" if turns else "no turn limit",
    }
    sheet = {"max_card": 8, "bust_at": 21, "hand_size": 2, "tricks": [*range(1, 9)], "max_turns_per_round": 100}
    return " · ".join(words[name] for name in words if options[name] != sheet[name])


# ---------------------------------------------------------------- cards


def _card(value: int | str) -> str:
    """A card as a coloured chip, which hides the brackets, or its back."""
    if not isinstance(value, int):
        return paint("[?]", FACE_DOWN)
    colour = _CARD_COLOURS[value]
    hidden = f"38;5;{colour};48;5;{colour}"
    return f"\x1b[{hidden}m[\x1b[1;38;5;16m{value}\x1b[22;38;5;{colour}m]\x1b[0m"


def _hidden_cards(count: int) -> list[str]:
    back = _card(HIDDEN)
    return [back] * count if count <= 4 else [f"{back} x {count}"]


def _laid_out(value: int) -> str:
    """T5: a 5 is turned over, but everybody knows it."""
    return paint("(5)", _TURNED_OVER) if value == 5 else _card(value)


def _cards_below(cards: Sequence[int]) -> str:
    """Face-up cards as digits, equal ones grouped, so that even a whole deck fits on one line."""
    groups = (("".join(map(str, group)), value) for value, group in groupby(cards))
    return " ".join(paint(digits, f"38;5;16;48;5;{_CARD_COLOURS[value]}") for digits, value in groups)


def _lines_of(pieces: Sequence[str], width: int) -> list[str]:
    """Cards side by side, wrapped to ``width``."""
    lines: list[str] = []
    for piece in pieces:
        if lines and len(plain(lines[-1])) + 1 + len(plain(piece)) <= width:
            lines[-1] += " " + piece
        else:
            lines.append(piece)
    return lines


# ---------------------------------------------------------------- sums


def tenths_of(hand: Sequence[int], display: Sequence[int]) -> int:
    """S1 without "+1": laid-out 5s count nothing (T5), laid-out 8s 8.1 (T8)."""
    return 10 * sum(hand) + sum(10 * v for v in display if v != 5) + display.count(8)


def as_number(tenths: int) -> str:
    """Tenths as a decimal number."""
    return f"{tenths // 10}.{tenths % 10}"


def sum_in_words(tenths: int, options: dict[str, Any], lost: bool = False) -> str:
    """A sum, and whether it is bust or loses a heart (S2)."""
    if tenths >= 10 * options["bust_at"]:
        return f"{as_number(tenths)} bust"
    return f"{as_number(tenths)} lowest" if lost else as_number(tenths)


def _sum(tenths: int, options: dict[str, Any], lost: bool = False) -> str:
    text = sum_in_words(tenths, options, lost)
    return paint(text, STRONG if text == as_number(tenths) else RED)


def sum_so_far(view: View, seat: int, options: dict[str, Any]) -> str:
    """The sum of an open hand; otherwise that of the open cards."""
    hand, display = view["hands"][seat], view["displays"][seat]
    plus_one = 10 * (view["plus_one"] == seat)
    if isinstance(hand, list):
        return _sum(tenths_of(hand, display) + plus_one, options)
    if hand == 0:
        return _sum(tenths_of([], display) + plus_one, options)
    open_part = tenths_of([], display) + plus_one
    return paint(f"{as_number(open_part)} + ?" if open_part else "?", FAINT)


# ---------------------------------------------------------------- seats


def _seat(seat: int) -> str:
    return f"player_{seat}"


def _seats(view: View, options: dict[str, Any]) -> list[str]:
    """The table of all seats; when the game is over, with the cards of its last settlement."""
    over = view["phase"] == "over"
    rows = []
    for seat in range(len(view["hearts"])):
        cards = _settled_cells(view, seat, options) if over else _card_cells(view, seat, options)
        mark = _loss(view, seat) if over else paint("►", YOURS) if seat == view["player"] else ""
        rows.append([[mark], [_name(view, seat)], [_hearts(view, seat, options)], [_status(view, seat)], *cards])
    return _table(rows)


def _table(rows: Iterable[Row]) -> list[str]:
    widths = _COLUMNS.values()
    heading = joined([paint(name, FAINT) for name in _COLUMNS], widths)
    return [heading, *(joined(line, widths) for row in rows for line in zip_longest(*row, fillvalue=""))]


def _name(view: View, seat: int) -> str:
    name = _seat(seat)
    if seat == viewer(view):
        return paint(name, YOURS)
    return paint(name, FAINT) if view["status"][seat] == "out" else name


def _hearts(view: View, seat: int, options: dict[str, Any]) -> str:
    """The hearts held, and a dot for each lost one."""
    held, first = view["hearts"][seat], options["hearts"]
    if held and view["black_hearts"][seat]:
        return paint("♡", _BLACK_HEART)
    if first > 3:
        return paint(f"♥ x {held}", RED) if held else paint("·", FAINT)
    hearts = [paint("♥", RED)] * held + [paint("·", FAINT)] * (first - held)
    return " ".join(hearts)


def _status(view: View, seat: int) -> str:
    word = status_word(view, seat)
    return paint(word, _STATUS_STYLES[word]) if word in _STATUS_STYLES else word


def status_word(view: View, seat: int) -> str:
    """In the saloon, wanted or out (R5, R7), or something more specific."""
    if seat in view["winners"]:
        return "winner"
    if view["phase"] == "over":
        return str(view["status"][seat])
    if view["knocked"][seat]:
        return "first knock" if seat == view["first_knocker"] else "knocked"
    if seat in (view["last_turns"] or []):
        return "last turn"
    return str(view["status"][seat])


def _card_cells(view: View, seat: int, options: dict[str, Any]) -> list[list[str]]:
    """Hand, laid-out cards and sum of a seat in the current round."""
    if view["status"][seat] != "saloon":
        return [[_tip(view, seat)], [""], [""]]
    if view["phase"] == "tip":
        return [[""], [""], [""]]
    hand = view["hands"][seat]
    cards = [_card(v) for v in hand] if isinstance(hand, list) else _hidden_cards(hand)
    return _cells(cards, view["displays"][seat], view["plus_one"] == seat, sum_so_far(view, seat, options))


def _settled_cells(view: View, seat: int, options: dict[str, Any]) -> list[list[str]]:
    """Hand, laid-out cards and sum of a seat as revealed at the last settlement."""
    settlement = view["last_settlement"]
    tenths = None if settlement is None else settlement["sums"][seat]
    if tenths is None:
        return [[_tip(view, seat)], [""], [""]]
    hand, display = settlement["hands"][seat], settlement["displays"][seat]
    total = _sum(tenths, options, lost=seat in settlement["losers"])
    had_plus_one = tenths - tenths_of(hand, display) == 10
    return _cells([_card(v) for v in hand], display, had_plus_one, total)


def _cells(hand: list[str], display: Sequence[int], plus_one: bool, total: str) -> list[list[str]]:
    laid = [*map(_laid_out, display), *([paint("[+1]", _PLUS_ONE)] if plus_one else [])]
    return [_lines_of(hand, _COLUMNS["hand"]), _lines_of(laid, _COLUMNS["laid out"]), [total]]


def _tip(view: View, seat: int) -> str:
    tip = view["tips"][seat]
    verb = "tipped" if view["phase"] == "over" else "tips"
    return "" if tip is None else f"{verb} {_seat(tip)}"


# ---------------------------------------------------------------- piles and sentences


def _piles(view: View) -> list[str]:
    if view["discard_top"] is None:
        return []
    count = view["draw_pile"]
    below = list(view["discards"])
    below.remove(view["discard_top"])
    draw = f"{_card(HIDDEN)} x {count}" if count else paint("empty", FAINT)
    on = f" {paint('on', FAINT)} {_cards_below(below)}" if below else ""
    return [
        f"   {paint('draw pile', FAINT)}     {draw}",
        f"   {paint('discard pile', FAINT)}  {_card(view['discard_top'])}{on}",
        "",
    ]


def _lines_below(view: View) -> list[str]:
    lines = sentences(view, [_seat(seat) for seat in range(len(view["hearts"]))], _card)
    if view["phase"] == "over":
        lines.append(_legend_of_loss())
    if any(held and black for held, black in zip(view["hearts"], view["black_hearts"], strict=True)):
        lines.append(paint("♡", _BLACK_HEART) + paint("  black heart, the last chance", FAINT))
    return ["   " + line for line in lines]


def sentences(view: View, names: Sequence[str], card: Callable[[int | str], str]) -> list[str]:
    """The current situation in words, with the players' names; ``card`` formats a card, which may be ``"hidden"``."""
    lines = [_phase(view, names, card)]
    if view["exchange"]:
        lines.append(_exchange(view["exchange"], names))
    if view["phase"] != "over" and view["ends_after_turn"]:
        lines.append("A 1 is laid out: the round ends after this turn.")
    if view["last_turns"]:
        lines.append(f"Last turns: {', '.join(names[seat] for seat in view['last_turns'])}.")
    return lines


def _phase(view: View, names: Sequence[str], card: Callable[[int | str], str]) -> str:
    if view["phase"] == "over":
        nobody = paint("Nobody has a heart left: nobody wins.", STRONG)
        return win(view, names) if view["winners"] else nobody
    player = paint(names[view["player"]], STRONG)
    if view["phase"] == "tip":
        return f"{player} tips who will lose a heart in this round."
    if view["phase"] == "trick":
        return f"{player} may lay a card for its power."
    if view["phase"] == "zock":
        return f"{player} must zock: draw, swap or knock."
    return f"{player} chooses a card to give{_given(view['exchange'], names, card)}."


def _given(exchange: dict[str, Any], names: Sequence[str], card: Callable[[int | str], str]) -> str:
    """The first card given in the exchange, if any; only the giver knows it (T3)."""
    given = exchange["given"][0]
    return "" if given is None else f"; {names[exchange['pair'][0]]} has given {card(given)}"


def _exchange(exchange: dict[str, Any], names: Sequence[str]) -> str:
    pair = listed([names[seat] for seat in exchange["pair"]])
    return f"{names[exchange['trickster']]} laid a 3: {pair} exchange a card."


# ---------------------------------------------------------------- the last settlement


def has_just_settled(view: View) -> bool:
    """Whether nothing but tips and the deal has happened since the last settlement."""
    fresh = view["phase"] in ("tip", "trick") and view["turn"] == 0
    return fresh and view["last_settlement"] is not None


def _loss(view: View, seat: int) -> str:
    lost = view["last_settlement"] is not None and seat in view["last_settlement"]["losers"]
    return paint("-♥", RED) if lost else ""


def _legend_of_loss() -> str:
    return paint("-♥", RED) + paint(" lost a heart", FAINT)


def _old_settlement(view: View, options: dict[str, Any]) -> list[str]:
    sums = view["last_settlement"]["sums"]
    rows = [
        [[_loss(view, seat)], [_name(view, seat)], [""], [""], *_settled_cells(view, seat, options)]
        for seat in range(len(sums))
        if sums[seat] is not None
    ]
    heading = paint(f"Settlement of round {view['round']}", STRONG)
    return [f"   {heading}   {_legend_of_loss()}", *_table(rows)[1:]]


def _lines(view: View, options: dict[str, Any]) -> list[str]:
    lines = [*_seats(view, options), "", *_piles(view), *_lines_below(view)]
    return [*lines, "", *_old_settlement(view, options)] if has_just_settled(view) else lines


def draw_text(view: View, options: dict[str, Any], colour: bool) -> str:
    """The table that ``view`` shows, see `Words.draw_text`."""
    return drawn(_lines(view, options), title(options), when(view), seen_by(view), options_in_force(options), colour)
