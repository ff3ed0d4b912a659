"""The table as text for a terminal, and texts shared with the picture.

It is drawn from a view, so it shows nothing that the viewer may not know. All crews lie open, so views of different
seats differ only in the movement cards chosen in secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    View,
    count_of,
    drawn,
    joined,
    paint,
    table,
    win,
    wrapped,
)
from blackjacky_env.games.halunken.state import COLOUR_LETTERS, FIELDS, GAMES, JACK_MOVES, MOVES, ROUNDS, movement_card
from blackjacky_env.games.halunken.words import BLACK_JACK

Figure = int | str
"""A seat, for its captain, or ``"black_jack"``."""

_OF_BLACK_JACK = {
    "captains": "black_jack",
    "spent": "black_jack_spent",
    "choices": "black_jack_choice",
    "laid": "black_jack_laid",
    "numbers": "black_jack_number",
}
"""Keys of a view, by those with an entry for each seat."""
MOVEMENT_CARDS = tuple(movement_card(i + 1) for i in range(MOVES))
"""A captain's movement cards, and Black Jack's in a duel: 1 .. 7 and ``"Rum"``."""

_COLUMNS = {"": 1, "seat": 10, "score": 5, "cards": 8, "laid": 5, "offer": 5, "crew": 35}
_CARD_STYLES = {
    "R": "1;38;5;231;48;5;124",
    "V": "1;38;5;231;48;5;91",
    "G": "1;38;5;231;48;5;240",
    "Y": "1;38;5;16;48;5;220",
}
_SEAT_STYLES = ("1;38;5;231;48;5;25", "1;38;5;231;48;5;29", "1;38;5;231;48;5;130", "1;38;5;16;48;5;230")
_JACK_STYLE = "1;38;5;231;48;5;16"
_PHASES = {
    "place_captain": "set-up",
    "place_black_jack": "set-up",
    "bid": "auction",
    "choose_for_black_jack": "choosing",
    "choose": "choosing",
    "over": "game over",
}
_ASKED = {
    "place_captain": "places the captain on a free field",
    "place_black_jack": "places Black Jack on a free field",
    "choose_for_black_jack": "chooses a movement card for Black Jack in secret",
    "choose": "chooses a movement card in secret",
    "name": "names a number for Rum",
    "take": "takes a card from the harbour",
    "give": "gives a card to the harbour",
}


def title(options: dict[str, Any]) -> str:
    """The game and its variant."""
    variant = options["variant"]
    return "Halunken & Spelunken" + ("" if variant == "standard" else f" · {variant}")


def when(view: View, options: dict[str, Any]) -> str:
    """The game, if several are played, the round and what is going on."""
    game = f"game {view['game'] + 1} of {GAMES} · " if options["three_games"] else ""
    return f"{game}round {view['round'] + 1} of {ROUNDS} · {_PHASES.get(view['phase'], 'moves')}"


def seen_by(view: View) -> str:
    """Whether face-down cards are shown."""
    return "all cards open" if isinstance(view["black_jack_deck"], list) else "seen by all"


def options_in_force(options: dict[str, Any]) -> str:
    """The options that differ from the rule sheet, in words."""
    others = ["three games"] * options["three_games"]
    others += ["robbers are counted before they take"] * (options["rob_count"] == "before_pick")
    others += ["Black Jack overtakes"] * (options["variant"] == "duel" and options["duel_black_jack"] == "standard")
    return " · ".join(others)


# ---------------------------------------------------------------- what a view says


def has_black_jack(options: dict[str, Any]) -> bool:
    """Whether Black Jack takes part."""
    return bool(options["variant"] != "basic")


def cards_of_black_jack(options: dict[str, Any]) -> Sequence[int | str]:
    """J1, D1: all movement cards that he has in a game."""
    return MOVEMENT_CARDS if options["variant"] == "duel" else range(1, JACK_MOVES + 1)


def of_figure(view: View, key: str, figure: Figure) -> Any:
    """What a view has under ``key`` for a captain, by seat, or for Black Jack."""
    return view[_OF_BLACK_JACK[key]] if isinstance(figure, str) else view[key][figure]


def standing(view: View) -> dict[Figure, int]:
    """The fields of all figures on the ring."""
    figures: list[Figure] = [*range(len(view["captains"])), BLACK_JACK]
    fields = {figure: of_figure(view, "captains", figure) for figure in figures}
    return {figure: field for figure, field in fields.items() if field is not None}


def has_revealed(view: View, figure: Figure) -> bool:
    """Whether the figure's movement card of this round lies open."""
    return len(of_figure(view, "spent", figure)) > int(view["round"])


