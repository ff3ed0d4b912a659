"""The state of Halunken & Spelunken: cards, options, and the fields of the record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from blackjacky_env.declare import Fields, Part, Stored, Variant
from blackjacky_env.declare.fields import NOBODY, by_seat, choice, flag, hidden, number, own, role

SEATS = 4  # largest table
FIELDS, LEVELS, CARDS, NUM_COLOURS = 14, 3, 42, 4
ROUNDS, GAMES = 8, 3
MOVES = 8  # movement cards of a captain: 1 .. 7, and
RUM = 8  # also Black Jack's in a duel; otherwise he has
JACK_MOVES = 12  # cards, all of them numbers
NO_CARD = -1
JACK = SEATS  # Black Jack as a figure
HARBOUR, TAVERN = SEATS, SEATS + 1  # places of cards beside the seats

VALUES = np.array([*range(4, 12), 15, *range(3, 12), 14, *range(2, 12), 13, *range(1, 13)], np.int8)  # H1
COLOURS = np.repeat(np.arange(NUM_COLOURS, dtype=np.int8), (9, 10, 11, 12))

STANDARD, BASIC, DUEL = range(3)

# What is asked. SETTLEMENT is only passed through between `apply` and `settle`, RESOLVING within `apply`.
PLACE_CAPTAIN, PLACE_JACK, BID, CHOOSE_FOR_JACK, CHOOSE, NAME = range(6)
TAKE, TAKE_OR_ROB, ROB, GIVE, OVER, SETTLEMENT, RESOLVING = range(6, 13)

# What happens after an action, as rows of ``happened``: of what kind, and then figure, number, field and card.
REVEALS, TAKES, MOVES_TO, LANDS_ON, SPARED, MOVES_ON, PASSED, OVERTAKES = range(1, 9)
HAPPENED = {
    REVEALS: ("reveals", "figure number"),
    TAKES: ("takes", "figure field card"),
    MOVES_TO: ("moves", "figure number field card"),
    LANDS_ON: ("lands_on", "figure"),
    SPARED: ("is_spared", "figure"),
    MOVES_ON: ("moves_on", "figure field"),
    PASSED: ("is_passed", "figure"),
    OVERTAKES: ("overtakes", "figure number field"),
}
"""Names of the kinds and of what is told of each, as snapshots write them."""
NOTHING = 0  # in ``happened``: no such row, or not told of it
MOST_HAPPENED = 28  # four captains reveal, move, meet somebody who is spared and moves on; Black Jack overtakes them

DECISIONS = (
    *("place_captain", "place_black_jack", "bid", "choose_for_black_jack", "choose", "name"),
    *("take", "take_or_rob", "rob", "give", "over"),
)
_MAX_SCORE = 616  # all cards doubled

# Actions.
CARD, PASS, MOVE, NUMBER = FIELDS, FIELDS + CARDS, FIELDS + CARDS + 1, FIELDS + CARDS + 1 + MOVES
TAKE_FROM_HARBOUR = NUMBER + MOVES - 1
ROB_BUYER = TAKE_FROM_HARBOUR + 1
NUM_ACTIONS = ROB_BUYER + 1

VARIANTS = (
    Variant("standard", 3, 4, default_players=4),
    Variant("basic", 3, 4, default_players=4),
    Variant("duel", 2, 2, default_players=2),
)
COLOUR_LETTERS = "RVGY"
CARD_NAMES = tuple(f"{COLOUR_LETTERS[COLOURS[card]]}{VALUES[card]}" for card in range(CARDS))
"""Card names by card number: ``R4`` .. ``R15``, ``V3`` .., ``G2`` .., ``Y1`` .. ``Y12``."""


@dataclass(frozen=True)
class Options:
    """Rule options of Halunken & Spelunken; the defaults are those of the rule sheet."""

    rob_count: Annotated[Literal["after_pick", "before_pick"], Stored("rob_before_pick")] = "after_pick"
    """When the mover's cards are counted for robbing (H7): after taking the tavern card or before."""
    three_games: bool = False
    """Three games are played and their scores added up (C1)."""
    duel_black_jack: Annotated[Literal["captain", "standard"], Stored("duel_overtakes")] = "captain"
    """In a duel Black Jack moves as a second captain or, after the captains, as in the standard game (D4)."""


