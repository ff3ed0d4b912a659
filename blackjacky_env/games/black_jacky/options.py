"""The options of Black Jacky: the sheet's game by default, a family of smaller games for research."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from blackjacky_env.engine.game import State, check_integer
from blackjacky_env.games.black_jacky.rules import VALUES

VARIANTS = ("classic", "schnell_duell")
_RANGES = {"max_card": (2, 8), "bust_at": (2, 99), "hand_size": (1, 8), "hearts": (1, 9)}
_NAMES = (*_RANGES, "tricks", "max_turns_per_round")


def check_options(num_players: int, variant: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """All rule options in force as plain values; those not given are the sheet's.

    Raises `TypeError` or `ValueError`, naming option, value and what is allowed, for unknown options, values out of
    range and games that cannot be dealt.
    """
    for name in options:
        if name not in _NAMES:
            raise TypeError(f"unknown option {name}={options[name]!r}; options of black_jacky are {', '.join(_NAMES)}")
    given = {"max_card": 8, "bust_at": 21, "hand_size": 2, "hearts": None, **options}
    if given["hearts"] is None:
        given["hearts"] = 3 if num_players <= 3 else 2  # R2
    checked: dict[str, Any] = {name: check_integer(name, given[name], *_RANGES[name]) for name in _RANGES}
    checked["tricks"] = _check_tricks(given.get("tricks", range(1, VALUES)))
    checked["max_turns_per_round"] = _check_max_turns(given.get("max_turns_per_round", 100))
    _check_dealable(num_players, checked)
    return checked


def _check_tricks(tricks: object) -> list[int]:
    if not isinstance(tricks, Iterable) or isinstance(tricks, str | bytes):
        raise TypeError(f"tricks={tricks!r} is not a collection; allowed are collections of values 1 .. 8")
    return sorted({check_integer("a value of the option tricks", value, 1, 8) for value in tricks})


def _check_max_turns(turns: object) -> int | None:
    try:
        return None if turns is None else check_integer("max_turns_per_round", turns, 1, 127)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{error} and None (no limit)") from None


def _check_dealable(num_players: int, options: Mapping[str, Any]) -> None:
    cards = len(full_deck(options))
    needed = num_players * options["hand_size"] + 1
    if needed > cards:
        raise ValueError(
            f"hand_size={options['hand_size']} cannot be dealt to num_players={num_players} with "
            f"max_card={options['max_card']}: {needed} cards are needed, one turned up included, and the deck has "
            f"{cards}; allowed is hand_size up to {(cards - 1) // num_players}"
        )


def full_deck(options: Mapping[str, Any]) -> list[int]:
    """All mouse cards, sorted: value v on v cards, 1 .. max_card (R1)."""
    return [v for v in range(1, options["max_card"] + 1) for _ in range(v)]


def read_deck(cards: Iterable[Any], num_players: int, options: Mapping[str, Any]) -> list[int]:
    """A deck for a rigged deal as integers, top first; `TypeError`, `ValueError` unless it is all cards of the game."""
    deck = [check_integer("a card of the deck", card, 1, options["max_card"]) for card in cards]
    missing, surplus = Counter(full_deck(options)), Counter(deck)
    missing, surplus = missing - surplus, surplus - missing
    if missing or surplus:
        raise ValueError(
            f"deck={deck} is not the whole deck: missing {sorted(missing.elements())}, too many "
            f"{sorted(surplus.elements())}; allowed are all {len(full_deck(options))} cards (v on v cards, "
            f"v = 1 .. {options['max_card']}), top first"
        )
    return deck


def write_options(s: State, num_players: int, variant: str, options: Mapping[str, Any]) -> None:
    """Set checked options in a zeroed state record."""
    s["num_players"] = num_players
    s["schnell_duell"] = variant == "schnell_duell"
    s["max_card"] = options["max_card"]
    s["bust_at"] = options["bust_at"]
    s["hand_size"] = options["hand_size"]
    s["first_hearts"] = options["hearts"]
    s["max_turns"] = options["max_turns_per_round"] or 0
    s["tricks"][options["tricks"]] = 1


def read_options(s: State) -> tuple[int, str, dict[str, Any]]:
    """The number of players, variant and rule options that `write_options` wrote."""
    options = {
        "max_card": int(s["max_card"]),
        "bust_at": int(s["bust_at"]),
        "hand_size": int(s["hand_size"]),
        "hearts": int(s["first_hearts"]),
        "tricks": [v for v in range(1, VALUES) if s["tricks"][v]],
        "max_turns_per_round": int(s["max_turns"]) or None,
    }
    return int(s["num_players"]), VARIANTS[int(s["schnell_duell"])], options
