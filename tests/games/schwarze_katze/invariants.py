"""What is true of every position of Schwarze Katze that a game or a sample can reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from blackjacky_env.engine.fields import NOBODY
from blackjacky_env.engine.trick_taking import ASIDE, NO_CARD, NOT_IN_DECK, PLAYED
from blackjacky_env.games.schwarze_katze.state import (
    CARDS,
    HEARTS,
    OVER,
    PLAY,
    QUEEN_OF_SPADES,
    RANKS,
    SETTLEMENT,
    SUITS,
    taken_out,
)

Fact = tuple[bool, str]


def facts(s: Any, settled: bool) -> Iterator[Fact]:
    """What must be true of a record; ``settled``: of the copy made just before a settlement."""
    n, size = s.num_players, (CARDS - s.left_out) // s.num_players
    yield (s.phase == SETTLEMENT) == settled, "a deal is being scored in the second record only"
    yield (s.player == NOBODY) == (s.phase == OVER), "nobody is to act when, and only when, the game is over"
    yield s.deals == s.deal_number + 1 <= s.game_deals, "the game has as many deals as it may have (K7)"
    yield sum(s.tricks_taken) == s.trick <= size, "all tricks have been taken by somebody (K5)"
    yield (s.trick == size) == (s.phase != PLAY), "the deal ends with the last trick"
    yield s.phase != OVER or s.deals == s.game_deals, "the last deal ends the game (K7)"
    yield from _facts_of_cards(s, n, size)


def _facts_of_cards(s: Any, n: int, size: int) -> Iterator[Fact]:
    aside = {card for card in range(CARDS) if s.where[card] == ASIDE}
    yield aside == taken_out(n), "the lowest cards are taken out (K2)"
    yield s.where.count(NOT_IN_DECK) == s.left_out, "cards that are not in the deck are counted"
    laid = [(s.leader + i) % n for i in range((s.player - s.leader) % n if s.phase == PLAY else 0)]
    for p in range(n):
        card = s.table[p]
        yield (card != NO_CARD) == (p in laid), "cards are played clockwise from the leader (K3)"
        yield card == NO_CARD or s.where[card] == PLAYED + p, "cards of the trick have been played"
        played = s.where.count(PLAYED + p)
        yield played == s.trick + (p in laid), "everybody plays one card to each trick (K3)"
        yield s.where.count(p) == size - played, "everybody was dealt the same number of cards (K2)"
        for suit in range(SUITS):
            held = p in s.where[RANKS * suit : RANKS * suit + RANKS]
            yield not (s.voids[p][suit] and held), "players known to lack a suit have no card of it (K4)"
    on_table = set(s.table)
    played = [card for card in range(CARDS) if s.where[card] >= PLAYED]
    taken = sum(_penalty(s, card) for card in played if card not in on_table)
    yield sum(s.penalties) == taken, "the penalties are those of the cards taken (K6)"


def _penalty(s: Any, card: int) -> int:
    """K6."""
    suit, rank = divmod(card, RANKS)
    if suit == HEARTS:
        return int(s.heart_ace) if rank == RANKS - 1 else min(rank + 2, 10)
    return 40 if card == QUEEN_OF_SPADES else 0
