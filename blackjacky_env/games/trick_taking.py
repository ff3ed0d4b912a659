"""Rules shared by trick-taking games: dealing, following suit, who wins a trick, who wins the game.

Cards are integers; the cards of a suit are consecutive, the highest last. ``where`` (int8, (cards,)) says where each
card is: the seat whose hand holds it, `PLAYED` + seat once that seat has played it in this deal, `NOT_IN_DECK` if the
option ``deck`` leaves it out, or `ASIDE` if the rules do; ``left_out`` is the number of those that the option leaves
out. ``table`` (int8, (seats,)) holds the card that each seat has played to the trick, or `NO_CARD`; two seats may have
played equal cards. A record ``s`` also has the fields ``deal_number``, ``dealer``, ``leader``, ``trick`` and
``totals``, of which the lowest wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from blackjacky_env.compiled import inlined, shuffle, start_seat
from blackjacky_env.declare import CHANCE

ASIDE = -1
PLAYED = 32  # + seat
NOT_IN_DECK = PLAYED - 1
NO_CARD = -1
FOR_DECK = 1  # what random numbers are drawn for, after `start_seat`


@inlined
def start_game(s, key, start_player):
    """Start a game with the options in ``s``; start_player sits left of the dealer, NOBODY: drawn."""
    n = int(s.num_players)
    s.key = key
    s.deal_number = 0
    s.deals = 0
    s.totals[:] = 0
    s.winners[:] = 0
    first = start_seat(key, start_player, n)
    s.dealer = first - 1 if first > 0 else n - 1
    s.player = CHANCE


@inlined
def next_deal(s):
    """The next player deals."""
    s.deal_number += 1
    s.dealer = next_seat(int(s.dealer), int(s.num_players))
    s.player = CHANCE


@inlined
def next_seat(p, num_players):
    return p + 1 if p + 1 < num_players else 0


@inlined
def deal_in_turn(s, deck):
    """Deal all of ``deck``, top first, one card at a time clockwise from the dealer's left."""
    p = int(s.dealer)
    for i in range(len(deck)):
        p = next_seat(p, int(s.num_players))
        s.where[deck[i]] = p


@inlined
def deal_shuffled(s, pile, place_of_pile, stream):
    """Deal all cards in the game, shuffled: so many to a pile, and the others to the seats in turn.

    Shuffling the places of the cards is the same as shuffling the cards.
    """
    aside, not_in_deck = cards_at(s, ASIDE), cards_at(s, NOT_IN_DECK)
    count, p = 0, 0
    for card in range(len(s.where)):
        count += 1 - ((aside | not_in_deck) >> card & 1)
    for i in range(pile):
        s.where[i] = place_of_pile
    for i in range(pile, count):
        s.where[i] = p
        p = next_seat(p, int(s.num_players))
    shuffle(s.where, count, stream)
    if aside | not_in_deck:
        for card in range(len(s.where) - 1, -1, -1):
            if aside >> card & 1:
                s.where[card] = ASIDE
            elif not_in_deck >> card & 1:
                s.where[card] = NOT_IN_DECK
            else:
                count -= 1
                s.where[card] = s.where[count]


@inlined
def cards_at(s, place):
    cards = 0
    for card in range(len(s.where)):
        cards |= int(s.where[card] == place) << card
    return cards


@inlined
def hand_size(s):
    """Number of cards with which each player begins to play, and of tricks."""
    return (len(s.where) - int(s.left_out)) // int(s.num_players)


@inlined
def is_leading(s):
    return s.table[s.leader] == NO_CARD


@inlined
def holds_any(where, p, low, high):
    """Whether p's hand holds one of the cards low .. high - 1."""
    count = 0
    for card in range(low, high):
        count += where[card] == p
    return count > 0


@inlined
def put_on_table(s, p, card, kind):
    """p plays a card; returns whether the trick is complete."""
    s.where[card] = PLAYED + p
    s.table[p] = kind
    s.player = next_seat(p, int(s.num_players))
    return s.player == s.leader


@inlined
def winner_of_trick(s, ranks):
    """The seat that played the highest card of the led suit, which has so many ranks; of equal cards the first wins."""
    winner, best = int(s.leader), int(s.table[s.leader])
    end = best - best % ranks + ranks
    p = next_seat(winner, int(s.num_players))
    while p != s.leader:
        if best < s.table[p] < end:
            winner, best = p, int(s.table[p])
        p = next_seat(p, int(s.num_players))
    return winner


@inlined
def end_trick(s, winner):
    """The winner leads the next trick; returns whether this was the last one of the deal."""
    s.table[:] = NO_CARD
    s.trick += 1
    s.leader = winner
    s.player = winner
    return s.trick >= hand_size(s)


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


def leave_out(s: Any, cards: Sequence[int]) -> None:
    """Note in a record with options that these cards are not in the deck."""
    s["where"][list(cards)] = NOT_IN_DECK
    s["left_out"] = len(cards)


def left_out(s: Any) -> list[int]:
    """The cards that `leave_out` has noted."""
    cards: list[int] = np.flatnonzero(s["where"] == NOT_IN_DECK).tolist()
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
