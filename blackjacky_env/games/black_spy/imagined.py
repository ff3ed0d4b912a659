"""Imagined positions: `sample_state` leads from an observation back to a random full position that shows it.

All deals of the cards that the observer cannot see are equally likely, of those that fit the hand sizes, the cards that
it knows to be somewhere, and the colours and ranks that players are known to lack (O3).
"""

from __future__ import annotations

import numpy as np

from blackjacky_env.engine.compiling import inlined
from blackjacky_env.engine.fields import NOBODY, seen_from
from blackjacky_env.engine.random import below, draw
from blackjacky_env.engine.trick_taking import NO_CARD, PLAYED, next_seat
from blackjacky_env.games.black_spy.rules import (
    black_7,
    colour_of,
    hand_size,
    has_pile,
    kind_of,
    pass_places,
    place_of_seat,
    rank_of,
)
from blackjacky_env.games.black_spy.state import (
    BLACK_7,
    BLACK_7S,
    CALLING,
    CARDS,
    CHOOSE,
    KINDS,
    OVER,
    PASS,
    PICKS,
    PILE,
    PLAY,
    RECORD,
    RED_1,
    SEATS,
    TAKE,
)
from blackjacky_env.games.black_spy.unseen import UNSEEN, deal_unseen

AT = RECORD.at
_sample_shown = RECORD.sample
_FOR_PILE, _FOR_HANDS, _FOR_TAKEN, _FOR_PASSED = 1, 2, 3, 16  # draws; the last two: one for each seat
_LEFT = -3  # in ``where``: a card that the observer has left in the mole's pile, not yet placed


@inlined
def sample(observation, bits, s):
    """Write into ``s`` a random full legal position consistent with ``observation``.

    ``observation``: integers, (K,), as written by `encode`; ``bits`` (uint64) determine everything that is drawn.
    The observer gets seat 0, the game a new key.
    """
    s.key = draw(bits, 0)
    _sample_shown(observation, s)
    s.deals = int(s.deal_number) + 1
    s.moon = 0
    place_seen(observation, s)
    count_left_out(s)
    place_known(observation, s)
    place_left(observation, s, draw(bits, _FOR_PILE))
    place_others(s, draw(bits, _FOR_HANDS))
    imagine_taken(observation, s, bits)
    imagine_passed(observation, s, bits)
    imagine_seats(observation, s)


@inlined
def imagine_seats(observation, s):
    """What the seats have taken in this deal; last, because `deal_unseen` uses these fields as scratch space."""
    for p in range(SEATS):
        s.black_taken[p] = observation[AT.black_taken + p]
        s.spies_taken[p] = observation[AT.good_spies_taken + p]
        s.points[p] = observation[AT.points + p]


# ---------------------------------------------------------------- where cards lie


@inlined
def is_before_passing(s):
    """Whether the cards chosen to be passed, if any, have not yet been moved."""
    return s.phase in (TAKE, PASS) or (s.phase == CALLING and s.call_before_pass)


@inlined
def remembers_pile(s):
    """Whether it is known who can have taken what from the pile in this deal (O3)."""
    return has_pile(s) and s.phase != OVER and (is_before_passing(s) or pass_places(s) == 0)


@inlined
def has_left(s):
    """Whether the observer has left cards in the pile, or will have to take the last ones."""
    return remembers_pile(s) and (s.phase != TAKE or place_of_seat(s, 0) < place_of_seat(s, int(s.player)))


@inlined
def taken_by(s, p):
    """V3: number of cards that p has taken from the pile."""
    if s.phase != TAKE:
        return PICKS
    place, asked = place_of_seat(s, p), place_of_seat(s, int(s.player))
    return PICKS if place < asked else int(s.picks) * (place == asked)


@inlined
def cards_held(s, p):
    """Number of cards in p's hand."""
    count = hand_size(s) - int(s.trick) - int(s.table[p] != NO_CARD)
    return count - PICKS + taken_by(s, p) if has_pile(s) else count


@inlined
def place_seen(observation, s):
    """Cards in the observer's hand, played ones, and those seen in the pile; all others are `UNSEEN` or `_LEFT`."""
    left = _LEFT if has_left(s) else PILE
    before = is_before_passing(s)
    for card in range(KINDS):
        s.where[card] = UNSEEN
        if observation[AT.my_hand + card] or (before and observation[AT.passed + card]):
            s.where[card] = 0
        elif observation[AT.played + card]:
            s.where[card] = PLAYED + int(observation[AT.played + card]) - 1
        elif observation[AT.pile + card]:
            s.where[card] = left
    for i in range(BLACK_7S):
        s.where[black_7(i)] = place_of_black_7(observation, i, before, left, s)


@inlined
def count_left_out(s):
    """The number of cards that are not in the deck."""
    s.left_out = 0
    for card in range(CARDS):
        s.left_out += s.where[card] == PLAYED + s.num_players


