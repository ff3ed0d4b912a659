"""The state of Black Jacky: cards, actions, options, and the fields of the record."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from blackjacky_env.declare import Cards, Fields, Part, Range, Stored, Variant
from blackjacky_env.declare.fields import NOBODY, by_seat, choice, flag, hidden, number, own, role

SEATS = 6  # largest table (R1)
CARDS = 36  # mouse cards in the box (R1)
VALUES = 9  # arrays by value have an entry for each v = 0 .. 8; entry 0 stays empty
SPECTATOR = SEATS  # the observer who sees only what is public
NO_CARD = 0

# Phases. SETTLEMENT is only passed through between `apply` and `settle`; nobody acts in it.
TIP, TRICK, EXCHANGE, ZOCK, OVER, SETTLEMENT = range(6)
# Status of a seat (R5, R7). Empty seats are OUT.
SALOON, WANTED, OUT = range(3)

# Actions. Actions 1 .. 8 lay the card of that value; 3 and 6 without effect (T3, T6).
NO_TRICK = 0
LAY_3 = 9
LAY_6 = 24
DRAW = 30
SWAP_DRAW = 30  # + v
SWAP_DISCARD = 38  # + v
KNOCK = 47
GIVE = 47  # + v
NAME = 55  # + relative seat 1 .. 5
NUM_ACTIONS = 61

MAX_BUST_AT = 99
_LAID_OUT = (
    "laid-out cards by seat and value, turned-over 5s included; at the first empty seat those that are not in the deck"
)
VARIANTS = tuple(Variant(name, 2, SEATS, default_players=4) for name in ("classic", "schnell_duell"))


@dataclass(frozen=True)
class Options:
    """Rule options of Black Jacky; the defaults are those of the rule sheet."""

    max_card: Annotated[int, Range(2, 8)] = 8
    """Highest card in the deck (R1)."""
    bust_at: Annotated[int, Range(2, MAX_BUST_AT)] = 21
    """A sum of this or more is bust (S1)."""
    hand_size: Annotated[int, Range(1, 8)] = 2
    """Cards dealt to each player (R4)."""
    hearts: Annotated[int | None, Range(1, 9), Stored("first_hearts")] = None
    """Hearts of each player at the start (R2); None: 3 with up to 3 players, else 2."""
    tricks: Annotated[tuple[int, ...], Range(1, 8)] = tuple(range(1, VALUES))
    """Cards whose tricks are enabled (R8)."""
    max_turns_per_round: Annotated[int | None, Range(1, 127), Stored("max_turns", none=0)] = 100
    """Turns after which a round is settled at once (R15); None: no limit."""
    deck: Annotated[tuple[int, ...] | None, Cards(tuple(v for v in range(1, VALUES) for _ in range(v)))] = None
    """Cards in the deck, for up to five players; None: all up to `max_card` (R1)."""


RECORD = Fields(
    VARIANTS,
    options=Options,
    variant=flag("schnell_duell", "1: variant Schnell-Duell"),
    fields=(
        hidden("turn", 0, 10**6),  # zocks done in the round
        hidden("reshuffles", 0, 10**6, on_table=False),  # of this round
        # the game
        choice("phase", ("tip", "trick", "exchange", "zock", "over"), more=1),
        role("player", "to act; none when the game is over", part="to_act"),
        number("round_number", 0, 127, "rounds finished", part="round"),
        hidden("deals", 0, 127),
        role("start_player", "that starts the round", always=True),
        by_seat("hearts", 0, 9, "hearts by seat"),
        by_seat("black_hearts", 0, 1, "1: holds or has lost a black heart"),
        hidden("status", SALOON, OUT, axes=1),
        by_seat("tips", NOBODY, SEATS - 1, "by tipper: 1 + the relative seat named, 0 = none", kind="seat", plus=1),
        hidden("sums", 0, 10 * CARDS * VALUES, axes=1),  # in tenths, as settled; 0 outside the saloon
        hidden("losers", 0, 1, axes=1),  # of the settlement
        by_seat("winners", 0, 1, "1: has won the game"),
        # the round
        role("turn_player", "whose turn it is, also while others exchange; none in tip and over"),
        role("first_knocker", "that announced the end"),
        flag("ends_after_turn", "1: a 1 was laid, settlement follows this zock (T1)"),
        role("plus_one", 'that has the "+1"'),
        by_seat("knocked", 0, 1, "1: has knocked"),
        role("trickster", "that laid the 3 of a pending exchange"),
        role("pair", "of each in a pending exchange, in the order of giving", (2,), part="exchange_pair"),
        hidden("given", NO_CARD, VALUES - 1, (2,)),
        number("draw_count", 0, CARDS, "cards in the draw pile"),
        hidden("draw_pile", NO_CARD, VALUES - 1, (CARDS,), cards="each"),  # the top is entry draw_count - 1
        hidden("discard_top", NO_CARD, VALUES - 1),
        hidden("discard_count", 0, CARDS),
        number("discards", 0, 8, "cards in the discard pile by value, top included", (VALUES,), first=1, cards="count"),
        by_seat("hand_counts", 0, CARDS, "cards in hand by seat"),
        own("hands", 0, 8, "my hand by value", (VALUES,), part="my_hand", first=1, cards="count"),
        by_seat("displays", 0, 8, _LAID_OUT, (VALUES,), first=1, cards="count"),
        # [holder, observer, value]; observer == holder is not read
        hidden("known", 0, CARDS, (VALUES,), axes=2, extra=1, on_table=False),
        hidden("left_out", 0, 8, (VALUES,), on_table=False),  # cards that are not in the deck, by value
    ),
    observed=(
        "phase round",
        Part("turn", (), 0, 127, "zocks done in this round, at most 127"),
        "ends_after_turn to_act turn_player start_player hearts black_hearts",
        Part("wanted", (SEATS,), 0, 1, "1: has no heart, may tip"),
        Part("out", (SEATS,), 0, 1, "1: out for good"),
        "winners knocked first_knocker",
        Part("last_turns", (SEATS,), 0, 1, "1: the last turn of this seat is not finished"),
        "plus_one tips trickster exchange_pair",
        Part("exchange_given", (2,), 0, 1, "1: the first / second of the pair has given"),
        Part("my_given", (8,), 0, 1, "one-hot value of the card I gave in the pending exchange (still in my hand)"),
        Part("discard_top", (8,), 0, 1, "one-hot value on top of the discard pile"),
        "discards draw_count hand_counts",
        "my_hand displays",
        Part("known", (SEATS - 1, 8), 0, 8, "cards that I know seats 1 .. 5 to hold, by value"),
        Part("public", (SEATS, 8), 0, 8, "cards that a spectator knows seats 0 .. 5 to hold, by value"),
    ),
)
STATE = RECORD.dtype


def complete_options(num_players: int, variant: str, options: Options) -> Options:
    """The options in force, with the default number of hearts filled in; `ValueError` if hands cannot be dealt."""
    _check_dealable(num_players, options)
    sheet = 3 if num_players <= 3 else 2  # R2
    return options if options.hearts is not None else replace(options, hearts=sheet)


def _check_dealable(num_players: int, options: Options) -> None:
    deck = full_deck(options.max_card) if options.deck is None else options.deck
    if options.deck is not None and num_players == SEATS:
        raise ValueError(
            f"deck={list(deck)} needs an empty seat, and num_players={SEATS} leaves none; allowed are 2 .. 5"
        )
    cards, needed = len(deck), num_players * options.hand_size + 1
    if needed > cards:
        small = f"max_card={options.max_card}" if options.deck is None else f"deck={list(deck)}"
        most = (cards - 1) // num_players
        raise ValueError(
            f"hand_size={options.hand_size} cannot be dealt to num_players={num_players} with {small}: {needed} cards "
            f"are needed, including one turned up, and the deck has {cards}; allowed "
            f"{f'is hand_size up to {most}' if most else 'are fewer players or more cards'}"
        )


def full_deck(max_card: int) -> list[int]:
    """All mouse cards, sorted: value v on v cards, 1 .. max_card (R1)."""
    return [v for v in range(1, max_card + 1) for _ in range(v)]


def leave_out(s: Any, cards: Sequence[int]) -> None:
    """Note in a record with options that these cards are not in the deck."""
    for v in cards:
        s["left_out"][v] += 1


def left_out(s: Any) -> list[int]:
    """The cards that `leave_out` has noted."""
    return [v for v in range(VALUES) for _ in range(s["left_out"][v])]


def sample_weight(s: Any, seat: int) -> float:
    """In how many ways unseen cards, each by itself, can be dealt and given in secret so that they lie as in ``s``."""
    others = [p for p in range(s["num_players"]) if p != seat]
    unseen = [count for p in others for count in (s["hands"][p] - s["known"][p, seat]).tolist()]
    given = [s["hands"][p, v] for p, v in zip(s["pair"], s["given"], strict=True) if p in others and v != NO_CARD]
    return math.prod(map(int, given)) / math.prod(map(math.factorial, unseen))


def most_actions(num_players: int, variant: str, options: Mapping[str, Any]) -> int | None:
    """No game has more actions; None: rounds have no turn limit (R15).

    Every round costs a heart, and from four players on everybody may win one back by a tip (P3).
    """
    turns: int | None = options["max_turns_per_round"]
    tips = num_players >= 4
    if turns is None:
        return None
    rounds: int = num_players * (options["hearts"] + tips) - 1
    of_turn = 4 if 3 in options["tricks"] else 2  # a trick and a zock, and two gifts (T3)
    return rounds * (turns * of_turn + num_players * tips)