def is_cancelled(view: View, figure: Figure) -> bool:
    """H4, D3: whether another figure's equal card cancels the movement card that the figure has last laid."""
    figures: list[Figure] = [*range(len(view["laid"])), *([BLACK_JACK] if len(view["laid"]) == 2 else [])]
    laid = {each: of_figure(view, "laid", each) for each in figures}
    return laid.get(figure) is not None and [*laid.values()].count(laid[figure]) > 1


def has_passed(view: View, seat: int) -> bool:
    """J2, D2: whether the seat has passed in the auction that is going on."""
    if view["phase"] != "bid" or view["offers"][seat] is not None:
        return False
    seats, opener = len(view["offers"]), view["opener"]
    return bool((seat - opener) % seats < (view["player"] - opener) % seats)


def doubled_colour(cards: Sequence[str]) -> str | None:
    """C1: the letter of the colour whose values count double; None without cards."""
    counted = {colour: [int(card[1:]) for card in cards if card[0] == colour] for colour in COLOUR_LETTERS}
    return max(COLOUR_LETTERS, key=lambda colour: (len(counted[colour]), sum(counted[colour]))) if cards else None


def roles(view: View, seat: int) -> list[str]:
    """What the seat is in this round and move."""
    if view["phase"] == "over":
        return ["winner"] * (seat in view["winners"])
    found = ["robbed"] * (seat == view["victim"])
    found += ["overtaken"] * (seat in view["to_rob"] and seat != view["victim"])
    found += ["robs"] * (view["phase"] == "rob" and seat == view["player"])
    return [*found, *["buyer"] * (seat == view["buyer"])]


# ---------------------------------------------------------------- cards and figures


def _card(name: str) -> str:
    return paint(name, _CARD_STYLES[name[0]])


def _cards(names: Iterable[str]) -> list[str]:
    """Cards grouped by colour, each group as a chip such as ``R 4 7 15``."""
    by_colour = sorted(names, key=lambda name: (COLOUR_LETTERS.index(name[0]), int(name[1:])))
    groups = groupby(by_colour, key=lambda name: name[0])
    return [paint(f"{colour} {' '.join(name[1:] for name in group)}", _CARD_STYLES[colour]) for colour, group in groups]


def _figure(figure: Figure) -> str:
    return paint("J", _JACK_STYLE) if isinstance(figure, str) else paint(str(figure), _SEAT_STYLES[figure])


def _movement(cards: Iterable[int | str], spent: Sequence[int | str]) -> list[str]:
    return [paint("·", FAINT) if card in spent else str(card).replace("Rum", "R") for card in cards]


# ---------------------------------------------------------------- the ring


def _ring(view: View) -> list[str]:
    taverns, fields = view["taverns"], standing(view)
    rows = {
        "field": [paint(str(field), FAINT) for field in range(FIELDS)],
        "tavern": [_card(each["top"]) if each["top"] else paint("-", FAINT) for each in taverns],
        "face down": [paint(str(count_of(each["hidden"]) or ""), FACE_DOWN) for each in taverns],
        "figures": ["".join(_figure(each) for each in fields if fields[each] == field) for field in range(FIELDS)],
    }
    widths = [9, *[3] * FIELDS]
    return ["  " + joined([paint(name, FAINT), *cells], widths) for name, cells in rows.items()]