@inlined
def place_of_black_7(observation, i, before, left, s):
    """Where black 7 ``i`` lies: those of the hand come first, then played ones; those of the pile are the last."""
    rest = i - int(observation[AT.my_hand + BLACK_7])
    if before:
        rest -= int(observation[AT.passed + BLACK_7])
    if rest < 0:
        return 0
    for p in range(SEATS):
        rest -= int(observation[AT.black_7s_played + p])
        if rest < 0:
            return PLAYED + p
    return left if BLACK_7S - i <= black_7s_left(observation, s) else UNSEEN


@inlined
def black_7s_left(observation, s):
    """Black 7s that the observer sees in the pile, or knows to be with those who took after it (O3)."""
    count = int(observation[AT.pile + BLACK_7])
    if s.phase in (PLAY, CHOOSE, OVER):
        count -= black_7s_played_after(observation, s)
    return max(0, count)


@inlined
def black_7s_played_after(observation, s):
    """Black 7s played by the seats that took from the pile after the observer."""
    count, place = 0, place_of_seat(s, 0)
    for q in range(1, s.num_players):
        if place_of_seat(s, q) > place:
            count += int(observation[AT.black_7s_played + q])
    return count


@inlined
def place_known(observation, s):
    """O3: cards passed that the receiver must still have, and the red 1 of who led the first trick."""
    receiver = pass_places(s)
    if receiver and not is_before_passing(s):
        for card in range(KINDS):
            if observation[AT.passed + card] and card != BLACK_7:
                s.where[card] = receiver
        left = int(observation[AT.passed + BLACK_7])
        for i in range(BLACK_7S):
            if left > 0 and s.where[black_7(i)] == UNSEEN:
                s.where[black_7(i)] = receiver
                left -= 1
    if s.star > 0:
        s.where[RED_1] = s.star


# ---------------------------------------------------------------- cards that are dealt at random


@inlined
def place_left(observation, s, bits):
    """V3, O3: deal what the observer has left in the pile to those who took after it, three cards each.

    Once one of them has played a black 7 of which the observer cannot tell whether it lay in the pile, it only knows
    that they have these cards.
    """
    if not has_left(s):
        return
    exact = not (int(observation[AT.pile + BLACK_7]) > 0 and black_7s_played_after(observation, s) > 0)
    if exact:
        count_places_left(observation, s)
        swap_codes(s, _LEFT, UNSEEN)
        allow(s)
        deal_unseen(s, bits)
        swap_codes(s, _LEFT, UNSEEN)


@inlined
def swap_codes(s, one, other):
    """Exchange two values in ``where``."""
    for card in range(CARDS):
        if s.where[card] == one:
            s.where[card] = other
        elif s.where[card] == other:
            s.where[card] = one


@inlined
def count_places_left(observation, s):
    """Write to ``black_taken`` how many of the cards left in the pile each seat must have, 0: the pile."""
    place, n = place_of_seat(s, 0), int(s.num_players)
    s.black_taken[:] = 0
    in_pile = 0
    for card in range(CARDS):
        in_pile += s.where[card] == _LEFT
    for q in range(1, n):
        if place_of_seat(s, q) > place:
            count = taken_by(s, q)
            for card in range(KINDS):
                mine = observation[AT.pile + card] and card != BLACK_7
                count -= int(mine and (s.where[card] == PLAYED + q or s.where[card] == q))
            s.black_taken[q] = max(0, count)
            in_pile -= max(0, count)
    s.black_taken[0] = max(0, in_pile)


@inlined
def allow(s):
    """Write to ``taken_at`` the seats that may hold each card, one bit for each; 0 is the pile."""
    place, n = place_of_seat(s, 0), int(s.num_players)
    for card in range(CARDS):
        kind, seats = kind_of(card), 1
        for q in range(1, n):
            lacks = s.colour_voids[q, colour_of(kind)] or s.rank_voids[q, rank_of(kind)]
            took_before = s.where[card] == _LEFT and place_of_seat(s, q) < place
            seats |= int(not lacks and not took_before) << q
        s.taken_at[card] = seats


@inlined
def place_others(s, bits):
    """Deal all other cards to the hands, and to the pile if the observer has not seen it."""
    allow(s)
    s.black_taken[:] = 0
    for card in range(CARDS):
        if s.where[card] == _LEFT:
            s.where[card] = UNSEEN
    unseen = 0
    for card in range(CARDS):
        unseen += s.where[card] == UNSEEN
    for q in range(1, s.num_players):
        count = cards_held(s, q)
        for card in range(CARDS):
            count -= s.where[card] == q
        s.black_taken[q] = max(0, count)
        unseen -= count
    s.black_taken[0] = max(0, unseen)
    deal_unseen(s, bits)


