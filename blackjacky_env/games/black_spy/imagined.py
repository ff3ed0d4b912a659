"""Imagined positions: `sample_state` leads from an observation back to a random full position that shows it.

All deals of the cards that the observer cannot see are equally likely, of those that fit the hand sizes, the cards that
it knows to be somewhere, and the colours and ranks that players are known to lack (O3). First come the cards that the
observer sees, then those that it knows to be somewhere, then the others are dealt, and last it is drawn who has taken
and passed which of them.
"""

from __future__ import annotations

import numpy as np

from blackjacky_env.compiled import below, draw, inlined, make_sample, scratch, seen_from
from blackjacky_env.declare import NOBODY
from blackjacky_env.games import trick_taking as tricks
from blackjacky_env.games.black_spy import rules, state
from blackjacky_env.games.black_spy.observation import holder_of
from blackjacky_env.games.unseen import NOWHERE, add, clear, deal_unseen, unseen_cards

AT = state.RECORD.at
_sample_shown = make_sample(state.RECORD)
_FOR_PILE, _FOR_HANDS, _FOR_TAKEN, _FOR_PASSED = 1, 2, 3, 16  # draws; the last two: one for each seat
_FURTHER, _MOST_DRAWS = 34, 1000  # two draws for each further deal, if the first cannot be
_UNSEEN, _LEFT = NOWHERE, NOWHERE - 1  # in ``where``: not yet dealt; _LEFT: the observer has left it in the mole's pile
_TO_PILE = 0  # place of the pile in a deal; the observer, who sits there, gets no unseen card
HANDS = unseen_cards(state.CARDS, state.SEATS)


@inlined
def sample(observation, bits, s):
    s.key = draw(bits, 0)
    rules.clear_deal(s)
    _sample_shown(observation, s)
    s.deals = int(s.deal_number) + 1
    deal_all(observation, s, bits, 0)
    first = _FURTHER
    while not can_lead(s) and first < _MOST_DRAWS:
        deal_all(observation, s, bits, first)
        first += 2
    imagine_taken(observation, s, bits)
    imagine_passed(observation, s, bits)


@inlined
def deal_all(observation, s, bits, first):
    """All cards, with draws from number ``first`` on."""
    place_seen(observation, s)
    place_known(observation, s)
    sure_of_pile = observation[AT.pile + state.BLACK_7] == 0 or black_7s_played_later(observation, s) == 0
    if has_left(s) and sure_of_pile:  # O3: it can be told which black 7s played by those who took later lay in the pile
        deal(observation, s, True, draw(bits, first + _FOR_PILE))
    deal(observation, s, False, draw(bits, first + _FOR_HANDS))


@inlined
def can_lead(s):
    """O3, V4: whether the player who has to lead the called colour has it."""
    if s.phase != state.PLAY or s.trick != 0 or not s.call_colour or not tricks.is_leading(s):
        return True
    low = state.RANKS * int(s.called)
    return tricks.holds_any(s.where, int(s.leader), low, low + state.RANKS)


@inlined
def is_before_passing(s):
    """Whether the cards chosen to be passed, if any, have not yet been moved."""
    return s.phase in (state.TAKE, state.PASS) or (s.phase == state.CALLING and s.call_before_pass)


@inlined
def remembers_pile(s):
    """Whether it is known who can have taken what from the pile in this deal (O3)."""
    return rules.has_pile(s) and s.phase != state.OVER and (is_before_passing(s) or rules.pass_places(s) == 0)


@inlined
def has_left(s):
    """Whether the observer has left cards in the pile, or will have to take the last ones."""
    return remembers_pile(s) and (
        s.phase != state.TAKE or rules.place_of_seat(s, 0) < rules.place_of_seat(s, int(s.player))
    )


@inlined
def takes_later(s, p):
    """V3: whether p takes from the pile after the observer."""
    return rules.place_of_seat(s, p) > rules.place_of_seat(s, 0)


@inlined
def picked(s, place, asked):
    """Cards that the seat at ``place`` has picked, three each in this order, if the one at ``asked`` is to act."""
    return state.PICKS if place < asked else int(s.picks) * (place == asked)


@inlined
def taken_by(s, p):
    """V3: number of cards that p has taken from the pile."""
    if s.phase != state.TAKE:
        return state.PICKS
    return picked(s, rules.place_of_seat(s, p), rules.place_of_seat(s, int(s.player)))