# ---------------------------------------------------------------- seats


def _seats(view: View, names: Sequence[str]) -> list[str]:
    columns = {name: width for name, width in _COLUMNS.items() if name != "offer" or view["phase"] == "bid"}
    cells = [_cells(view, seat, names) for seat in range(len(names))]
    return ["  " + line for line in table(columns, [[row[name] for name in columns] for row in cells])]


def _cells(view: View, seat: int, names: Sequence[str]) -> dict[str, list[str]]:
    score = paint(str(view["scores"][seat]), TITLE if seat in view["winners"] else STRONG)
    total = [paint(f"({view['totals'][seat]})", FAINT)] if view["game"] else []
    return {
        "": [paint("►", YOURS)] if seat == view["player"] else [],
        "seat": [f"{names[seat]} {_figure(seat)}", *(paint(f" {role}", RED) for role in roles(view, seat))],
        "score": [score, *total],
        "cards": ["".join(_movement(MOVEMENT_CARDS, view["spent"][seat]))],
        "laid": [_laid(view, seat)],
        "offer": [_offer(view, seat)],
        "crew": wrapped(_cards(view["crews"][seat]), _COLUMNS["crew"]),
    }


def _laid(view: View, figure: Figure) -> str:
    """The movement card of this round; before the reveal, what the viewer knows of the choice."""
    if has_revealed(view, figure):
        card = of_figure(view, "laid", figure)
        return paint(f"({card})", FAINT) if is_cancelled(view, figure) else paint(str(card), STRONG)
    choice = of_figure(view, "choices", figure)
    if choice is None:
        return ""
    return paint("[?]" if choice == HIDDEN else f"[{choice}]", FACE_DOWN)


def _offer(view: View, seat: int) -> str:
    offer = view["offers"][seat]
    return _card(offer) if offer else paint("pass", FAINT) if has_passed(view, seat) else ""


# ---------------------------------------------------------------- the harbour


def _harbour(view: View, options: dict[str, Any]) -> list[str]:
    if not has_black_jack(options):
        return []
    left = " ".join(_movement(cards_of_black_jack(options), view["black_jack_spent"]))
    cards = wrapped(_cards(view["harbour"]), 60) or [paint("empty", FAINT)]
    return [
        f"  {paint('Black Jack', FAINT)}  {left}  {_laid(view, BLACK_JACK)}",
        *(f"  {paint(f'{name:10}', FAINT)}  {line}" for name, line in zip_longest(["harbour"], cards, fillvalue="")),
    ]


# ---------------------------------------------------------------- a sentence


def sentence(view: View, names: Sequence[str]) -> str:
    """What is asked, in words, with the players' names."""
    if view["phase"] == "over":
        return win(view, names)
    return f"{paint(names[view['player']], STRONG)} {_asked(view, names)}."


def _asked(view: View, names: Sequence[str]) -> str:
    match view["phase"]:
        case "bid":
            bidder = view["bidder"]
            highest = "" if bidder is None else f" higher than {view['offers'][bidder]} of {names[bidder]}"
            return f"may offer a card{highest} for Black Jack"
        case "take_or_rob":
            return f"takes from the harbour or robs {names[view['buyer']]}"
        case "rob":
            through = " through Black Jack" if view["mover"] == BLACK_JACK else ""
            return f"robs {names[view['victim']]} of a card{through}"
    return _ASKED[view["phase"]]


def draw_text(view: View, options: dict[str, Any], colour: bool) -> str:
    """The table that ``view`` shows, see `Words.draw_text`."""
    names = [f"player_{seat}" for seat in range(len(view["crews"]))]
    lines = [*_ring(view), "", *_seats(view, names), "", *_harbour(view, options), "", f"  {sentence(view, names)}"]
    return drawn(lines, title(options), when(view, options), seen_by(view), options_in_force(options), colour)
