"""What is true of every state of a game, so that states from elsewhere can be refused."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from blackjacky_env.engine.game import Fact, SeatFields
from blackjacky_env.engine.trick_taking import ASIDE, NO_CARD, PLAYED
from blackjacky_env.games.schwarze_katze.rules import (
    CARDS,
    HEARTS,
    NOBODY,
    OVER,
    PLAY,
    QUEEN_OF_SPADES,
    RANKS,
    SEATS,
    SETTLEMENT,
    SUITS,
)

_FLAG = (0, 1)
_SEAT = (NOBODY, SEATS - 1)
_TRICKS = (0, CARDS)

RANGES = {
    "num_players": (3, SEATS),
    "piatnik_heart_lead": _FLAG,
    "heart_ace": (10, 11),
    "game_deals": (1, 50),
    "phase": (PLAY, SETTLEMENT),
    "player": _SEAT,
    "deal_number": (0, 49),
    "deals": (1, 50),
    "dealer": (0, SEATS - 1),
    "totals": (-2500, 10_000),
    "winners": _FLAG,
    "trick": _TRICKS,
    "leader": (0, SEATS - 1),
    "table": (NO_CARD, CARDS - 1),
    "where": (ASIDE, PLAYED + SEATS - 1),
    "voids": _FLAG,
    "tricks_taken": _TRICKS,
    "penalties": (0, 200),
}

SEAT_FIELDS = SeatFields(
    by_seat=("totals", "winners", "table", "voids", "tricks_taken", "penalties"),
    seats=("player", "dealer", "leader"),
    places={"where": PLAYED},
)


def facts(s: Any, settled: bool) -> Iterator[Fact]:
    """What is true of a record; ``settled``: of the copy made just before a settlement."""
    n, size = s.num_players, CARDS // s.num_players
    yield (s.phase == SETTLEMENT) == settled, "a deal is being scored in the second record only"
    yield (s.player == NOBODY) == (s.phase == OVER), "nobody is to act when, and only when, the game is over"
    yield max(s.dealer, s.leader) < n, "all players have seats"
    yield s.deals == s.deal_number + 1 <= s.game_deals, "the game has as many deals as it may have (K7)"
    yield not any([*s.totals[n:], *s.tricks_taken[n:], *s.penalties[n:]]), "nobody sits at an empty seat"
    yield not any(void for voids in s.voids[n:] for void in voids), "nobody sits at an empty seat"
    yield sum(s.tricks_taken) == s.trick <= size, "all tricks have been taken by somebody (K5)"
    yield (s.trick == size) == (s.phase != PLAY), "the deal ends with the last trick"
    yield s.phase != OVER or s.deals == s.game_deals, "the last deal ends the game (K7)"
    yield from _facts_of_cards(s, n, size)


def _facts_of_cards(s: Any, n: int, size: int) -> Iterator[Fact]:
    places = {ASIDE, *range(n), *range(PLAYED, PLAYED + n)}
    yield all(place in places for place in s.where), "all cards lie somewhere"
    yield (
        all((s.where[card] == ASIDE) == (card in _taken_out(n)) for card in range(CARDS)),
        "the lowest cards are taken out (K2)",
    )
    laid = [(s.leader + i) % n for i in range((s.player - s.leader) % n if s.phase == PLAY else 0)]
    for p in range(SEATS):
        card = s.table[p]
        yield (card != NO_CARD) == (p in laid), "cards are played clockwise from the leader (K3)"
        yield card == NO_CARD or s.where[card] == PLAYED + p, "cards of the trick have been played"
    for p in range(n):
        played = s.where.count(PLAYED + p)
        yield played == s.trick + (p in laid), "everybody plays one card to each trick (K3)"
        yield s.where.count(p) == size - played, "everybody was dealt the same number of cards (K2)"
    on_table = set(s.table)
    taken = sum(_penalty(s, card) for card in range(CARDS) if s.where[card] >= PLAYED and card not in on_table)
    yield sum(s.penalties) == taken, "the penalties are those of the cards taken (K6)"
    for p in range(n):
        missing = [suit for suit in range(SUITS) if s.voids[p][suit]]
        held = any(p in s.where[RANKS * suit : RANKS * suit + RANKS] for suit in missing)
        yield not held, "who is known to lack a suit has no card of it (K4)"


@cache
def _taken_out(n: int) -> frozenset[int]:
    """K2: the lowest non-hearts, by rank, then clubs, diamonds, spades."""
    others = [card for card in range(CARDS) if card // RANKS != HEARTS]
    return frozenset(sorted(others, key=lambda card: (card % RANKS, card // RANKS))[: CARDS % n])


def _penalty(s: Any, card: int) -> int:
    """K6."""
    suit, rank = divmod(card, RANKS)
    if suit == HEARTS:
        return int(s.heart_ace) if rank == RANKS - 1 else min(rank + 2, 10)
    return 40 if card == QUEEN_OF_SPADES else 0
