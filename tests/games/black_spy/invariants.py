"""What is true of every position of Black Spy that a game or a sample can reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from blackjacky_env.engine.trick_taking import NO_CARD, NOT_IN_DECK, PLAYED
from blackjacky_env.games.black_spy.state import (
    BLACK_1,
    BLACK_7,
    CALLING,
    CARDS,
    CHOOSE,
    KINDS,
    MOON_MYSELF,
    NO_COLOUR,
    NOBODY,
    OVER,
    PASS,
    PICKS,
    PILE,
    PLAY,
    RANKS,
    RED_1,
    SEATS,
    SETTLEMENT,
    SPY_RANK,
    TAKE,
)

Fact = tuple[bool, str]


def facts(s: Any, settled: bool) -> Iterator[Fact]:
    """What must be true of a record; ``settled``: of the copy made just before a settlement."""
    n, size = s.num_players, (CARDS - s.left_out) // s.num_players
    yield (s.phase == SETTLEMENT) == settled, "a deal is being scored in the second record only"
    yield (s.player == NOBODY) == (s.phase == OVER), "nobody is to act when, and only when, the game is over"
    yield s.deals == s.deal_number + 1 <= s.max_deals, "the game has as many deals as it may have (B9)"
    yield (s.phase in {CHOOSE, SETTLEMENT, OVER}) == (s.trick == size), "the deal ends with the last trick"
    yield s.phase not in {TAKE, CALLING, PASS} or s.trick == 0, "tricks come last"
    yield (s.leader == NOBODY) == (s.phase in {TAKE, CALLING, PASS}), "somebody leads when tricks are played"
    yield from _facts_of_calling(s)
    yield from _facts_of_places(s, n)
    yield from _facts_of_hands(s, n, size)
    yield from _facts_of_taken_cards(s, n)
    if s.phase == TAKE:
        yield from _facts_of_taking(s)
    elif s.phase == PASS:
        yield from _facts_of_passing(s, n)
    else:
        yield s.picks == 0, "nobody is choosing cards"
        yield from _facts_of_passed_cards(s, n)


def _facts_of_calling(s: Any) -> Iterator[Fact]:
    """V4: when a colour is called."""
    early = s.call_before_pass
    before = s.phase in {TAKE, CALLING} or (s.phase == PASS and not early)
    yield (s.called == NO_COLOUR) == (not s.call_colour or before), "the dealer calls a colour when it is time (V4)"
    yield s.phase != CALLING or (s.call_colour == 1 and s.player == s.dealer), "the dealer calls (V4)"
    yield (
        s.moon == 0 or (s.moon >= MOON_MYSELF - 1 and s.moon_choice == 1 and s.phase in {SETTLEMENT, OVER}),
        ("whoever shoots the moon chooses after the last trick (V2)"),
    )
    yield (
        s.phase != CHOOSE or s.black_taken[s.player] == sum(s.black_taken) > 0,
        "the player with all black cards chooses (V2)",
    )
    yield s.phase != CHOOSE or s.moon_choice == 1, "the moon is a choice only with the option (V2)"


def _facts_of_places(s: Any, n: int) -> Iterator[Fact]:
    places = {PILE, NOT_IN_DECK, *range(n), *range(PLAYED, PLAYED + n)}
    yield s.where.count(NOT_IN_DECK) == s.left_out, "cards that are not in the deck are counted"
    yield all(place in places for place in s.where), "all cards lie somewhere"
    yield s.phase == TAKE or PILE not in s.where, "the pile is taken before anything else (V3)"
    laid = [(s.leader + i) % n for i in range((s.player - s.leader) % n if s.phase == PLAY else 0)]
    for p in range(SEATS):
        kind = s.table[p]
        yield (kind != NO_CARD) == (p in laid), "cards are played clockwise from the leader (B5)"
        cards = [kind] if kind != BLACK_7 else [BLACK_7, *range(KINDS, CARDS)]
        yield kind == NO_CARD or any(s.where[card] == PLAYED + p for card in cards), "cards of the trick were played"
    for p in range(n):
        yield s.where.count(PLAYED + p) == s.trick + (p in laid), "everybody plays one card to each trick (B5)"
    holder = s.where[RED_1]
    yield s.star in {NOBODY, holder}, "the red star is where everybody knows it to be (B4)"


def _facts_of_hands(s: Any, n: int, size: int) -> Iterator[Fact]:
    if s.phase != TAKE:
        for p in range(n):
            held = s.where.count(p) + s.where.count(PLAYED + p)
            yield held == size, "everybody was dealt the same number of cards (B2)"
    for p in range(n):
        kinds = [card if card < KINDS else BLACK_7 for card in range(CARDS) if s.where[card] == p]
        lacking = any(s.colour_voids[p][kind // RANKS] or s.rank_voids[p][kind % RANKS] for kind in kinds)
        yield not lacking, "players known to lack a colour or number have no card of it (B5)"


def _facts_of_taken_cards(s: Any, n: int) -> Iterator[Fact]:
    """B6: what has been taken in this deal."""
    on_table = [kind for kind in s.table if kind != NO_CARD]
    places = range(PLAYED, PLAYED + n)
    played = [card if card < KINDS else BLACK_7 for card in range(CARDS) if s.where[card] in places]
    black = sum(kind >= BLACK_1 for kind in played) - sum(kind >= BLACK_1 for kind in on_table)
    spies = sum(_is_coloured_7(kind) for kind in played) - sum(_is_coloured_7(kind) for kind in on_table)
    yield sum(s.black_taken) == black, "black cards are where they were taken (B6)"
    yield sum(s.spies_taken) == spies, "coloured 7s are where they were taken (B6)"


def _is_coloured_7(kind: int) -> bool:
    return kind < BLACK_1 and kind % RANKS == SPY_RANK


def _has_pile(s: Any) -> bool:
    return bool(s.mole and s.deal_number > 0)  # V3


def _facts_of_taking(s: Any) -> Iterator[Fact]:
    """V3: the pile."""
    n, first = s.num_players, s.dealer + 1
    order = sorted(range(n), key=lambda p: (-s.totals[p], (p - first) % n))
    place, pile = order.index(s.player), PICKS * n
    yield _has_pile(s), "there is a mole in this deal (V3)"
    yield s.where.count(PILE) == pile - PICKS * place - s.picks, "the pile has as many cards as are left (V3)"
    yield place + 1 < n, "the last player gets what is left (V3)"
    taken = [s.where.count(p) for p in range(n)]
    dealt = (CARDS - s.left_out - pile) // n - s.trick
    for p in range(n):
        own = order.index(p)
        added = PICKS if own < place else s.picks if own == place else 0
        yield taken[p] == dealt + added, "everybody takes three cards in order (V3)"
    yield all(number <= 1 + place for number in s.taken_at), "cards are taken in order (V3)"
    yield all(seat == NOBODY for seat in s.passed_by), "nothing has been passed (B3)"


def _facts_of_passed_cards(s: Any, n: int) -> Iterator[Fact]:
    """B3: everybody has passed three cards to the same place, if cards are passed."""
    passed = [(seat, s.where[card] % PLAYED) for card, seat in enumerate(s.passed_by) if seat != NOBODY]
    early = s.phase == CALLING and s.call_before_pass
    nothing = early or (_has_pile(s) and s.mole_replaces_pass)
    givers = sorted(giver for giver, _ in passed)
    expected = [] if nothing else [p for p in range(n) for _ in range(PICKS)]
    yield givers == expected, "everybody has passed three cards (B3)"
    places = {(receiver - giver) % n for giver, receiver in passed}
    yield len(places) <= 1 and 0 not in places, "cards are passed to the same place by all (B3)"


def _facts_of_passing(s: Any, n: int) -> Iterator[Fact]:
    """B3, O2: who has chosen."""
    yield not (_has_pile(s) and s.mole_replaces_pass), "cards are passed in this deal (B3)"
    first = (s.dealer + 1) % n
    done = (s.player - first) % n
    for p in range(n):
        place = (p - first) % n
        chosen = [card for card in range(CARDS) if s.passed_by[card] == p]
        yield all(s.where[card] == p for card in chosen), "players pass cards that they hold (B3)"
        wanted = PICKS if place < done else s.picks if place == done else 0
        yield len(chosen) == wanted, "everybody chooses three cards in order (O2)"
