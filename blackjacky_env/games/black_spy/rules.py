"""The rules of Black Spy on one state record: deals, the mole, passing, tricks, scoring, result.

Rule numbers (B1 .. B9, V1 .. V6, O1 .. O4) are those of this folder's README. Every function takes a state record
``s`` and changes it in place; ``p`` and ``q`` are seats. There are 55 kinds of card, 11 * colour + rank - 1, and 60
cards: card 0 .. 54 is the first one of its kind, 55 .. 59 are the other five black 7s. Plain Python mode has NumPy
scalars in the fields, so fields are widened by ``int`` before arithmetic.
"""

from __future__ import annotations

import numpy as np

from blackjacky_env.compiled import inlined, make_clear, seen_from, set_zero, stream
from blackjacky_env.declare import NOBODY
from blackjacky_env.games import trick_taking as tricks
from blackjacky_env.games.black_spy import state

COLOUR_OF = np.repeat(np.arange(state.COLOURS, dtype=np.int8), state.RANKS)
RANK_OF = np.tile(np.arange(state.RANKS, dtype=np.int8), state.COLOURS)
"""By kind of card; loops over all kinds are much faster with these than with divisions."""
LIMITS = np.array([0, 0, 0, 200, 150, 120, 100], np.int16)
"""By number of players: the total that ends the game (B9)."""
clear_deal = make_clear(
    state.RECORD,
    "picks called star trick leader table passed_by taken_at colour_voids rank_voids black_taken spies_taken points "
    "moon",
)


# ---------------------------------------------------------------- start and deal


@inlined
def deal(s):
    """Deal all cards (B2), with a pile for the mole (V3), shuffled by (key, deal)."""
    clear_deal(s)
    s.deals += 1
    tricks.deal_shuffled(s, pile_size(s), state.PILE, stream(s.key, tricks.FOR_DECK, int(s.deal_number), 0))
    next_phase(s, False, False)


@inlined
def redeal(s, deck):
    """Repeat the last deal with ``deck``: all cards, top first; those of the pile lie on top (V3)."""
    clear_deal(s)
    pile = pile_size(s)
    for i in range(pile):
        s.where[deck[i]] = state.PILE
    tricks.deal_in_turn(s, deck[pile:])
    next_phase(s, False, False)


@inlined
def has_pile(s):
    """V3: whether there is a mole in this deal."""
    return s.mole and s.deal_number > 0


@inlined
def pile_size(s):
    """V3: number of cards laid aside for the mole."""
    return state.PICKS * int(s.num_players) if has_pile(s) else 0


@inlined
def pass_places(s):
    """B3: how many places clockwise cards are passed in this deal, 1 left, n - 1 right, 0: nothing is passed (V3)."""
    n = int(s.num_players)
    if has_pile(s) and s.mole_replaces_pass:
        return 0
    if s.pass_cycle == state.ALWAYS_LEFT:
        return 1
    turn = int(s.deal_number) % (3 if n == 4 else 2)
    if turn == 0:
        return 1
    across = n == 4 and turn == (1 if s.pass_cycle == state.LEFT_ACROSS_RIGHT else 2)
    return 2 if across else n - 1


@inlined
def next_phase(s, taken, passed):
    """O1: the mole, a call before passing, passing, a call, the tricks, of which this deal may not have all.

    ``taken``, ``passed``: whether the mole's pile has been taken and cards have been passed, if they are in this deal.
    """
    passed = passed or pass_places(s) == 0
    if has_pile(s) and not taken:
        s.phase = state.TAKE
        s.player = seat_at_place(s, 0)
    elif s.call_colour and s.called == state.NO_COLOUR and (s.call_before_pass or passed):  # V4
        s.phase = state.CALLING
        s.player = s.dealer
    elif not passed:  # O2
        s.phase = state.PASS
        s.player = tricks.next_seat(int(s.dealer), int(s.num_players))
    else:
        start_play(s)


@inlined
def start_play(s):
    """B4, V4: who leads the first trick; who is skipped is known to lack the called colour."""
    s.phase = state.PLAY
    s.leader = tricks.next_seat(int(s.dealer), int(s.num_players))
    if s.call_colour:
        low, p = state.RANKS * int(s.called), int(s.leader)
        for _ in range(s.num_players):
            if tricks.holds_any(s.where, p, low, low + state.RANKS):
                break
            s.colour_voids[p, s.called] = 1
            p = tricks.next_seat(p, int(s.num_players))
        s.leader = p
    elif not s.left_opens and s.where[state.RED_1] < s.num_players:  # in every game somebody holds the red 1
        s.leader = s.where[state.RED_1]
        s.star = s.leader
    s.player = s.leader


# ---------------------------------------------------------------- cards


@inlined
def kind_of(card):
    return card if card < state.KINDS else state.BLACK_7