@inlined
def black_7s_left(observation, s):
    """Black 7s that the observer sees in the pile, or knows to be with those who took after it (O3)."""
    count = int(observation[AT.pile + state.BLACK_7])
    if s.phase in (state.PLAY, state.CHOOSE, state.OVER):
        count -= black_7s_played_later(observation, s)
    return max(0, count)


@inlined
def black_7s_played_later(observation, s):
    count = 0
    for q in range(1, s.num_players):
        count += int(observation[AT.black_7s_played + q]) * takes_later(s, q)
    return count


@inlined
def place_seen(observation, s):
    """Cards in the observer's hand, played ones, and those seen in the pile; all others are `_UNSEEN` or `_LEFT`."""
    left = _LEFT if has_left(s) else state.PILE
    before = is_before_passing(s)
    for card in range(state.KINDS):
        s.where[card] = _UNSEEN
        if observation[AT.my_hand + card] or (before and observation[AT.passed + card]):
            s.where[card] = 0
        elif observation[AT.played + card]:
            s.where[card] = place_of_played(s, int(observation[AT.played + card]) - 1)
        elif observation[AT.pile + card]:
            s.where[card] = left
    place_black_7s(observation, s, before, left)
    s.left_out = 0
    for card in range(state.CARDS):
        s.left_out += s.where[card] == tricks.NOT_IN_DECK


@inlined
def place_of_played(s, p):
    """Where cards lie that the observation shows as played by p; it shows those not in the deck at an empty seat."""
    return tricks.PLAYED + p if p < s.num_players else tricks.NOT_IN_DECK


@inlined
def place_black_7s(observation, s, before, left):
    """Black 7s look alike: those of the hand come first, then played ones; those of the pile are the last."""
    for i in range(state.BLACK_7S):
        s.where[rules.black_7(i)] = left if state.BLACK_7S - i <= black_7s_left(observation, s) else _UNSEEN
    own = int(observation[AT.my_hand + state.BLACK_7])
    if before:
        own += int(observation[AT.passed + state.BLACK_7])
    i = put_black_7s(s, 0, own, 0)
    for p in range(state.SEATS):
        i = put_black_7s(s, i, int(observation[AT.black_7s_played + p]), place_of_played(s, p))


@inlined
def put_black_7s(s, first, count, place):
    """Put so many black 7s, from number ``first`` on, to a place; returns the number of the next one."""
    end = min(first + count, state.BLACK_7S)
    for i in range(first, end):
        s.where[rules.black_7(i)] = place
    return end


@inlined
def place_known(observation, s):
    """O3: cards passed that the receiver must still have, and the red 1 of who led the first trick."""
    receiver = rules.pass_places(s)
    if receiver and not is_before_passing(s):
        for card in range(state.KINDS):
            if observation[AT.passed + card] and card != state.BLACK_7:
                s.where[card] = receiver
        left = int(observation[AT.passed + state.BLACK_7])
        for i in range(state.BLACK_7S):
            if left > 0 and s.where[rules.black_7(i)] == _UNSEEN:
                s.where[rules.black_7(i)] = receiver
                left -= 1
    if s.star > 0:
        s.where[state.RED_1] = s.star


@inlined
def deal(observation, s, left, bits):
    """Deal what the observer has left in the pile to those who took after it (V3), or then all others to the hands.

    What is left over lies in the pile. Cards for which no place is found stay as they are.
    """
    records = scratch(1, HANDS)
    hands = records[0]
    clear(hands)
    for card in range(state.CARDS):
        if s.where[card] == _LEFT or (s.where[card] == _UNSEEN and not left):
            add(hands, card, who_may_hold(s, card))
    in_pile = int(hands.count)
    for q in range(1, s.num_players):
        hands.room[q] = max(0, taken_of_left(observation, s, q) if left else cards_missing(s, q))
        in_pile -= int(hands.room[q])
    hands.room[_TO_PILE] = max(0, in_pile)
    deal_unseen(hands, bits)
    for i in range(hands.count):
        if hands.place[i] != NOWHERE:
            s.where[hands.card[i]] = state.PILE if hands.place[i] == _TO_PILE else hands.place[i]


@inlined
def who_may_hold(s, card):
    """The seats that may hold the card, and the pile, one bit for each."""
    kind, seats = rules.kind_of(card), 1 << _TO_PILE
    for q in range(1, s.num_players):
        lacks = s.colour_voids[q, rules.colour_of(kind)] or s.rank_voids[q, rules.rank_of(kind)]
        took_before = s.where[card] == _LEFT and not takes_later(s, q)
        seats |= int(not lacks and not took_before) << q
    return seats


