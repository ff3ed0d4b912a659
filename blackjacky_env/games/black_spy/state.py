"""The state of Black Spy: cards, rule options, and the fields of the record."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from blackjacky_env.declare import Cards, Fields, Part, Range, Stored, Variant
from blackjacky_env.declare.fields import NOBODY, by_seat, choice, hidden, number, role
from blackjacky_env.games.trick_taking import NO_CARD, PLAYED, check_small_deck

SEATS = 6  # largest table (B1)
KINDS, CARDS, COLOURS, RANKS = 55, 60, 5, 11
BLACK = 4  # a colour
BLACK_1, BLACK_7, RED_1 = 44, 50, 33  # kinds
SPY_RANK = 6  # the rank of the 7s
BLACK_CARDS, BLACK_7S = 16, 6
PICKS = 3  # cards that each player passes (B3) or takes from the pile (V3)
NO_COLOUR = -1
PILE = 16  # in ``where``: the card lies in the mole's pile; above all seats, below `PLAYED`
MOON = 60  # points of a player who has taken all black cards, for the others (B8) or off his own (V2)
# Actions: a card, a colour to call, who gets the points of a moon.
CALL, MOON_OTHERS, MOON_MYSELF, NUM_ACTIONS = 55, 59, 60, 61

# Phases. SETTLEMENT is only passed through between `apply` and `settle`; nobody acts in it.
TAKE, CALLING, PASS, PLAY, CHOOSE, OVER, SETTLEMENT = range(7)
# Option `pass_cycle`.
LEFT_RIGHT_ACROSS, LEFT_ACROSS_RIGHT, ALWAYS_LEFT = range(3)

VARIANTS = (Variant("classic", 3, SEATS, default_players=4),)
COLOUR_NAMES = ("blue", "yellow", "green", "red", "black")
KIND_NAMES = tuple(f"{colour} {rank}" for colour in COLOUR_NAMES for rank in range(1, RANKS + 1))
"""Names by kind of card: ``blue 1`` .. ``black 11``."""
CARD_NAMES = KIND_NAMES + (KIND_NAMES[BLACK_7],) * (CARDS - KINDS)
"""Names by card number, with the other five black 7s at the end."""


@dataclass(frozen=True)
class Options:
    """Rule options of Black Spy; the defaults are those of the rule sheet, without its variants."""

    no_good_spies: bool = False
    """Coloured 7s count nothing (V1)."""
    moon_choice: bool = False
    """A player with all black cards chooses: 60 points for everybody else, or 60 off their own total (V2)."""
    moon_choice_spies: Annotated[
        Literal["moon_deal_only", "never_scored"], Stored("moon_never_scored", "moon_choice_spies")
    ] = "moon_deal_only"
    """With `moon_choice`: coloured 7s count nothing in a deal with a moon, or never (V2)."""
    mole: bool = False
    """From the second deal on, players take three cards from the mole's pile, the highest total first (V3)."""
    mole_replaces_pass: bool = False
    """With `mole`: no cards are passed in deals that have a pile (V3)."""
    call_colour: bool = False
    """The dealer calls the colour that is led to the first trick (V4)."""
    call_timing: Annotated[Literal["after_pass", "before_pass"], Stored("call_before_pass", "call_timing")] = (
        "after_pass"
    )
    """With `call_colour`: when the dealer calls (V4)."""
    rank_follow: bool = False
    """The rank of the card played last may be followed as well (V5)."""
    rank_follow_strict: bool = False
    """With `rank_follow`: a player with that rank but neither the led colour nor the led rank must follow it (V5)."""
    exact_limit: bool = False
    """A total that is exactly the limit is halved (V6)."""
    pass_cycle: Literal["left_right_across", "left_across_right", "left"] = "left_right_across"
    """The directions in which cards are passed, one deal after the other; across with four players only (B3)."""
    opener: Annotated[Literal["red_star", "left_of_dealer"], Stored("left_opens", "opener")] = "red_star"
    """Who leads the first trick: the holder of the red 1, or the player left of the dealer (B4)."""
    max_deals: Annotated[int, Range(1, 127)] = 50
    """The game ends after this many deals at the latest (B9)."""
    deck: Annotated[tuple[str, ...] | None, Cards(CARD_NAMES)] = None
    """Cards in the deck, as many for each of up to five players, at least three; None: all 60 (B1)."""


