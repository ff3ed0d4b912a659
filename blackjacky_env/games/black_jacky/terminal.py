"""The table as text for a terminal, and texts shared with the picture.

Text is drawn with ANSI escape codes, which are removed at the end for plain text. It is drawn from a view, so it shows
nothing that the viewer may not know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from blackjacky_env.engine.actions import HIDDEN
from blackjacky_env.engine.svg import say
from blackjacky_env.engine.text import (
    FACE_DOWN,
    FAINT,
    RED,
    STRONG,
    TITLE,
    YOURS,
    View,
    count_of,
    drawn,
    listed,
    paint,
    seen_by,
    table,
    viewer,
    win,
    wrapped,
)

_COLUMNS = {"": 2, "seat": 9, "hearts": 6, "status": 11, "hand": 15, "laid out": 15, "sum": 11}

# Cards have colours of their own, from cool for low to hot for high; everything else uses the terminal's colours, so
# that it is readable on light and dark backgrounds.
_CARD_COLOURS = (0, 117, 80, 114, 150, 222, 215, 209, 204)
_BLACK_HEART = "1;38;5;231;48;5;239"
_TURNED_OVER = "38;5;250;48;5;238"
_PLUS_ONE = "1;38;5;231;48;5;90"
_LOSS = paint("-♥", RED)
_LEGEND_OF_LOSS = _LOSS + paint(" lost a heart", FAINT)
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
    deck = options.get("deck")
    words = {
        "deck": f"cards {' '.join(map(str, deck or ()))}",
        "max_card": f"cards 1..{options['max_card']}",
        "bust_at": f"bust at {options['bust_at']}",
        "hand_size": f"hands of {options['hand_size']}",
        "tricks": "tricks " + (" ".join(map(str, options["tricks"])) or "none"),
        "max_turns_per_round": f"{turns} turns" if turns else "no turn limit",
    }
    sheet = {
        "deck": None,
        "max_card": 8 if deck is None else options["max_card"],
        "bust_at": 21,
        "hand_size": 2,
        "tricks": [*range(1, 9)],
        "max_turns_per_round": 100,
    }
    return " · ".join(words[name] for name in words if options.get(name) != sheet[name])


# ---------------------------------------------------------------- cards


def _card(value: int | str) -> str:
    """A card as a coloured chip, which hides the brackets, or its back."""
    if not isinstance(value, int):
        return paint("[?]", FACE_DOWN)
    colour = _CARD_COLOURS[value]
    hidden = f"38;5;{colour};48;5;{colour}"
    return f"\x1b[{hidden}m[\x1b[1;38;5;16m{value}\x1b[22;38;5;{colour}m]\x1b[0m"


def _hidden_cards(cards: SeatCards) -> list[str]:
    """The backs of a hidden hand, and the cards in it that the viewer knows."""
    back, count = _card(HIDDEN), cards.hand - len(cards.known) if isinstance(cards.hand, int) else 0
    return [*map(_card, cards.known), *([back] * count if count <= 4 else [f"{back} x {count}"])]


def _laid_out(value: int) -> str:
    """T5: a 5 is turned over, but everybody knows it."""
    return paint("(5)", _TURNED_OVER) if value == 5 else _card(value)


def _cards_below(cards: Sequence[int]) -> str:
    """Face-up cards as digits, equal ones grouped, so that even a whole deck fits on one line."""
    groups = (("".join(map(str, group)), value) for value, group in groupby(cards))
    return " ".join(paint(digits, f"38;5;16;48;5;{_CARD_COLOURS[value]}") for digits, value in groups)


# ---------------------------------------------------------------- what lies before a seat


class SeatCards(NamedTuple):
    """The cards of a seat."""

    hand: list[int] | int = 0
    """Their number if they are hidden."""
    laid: Sequence[int] = ()
    plus_one: bool = False
    tenths: int | None = None
    """The sum, hidden cards left out; None: nothing is dealt to the seat."""
    lost: bool = False
    """Whether it has lost a heart with them (S2)."""
    known: Sequence[int] = ()
    """Those of a hidden hand that the viewer knows."""


def cards_of(view: View, seat: int) -> SeatCards:
    """The cards of the current round; those of its settlement if the view shows it, or when the game is over."""
    if view["phase"] == "over" or "settled" in view:
        return settled_cards(view, seat)
    if view["status"][seat] != "saloon" or view["phase"] == "tip":
        return SeatCards()
    hand, laid, plus_one = view["hands"][seat], view["displays"][seat], view["plus_one"] == seat
    open_hand, known = ([], view["known"][seat]) if isinstance(hand, int) else (hand, [])
    return SeatCards(hand, laid, plus_one, tenths_of(open_hand, laid) + 10 * plus_one, known=known)


def settled_cards(view: View, seat: int) -> SeatCards:
    """The cards as revealed at the last settlement."""
    settled = view["last_settlement"]
    tenths = None if settled is None else settled["sums"][seat]
    if tenths is None:
        return SeatCards()
    hand, laid = settled["hands"][seat], settled["displays"][seat]
    return SeatCards(hand, laid, tenths - tenths_of(hand, laid) == 10, tenths, seat in settled["losers"])


def tenths_of(hand: Sequence[int], display: Sequence[int]) -> int:
    """S1 without "+1": laid-out 5s count nothing (T5), laid-out 8s 8.1 (T8)."""
    return 10 * sum(hand) + sum(10 * v for v in display if v != 5) + display.count(8)


def sum_in_words(cards: SeatCards, options: dict[str, Any]) -> str:
    """The sum as far as it can be seen, and whether it is bust or the lowest (S2); "": nothing can be seen."""
    if cards.tenths is None:
        return ""
    number = say("{whole}.{tenth}", whole=cards.tenths // 10, tenth=cards.tenths % 10)
    if isinstance(cards.hand, int) and cards.hand:
        return f"{number} + ?" if cards.tenths else ""
    if cards.tenths >= 10 * options["bust_at"]:
        return say("{sum} bust", sum=number)
    return say("{sum} lowest", sum=number) if cards.lost else number


def tip_in_words(view: View, seat: int, names: Sequence[str]) -> str:
    """Whom a seat tips, "" for nobody."""
    tip = view["tips"][seat]
    return "" if tip is None else say("tipped {name}" if view["phase"] == "over" else "tips {name}", name=names[tip])


# ---------------------------------------------------------------- seats


def _names(view: View) -> list[str]:
    return [f"player_{seat}" for seat in range(len(view["hearts"]))]


def _seats(view: View, options: dict[str, Any]) -> list[str]:
    rows = []
    for seat in range(len(view["hearts"])):
        cards = cards_of(view, seat)
        mark = _LOSS if cards.lost else paint("►", YOURS) if seat == view["player"] else ""
        status = status_word(view, seat)
        standing = (
            [_hearts(view, seat, options)],
            [paint(status, _STATUS_STYLES[status]) if status in _STATUS_STYLES else status],
        )
        rows.append([[mark], [_name(view, seat)], *standing, *_cells(view, seat, cards, options)])
    return table(_COLUMNS, rows)


def _name(view: View, seat: int) -> str:
    name = _names(view)[seat]
    if seat == viewer(view):
        return paint(name, YOURS)
    return paint(name, FAINT) if view["status"][seat] == "out" else name


def _hearts(view: View, seat: int, options: dict[str, Any]) -> str:
    held, first = view["hearts"][seat], options["hearts"]
    if held and view["black_hearts"][seat]:
        return paint("♡", _BLACK_HEART)
    if first > 3:
        return paint(f"♥ x {held}", RED) if held else paint("·", FAINT)
    hearts = [paint("♥", RED)] * held + [paint("·", FAINT)] * (first - held)
    return " ".join(hearts)


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


def _cells(view: View, seat: int, cards: SeatCards, options: dict[str, Any]) -> list[list[str]]:
    if cards.tenths is None:
        return [[tip_in_words(view, seat, _names(view))], [""], [""]]
    hand = [_card(v) for v in cards.hand] if isinstance(cards.hand, list) else _hidden_cards(cards)
    laid = [*map(_laid_out, cards.laid), *([paint("[+1]", _PLUS_ONE)] if cards.plus_one else [])]
    total = sum_in_words(cards, options) or "?"
    style = FAINT if "?" in total else STRONG if total[-1].isdigit() else RED
    return [wrapped(hand, _COLUMNS["hand"]), wrapped(laid, _COLUMNS["laid out"]), [paint(total, style)]]


# ---------------------------------------------------------------- piles and sentences


def _piles(view: View) -> list[str]:
    if view["discard_top"] is None:
        return []
    count = count_of(view["draw_pile"])
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
    lines = sentences(view, _names(view), _card)
    if view["phase"] == "over":
        lines.append(_LEGEND_OF_LOSS)
    if any(held and black for held, black in zip(view["hearts"], view["black_hearts"], strict=True)):
        lines.append(paint("♡", _BLACK_HEART) + paint("  black heart, the last chance", FAINT))
    return ["   " + line for line in lines]


def sentences(view: View, names: Sequence[str], card: Callable[[int | str], str]) -> list[str]:
    """The current situation in words, with the players' names; ``card`` formats a card, which may be ``"hidden"``."""
    lines = [_phase(view, names, card)]
    if view["exchange"]:
        pair = listed([names[seat] for seat in view["exchange"]["pair"]])
        lines.append(f"{names[view['exchange']['trickster']]} laid a 3: {pair} exchange a card.")
    if view["phase"] != "over" and view["ends_after_turn"]:
        lines.append("A 1 is laid out: the round ends after this turn.")
    if view["last_turns"]:
        lines.append(f"Last turns: {', '.join(names[seat] for seat in view['last_turns'])}.")
    return lines