@inlined
def black_7(i):
    """The card number of black 7 ``i``, 0 .. 5."""
    return state.BLACK_7 if i == 0 else state.KINDS + i - 1


@inlined
def colour_of(kind):
    """0 blue, 1 yellow, 2 green, 3 red, 4 black."""
    return kind // state.RANKS


@inlined
def rank_of(kind):
    """0 .. 10, which is one less than the number on the card."""
    return kind % state.RANKS


@inlined
def find_card(s, kind, place):
    """The first card of the kind that lies at ``place`` and has not been chosen to be passed by whom it belongs to."""
    if kind != state.BLACK_7 or is_free(s, state.BLACK_7, place):
        return kind
    card = state.KINDS
    while card + 1 < state.CARDS and not is_free(s, card, place):
        card += 1
    return card


@inlined
def is_free(s, card, place):
    """Whether the card lies at ``place``; a card that its holder has chosen to pass (O2) does not count."""
    return s.where[card] == place and s.passed_by[card] != place


@inlined
def points_of(kind, no_good_spies, moon_choice, moon_never_scored):
    """B7, V1, V2: points of a card in a deal without a moon, with these options."""
    if kind < state.BLACK_1:
        scored = not no_good_spies and not (moon_choice and moon_never_scored)
        return -5 if kind % state.RANKS == state.SPY_RANK and scored else 0
    return 10 if kind == state.BLACK_7 else max(1, kind - state.BLACK_7 + 1)


# ---------------------------------------------------------------- legal actions


@inlined
def legal(s, mask):
    set_zero(mask, state.NUM_ACTIONS)
    if s.phase == state.CALLING:
        for action in range(state.CALL, state.MOON_OTHERS):
            mask[action] = 1
    elif s.phase == state.CHOOSE:
        mask[state.MOON_OTHERS] = 1
        mask[state.MOON_MYSELF] = 1
    elif s.phase == state.TAKE:
        mark_cards(s, state.PILE, mask)
    elif s.phase < state.OVER:
        mark_cards(s, int(s.player), mask)
        if s.phase == state.PLAY:
            restrict(s, int(s.player), mask)


@inlined
def mark_cards(s, place, mask):
    """The kinds of card that lie at ``place``; what the player has chosen to pass is no longer among them (O2)."""
    for card in range(state.KINDS):
        mask[card] = (s.where[card] == place) & (s.passed_by[card] != place)
    for card in range(state.KINDS, state.CARDS):
        mask[state.BLACK_7] |= (s.where[card] == place) & (s.passed_by[card] != place)


@inlined
def restrict(s, p, mask):
    """B4, B5, V4, V5: leave only what may be played."""
    if not tricks.is_leading(s):
        restrict_following(s, p, mask)
    elif s.trick == 0:
        if s.call_colour:
            for card in range(state.KINDS):
                mask[card] &= COLOUR_OF[card] == s.called
        elif tricks.holds_any(s.where, p, 0, state.BLACK_1):  # O4: with nothing but black any card may be led
            for card in range(state.BLACK_1, state.KINDS):
                mask[card] = 0


@inlined
def restrict_following(s, p, mask):
    """B5: the led colour or the led rank; V5: the rank of the last card, too; a player who cannot plays any card."""
    led = int(s.table[s.leader])
    colour, rank = np.int8(colour_of(led)), np.int8(rank_of(led))
    last = np.int8(last_rank(s, p)) if s.rank_follow else rank
    strict = last if s.rank_follow_strict else rank
    can = 0
    for card in range(state.KINDS):
        can += mask[card] & ((COLOUR_OF[card] == colour) | (RANK_OF[card] == rank) | (RANK_OF[card] == strict))
    if can:
        for card in range(state.KINDS):
            mask[card] &= (COLOUR_OF[card] == colour) | (RANK_OF[card] == rank) | (RANK_OF[card] == last)


@inlined
def last_rank(s, p):
    before = p - 1 if p > 0 else int(s.num_players) - 1
    return rank_of(int(s.table[before]))


# ---------------------------------------------------------------- moves


@inlined
def apply(s, action):
    if s.phase == state.PLAY:
        play(s, int(s.player), action)
    elif s.phase == state.PASS:
        choose_to_pass(s, int(s.player), action)
    elif s.phase == state.TAKE:
        take(s, int(s.player), action)
    elif s.phase == state.CALLING:
        s.called = action - state.CALL
        next_phase(s, True, not s.call_before_pass)
    else:
        s.moon = action
        s.phase = state.SETTLEMENT


@inlined
def place_of_seat(s, p):
    """V3: p's place, from 0, in descending order of totals; ties clockwise from the dealer's left."""
    n = int(s.num_players)
    first = tricks.next_seat(int(s.dealer), n)
    place = 0
    for q in range(n):
        earlier = seen_from(first, q, n) < seen_from(first, p, n)
        place += s.totals[q] > s.totals[p] or (s.totals[q] == s.totals[p] and earlier)
    return place


