"""The state of Schwarze Katze: cards, rule options, and the fields of the record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from blackjacky_env.declare import Cards, Fields, Part, Range, Stored, Variant
from blackjacky_env.declare.fields import by_seat, choice, hidden, number, role
from blackjacky_env.games.trick_taking import ASIDE, NO_CARD, PLAYED, check_small_deck

SEATS = 10  # largest table (K1)
CARDS, SUITS, RANKS = 52, 4, 13
HEARTS = 2  # a suit
QUEEN_OF_SPADES = 49
NO_TRICK = -50  # penalty of a deal without a trick (K6)
MAX_TRICKS = 17
# SETTLEMENT is only passed through between `apply` and `settle`; nobody acts in it.
PLAY, OVER, SETTLEMENT = range(3)

SUIT_LETTERS = "CDHS"
RANK_NAMES = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
CARD_NAMES = tuple(rank + suit for suit in SUIT_LETTERS for rank in RANK_NAMES)
"""Card names by card number: ``2C`` .. ``AS``."""
VARIANTS = (Variant("classic", 3, SEATS, default_players=4),)


@dataclass(frozen=True)
class Options:
    """Rule options of Schwarze Katze; the defaults are those of the rule sheet."""

    piatnik_heart_lead: bool = False
    """Only a player who holds nothing but hearts may lead a heart (K9)."""
    heart_ace: Annotated[int, Range(10, 11)] = 11
    """Penalty of the ace of hearts (K6)."""
    deals: Annotated[int | None, Range(1, 50), Stored("game_deals", part="deals")] = None
    """Number of deals in a game (K7); None: the smallest multiple of the number of players that is at least 5."""
    deck: Annotated[tuple[str, ...] | None, Cards(CARD_NAMES)] = None
    """Cards in the deck, as many for each of up to nine players; None: all that K2 leaves."""


RECORD = Fields(
    VARIANTS,
    options=Options,
    fields=(
        # the game
        choice("phase", ("play", "over"), more=1),
        role("player", "to act; none when the game is over", part="to_act"),
        number("deal_number", 0, 49, "deals scored before this one", part="deal"),
        hidden("deals", 1, 50),
        role("dealer", "of the dealer", always=True),
        by_seat("totals", -2500, 6750, "penalties of the deals scored before, by seat"),
        by_seat("winners", 0, 1, "1: has won the game"),
        # the deal
        hidden("left_out", 0, CARDS, on_table=False),
        number("trick", 0, MAX_TRICKS, "tricks taken in this deal"),
        role("leader", "that leads the trick", always=True),
        by_seat("table", NO_CARD, CARDS - 1, "by seat: 1 + the card played to this trick, 0 = none", plus=1),
        hidden("where", ASIDE, PLAYED + SEATS - 1, (CARDS,), place=PLAYED),
        by_seat("voids", 0, 1, "1: known to have no clubs, diamonds, hearts, spades", (SUITS,)),
        by_seat("tricks_taken", 0, MAX_TRICKS, "tricks taken in this deal by seat"),
        by_seat("penalties", 0, 135, "penalties of the cards taken in this deal, by seat"),
    ),
    observed=(
        "phase deal trick to_act dealer leader",
        Part("my_hand", (CARDS,), 0, 1, "1: the card is in my hand"),
        "table",
        Part(
            *("played", (CARDS,), 0, SEATS),
            "by card: 1 + the seat that played it in this deal, 0 = not seen; "
            "1 + the first empty seat: not in the deck",
        ),
        "voids tricks_taken penalties totals winners",
    ),
)
STATE = RECORD.dtype


def complete_options(num_players: int, variant: str, options: Options) -> Options:
    """The options in force, with the default number of deals filled in (K7)."""
    if options.deck is not None:
        check_small_deck(options.deck, num_players, SEATS)
    default = num_players if num_players >= 5 else 2 * num_players
    return options if options.deals is not None else replace(options, deals=default)


def most_actions(num_players: int, variant: str, options: Mapping[str, Any]) -> int:
    """The number of actions of a game: everybody plays all cards (K2) in every deal (K7)."""
    cards = len(options.get("deck", range(CARDS)))
    return int(options["deals"]) * (cards - cards % num_players)