def _phase(view: View, names: Sequence[str], card: Callable[[int | str], str]) -> str:
    if view["phase"] == "over":
        nobody = paint("Nobody has a heart left: nobody wins.", STRONG)
        return win(view, names) if view["winners"] else nobody
    asked = {
        "tip": "tips who will lose a heart in this round",
        "trick": "may lay a card for its power",
        "zock": "must zock: draw, swap or knock",
        "exchange": "chooses a card to give",
    }[view["phase"]]
    given = view["exchange"] and view["exchange"]["given"][0]  # T3: only the giver knows it
    told = f"; {names[view['exchange']['pair'][0]]} has given {card(given)}" if given else ""
    return f"{paint(names[view['player']], STRONG)} {asked}{told}."


# ---------------------------------------------------------------- the last settlement


def has_just_settled(view: View) -> bool:
    """Whether nothing but tips and the deal has happened since the last settlement."""
    fresh = view["phase"] in ("tip", "trick") and view["turn"] == 0
    return fresh and view["last_settlement"] is not None


def _old_settlement(view: View, options: dict[str, Any]) -> list[str]:
    rows = []
    for seat in range(len(view["hearts"])):
        cards = settled_cards(view, seat)
        if cards.tenths is not None:
            mark = _LOSS if cards.lost else ""
            rows.append([[mark], [_name(view, seat)], [""], [""], *_cells(view, seat, cards, options)])
    heading = paint(f"Settlement of round {view['round']}", STRONG)
    return ["", f"   {heading}   {_LEGEND_OF_LOSS}", *table(_COLUMNS, rows)[1:]]


def draw_text(view: View, options: dict[str, Any], colour: bool) -> str:
    """The table that ``view`` shows, see `Words.draw_text`."""
    lines = [*_seats(view, options), "", *_piles(view), *_lines_below(view)]
    lines += _old_settlement(view, options) if has_just_settled(view) else []
    return drawn(lines, title(options), when(view), seen_by(view), options_in_force(options), colour)
