"""What a seat cannot know, varied, and what it can see: made from the record, since `observation` is under test."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from blackjacky_env.declare.fields import NOBODY, State, Visible
from blackjacky_env.games.black_spy import state
from blackjacky_env.games.black_spy.rules import colour_of, kind_of, pass_places, place_of_seat, rank_of
from blackjacky_env.games.black_spy.words import left_in_pile
from blackjacky_env.games.trick_taking import NOT_IN_DECK, PLAYED

_SWAPS = 200
_BLACK_7S = [state.BLACK_7, *range(state.KINDS, state.CARDS)]


def vary_hidden(s: State, settled: State | None, seat: int | None, rng: np.random.Generator) -> None:
    """Change everything that ``seat`` (None: a spectator) cannot know, in place, to another possible assignment.

    That is the cards in other hands and in the mole's pile, who has passed or taken which of them, and what
    others have chosen to pass (O2). Hand sizes and what is known of hands (O3) stay: cards that ``seat`` has passed
    with their receiver, three cards that it left in the pile with each player who took after it, the red 1 with the
    leader, and nobody gets a card that they are known to lack. In ``settled``, the deal scored last, only the key is
    hidden.
    """
    _exchange_black_7s(s, rng)
    _swap_unseen(s, seat, rng)
    _take_again(s, seat, rng)
    _pass_again(s, seat, rng)


def _exchange_black_7s(s: State, rng: np.random.Generator) -> None:
    """Black 7s look alike: any that a player has or has played may be those that were passed or taken."""
    for q in range(s["num_players"]):
        own = [card for card in _BLACK_7S if s["where"][card] in (q, PLAYED + q)]
        for marks in (s["passed_by"], s["taken_at"]):
            marks[own] = rng.permutation(marks[own])


def _swap_unseen(s: State, seat: int | None, rng: np.random.Generator) -> None:
    left = np.zeros(state.CARDS, np.bool_) if seat is None else left_in_pile(s, seat)
    unseen = [card for card in range(state.CARDS) if not _is_known(s, card, seat)]
    for i, j in rng.integers(len(unseen), size=(_SWAPS, 2)).tolist() if unseen else []:
        a, b = unseen[i], unseen[j]
        if left[a] == left[b] and _may_lie(s, a, s["where"][b]) and _may_lie(s, b, s["where"][a]):
            for marks in (s["where"], s["passed_by"], s["taken_at"]):
                marks[[a, b]] = marks[[b, a]]


def _is_known(s: State, card: int, seat: int | None) -> bool:
    """Whether ``seat`` knows where the card lies (O3)."""
    where = s["where"][card]
    if where == state.PILE:
        return bool(s["player"] == seat)
    passed = seat is not None and s["passed_by"][card] == seat
    return bool(where >= NOT_IN_DECK or where == seat or passed or (card == state.RED_1 and s["star"] != NOBODY))


def _may_lie(s: State, card: int, place: int) -> bool:
    kind = kind_of(card)
    return place == state.PILE or not (
        s["colour_voids"][place, colour_of(kind)] or s["rank_voids"][place, rank_of(kind)]
    )


def _take_again(s: State, seat: int | None, rng: np.random.Generator) -> None:
    """V3: those who took before ``seat`` may have taken any of their cards."""
    for q in range(s["num_players"]):
        if q != seat and not (seat is not None and place_of_seat(s, q) > place_of_seat(s, seat)):
            _mark_again(s["taken_at"], (s["where"] == q) | (s["where"] == PLAYED + q), 1 + place_of_seat(s, q), 0, rng)


def _pass_again(s: State, seat: int | None, rng: np.random.Generator) -> None:
    """B3, O2: others may have chosen any of their cards, and passed any that their receiver has or has played."""
    n = int(s["num_players"])
    for q in range(n):
        receiver = q if s["phase"] == state.PASS else (q + pass_places(s)) % n
        if seat is None or seat not in (q, receiver):
            own = (s["where"] == receiver) | (s["where"] == PLAYED + receiver)
            _mark_again(s["passed_by"], own, q, NOBODY, rng)


def _mark_again(marks: State, own: State, mark: int, blank: int, rng: np.random.Generator) -> None:
    """Give the mark to as many random ones of the own cards as have it now."""
    eligible = np.flatnonzero(own & ((marks == mark) | (marks == blank)))
    count = np.count_nonzero(marks[eligible] == mark)
    marks[eligible] = blank
    marks[rng.permutation(eligible)[:count]] = mark


def visible(s: State, seat: int) -> Iterator[Visible]:
    """What ``seat`` can see, if it has a meaning now."""
    over = s["phase"] == state.OVER
    yield from state.RECORD.visible(s, seat, {"phase", "deal_number", "player"} if over else {"phase", "deal_number"})
    if not over:
        yield "phase", [()], range(state.OVER)
    yield "deal_number", [()], range(1, 127)  # there is no pile in the first deal
    yield from _visible_cards(s, seat, range(int(s["num_players"])))


def _visible_cards(s: State, seat: int, seats: range) -> Iterator[Visible]:
    where, passed_by = s["where"], s["passed_by"]
    elsewhere = [PLAYED + q for q in seats]
    in_pile = (where == state.PILE) & (s["phase"] == state.TAKE) & (s["player"] == seat)
    received = ((where == seat) | (where == PLAYED + seat)) & (passed_by != NOBODY)
    sent = (where < state.PILE) & (where != seat) & (passed_by == seat)
    sent[_BLACK_7S] = False  # O3: it shows only how many the receiver must still have
    left = left_in_pile(s, seat) & (where != state.PILE)
    for name, cards, values in (
        ("where", where == seat, elsewhere),
        ("where", where >= PLAYED, (seat, *elsewhere)),
        ("where", in_pile, (seat, *elsewhere)),
        ("passed_by", received, (NOBODY,)),
        ("passed_by", sent, (NOBODY,)),
        ("taken_at", left, (0,)),
    ):
        yield name, [(int(card),) for card in np.flatnonzero(cards)], values
