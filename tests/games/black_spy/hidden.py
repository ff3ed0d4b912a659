"""What a seat cannot know, varied: made from the record, since observations are under test."""

import numpy as np

from blackjacky_env.declare.fields import NOBODY
from blackjacky_env.games.black_spy import state
from blackjacky_env.games.black_spy.rules import colour_of, kind_of, pass_places, place_of_seat, rank_of
from blackjacky_env.games.black_spy.words import left_in_pile
from blackjacky_env.games.trick_taking import NO_CARD, NOT_IN_DECK, PLAYED

_SWAPS = 200
_BLACK_7S = [state.BLACK_7, *range(state.KINDS, state.CARDS)]


def vary_hidden(s, settled, seat, rng):
    """Change everything that ``seat`` (None: a spectator) cannot know, in place, to another possible assignment.

    That is the cards in other hands and in the mole's pile, who has passed or taken which of them, and what
    others have chosen to pass (O2). Hand sizes and what is known of hands (O3) stay: cards that ``seat`` has passed
    with their receiver, three cards that it left in the pile with each player who took after it, the red 1 with the
    leader, and nobody gets a card that they are known to lack. In ``settled``, the deal scored last, only the key is
    hidden.
    """
    _exchange_black_7s(s, rng)
    _swap_unseen(s, seat, rng)
    while not _can_lead(s):
        _swap_unseen(s, seat, rng)
    _take_again(s, seat, rng)
    _pass_again(s, seat, rng)


def _exchange_black_7s(s, rng):
    """Black 7s look alike: any that a player has or has played may be those that were passed or taken."""
    for q in range(s["num_players"]):
        own = [card for card in _BLACK_7S if s["where"][card] in (q, PLAYED + q)]
        for marks in (s["passed_by"], s["taken_at"]):
            marks[own] = rng.permutation(marks[own])


def _swap_unseen(s, seat, rng):
    left = np.zeros(state.CARDS, np.bool_) if seat is None else left_in_pile(s, seat)
    unseen = [card for card in range(state.CARDS) if not _is_known(s, card, seat)]
    for i, j in rng.integers(len(unseen), size=(_SWAPS, 2)).tolist() if unseen else []:
        a, b = unseen[i], unseen[j]
        if left[a] == left[b] and _may_lie(s, a, s["where"][b]) and _may_lie(s, b, s["where"][a]):
            for marks in (s["where"], s["passed_by"], s["taken_at"]):
                marks[[a, b]] = marks[[b, a]]


def _can_lead(s):
    """O3, V4: whether the player who has to lead the called colour has it."""
    if s["phase"] != state.PLAY or s["trick"] or not s["call_colour"] or s["table"][s["leader"]] != NO_CARD:
        return True
    return (s["where"][state.RANKS * s["called"] :][: state.RANKS] == s["leader"]).any()


def _is_known(s, card, seat):
    """Whether ``seat`` knows where the card lies (O3)."""
    where = s["where"][card]
    if where == state.PILE:
        return bool(s["player"] == seat)
    passed = seat is not None and s["passed_by"][card] == seat
    return bool(where >= NOT_IN_DECK or where == seat or passed or (card == state.RED_1 and s["star"] != NOBODY))


def _may_lie(s, card, place):
    kind = kind_of(card)
    return place == state.PILE or not (
        s["colour_voids"][place, colour_of(kind)] or s["rank_voids"][place, rank_of(kind)]
    )


def _take_again(s, seat, rng):
    """V3: those who took before ``seat`` may have taken any of their cards."""
    for q in range(s["num_players"]):
        if q != seat and not (seat is not None and place_of_seat(s, q) > place_of_seat(s, seat)):
            _mark_again(s["taken_at"], (s["where"] == q) | (s["where"] == PLAYED + q), 1 + place_of_seat(s, q), 0, rng)


def _pass_again(s, seat, rng):
    """B3, O2: others may have chosen any of their cards, and passed any that their receiver has or has played."""
    n = int(s["num_players"])
    for q in range(n):
        receiver = q if s["phase"] == state.PASS else (q + pass_places(s)) % n
        if seat is None or seat not in (q, receiver):
            own = (s["where"] == receiver) | (s["where"] == PLAYED + receiver)
            _mark_again(s["passed_by"], own, q, NOBODY, rng)


def _mark_again(marks, own, mark, blank, rng):
    """Give the mark to as many random ones of the own cards as have it now."""
    eligible = np.flatnonzero(own & ((marks == mark) | (marks == blank)))
    count = np.count_nonzero(marks[eligible] == mark)
    marks[eligible] = blank
    marks[rng.permutation(eligible)[:count]] = mark
