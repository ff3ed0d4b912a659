"""The table as text for a terminal, drawn from a view as the picture is, and texts shared with the picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, zip_longest
from typing import Any

from blackjacky_env.engine.text import (
    FAINT,
    STRONG,
    View,
    count_of,
    drawn,
    joined,
    paint,
    seen_by,
    viewer,
    win,
    wrapped,
)
from blackjacky_env.engine.trick_table import costly, roles, seats, tricks_of
from blackjacky_env.games.black_spy.rules import LIMITS
from blackjacky_env.games.black_spy.state import COLOUR_NAMES, PICKS, RANKS

_COLUMNS = {
    "": 1,
    "seat": 12,
    "played": 9,
    "cards": 5,
    "black": 5,
    "spies": 5,
    "deal": 4,
    "last": 4,
    "total": 5,
    "lacks": 15,
}
_LABEL, _ROOM = 11, 60
_STYLES = {
    "blue": "1;38;5;231;48;5;25",
    "yellow": "1;38;5;16;48;5;220",
    "green": "1;38;5;231;48;5;29",
    "red": "1;38;5;231;48;5;124",
    "black": "1;38;5;231;48;5;16",
}
_OPTIONS = {
    "no_good_spies": "good spies count nothing",
    "moon_choice": "a choice after a moon",
    "mole": "mole",
    "call_colour": "the dealer calls a colour",
    "rank_follow": "the last number may be followed",
    "exact_limit": "exactly the limit is halved",
}
_DETAILS: dict[
    str, tuple[str | None, dict[Any, str]]
] = {  # by option: the option without which it has no effect, and words by value
    "moon_choice_spies": ("moon_choice", {"never_scored": "good spies count nothing"}),
    "mole_replaces_pass": ("mole", {True: "instead of passing"}),
    "call_timing": ("call_colour", {"before_pass": "before passing"}),
    "rank_follow_strict": ("rank_follow", {True: "strictly"}),
    "pass_cycle": (None, {"left_across_right": "left, across, right", "left": "always left"}),
    "opener": (None, {"left_of_dealer": "left of the dealer opens"}),
}
_ASKED = {
    "take": "takes a card from the mole's pile",
    "call": "calls a colour",
    "choose": "has all black cards and chooses who gets the points",
}


def when(view: View) -> str:
    """The deal, and what is going on in it."""
    doing = {
        "take": "the mole",
        "call": "the call",
        "pass": f"passing {view['pass_to']}",
        "choose": "a moon",
        "over": f"game over at {limit(view)}",
    }
    now = doing.get(view["phase"]) or f"trick {view['trick'] + 1} of {tricks_of(view)}"
    return f"deal {view['deal'] + 1} · {now}"


def limit(view: View) -> int:
    """B9: the total that ends the game."""
    return int(LIMITS[len(view["totals"])])


def options_in_force(options: dict[str, Any]) -> str:
    """The options that differ from the rule sheet and have an effect, in words."""
    variants = [", ".join([words, *_details(options, name)]) for name, words in _OPTIONS.items() if options[name]]
    deck = [f"cards {', '.join(options['deck'])}"] if "deck" in options else []
    return " · ".join([*variants, *_details(options, None), *deck])


def _details(options: dict[str, Any], parent: str | None) -> list[str]:
    return [words[options[name]] for name, (of, words) in _DETAILS.items() if of == parent and options[name] in words]


def _options_lines(options: dict[str, Any]) -> list[str]:
    pieces = [paint(piece, FAINT) for piece in options_in_force(options).split(" · ") if piece]
    return [*wrapped(pieces, 74, paint(" · ", FAINT)), ""] if pieces else []


# ---------------------------------------------------------------- cards


def colour_of(card: str) -> str:
    """The colour of a card such as ``"red 1"``."""
    return card.split(maxsplit=1)[0]


def number_of(card: str) -> int:
    """The number of a card such as ``"red 1"``."""
    return int(card.split()[1])


def is_good_spy(card: str) -> bool:
    """B1: whether a card is a coloured 7."""
    return number_of(card) == 7 and colour_of(card) != "black"


def winner_of(trick: Sequence[Sequence[Any]]) -> int:
    """B6: the seat that wins a trick, or would as it lies, given as [seat, card] in the order of play."""
    led = colour_of(trick[0][1])
    following = [entry for entry in trick if colour_of(entry[1]) == led]
    return int(max(following, key=lambda entry: number_of(entry[1]))[0])


def by_colour(cards: Iterable[str]) -> dict[str, list[int]]:
    """The numbers of cards that are sorted by action, by colour."""
    return {colour: [number_of(card) for card in group] for colour, group in groupby(cards, colour_of)}


def _chip(text: str, colour: str) -> str:
    return paint(text, _STYLES[colour])


def _chips(cards: Iterable[str]) -> list[str]:
    """A chip for the cards of each colour, such as ``blue 3 7 11``."""
    return [_chip(f"{colour} {' '.join(map(str, numbers))}", colour) for colour, numbers in by_colour(cards).items()]


def _labelled(label: str, pieces: Sequence[str]) -> list[str]:
    lines = zip_longest([paint(label, FAINT)], wrapped(pieces, _ROOM), fillvalue="")
    return ["   " + joined(line, [_LABEL, _ROOM]) for line in lines]


# ---------------------------------------------------------------- seats


def _seats(view: View) -> list[str]:
    def marks(seat: int) -> str:
        shown = "".join(role[0].upper() for role in roles(view, seat)) + "★" * (seat == view["red_star"])
        return f" {shown}" if shown else ""

    def taken(seat: int) -> list[str]:
        counts = [str(view[key][seat]) for key in ("black_taken", "good_spies_taken")]
        return [*counts, costly(view["points"][seat])]

    def lacks(seat: int) -> list[list[str]]:
        return [wrapped(map(str, view["lacks"][seat]), _COLUMNS["lacks"])]

    return seats(view, _COLUMNS, lambda card: _chip(card, colour_of(card)), marks, taken, lacks)


# ---------------------------------------------------------------- cards known and played


def _cards_known(view: View) -> list[str]:
    called, pile, own = view["called"], view["pile"], viewer(view)
    lines = _labelled("called", [_chip(called, called)]) if called else []
    if count_of(pile):
        lines += _labelled("mole's pile", [f"{pile} cards"] if isinstance(pile, int) else _chips(pile))
    if own is not None:
        known = {"hand": "hands", "to pass": "chosen", "passed": "passed", "received": "received", "left there": "left"}
        for label, key in known.items():
            lines += _labelled(label, _chips(view[key][own])) if view[key][own] else []
    return ["", *lines] if lines else []


def _cards_played(view: View) -> list[str]:
    """By colour and number: the seats that have played the card in this deal; there are six black 7s."""
    if not any(view["played"]):
        return []
    players = {(colour, rank): "" for colour in COLOUR_NAMES for rank in range(1, RANKS + 1)}
    for seat, cards in enumerate(view["played"]):
        for card in cards:
            players[colour_of(card), number_of(card)] += str(seat)
    widths = [_LABEL, *(6 if rank == 7 else 3 for rank in range(1, RANKS + 1))]
    rows = [[paint("played by", FAINT), *(paint(str(rank), FAINT) for rank in range(1, RANKS + 1))]]
    for colour in COLOUR_NAMES:
        cells = [players[colour, rank] or paint("·", FAINT) for rank in range(1, RANKS + 1)]
        rows.append([_chip(colour, colour), *cells])
    return ["", *("   " + joined(row, widths) for row in rows)]


# ---------------------------------------------------------------- a sentence


def sentence(view: View, options: dict[str, Any], names: Sequence[str]) -> str:
    """What is asked, in words, with the players' names."""
    if view["phase"] == "over":
        return win(view, names)
    return f"{paint(names[view['player']], STRONG)} {_asked(view, options)}."


