"""The table as text for a terminal, drawn from a view as the picture is, and texts shared with the picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blackjacky_env.engine.text import STRONG, View, drawn, paint, seen_by, viewer, win
from blackjacky_env.engine.trick_table import costly, seats, tricks_of
from blackjacky_env.games.schwarze_katze.state import SUIT_LETTERS
from blackjacky_env.games.schwarze_katze.words import SUIT_NAMES

_COLUMNS = {"": 1, "seat": 10, "played": 7, "cards": 6, "tricks": 7, "penalty": 8, "last deal": 10, "total": 6}
_SUITS = dict(zip(SUIT_LETTERS, "♣♦♥♠", strict=True))
_SUIT_STYLES = {
    "C": "1;38;5;16;48;5;194",
    "D": "1;38;5;88;48;5;223",
    "H": "1;38;5;88;48;5;217",
    "S": "1;38;5;16;48;5;189",
}
_CAT = "1;38;5;231;48;5;90"


def when(view: View, options: dict[str, Any]) -> str:
    """The deal, and its current trick."""
    deal = f"deal {view['deal'] + 1} of {options['deals']}"
    if view["phase"] == "over":
        return f"{deal} · game over"
    return f"{deal} · trick {view['trick'] + 1} of {tricks_of(view)}"


def options_in_force(options: dict[str, Any]) -> str:
    """The options that differ from the rule sheet, in words."""
    others = ["hearts are led only by players with nothing else"] * options["piatnik_heart_lead"]
    others += ["ace of hearts 10"] * (options["heart_ace"] == 10)
    others += [f"cards {' '.join(options['deck'])}"] if "deck" in options else []
    return " · ".join(others)


# ---------------------------------------------------------------- cards


def _card(name: str) -> str:
    style = _CAT if name == "QS" else _SUIT_STYLES[name[-1]]
    return paint(f"{name[:-1]}{_SUITS[name[-1]]}", style)


def _own_hand(view: View) -> list[str]:
    own = viewer(view)
    if own is None or not view["hands"][own]:
        return []
    suits = [[card for card in view["hands"][own] if card.endswith(suit)] for suit in SUIT_LETTERS]
    return ["", *("   " + " ".join(map(_card, cards)) for cards in suits if cards)]


# ---------------------------------------------------------------- a sentence


def sentence(view: View, names: Sequence[str]) -> str:
    """The current situation in words, with the players' names."""
    if view["phase"] == "over":
        return win(view, names)
    player = paint(names[view["player"]], STRONG)
    if not view["table"]:
        return f"{player} leads a trick."
    led = SUIT_NAMES[SUIT_LETTERS.index(view["table"][0][1][-1])]
    return f"{player} plays to {led} and must follow if possible."


def draw_text(view: View, options: dict[str, Any], colour: bool) -> str:
    """The table that ``view`` shows, see `Words.draw_text`."""
    table = seats(
        view,
        _COLUMNS,
        _card,
        marks=lambda seat: " D" if seat == view["dealer"] else "",
        taken=lambda seat: [str(view["tricks_taken"][seat]), costly(view["penalties"][seat])],
    )
    names = [f"player_{seat}" for seat in range(len(view["totals"]))]
    lines = [*table, *_own_hand(view), "", "   " + sentence(view, names)]
    return drawn(lines, "Schwarze Katze", when(view, options), seen_by(view), options_in_force(options), colour)