@inlined
def taken_of_left(observation, s, q):
    """V3: how many of the cards that the observer has left q has taken, without those known to be there, or played."""
    if not takes_later(s, q):
        return 0
    count = taken_by(s, q)
    for card in range(state.KINDS):
        if observation[AT.pile + card] and card != state.BLACK_7:
            count -= holder_of(s, card) == q
    return count


@inlined
def cards_missing(s, q):
    count = tricks.hand_size(s) - int(s.trick) - int(s.table[q] != tricks.NO_CARD)
    if rules.has_pile(s):
        count += taken_by(s, q) - state.PICKS
    for card in range(state.CARDS):
        count -= s.where[card] == q
    return count


@inlined
def imagine_taken(observation, s, bits):
    """V3: who took which cards from the pile."""
    if not remembers_pile(s):
        return
    black_7s = 0
    if has_left(s):
        mark_left(observation, s)
        black_7s = int(observation[AT.pile + state.BLACK_7]) - black_7s_left(observation, s)
    for q in range(s.num_players):
        mark = 1 + rules.place_of_seat(s, q)
        if has_left(s) and takes_later(s, q):
            for i in range(state.BLACK_7S):  # black 7s left there that may have been played since
                if black_7s > 0 and s.where[rules.black_7(i)] == tricks.PLAYED + q:
                    s.taken_at[rules.black_7(i)] = mark
                    black_7s -= 1
        else:
            mark_some(s, s.taken_at, 0, q, 0, taken_by(s, q), mark, draw(bits, _FOR_TAKEN + q))


@inlined
def mark_left(observation, s):
    """The cards that the observer has left were taken by those who have them or have played them."""
    first = state.BLACK_7S - black_7s_left(observation, s)
    for card in range(state.CARDS):
        left, holder = observation[AT.pile + rules.kind_of(card)] > 0, holder_of(s, card)
        if rules.kind_of(card) == state.BLACK_7:
            left = max(0, card - state.KINDS + 1) >= first
        if left and holder < state.SEATS:  # else it still lies in the pile
            s.taken_at[card] = 1 + rules.place_of_seat(s, holder)


@inlined
def imagine_passed(observation, s, bits):
    """B3, O2: who has passed which cards, or chosen to: those that the observer knows, and others at random."""
    n, places = int(s.num_players), rules.pass_places(s)
    if places == 0 or (is_before_passing(s) and s.phase != state.PASS):
        return
    for p in range(n):
        holder, count, low = p + places - n * (p + places >= n), state.PICKS, 0
        if s.phase == state.PASS:
            first = tricks.next_seat(int(s.dealer), n)
            holder, count = p, picked(s, seen_from(first, p, n), seen_from(first, int(s.player), n))
        if p == 0 or holder == 0:
            known = mark_known(observation, s, AT.passed if p == 0 else AT.received, holder, p)
            count = 0 if holder == 0 else count - known
            low = tricks.PLAYED  # what the holder need not have has been played
        mark_some(s, s.passed_by, NOBODY, holder, low, count, p, draw(bits, _FOR_PASSED + p))


@inlined
def mark_known(observation, s, offset, holder, giver):
    """The cards that the observation names come from the giver; returns how many.

    If the holder must still have a black 7 that the observer has passed, all that the holder has played since were
    passed by the observer, too (O3).
    """
    black_7s, count = int(observation[offset + state.BLACK_7]), 0
    for i in range(state.BLACK_7S):
        black_7s += giver == 0 and black_7s > 0 and s.where[rules.black_7(i)] == tricks.PLAYED + holder
    for card in range(state.CARDS):
        if holder_of(s, card) == holder:
            named = observation[offset + rules.kind_of(card)] > 0
            if rules.kind_of(card) == state.BLACK_7:
                named = black_7s > 0
                black_7s -= 1
            if named:
                s.passed_by[card] = giver
                count += 1
    return count


@inlined
def mark_some(s, marks, blank, holder, low, count, mark, bits):
    """Set ``mark`` for ``count`` random cards of the holder, in the hand or played, whose mark is ``blank``.

    ``low``: `PLAYED` for played ones only, else 0.
    """
    eligible = 0
    for card in range(state.CARDS):
        eligible += holder_of(s, card) == holder and s.where[card] >= low and marks[card] == blank
    for card in range(state.CARDS):
        if holder_of(s, card) == holder and s.where[card] >= low and marks[card] == blank:
            if np.int64(below(draw(bits, card), eligible)) < count:
                marks[card] = mark
                count -= 1
            eligible -= 1
