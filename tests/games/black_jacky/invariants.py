"""What is true of every position of Black Jacky that a game or a sample can reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from blackjacky_env.games.black_jacky.state import (
    EXCHANGE,
    NO_CARD,
    NOBODY,
    OUT,
    OVER,
    SALOON,
    SEATS,
    SETTLEMENT,
    TIP,
    TRICK,
    VALUES,
    WANTED,
    ZOCK,
)

Fact = tuple[bool, str]


def facts(s: Any, settled: bool) -> Iterator[Fact]:
    """What must be true of a record; ``settled``: of the copy made just before a settlement."""
    n = s.num_players
    yield (s.phase == SETTLEMENT) == settled, "a round is being settled in the second record only"
    yield (s.player == NOBODY) == (s.phase == OVER), "nobody is to act when, and only when, the game is over"
    yield from _facts_of_seats(s, n)
    if s.phase == TIP:
        yield from _facts_of_tipping(s)
        return
    yield s.deals == s.round_number + 1, "there is a deal in each round"
    yield from _facts_of_cards(s)
    if s.phase != OVER:
        yield from _facts_of_turn(s)


def _facts_of_seats(s: Any, n: int) -> Iterator[Fact]:
    saloon = [p for p in range(SEATS) if s.status[p] == SALOON]
    yield saloon == [p for p in range(SEATS) if s.hearts[p] > 0], "players with a heart are in the saloon (R5)"
    yield all(s.status[p] == OUT for p in range(n, SEATS)), "nobody sits at an empty seat"
    yield s.phase == OVER or len(saloon) > 1, "two players or more are in the saloon (E1)"
    yield s.phase in {SETTLEMENT, OVER} or not any(s.losers), "nobody has lost a round that goes on"
    yield all(s.tips[p] == NOBODY or s.status[p] == WANTED for p in range(n)) or s.phase == OVER, "the wanted tip (P1)"
    knockers = [p for p in range(SEATS) if s.knocked[p]]
    yield (s.first_knocker in knockers) if knockers else s.first_knocker == NOBODY, "the first knocker has knocked"


def _facts_of_tipping(s: Any) -> Iterator[Fact]:
    """P2: before the deal."""
    yield s.deals == s.round_number, "tips come before the deal"
    yield s.status[s.player] == WANTED and s.tips[s.player] == NOBODY, "a wanted player tips, and only once"
    cards = [s.draw_count, s.discard_count, *s.hand_counts, *s.discards, *s.draw_pile]
    laid = [count for counts in (*s.hands, *s.displays[: s.num_players]) for count in counts]
    yield not any(cards) and not any(laid), "no cards are on the table while players tip"
    yield not any(s.knocked) and s.turn_player == s.trickster == s.plus_one == NOBODY, "nobody's turn has begun"


def _facts_of_cards(s: Any) -> Iterator[Fact]:
    pile = s.draw_pile
    yield all(pile[: s.draw_count]) and not any(pile[s.draw_count :]), "the draw pile has as many cards as are counted"
    for v in range(VALUES):
        held = sum(s.hands[p][v] + s.displays[p][v] for p in range(SEATS))
        lying = s.discards[v] + s.left_out[v] + (pile.count(v) if v else 0)
        yield held + lying == (v if v <= s.max_card else 0), f"every card {v} lies somewhere (R1)"
    yield sum(s.discards) == s.discard_count, "the discard pile has as many cards as are counted"
    yield s.discards[s.discard_top] > 0, "the top of the discard pile lies there"
    yield [sum(hand) for hand in s.hands] == s.hand_counts, "all hands have as many cards as are counted"
    players = range(s.num_players if s.phase == OVER else 0)
    laying = [p for p in range(s.num_players) if any(s.displays[p])]
    holders = [p for p in range(SEATS) if any(s.hands[p]) or p in laying or s.knocked[p]]
    yield all(p in players or s.status[p] == SALOON for p in holders), "cards are with players in the saloon"
    known = all(
        at_most >= count
        for p in range(SEATS)
        for o in range(SEATS + 1)
        if o != p
        for count, at_most in zip(s.known[p][o], s.hands[p], strict=True)
    )
    yield known, "cards that are known to be in a hand are there"


def _facts_of_turn(s: Any) -> Iterator[Fact]:
    yield s.status[s.player] == SALOON and s.turn_player != NOBODY, "whoever is to act is in the saloon"
    yield s.status[s.turn_player] == SALOON, "it is the turn of a player in the saloon"
    if s.phase != EXCHANGE:
        yield s.player == s.turn_player, "whoever's turn it is acts"
        yield s.phase not in {TRICK, ZOCK} or not s.knocked[s.player], "a player who has knocked has no turn (R12)"
        yield [s.trickster, *s.pair] == [NOBODY] * 3 and s.given == [NO_CARD] * 2, "nobody exchanges cards"
        return
    a, b = s.pair
    yield s.trickster == s.turn_player, "whoever's turn it is lays the 3"
    yield a != b and NOBODY not in s.pair, "two players exchange cards (T3)"
    for p in s.pair:
        yield not s.knocked[p] and s.hand_counts[p] > 0, "players who exchange are active and have cards (T3)"
    yield s.player == (b if s.given[0] else a), "first one player gives, then the other"
    yield s.given[1] == NO_CARD, "the exchange is over when both have given"
    yield not s.given[0] or s.hands[a][s.given[0]] > 0, "the card to be given is in the hand"