def _asked(view: View, options: dict[str, Any]) -> str:
    if view["phase"] == "pass":
        nth = ("first", "second", "third")[count_of(view["chosen"][view["player"]])]
        towards = "across" if view["pass_to"] == "across" else f"to the {view['pass_to']}"
        return f"chooses the {nth} of {PICKS} cards to pass {towards}"
    if view["phase"] != "play":
        return _ASKED[view["phase"]]
    if view["table"]:
        return f"plays to the {view['table'][0][1]}: {_to_follow(view, options)}"
    if view["trick"]:
        return "leads a trick"
    first = "leads the first trick"
    return f"{first}, with {view['called']}" if view["called"] else f"{first}, not with a black card"


def _to_follow(view: View, options: dict[str, Any]) -> str:
    """B5, V5: the led colour and number, and the number of the last card."""
    led, last = view["table"][0][1], view["table"][-1][1]
    colour, number, other = colour_of(led), number_of(led), number_of(last)
    if not options["rank_follow"] or other == number:
        return f"{colour} or {number} if possible"
    if options["rank_follow_strict"]:
        return f"{colour}, {number} or {other} if possible"
    return f"{colour} or {number} if possible, or {other}"


def draw_text(view: View, options: dict[str, Any], colour: bool) -> str:
    """The table that ``view`` shows, see `Words.draw_text`."""
    names = [f"player_{seat}" for seat in range(len(view["totals"]))]
    lines = [*_options_lines(options), *_seats(view), *_cards_known(view), *_cards_played(view)]
    lines += ["", "   " + sentence(view, options, names)]
    return drawn(lines, "Black Spy", when(view), seen_by(view), "", colour)
