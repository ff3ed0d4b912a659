"""The rule options of Schwarze Katze: by default the game on the rule sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from blackjacky_env.engine.game import State, Variant
from blackjacky_env.engine.options import Range
from blackjacky_env.games.schwarze_katze.rules import CARDS, SEATS, is_taken_out

VARIANTS = (Variant("classic", 3, SEATS, default_players=4),)
SUIT_LETTERS = "CDHS"
RANK_NAMES = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
CARD_NAMES = tuple(rank + suit for suit in SUIT_LETTERS for rank in RANK_NAMES)
"""Card names by card number: ``2C`` .. ``AS``."""
_NUMBERS = {name: card for card, name in enumerate(CARD_NAMES)}


@dataclass(frozen=True)
class Options:
    """Rule options of Schwarze Katze; the defaults are those of the rule sheet."""

    piatnik_heart_lead: bool = False
    """Only a player who holds nothing but hearts may lead a heart (K9)."""
    heart_ace: Annotated[int, Range(10, 11)] = 11
    """Penalty of the ace of hearts (K6)."""
    deals: Annotated[int | None, Range(1, 50)] = None
    """Number of deals in a game (K7); None: the smallest multiple of the number of players that is at least 5."""


def complete_options(num_players: int, variant: str, options: Options) -> Options:
    """The options in force, with the default number of deals filled in."""
    return options if options.deals is not None else replace(options, deals=default_deals(num_players))


def default_deals(num_players: int) -> int:
    """K7: the smallest multiple of the number of players that is at least 5."""
    return num_players if num_players >= 5 else 2 * num_players


def full_deck(num_players: int) -> list[int]:
    """K2: the cards that are in the game, by number."""
    return [card for card in range(CARDS) if not is_taken_out(card, num_players)]


def read_card(text: object) -> int:
    """The number of a card such as ``QS`` or ``10h``; `ValueError` if there is no such card."""
    name = str(text).strip().upper()
    if not isinstance(text, str) or name not in _NUMBERS:
        raise ValueError(
            f"{text!r} is not a card; allowed are a rank ({', '.join(RANK_NAMES)}) and a suit "
            f"({', '.join(SUIT_LETTERS)}), such as 'QS' and '10H'"
        )
    return _NUMBERS[name]


def read_deck(cards: Iterable[Any], num_players: int, options: Mapping[str, Any]) -> list[int]:
    """A deck for a rigged deal as card numbers, top first; `ValueError` unless it is the whole deck (K2)."""
    deck = [read_card(card) for card in cards]
    missing, surplus = Counter(full_deck(num_players)), Counter(deck)
    missing, surplus = missing - surplus, surplus - missing
    if missing or surplus:
        names = [[CARD_NAMES[card] for card in sorted(counts.elements())] for counts in (missing, surplus)]
        raise ValueError(
            f"the deck is not the whole deck of {num_players} players: missing {names[0]}, too many {names[1]}; "
            f"allowed are all {len(full_deck(num_players))} cards, top first"
        )
    return deck


def write_options(s: State, num_players: int, variant: str, options: Mapping[str, Any]) -> None:
    """Write checked options into a zeroed state record."""
    s["num_players"] = num_players
    s["piatnik_heart_lead"] = options["piatnik_heart_lead"]
    s["heart_ace"] = options["heart_ace"]
    s["game_deals"] = options["deals"]


def read_options(s: State) -> tuple[int, str, dict[str, Any]]:
    """The number of players, variant and rule options written by `write_options`."""
    options = {
        "piatnik_heart_lead": bool(s["piatnik_heart_lead"]),
        "heart_ace": int(s["heart_ace"]),
        "deals": int(s["game_deals"]),
    }
    return int(s["num_players"]), VARIANTS[0].name, options
