"""The rule options of Black Spy: by default the game on the rule sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from blackjacky_env.engine.game import State, Variant
from blackjacky_env.engine.options import Range
from blackjacky_env.games.black_spy.rules import (
    ALWAYS_LEFT,
    BLACK_7,
    CARDS,
    KINDS,
    LEFT_ACROSS_RIGHT,
    LEFT_RIGHT_ACROSS,
    RANKS,
    SEATS,
)

VARIANTS = (Variant("classic", 3, SEATS, default_players=4),)
COLOUR_NAMES = ("blue", "yellow", "green", "red", "black")
KIND_NAMES = tuple(f"{colour} {rank}" for colour in COLOUR_NAMES for rank in range(1, RANKS + 1))
"""Names by kind of card: ``blue 1`` .. ``black 11``."""
CARD_NAMES = KIND_NAMES + (KIND_NAMES[BLACK_7],) * (CARDS - KINDS)
"""Names by card number, with the other five black 7s at the end."""
PASS_CYCLES = {
    "left_right_across": LEFT_RIGHT_ACROSS,
    "left_across_right": LEFT_ACROSS_RIGHT,
    "left": ALWAYS_LEFT,
}


@dataclass(frozen=True)
class Options:
    """Rule options of Black Spy; the defaults are those of the rule sheet, without its variants."""

    no_good_spies: bool = False
    """Coloured 7s count nothing (V1)."""
    moon_choice: bool = False
    """A player with all black cards chooses: 60 points for everybody else, or 60 off their own total (V2)."""
    moon_choice_spies: Literal["moon_deal_only", "never_scored"] = "moon_deal_only"
    """With `moon_choice`: coloured 7s count nothing in a deal with a moon, or never (V2)."""
    mole: bool = False
    """From the second deal on, players take three cards from the mole's pile, the highest total first (V3)."""
    mole_replaces_pass: bool = False
    """With `mole`: no cards are passed in deals that have a pile (V3)."""
    call_colour: bool = False
    """The dealer calls the colour that is led to the first trick (V4)."""
    call_timing: Literal["after_pass", "before_pass"] = "after_pass"
    """With `call_colour`: when the dealer calls (V4)."""
    rank_follow: bool = False
    """The rank of the card played last may be followed as well (V5)."""
    rank_follow_strict: bool = False
    """With `rank_follow`: who holds that rank but neither the led colour nor the led rank must follow it (V5)."""
    exact_limit: bool = False
    """A total that is exactly the limit is halved (V6)."""
    pass_cycle: Literal["left_right_across", "left_across_right", "left"] = "left_right_across"
    """The directions in which cards are passed, one deal after the other; across with four players only (B3)."""
    opener: Literal["red_star", "left_of_dealer"] = "red_star"
    """Who leads the first trick: the holder of the red 1, or the player left of the dealer (B4)."""
    max_deals: Annotated[int, Range(1, 127)] = 50
    """The game ends after this many deals at the latest (B9)."""


def read_card(text: object) -> int:
    """The kind of a card such as ``red 1`` or ``Black 7``; `ValueError` if there is no such card."""
    name = " ".join(text.lower().split()) if isinstance(text, str) else ""
    if name not in KIND_NAMES:
        raise ValueError(
            f"{text!r} is not a card; allowed are a colour ({', '.join(COLOUR_NAMES)}) and a number 1 .. {RANKS}, such "
            "as 'red 1' and 'black 7'"
        )
    return KIND_NAMES.index(name)


def read_deck(cards: Iterable[Any], num_players: int, options: Mapping[str, Any]) -> list[int]:
    """A deck for a rigged deal as card numbers, top first; `ValueError` unless it is the whole deck (B1)."""
    deck = [read_card(card) for card in cards]
    missing, surplus = Counter(CARD_NAMES), Counter(CARD_NAMES[kind] for kind in deck)
    missing, surplus = missing - surplus, surplus - missing
    if missing or surplus:
        names = [sorted(counts.elements(), key=KIND_NAMES.index) for counts in (missing, surplus)]
        raise ValueError(
            f"the deck is not the whole deck: missing {names[0]}, too many {names[1]}; allowed are all {CARDS} cards, "
            "top first, the black 7 six times"
        )
    others = iter(range(KINDS, CARDS))
    return [next(others) if kind == BLACK_7 and BLACK_7 in deck[:i] else kind for i, kind in enumerate(deck)]


def write_options(s: State, num_players: int, variant: str, options: Mapping[str, Any]) -> None:
    """Write checked options into a zeroed state record."""
    s["num_players"] = num_players
    for name in FLAGS:
        s[name] = options[name]
    s["moon_never_scored"] = options["moon_choice_spies"] == "never_scored"
    s["call_before_pass"] = options["call_timing"] == "before_pass"
    s["pass_cycle"] = PASS_CYCLES[options["pass_cycle"]]
    s["left_opens"] = options["opener"] == "left_of_dealer"
    s["max_deals"] = options["max_deals"]


FLAGS = (
    "no_good_spies",
    "moon_choice",
    "mole",
    "mole_replaces_pass",
    "call_colour",
    "rank_follow",
    "rank_follow_strict",
    "exact_limit",
)
"""Options that are on or off; the record has fields of the same names."""


def read_options(s: State) -> tuple[int, str, dict[str, Any]]:
    """The number of players, variant and rule options written by `write_options`."""
    options: dict[str, Any] = {name: bool(s[name]) for name in FLAGS}
    options["moon_choice_spies"] = "never_scored" if s["moon_never_scored"] else "moon_deal_only"
    options["call_timing"] = "before_pass" if s["call_before_pass"] else "after_pass"
    options["pass_cycle"] = next(name for name, number in PASS_CYCLES.items() if number == s["pass_cycle"])
    options["opener"] = "left_of_dealer" if s["left_opens"] else "red_star"
    options["max_deals"] = int(s["max_deals"])
    return int(s["num_players"]), VARIANTS[0].name, options