RECORD = Fields(
    VARIANTS,
    options=Options,
    variant=choice("variant", tuple(variant.name for variant in VARIANTS)),
    fields=(
        # the games
        choice("decision", DECISIONS, ", what is asked", more=1),
        role("player", "to act; none when the game is over", part="to_act"),
        hidden("deals", 1, GAMES),  # games begun
        number("game_number", 0, GAMES - 1, "games finished before this one", part="game"),
        role("start_player", "that placed first", always=True),
        by_seat("totals", 0, GAMES * _MAX_SCORE, "by seat: scores of finished games"),
        by_seat("winners", 0, 1, "1: has won"),
        # the game
        number("round_number", 0, ROUNDS - 1, "rounds finished in this game", part="round"),
        by_seat("captains", NOBODY, FIELDS - 1, "by seat: 1 + the captain's field, 0 = not placed", plus=1),
        number("jack", NOBODY, FIELDS - 1, "1 + Black Jack's field, 0 = not placed", part="black_jack", plus=1),
        by_seat("spent", 0, 1, "1: the seat's movement card 1 .. 7, Rum has been revealed", (MOVES,)),
        flag(
            *("jack_spent", "1: his card 1 .. 12 (duel: 1 .. 7, Rum) has been revealed", (JACK_MOVES,)),
            part="black_jack_spent",
        ),
        hidden("jack_deck", 0, JACK_MOVES, (JACK_MOVES,)),  # top first; in a duel as D6 draws, spent ones skipped
        # the round
        role("opener", "that opened this round; none before the first"),
        role("buyer", "that controls Black Jack in this round"),
        by_seat("offers", NO_CARD, CARDS - 1, "by seat: 1 + the card last offered in this round, 0 = none", plus=1),
        role("bidder", "of the highest offer in this round"),
        own("choices", 0, MOVES, "my card chosen in secret, Rum = 8, 0 = none", part="my_choice"),
        hidden("jack_choice", 0, MOVES),
        by_seat("laid", 0, MOVES, "by seat: the movement card last revealed, Rum = 8, 0 = none"),
        number(*("jack_laid", 0, JACK_MOVES, "that of Black Jack (duel: Rum = 8), 0 = none"), part="black_jack_laid"),
        by_seat(*("numbers", 0, RUM, "by seat: fields still to move, 8 = Rum to be named, 0 = nothing"), extra=1),
        role("mover", "or Black Jack: the figure whose move is being resolved", extra=1),
        role("victim", "that is being robbed"),
        role(*("to_rob", "1 + seats that Black Jack overtakes, in order, 0 = no more (J4, J5)", (SEATS,)), plus=1),
        # the rogue cards
        hidden(
            "deck", 0, CARDS - 1, (CARDS,), cards="each"
        ),  # tops of fields 0 .., then the second cards, then the third
        hidden("heights", 0, LEVELS, (FIELDS,)),  # cards left in each tavern
        hidden("where", 0, 0, (CARDS,), kind="seat", extra=2),  # seat, HARBOUR or TAVERN
        hidden("counts", 0, CARDS, axes=1, extra=1),  # cards of each seat and in the harbour
        hidden("colours", 0, CARDS, (NUM_COLOURS,), axes=1),  # cards by colour
        hidden("values", 0, 1000, (NUM_COLOURS,), axes=1),  # and their value
        # what has happened since the last action, for those who tell it
        hidden("happened", NO_CARD, CARDS - 1, (MOST_HAPPENED, 5), on_table=False),
        hidden("happenings", 0, MOST_HAPPENED, on_table=False),
    ),
    observed=(
        "game round decision to_act start_player opener buyer bidder offers captains black_jack mover victim to_rob",
        "spent black_jack_spent",
        Part("chosen", (SEATS,), 0, 1, "1: has chosen a card in secret"),
        Part("black_jack_chosen", (), 0, 1, "1: a card has been chosen for Black Jack in secret"),
        "my_choice",
        Part("my_black_jack_choice", (), 0, MOVES, "the card I have chosen for Black Jack, Rum = 8, 0 = none"),
        "laid black_jack_laid numbers",
        Part("black_jack_number", (), 0, MOVES, "duel: fields that Black Jack has still to move, as above"),
        Part("tops", (FIELDS,), 0, CARDS, "by field: 1 + the card turned up, 0 = none"),
        Part("hidden", (FIELDS,), 0, LEVELS, "by field: number of face-down cards"),
        Part("owners", (CARDS,), 0, SEATS + 1, "by card: 1 + the seat that has it, 5 = harbour, 0 = in a tavern"),
        Part("scores", (SEATS,), 0, _MAX_SCORE, "by seat: score of this game as it would be counted now"),
        "totals winners",
    ),
)
STATE = RECORD.dtype


def movement_card(number: int) -> int | str:
    """A movement card 1 .. 8 of a captain, or of Black Jack in a duel, as snapshots write it: 1 .. 7 or ``"Rum"``."""
    return "Rum" if number == RUM else number


def jack_cards(num_players: int) -> list[tuple[int, int | str]]:
    """Black Jack's movement cards, each of which occurs once (J1, D1): integers and names."""
    if num_players == 2:
        return [(move, movement_card(move)) for move in range(1, MOVES + 1)]
    return [(move, move) for move in range(1, JACK_MOVES + 1)]


def most_actions(num_players: int, variant: str, options: Mapping[str, Any]) -> int:
    """No game has more actions.

    After placing (H2, J1) every round (J6) has bids (J2, D2), choices (H4, D3), a number named (H5), and meetings
    (H7, H8, J3 to J5).
    """
    bids = {"basic": 0, "standard": num_players, "duel": int(VALUES.max()) + 2}[variant]  # offers rise (D2)
    figures = num_players + 1
    of_round = bids + figures + 1 + 2 * figures + num_players
    return (GAMES if options["three_games"] else 1) * (figures + ROUNDS * of_round)
