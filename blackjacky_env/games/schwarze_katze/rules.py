"""The rules of Schwarze Katze on one state record: deals, tricks, scoring, result.

Rule numbers (K1 .. K9) are those of this folder's README. Every function takes a state record ``s`` and changes it in
place; ``p`` and ``q`` are seats. Cards are numbered suit by suit, clubs, diamonds, hearts, spades, each from 2 to ace:
13 * suit + rank. Plain Python mode has NumPy scalars in the fields, so fields are widened by ``int`` before arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blackjacky_env.compiled import in_plain_python, inlined, make_clear, stream
from blackjacky_env.declare import NOBODY
from blackjacky_env.games import trick_taking as tricks
from blackjacky_env.games.schwarze_katze import state

NUM_ACTIONS = state.CARDS  # an action is the card to play

clear_deal = make_clear(state.RECORD, "trick table voids tricks_taken penalties")


@inlined
def begin(s, key, start_player):
    """Start a game with the options in ``s``; start_player, who leads the first trick, NOBODY: drawn (K3)."""
    tricks.start_game(s, key, start_player)
    for card in range(state.CARDS):
        if is_taken_out(card, int(s.num_players)):
            s.where[card] = tricks.ASIDE


@inlined
def deal(s):
    """Deal the same number of cards to each player (K2), shuffled by (key, deal)."""
    start_deal(s)
    s.deals += 1
    tricks.deal_shuffled(s, 0, tricks.ASIDE, stream(s.key, tricks.FOR_DECK, int(s.deal_number), 0))


@inlined
def redeal(s, deck):
    start_deal(s)
    tricks.deal_in_turn(s, deck)


@inlined
def start_deal(s):
    """Clear the table of the last deal; the player left of the dealer leads the first trick (K3)."""
    s.phase = state.PLAY
    s.leader = tricks.next_seat(int(s.dealer), int(s.num_players))
    s.player = s.leader
    clear_deal(s)


@inlined
def is_taken_out(card, num_players):
    """K2: whether a card is taken out: the lowest non-hearts, by rank, then clubs, diamonds, spades."""
    suit, rank = card // state.RANKS, card % state.RANKS
    place = 3 * rank + suit - (suit > state.HEARTS)
    return suit != state.HEARTS and place < state.CARDS % num_players


def deck(num_players: int, options: Mapping[str, Any]) -> list[int]:
    """K2: the cards that are in the game, if the option ``deck`` leaves out none."""
    is_out = in_plain_python(is_taken_out)
    return [card for card in range(state.CARDS) if not is_out(card, num_players)]


@inlined
def suit_of(card):
    """0 clubs, 1 diamonds, 2 hearts, 3 spades."""
    return card // state.RANKS


@inlined
def legal(s, mask):
    """Set ``mask`` (int8, shape (52,)) to 1 for the cards that the player to act may play (K3, K4, K9)."""
    p = int(s.player)
    for card in range(state.CARDS):
        mask[card] = s.where[card] == p
    if not tricks.is_leading(s):
        low = state.RANKS * suit_of(int(s.table[s.leader]))
        if tricks.holds_any(s.where, p, low, low + state.RANKS):
            for card in range(state.CARDS):
                mask[card] &= (card >= low) & (card < low + state.RANKS)
    elif s.piatnik_heart_lead:
        low = state.RANKS * state.HEARTS
        if tricks.holds_any(s.where, p, 0, low) or tricks.holds_any(s.where, p, low + state.RANKS, state.CARDS):
            for card in range(low, low + state.RANKS):
                mask[card] = 0


@inlined
def apply(s, action):
    p = int(s.player)
    note_voids(s, p, suit_of(action))
    if tricks.put_on_table(s, p, action, action):
        take_trick(s)


@inlined
def note_voids(s, p, suit):
    """What everybody learns about p's hand: no led suit if p does not follow (K4), only hearts if p leads one (K9)."""
    if tricks.is_leading(s):
        if s.piatnik_heart_lead and suit == state.HEARTS:
            for other in range(state.SUITS):
                s.voids[p, other] |= other != state.HEARTS
        return
    led = suit_of(int(s.table[s.leader]))
    s.voids[p, led] |= suit != led


@inlined
def take_trick(s):
    """K5: the highest card of the led suit wins the trick; its player leads the next one (K3)."""
    winner = tricks.winner_of_trick(s, state.RANKS)
    penalty = 0
    for p in range(s.num_players):
        penalty += penalty_of(int(s.table[p]), int(s.heart_ace))
    s.tricks_taken[winner] += 1
    s.penalties[winner] += penalty
    if tricks.end_trick(s, winner):
        s.phase = state.SETTLEMENT


@inlined
def penalty_of(card, heart_ace):
    """K6: the penalty of a card, with the option ``heart_ace``."""
    if card == state.QUEEN_OF_SPADES:
        return 40
    rank = card - state.RANKS * state.HEARTS
    if rank < 0 or rank >= state.RANKS:
        return 0
    return heart_ace if rank == state.RANKS - 1 else min(rank + 2, 10)


@inlined
def penalties_of_deal(s, p):
    """K6: what the finished deal adds to p's total."""
    return int(s.penalties[p]) if s.tricks_taken[p] else state.NO_TRICK


@inlined
def settle(s):
    """Score the deal (K6); the next player deals (K3), or the game is over (K7)."""
    for p in range(s.num_players):
        s.totals[p] += penalties_of_deal(s, p)
    if s.deals >= s.game_deals:
        tricks.mark_lowest(s.totals, int(s.num_players), s.winners)  # K8
        s.phase = state.OVER
        s.player = NOBODY
        return
    tricks.next_deal(s)
