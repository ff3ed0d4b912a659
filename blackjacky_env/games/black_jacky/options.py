"""The rule options of Black Jacky: by default the game on the rule sheet, with smaller variations for research."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from blackjacky_env.engine.checks import check_integer
from blackjacky_env.engine.game import State, Variant
from blackjacky_env.engine.options import Range
from blackjacky_env.games.black_jacky.rules import SEATS, VALUES

MOST_BUST_AT = 99

VARIANTS = tuple(Variant(name, 2, SEATS, default_players=4) for name in ("classic", "schnell_duell"))


@dataclass(frozen=True)
class Options:
    """Rule options of Black Jacky; the defaults are those of the rule sheet."""

    max_card: Annotated[int, Range(2, 8)] = 8
    """Highest card in the deck (R1)."""
    bust_at: Annotated[int, Range(2, MOST_BUST_AT)] = 21
    """A sum of this or more is bust (S1)."""
    hand_size: Annotated[int, Range(1, 8)] = 2
    """Cards dealt to each player (R4)."""
    hearts: Annotated[int | None, Range(1, 9)] = None
    """Hearts of each player at the start (R2); None: 3 with up to 3 players, else 2."""
    tricks: Annotated[tuple[int, ...], Range(1, 8)] = tuple(range(1, VALUES))
    """Cards whose powers are enabled (R8)."""
    max_turns_per_round: Annotated[int | None, Range(1, 127)] = 100
    """Turns after which a round is settled at once (R15); None: no limit."""


def complete_options(num_players: int, variant: str, options: Options) -> Options:
    """The options in force, with the default number of hearts filled in; `ValueError` if hands cannot be dealt."""
    _check_dealable(num_players, options)
    sheet = 3 if num_players <= 3 else 2  # R2
    return options if options.hearts is not None else replace(options, hearts=sheet)


def _check_dealable(num_players: int, options: Options) -> None:
    cards = len(full_deck(options.max_card))
    needed = num_players * options.hand_size + 1
    if needed > cards:
        raise ValueError(
            f"hand_size={options.hand_size} cannot be dealt to num_players={num_players} with "
            f"max_card={options.max_card}: {needed} cards are needed, including one turned up, and the deck has "
            f"{cards}; allowed is hand_size up to {(cards - 1) // num_players}"
        )


def full_deck(max_card: int) -> list[int]:
    """All mouse cards, sorted: value v on v cards, 1 .. max_card (R1)."""
    return [v for v in range(1, max_card + 1) for _ in range(v)]


def read_deck(cards: Iterable[Any], num_players: int, options: Mapping[str, Any]) -> list[int]:
    """A deck for a rigged deal as integers, top first; `TypeError`, `ValueError` unless it is the whole deck."""
    max_card = options["max_card"]
    deck = [check_integer("a card of the deck", card, 1, max_card) for card in cards]
    missing, surplus = Counter(full_deck(max_card)), Counter(deck)
    missing, surplus = missing - surplus, surplus - missing
    if missing or surplus:
        raise ValueError(
            f"deck={deck} is not the whole deck: missing {sorted(missing.elements())}, too many "
            f"{sorted(surplus.elements())}; allowed are all {len(full_deck(options['max_card']))} cards (v on v cards, "
            f"v = 1 .. {max_card}), top first"
        )
    return deck


def write_options(s: State, num_players: int, variant: str, options: Mapping[str, Any]) -> None:
    """Write checked options into a zeroed state record."""
    s["num_players"] = num_players
    s["schnell_duell"] = variant == "schnell_duell"
    s["max_card"] = options["max_card"]
    s["bust_at"] = options["bust_at"]
    s["hand_size"] = options["hand_size"]
    s["first_hearts"] = options["hearts"]
    s["max_turns"] = options["max_turns_per_round"] or 0
    s["tricks"][options["tricks"]] = 1


def read_options(s: State) -> tuple[int, str, dict[str, Any]]:
    """The number of players, variant and rule options written by `write_options`."""
    options = {
        "max_card": int(s["max_card"]),
        "bust_at": int(s["bust_at"]),
        "hand_size": int(s["hand_size"]),
        "hearts": int(s["first_hearts"]),
        "tricks": [v for v in range(1, VALUES) if s["tricks"][v]],
        "max_turns_per_round": int(s["max_turns"]) or None,
    }
    return int(s["num_players"]), VARIANTS[int(s["schnell_duell"])].name, options
