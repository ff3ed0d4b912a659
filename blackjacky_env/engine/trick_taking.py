"""Rules shared by trick-taking games: dealing, following suit, who wins a trick, who wins the game.

Cards are integers; the cards of a suit are consecutive, the highest last. ``where`` (int8, (cards,)) says where each
card is: the seat whose hand holds it, `PLAYED` + seat once that seat has played it in this deal, or `ASIDE` if it is
not in the game. Cards that the option ``deck`` leaves out count as played by the first empty seat, `PLAYED` + number of
players, and ``left_out`` is their number. ``table`` (int8, (seats,)) holds the card that each seat has played to the
trick, or `NO_CARD`; two seats may have played equal cards. A record ``s`` also has the fields ``deal_number``,
``dealer``, ``leader`` and ``totals``, of which the lowest wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from blackjacky_env.engine.compiling import inlined
from blackjacky_env.engine.fields import NOBODY
from blackjacky_env.engine.random import below, draw, stream

ASIDE = -1
PLAYED = 32  # + seat
NO_CARD = -1
FOR_FIRST, FOR_DECK = range(2)  # what random numbers are drawn for


@inlined
def start_game(s, key, start_player):
    """Before the first deal; start_player sits left of the dealer, NOBODY: drawn."""
    n = int(s.num_players)
    s.key = key
    s.deal_number = 0
    s.deals = 0
    s.totals[:] = 0
    s.winners[:] = 0
    first = int(start_player)
    if first == NOBODY:
        first = below(draw(stream(key, FOR_FIRST, 0, 0), 0), n)
    s.dealer = first - 1 if first > 0 else n - 1


@inlined
def next_seat(p, num_players):
    """The seat clockwise of p."""
    return p + 1 if p + 1 < num_players else 0


@inlined
def deal_in_turn(where, deck, first, num_players):
    """Deal all of ``deck``, top first, one card at a time clockwise, beginning with the seat ``first``."""
    p = first
    for i in range(len(deck)):
        where[deck[i]] = p
        p = next_seat(p, num_players)


@inlined
def seat_in_turn(where, first, end, num_players):
    """Give the cards first .. end - 1 to the seats in turn, before they are shuffled.

    Shuffling the seats of the cards is the same as shuffling the cards.
    """
    p = 0
    for i in range(first, end):
        where[i] = p
        p = next_seat(p, num_players)


@inlined
def left_out_cards(s):
    """The cards that are not in the deck, one bit for each."""
    cards, place = 0, PLAYED + int(s.num_players)
    for card in range(len(s.where)):
        cards |= int(s.where[card] == place) << card
    return cards


@inlined
def take_out(s, cards):
    """Note again which cards are not in the deck, one bit for each."""
    for card in range(len(s.where)):
        if cards >> card & 1:
            s.where[card] = PLAYED + int(s.num_players)


@inlined
def spread(where, count, others):
    """Move what is dealt, the first ``count`` entries, to the cards that are not among ``others``, one bit for each."""
    for card in range(len(where) - 1, -1, -1):
        if not others >> card & 1:
            count -= 1
            where[card] = where[count]


@inlined
def is_leading(s):
    """Whether the player to act leads a trick."""
    return s.table[s.leader] == NO_CARD


@inlined
def holds_any(where, p, low, high):
    """Whether p's hand holds one of the cards low .. high - 1."""
    count = 0
    for card in range(low, high):
        count += where[card] == p
    return count > 0


@inlined
def winner_of_trick(table, leader, num_players, low, high):
    """The seat that played the highest of the cards low .. high - 1, the led suit; of equal cards the first wins."""
    winner, best = int(leader), int(table[leader])
    p = next_seat(winner, num_players)
    while p != leader:
        if best < table[p] < high:
            winner, best = p, int(table[p])
        p = next_seat(p, num_players)
    return winner


@inlined
def mark_lowest(totals, num_players, winners):
    """Whoever has the lowest total wins; a tie is shared."""
    lowest = int(totals[0])
    for p in range(1, num_players):
        lowest = min(lowest, int(totals[p]))
    for p in range(num_players):
        winners[p] = totals[p] == lowest


@inlined
def score(s, p):
    """Minus p's total; ``reward="points"`` pays its changes."""
    return -int(s.totals[p])


# ---------------------------------------------------------------- small decks, from Python


def leave_out(s: Any, cards: Sequence[int]) -> None:
    """Note in a record with options that these cards are not in the deck."""
    s["where"][list(cards)] = PLAYED + s["num_players"]
    s["left_out"] = len(cards)


def left_out(s: Any) -> list[int]:
    """The cards that `leave_out` has noted."""
    cards: list[int] = np.flatnonzero(s["where"] == PLAYED + s["num_players"]).tolist()
    return cards


def check_small_deck(deck: Sequence[str], num_players: int, seats: int) -> None:
    """Raise `ValueError` unless the cards of a small deck can be dealt to so many of ``seats`` seats."""
    if num_players == seats:
        raise ValueError(f"deck={list(deck)} needs an empty seat, and num_players={seats} leaves none")
    if not deck or len(deck) % num_players:
        raise ValueError(
            f"deck={list(deck)} has {len(deck)} cards, which cannot be dealt to num_players={num_players} without a "
            f"rest; allowed are multiples of {num_players}"
        )