# ---------------------------------------------------------------- who has taken and passed which cards


@inlined
def mark_some(s, marks, place, also, blank, count, mark, bits):
    """Set ``mark`` for ``count`` random cards among those in ``place`` or ``also`` whose mark is ``blank``."""
    eligible = 0
    for card in range(CARDS):
        eligible += (s.where[card] == place or s.where[card] == also) and marks[card] == blank
    for card in range(CARDS):
        if (s.where[card] == place or s.where[card] == also) and marks[card] == blank:
            if np.int64(below(draw(bits, card), eligible)) < count:
                marks[card] = mark
                count -= 1
            eligible -= 1


@inlined
def imagine_taken(observation, s, bits):
    """V3: who took which cards from the pile."""
    s.taken_at[:] = 0
    if not remembers_pile(s):
        return
    place = place_of_seat(s, 0)
    black_7s = 0
    if has_left(s):
        black_7s = int(observation[AT.pile + BLACK_7])
        mark_left(observation, s, black_7s_left(observation, s))
        black_7s -= black_7s_left(observation, s)
    for q in range(s.num_players):
        own = place_of_seat(s, q)
        if has_left(s) and own > place:
            for i in range(BLACK_7S):  # black 7s left there that may have been played since
                if black_7s > 0 and s.where[black_7(i)] == PLAYED + q:
                    s.taken_at[black_7(i)] = 1 + own
                    black_7s -= 1
        else:
            mark_some(s, s.taken_at, q, PLAYED + q, 0, taken_by(s, q), 1 + own, draw(bits, _FOR_TAKEN + q))


@inlined
def mark_left(observation, s, black_7s):
    """Mark the cards that the observer has left and others have taken."""
    for card in range(CARDS):
        holder = int(s.where[card])
        holder -= PLAYED * (holder >= PLAYED)
        last = card >= CARDS - black_7s or (card == BLACK_7 and black_7s > CARDS - KINDS)
        mine = last if kind_of(card) == BLACK_7 else observation[AT.pile + kind_of(card)] > 0
        if mine and holder < SEATS:
            s.taken_at[card] = 1 + place_of_seat(s, holder)


@inlined
def imagine_passed(observation, s, bits):
    """B3: who has passed which cards, or chosen to."""
    n, places = int(s.num_players), pass_places(s)
    s.passed_by[:] = NOBODY
    if places == 0 or (is_before_passing(s) and s.phase != PASS):
        return
    for p in range(n):
        receiver = p + places - n * (p + places >= n)
        if s.phase == PASS:
            mark_chosen(observation, s, p, draw(bits, _FOR_PASSED + p))
        elif p == 0:
            mark_passed(observation, s, receiver, draw(bits, _FOR_PASSED))
        elif receiver == 0:
            mark_kinds(observation, s, AT.received, 0, PLAYED, p)
        else:
            mark_some(s, s.passed_by, receiver, PLAYED + receiver, NOBODY, PICKS, p, draw(bits, _FOR_PASSED + p))


@inlined
def mark_chosen(observation, s, p, bits):
    """O2: what p has chosen so far; the observer knows what it has chosen itself."""
    if p == 0:
        mark_kinds(observation, s, AT.passed, 0, 0, 0)
        return
    n, first = int(s.num_players), next_seat(int(s.dealer), int(s.num_players))
    place, asked = seen_from(first, p, n), seen_from(first, int(s.player), n)
    count = PICKS if place < asked else int(s.picks) * (place == asked)
    mark_some(s, s.passed_by, p, p, NOBODY, count, p, bits)


@inlined
def mark_kinds(observation, s, offset, place, also, giver):
    """Mark the cards named in the observation, which lie in ``place`` or ``also``, as passed by ``giver``."""
    left = int(observation[offset + BLACK_7])
    for card in range(CARDS):
        if s.where[card] == place or s.where[card] == also:
            if kind_of(card) != BLACK_7:
                if observation[offset + card]:
                    s.passed_by[card] = giver
            elif left > 0:
                s.passed_by[card] = giver
                left -= 1


@inlined
def mark_passed(observation, s, receiver, bits):
    """What the observer has passed: cards that the receiver must still have; the others have been played.

    If a black 7 must still be there, all that the receiver has played since were passed by the observer, too (O3).
    """
    mark_kinds(observation, s, AT.passed, receiver, receiver, 0)
    count = PICKS
    for card in range(CARDS):
        played = s.where[card] == PLAYED + receiver and kind_of(card) == BLACK_7
        if played and observation[AT.passed + BLACK_7]:
            s.passed_by[card] = 0
        count -= s.passed_by[card] == 0
    mark_some(s, s.passed_by, PLAYED + receiver, PLAYED + receiver, NOBODY, max(0, count), 0, bits)
