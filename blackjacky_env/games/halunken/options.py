"""The rule options of Halunken & Spelunken: by default the game on the rule sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from blackjacky_env.engine.game import State, Variant
from blackjacky_env.games.halunken.rules import CARDS, COLOURS, JACK_MOVES, MOVES, RUM, VALUES

VARIANTS = (
    Variant("standard", 3, 4, default_players=4),
    Variant("basic", 3, 4, default_players=4),
    Variant("duel", 2, 2, default_players=2),
)
VARIANT_NAMES = tuple(variant.name for variant in VARIANTS)
COLOUR_LETTERS = "RVGY"
CARD_NAMES = tuple(f"{COLOUR_LETTERS[COLOURS[card]]}{VALUES[card]}" for card in range(CARDS))
"""Card names by card number: ``R4`` .. ``R15``, ``V3`` .., ``G2`` .., ``Y1`` .. ``Y12``."""
_NUMBERS = {name: card for card, name in enumerate(CARD_NAMES)}
_RUM = "Rum"


@dataclass(frozen=True)
class Options:
    """Rule options of Halunken & Spelunken; the defaults are those of the rule sheet."""

    rob_count: Literal["after_pick", "before_pick"] = "after_pick"
    """When the mover's cards are counted for robbing (H7): after taking the tavern card or before."""
    three_games: bool = False
    """Three games are played and their scores added up (C1)."""
    duel_black_jack: Literal["captain", "standard"] = "captain"
    """In a duel Black Jack moves as a second captain or, after the captains, as in the standard game (D4)."""


def movement_card(number: int) -> int | str:
    """A movement card 1 .. 8 of a captain, or of Black Jack in a duel, as snapshots write it: 1 .. 7 or ``"Rum"``."""
    return _RUM if number == RUM else number


def jack_card(number: int, variant: str) -> int | str:
    """A movement card of Black Jack as snapshots write it: 1 .. 12, in a duel 1 .. 7 or ``"Rum"``."""
    return movement_card(number) if variant == "duel" else number


def read_card(text: object) -> int:
    """The number of a rogue card such as ``R15`` or ``y1``; `ValueError` if there is no such card."""
    name = str(text).strip().upper()
    if not isinstance(text, str) or name not in _NUMBERS:
        raise ValueError(
            f"{text!r} is not a rogue card; allowed are R4 .. R11, R15, V3 .. V11, V14, G2 .. G11, G13 and Y1 .. Y12"
        )
    return _NUMBERS[name]


def read_deck(cards: Iterable[Any], num_players: int, options: Mapping[str, Any]) -> list[int]:
    """The rogue cards of a rigged game as numbers, tops first (H1); `ValueError` unless they are all 42."""
    deck = [read_card(card) for card in cards]
    missing, surplus = Counter(range(CARDS)), Counter(deck)
    missing, surplus = missing - surplus, surplus - missing
    if missing or surplus:
        names = [[CARD_NAMES[card] for card in sorted(counts.elements())] for counts in (missing, surplus)]
        raise ValueError(
            f"the deck is not the whole deck: missing {names[0]}, too many {names[1]}; allowed are all {CARDS} cards: "
            "the tops of fields 0 .. 13, then the second cards, then the third"
        )
    return deck


def read_jack_deck(cards: Iterable[Any], num_players: int, options: Mapping[str, Any]) -> list[int]:
    """Black Jack's movement cards of a rigged game, top first; `ValueError` unless each occurs once (J1, D1)."""
    names: list[int | str] = [*range(1, MOVES), _RUM] if num_players == 2 else [*range(1, JACK_MOVES + 1)]
    deck = list(cards)
    booleans = any(isinstance(card, bool) for card in deck)  # True equals 1
    if booleans or len(deck) != len(names) or any(deck.count(card) != 1 for card in names):
        raise ValueError(f"black_jack_deck={deck} is not the whole deck; allowed are {names} in any order, top first")
    return [names.index(card) + 1 for card in deck]


def write_jack_deck(deck: Sequence[int], num_players: int) -> list[int | str]:
    """Black Jack's movement cards as `read_jack_deck` reads them."""
    variant = "duel" if num_players == 2 else "standard"
    return [jack_card(int(move), variant) for move in deck]


def write_options(s: State, num_players: int, variant: str, options: Mapping[str, Any]) -> None:
    """Write checked options into a zeroed state record."""
    s["num_players"] = num_players
    s["variant"] = VARIANT_NAMES.index(variant)
    s["rob_before_pick"] = options["rob_count"] == "before_pick"
    s["three_games"] = options["three_games"]
    s["duel_overtakes"] = options["duel_black_jack"] == "standard"


def read_options(s: State) -> tuple[int, str, dict[str, Any]]:
    """The number of players, variant and rule options written by `write_options`."""
    options = {
        "rob_count": "before_pick" if s["rob_before_pick"] else "after_pick",
        "three_games": bool(s["three_games"]),
        "duel_black_jack": "standard" if s["duel_overtakes"] else "captain",
    }
    return int(s["num_players"]), VARIANT_NAMES[int(s["variant"])], options