RECORD = Fields(
    VARIANTS,
    options=Options,
    fields=(
        # the game
        choice("phase", ("take", "call", "pass", "play", "choose", "over"), more=1),
        role("player", "to act; none when the game is over", part="to_act"),
        number("deal_number", 0, 126, "deals scored before this one", part="deal"),
        hidden("deals", 1, 127),
        role("dealer", "of the dealer", always=True),
        by_seat("totals", -7620, 279, "by seat: points of the deals scored before"),
        by_seat("winners", 0, 1, "1: has won the game"),
        # the deal
        number("picks", 0, PICKS - 1, "cards taken or chosen so far by the player to act, in take and pass"),
        number("called", NO_COLOUR, BLACK - 1, "1 + the colour called in this deal, 0 = none (V4)", plus=1),
        role("star", "that is known to hold the red 1, until it is played (B4)", part="red_star"),
        hidden("left_out", 0, CARDS, on_table=False),
        number("trick", 0, CARDS // 3, "tricks taken in this deal"),
        role("leader", "that leads the trick; none before the first"),
        by_seat("table", NO_CARD, KINDS - 1, "by seat: 1 + the card played to this trick, 0 = none", plus=1),
        hidden("where", 0, PLAYED + SEATS - 1, (CARDS,), place=PLAYED),  # or PILE or NOT_IN_DECK
        hidden("passed_by", NOBODY, 0, (CARDS,), kind="seat"),  # B3: who has passed the card, or chosen to
        hidden("taken_at", 0, SEATS, (CARDS,)),  # V3: 1 + the place in the order of taking it; 0 when passed
        by_seat("colour_voids", 0, 1, "1: known to have no blue, yellow, green, red, black card", (COLOURS,)),
        by_seat("rank_voids", 0, 1, "1: known to have no 1, 2, ..., 11", (RANKS,)),
        by_seat("black_taken", 0, BLACK_CARDS, "by seat: black cards in the tricks taken in this deal"),
        by_seat(
            *("spies_taken", 0, BLACK, "by seat: coloured 7s in the tricks taken in this deal"), part="good_spies_taken"
        ),
        by_seat("points", -20, 80, "by seat: points of the cards taken in this deal"),
        hidden("moon", 0, MOON_MYSELF),  # V2: the action chosen, 0 for none
    ),
    observed=(
        "phase deal trick picks",
        Part("pass_to", (), 0, SEATS - 1, "seat to which I pass in this deal, 0 = nothing is passed"),
        "called to_act dealer leader red_star",
        Part("my_hand", (KINDS,), 0, 6, "number of these cards in my hand, without those I have chosen to pass"),
        Part(
            *("passed", (KINDS,), 0, PICKS),
            "number of these that I have chosen to pass, or that pass_to must still have",
        ),
        Part("received", (KINDS,), 0, PICKS, "number of these that I was passed in this deal"),
        Part("pile", (KINDS,), 0, 6, "number of these that I see, or have left, in the mole's pile (V3)"),
        "table",
        Part(
            *("played", (KINDS,), 0, SEATS),
            "by card except the black 7: 1 + the seat that played it in this deal, 0 = none; "
            "1 + the first empty seat: not in the deck",
        ),
        Part(
            *("black_7s_played", (SEATS,), 0, 6),
            "by seat: number of black 7s played in this deal; at the first empty seat those not in the deck",
        ),
        "colour_voids rank_voids black_taken good_spies_taken points totals winners",
    ),
)
STATE = RECORD.dtype


def complete_options(num_players: int, variant: str, options: Options) -> Options:
    """The options unchanged; `ValueError` if they cannot be played with the deck."""
    if options.deck is None:
        return options
    check_small_deck(options.deck, num_players, SEATS)
    cards, colours = len(options.deck), {name.split()[0] for name in options.deck}
    if cards < PICKS * num_players:
        raise ValueError(
            f"deck has {cards} cards; at least {PICKS * num_players} are needed, three to pass for each player"
        )
    if options.call_colour and not colours.issuperset(COLOUR_NAMES[:BLACK]):
        raise ValueError(
            f"call_colour=True needs cards of all four colours; deck has only {', '.join(sorted(colours))}"
        )
    if not options.call_colour and options.opener == "red_star" and KIND_NAMES[RED_1] not in options.deck:
        raise ValueError("opener='red_star' needs the red 1, which is not in the deck; allowed is 'left_of_dealer'")
    return options


def sample_weight(s: Any, seat: int) -> float:
    """In how many ways the black 7s, each by itself, can be dealt, taken and passed so that they lie as in ``s``."""
    black_7s = [BLACK_7, *range(KINDS, CARDS)]
    cells = Counter(zip(*(s[name][black_7s].tolist() for name in ("where", "taken_at", "passed_by")), strict=True))
    return 1 / math.prod(map(math.factorial, cells.values()))


def most_actions(num_players: int, variant: str, options: Mapping[str, Any]) -> int:
    """No game has more actions.

    In every deal all cards are played (B2), after the mole (V3), passing (B3) and a call (V4), and before a choice by
    whoever shoots the moon (V2).
    """
    cards = len(options.get("deck", range(CARDS)))
    before = PICKS * num_players * (1 + options["mole"]) + options["call_colour"] + options["moon_choice"]
    return int(options["max_deals"] * (cards + before))