@inlined
def seat_at_place(s, place):
    """V3: the seat that is asked at this place."""
    seat = NOBODY
    for p in range(s.num_players):
        if place_of_seat(s, p) == place:
            seat = p
    return seat


@inlined
def take(s, p, kind):
    """V3: p takes a card from the pile; after three it is the next player's turn, and the last gets what is left."""
    place = place_of_seat(s, p)
    card = find_card(s, kind, state.PILE)
    s.where[card] = p
    s.taken_at[card] = 1 + place
    s.picks += 1
    if s.picks < state.PICKS:
        return
    s.picks = 0
    following = seat_at_place(s, place + 1)
    if place + 2 < s.num_players:
        s.player = following
        return
    for card in range(state.CARDS):
        if s.where[card] == state.PILE:
            s.where[card] = following
            s.taken_at[card] = 2 + place
    next_phase(s, True, False)


@inlined
def choose_to_pass(s, p, kind):
    """B3, O2: p chooses a card; all move together when the last seat has chosen three."""
    s.passed_by[find_card(s, kind, p)] = p
    s.picks += 1
    if s.picks < state.PICKS:
        return
    s.picks = 0
    n, places = int(s.num_players), pass_places(s)
    if p != s.dealer:
        s.player = tricks.next_seat(p, n)
        return
    for card in range(state.CARDS):
        if s.passed_by[card] != NOBODY:
            receiver = int(s.passed_by[card]) + places
            s.where[card] = receiver - n if receiver >= n else receiver
        s.taken_at[card] = 0  # O3: where cards of the pile lie is not known any more
    next_phase(s, True, True)


@inlined
def play(s, p, kind):
    """B5: p plays a card."""
    note_voids(s, p, kind)
    if kind == state.RED_1:
        s.star = NOBODY
    if tricks.put_on_table(s, p, find_card(s, kind, p), kind):
        take_trick(s)


@inlined
def note_voids(s, p, kind):
    """What everybody learns about p's hand if p follows neither the led colour nor the led rank (B5, V5)."""
    if tricks.is_leading(s):
        return
    led = int(s.table[s.leader])
    if colour_of(kind) == colour_of(led) or rank_of(kind) == rank_of(led):
        return
    if s.rank_follow:
        last = last_rank(s, p)
        if rank_of(kind) == last:
            return
        if s.rank_follow_strict:
            s.rank_voids[p, last] = 1
    s.colour_voids[p, colour_of(led)] = 1
    s.rank_voids[p, rank_of(led)] = 1


@inlined
def take_trick(s):
    """B6: the highest card of the led colour wins the trick, and its player leads the next one."""
    winner = tricks.winner_of_trick(s, state.RANKS)
    for p in range(s.num_players):
        kind = int(s.table[p])
        s.black_taken[winner] += kind >= state.BLACK_1
        s.spies_taken[winner] += kind < state.BLACK_1 and rank_of(kind) == state.SPY_RANK
        s.points[winner] += points_of(kind, s.no_good_spies, s.moon_choice, s.moon_never_scored)
    if tricks.end_trick(s, winner):
        shooter = shooter_of(s)
        s.phase = state.SETTLEMENT
        if s.moon_choice and shooter != NOBODY:
            s.phase = state.CHOOSE  # V2: who has taken all black cards chooses
            s.player = shooter


# ---------------------------------------------------------------- scoring and result


@inlined
def shooter_of(s):
    """B8: the seat that has taken all black cards of a finished deal, or NOBODY."""
    black = 0
    for p in range(s.num_players):
        black += int(s.black_taken[p])
    for p in range(s.num_players):
        if s.black_taken[p] == black > 0:
            return p
    return NOBODY


@inlined
def points_of_deal(s, p):
    """B7, B8, V1, V2: what the finished deal adds to p's total."""
    shooter = shooter_of(s)
    if shooter == NOBODY:
        return int(s.points[p])
    if s.moon == state.MOON_MYSELF:
        return -state.MOON if p == shooter else 0
    if p == shooter:
        return 0
    return state.MOON if s.no_good_spies or s.moon_choice else state.MOON - 5 * int(s.spies_taken[p])


@inlined
def settle(s):
    """Score the deal; the next player deals (B2), or the game is over (B9)."""
    n = int(s.num_players)
    limit = int(LIMITS[n])
    reached = s.deals >= s.max_deals
    for p in range(n):
        total = int(s.totals[p]) + points_of_deal(s, p)
        if s.exact_limit and total == limit:  # V6
            total = limit // 2
        reached |= total >= limit
        s.totals[p] = total
    if reached:
        tricks.mark_lowest(s.totals, n, s.winners)
        s.taken_at[:] = 0  # V3: places follow from the totals, which are others now
        s.phase = state.OVER
        s.player = NOBODY
        return
    tricks.next_deal(s)
