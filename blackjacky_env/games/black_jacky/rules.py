"""The rules of Black Jacky on one state record: legal actions, moves, settlement, tipping, result.

Rule numbers (R1, T1, S1, P1, E1, Q1) are those of this folder's README. Every function takes a state record ``s``
and changes it in place; ``p`` and ``q`` are seats, ``v`` is the value of a mouse card. Plain Python mode has NumPy
scalars in the fields, so fields are widened by ``int`` before arithmetic.
"""

from __future__ import annotations

import numpy as np

from blackjacky_env.compiled import inlined, make_clear, set_zero, shuffle, start_seat, stream
from blackjacky_env.declare import CHANCE, NOBODY
from blackjacky_env.games.black_jacky import state

FOR_DECK, FOR_RESHUFFLE = 1, 2  # what random numbers are drawn for, after `start_seat`

PAIRS = np.array([(a, b) for a in range(state.SEATS) for b in range(a + 1, state.SEATS)], np.int8)
"""The pairs of relative seats of actions 9 .. 23, shape (15, 2)."""
HIGHEST_FIRST = np.array(state.full_deck(state.VALUES - 1)[::-1], np.int8)
"""All cards in the box."""


clear_game = make_clear(state.RECORD, "round_number deals black_hearts winners")
clear_table = make_clear(  # S3d
    state.RECORD,
    "turn reshuffles turn_player first_knocker ends_after_turn plus_one trickster pair given draw_count draw_pile "
    "discard_top discard_count discards knocked sums losers hand_counts hands displays known",
)
clear_tips = make_clear(state.RECORD, "tips")
end_exchange = make_clear(state.RECORD, "trickster pair given")


# ---------------------------------------------------------------- start and deal


@inlined
def begin(s, key, start_player):
    """Start a game with the options in ``s`` (R1-R4); start_player NOBODY: drawn from the key (R3)."""
    n = int(s.num_players)
    clear_game(s)
    s.key = key
    s.start_player = start_seat(key, start_player, n)
    for p in range(state.SEATS):
        s.hearts[p] = s.first_hearts if p < n else 0  # R2
        s.status[p] = state.SALOON if p < n else state.OUT
    start_round(s)


@inlined
def start_round(s):
    clear_tips(s)
    s.player = CHANCE


@inlined
def deal(s):
    """Clear the table, ask for the tips (P2, S3f), then shuffle all cards by (key, round) and deal them (R4, S3g)."""
    clear_table(s)
    p = next_tipper(s)
    if p != NOBODY:
        s.phase = state.TIP
        s.player = p
        return
    count = 0
    for v in range(1, int(s.max_card) + 1):
        for _ in range(v - int(s.left_out[v])):
            s.draw_pile[count] = v
            count += 1
    shuffle(s.draw_pile, count, stream(s.key, FOR_DECK, int(s.round_number), 0))
    s.draw_count = count
    deal_draw_pile(s)


@inlined
def redeal(s, deck):
    """Repeat the last deal with ``deck``: all cards, top first."""
    clear_table(s)
    s.deals -= 1
    s.draw_count = len(deck)
    for i in range(len(deck)):
        s.draw_pile[len(deck) - 1 - i] = deck[i]
    deal_draw_pile(s)


@inlined
def deal_draw_pile(s):
    """Deal one card at a time, clockwise from the start player, then turn one up (R4)."""
    s.deals += 1
    for _ in range(s.hand_size):
        p = int(s.start_player)
        for _ in range(s.num_players):
            if s.status[p] == state.SALOON:
                take_into_hand(s, p, take_from_draw_pile(s))
            p = left_of(s, p)
    put_on_discard_pile(s, take_from_draw_pile(s))
    start_turn(s, int(s.start_player))


# ---------------------------------------------------------------- words of the sheet


@inlined
def left_of(s, p):
    return p + 1 if p + 1 < s.num_players else 0


@inlined
def seat_at(s, p, relative):
    q = p + relative
    return q if q < s.num_players else q - int(s.num_players)


@inlined
def is_active(s, p):
    """Whether p is active, so that tricks can affect p (R6)."""
    return s.status[p] == state.SALOON and not s.knocked[p]


@inlined
def next_in_saloon(s, p):
    """The next seat clockwise of p in the saloon; p itself if there is no other."""
    q = left_of(s, p)
    while s.status[q] != state.SALOON and q != p:
        q = left_of(s, q)
    return q


@inlined
def can_draw(s):
    """R14: the draw pile has a card or can be reshuffled."""
    return s.draw_count > 0 or s.discard_count > 1


@inlined
def can_exchange(s, p, trickster):
    """T3: active and still holding a card after the 3 was laid."""
    return is_active(s, p) and s.hand_counts[p] > (1 if p == trickster else 0)


# ---------------------------------------------------------------- cards


@inlined
def take_into_hand(s, p, v):
    s.hands[p, v] += 1
    s.hand_counts[p] += 1


@inlined
def take_from_hand(s, p, v):
    """Remove card v from p's hand, seen by everybody."""
    s.hands[p, v] -= 1
    s.hand_counts[p] -= 1
    for o in range(state.SEATS + 1):
        forget(s, o, p, v)


@inlined
def put_on_discard_pile(s, v):
    s.discards[v] += 1
    s.discard_count += 1
    s.discard_top = v


@inlined
def take_from_draw_pile(s):
    """Take the top of the draw pile, reshuffled if it is empty (R14); NO_CARD if there is none to reshuffle."""
    if s.draw_count <= 0:
        reshuffle(s)
    if s.draw_count == 0:
        return state.NO_CARD
    s.draw_count -= 1
    v = int(s.draw_pile[s.draw_count])
    s.draw_pile[s.draw_count] = state.NO_CARD
    return v


@inlined
def reshuffle(s):
    """R14: the discard pile except its top becomes the new draw pile."""
    bits = stream(s.key, FOR_RESHUFFLE, int(s.round_number), int(s.reshuffles))
    stack_discards(s, HIGHEST_FIRST)
    shuffle(s.draw_pile, int(s.draw_count), bits)


@inlined
def stack_discards(s, deck):
    """What `reshuffle` does, without chance: the new draw pile lies as in ``deck``, all cards, top first."""
    s.discards[s.discard_top] -= 1
    place = max(0, int(s.discard_count) - 1)
    s.draw_count = place
    for v in deck:
        if s.discards[v] > 0 and place > 0:
            s.discards[v] -= 1
            place -= 1
            s.draw_pile[place] = v
    s.discards[s.discard_top] = 1
    s.discard_count = 1
    s.reshuffles += 1


@inlined
def forget(s, o, p, v):
    """Observer o knows one v less in p's hand."""
    s.known[p, o, v] -= s.known[p, o, v] > 0


@inlined
def learn_from_exchange(s, a, x, b, y):
    """Update known cards after a gave x to b for y: both know both cards, to the others they may be any card."""
    for o in range(state.SEATS + 1):
        if o == a:
            forget(s, a, b, y)
            s.known[b, a, x] += 1
        elif o == b:
            forget(s, b, a, x)
            s.known[a, b, y] += 1
        else:
            for v in range(1, state.VALUES):
                forget(s, o, a, v)
                forget(s, o, b, v)


# ---------------------------------------------------------------- legal actions


@inlined
def legal(s, mask):
    set_zero(mask, state.NUM_ACTIONS)
    p = int(s.player)
    if s.phase == state.TRICK:
        legal_tricks(s, p, mask)
    elif s.phase == state.ZOCK:
        legal_zocks(s, p, mask)
    elif s.phase == state.EXCHANGE:
        for v in range(1, state.VALUES):
            mask[state.GIVE + v] = s.hands[p, v] > 0
    elif s.phase == state.TIP:
        for relative in range(1, s.num_players):  # P1
            mask[state.NAME + relative] = s.status[seat_at(s, p, relative)] == state.SALOON


@inlined
def legal_tricks(s, p, mask):
    """R8, R9: no card, or one of the hand cards whose trick is enabled."""
    mask[state.NO_TRICK] = 1
    for v in range(1, state.VALUES):
        mask[v] = (s.hands[p, v] > 0) & s.tricks[v]
    able, count = 0, 0  # able: one bit for each relative seat
    if mask[3]:
        for relative in range(s.num_players):
            can = can_exchange(s, seat_at(s, p, relative), p)
            able |= can << relative
            count += can
    if count >= 2:
        mask[3] = 0
        for i in range(len(PAIRS)):
            mask[state.LAY_3 + i] = (able >> PAIRS[i, 0]) & (able >> PAIRS[i, 1]) & 1
    if mask[6] and (s.plus_one == NOBODY or is_active(s, s.plus_one)):  # T6: it stays with a player who has knocked
        mask[6] = 0
        for relative in range(s.num_players):
            mask[state.LAY_6 + relative] = is_active(s, seat_at(s, p, relative))


@inlined
def legal_zocks(s, p, mask):
    """R10, R11, R14."""
    drawable = can_draw(s)
    mask[state.DRAW] = drawable
    mask[state.KNOCK] = 1
    for v in range(1, state.VALUES):
        mask[state.SWAP_DISCARD + v] = s.hands[p, v] > 0
        mask[state.SWAP_DRAW + v] = mask[state.SWAP_DISCARD + v] & drawable


# ---------------------------------------------------------------- moves


@inlined
def apply(s, action):
    p = int(s.player)
    if s.phase == state.TRICK:
        play_trick(s, p, action)
    elif s.phase == state.ZOCK:
        play_zock(s, p, action)
    elif s.phase == state.EXCHANGE:
        give(s, p, action - state.GIVE)
    else:  # TIP
        s.tips[p] = seat_at(s, p, action - state.NAME)
        s.player = CHANCE


@inlined
def play_trick(s, p, action):
    """At most one trick (R8), then the zock."""
    s.phase = state.ZOCK
    if action == state.NO_TRICK:
        return
    v = 3 if state.LAY_3 <= action < state.LAY_6 else 6 if action >= state.LAY_6 else action
    take_from_hand(s, p, v)
    s.displays[p, v] += 1
    if v == 1:  # T1
        s.ends_after_turn = 1
    elif v == 2:  # T2
        s.knocked[:] = 0
        s.first_knocker = NOBODY
    elif action >= state.LAY_6:  # T6
        s.plus_one = seat_at(s, p, action - state.LAY_6)
    elif action >= state.LAY_3:  # T3
        start_exchange(s, p, action - state.LAY_3)
    elif v == 4 and can_draw(s):  # T4
        q = left_of(s, p)
        while not is_active(s, q) and q != p:  # p itself if everybody else has knocked
            q = left_of(s, q)
        take_into_hand(s, q, take_from_draw_pile(s))
    elif v == 7 and can_draw(s):  # T7
        put_on_discard_pile(s, take_from_draw_pile(s))
    # T5 and T8 take effect at settlement.


@inlined
def start_exchange(s, p, pair):
    """T3: both give in turn, first the trickster if in the pair, else the first of them clockwise."""
    s.phase = state.EXCHANGE
    s.trickster = p
    for i in range(2):
        s.pair[i] = seat_at(s, p, int(PAIRS[pair, i]))
        s.given[i] = state.NO_CARD
    s.player = s.pair[0]


@inlined
def give(s, p, v):
    """T3: p gives a v; when both have given, the cards change hands and the trickster continues with the zock."""
    if s.given[0] == state.NO_CARD:
        s.given[0] = v
        s.player = s.pair[1]
        return
    a, x, b = int(s.pair[0]), int(s.given[0]), p
    s.hands[a, x] -= 1
    s.hands[b, x] += 1
    s.hands[b, v] -= 1
    s.hands[a, v] += 1
    learn_from_exchange(s, a, x, b, v)
    s.player = s.trickster
    end_exchange(s)
    s.phase = state.ZOCK


@inlined
def play_zock(s, p, action):
    """R10: draw, swap or knock."""
    if action == state.KNOCK:
        s.knocked[p] = 1
        if s.first_knocker == NOBODY:  # R12
            s.first_knocker = p
    elif action == state.DRAW:
        take_into_hand(s, p, take_from_draw_pile(s))
    elif action <= state.SWAP_DISCARD:
        swap(s, p, action - state.SWAP_DRAW, take_from_draw_pile(s))
    else:
        new = int(s.discard_top)
        s.discards[new] -= 1
        s.discard_count -= 1
        swap(s, p, action - state.SWAP_DISCARD, new)
        for o in range(state.SEATS + 1):  # everybody has seen it
            s.known[p, o, new] += 1
    end_turn(s, p)


@inlined
def swap(s, p, old, new):
    """R10: replace the old card by the new one and put it face up on the discard pile."""
    take_from_hand(s, p, old)
    put_on_discard_pile(s, old)
    take_into_hand(s, p, new)


@inlined
def start_turn(s, p):
    s.phase = state.TRICK
    s.player = p
    s.turn_player = p


@inlined
def end_turn(s, p):
    """Pass the turn to the next in the saloon, unless the round is over (R12, R15, T1)."""
    s.turn += 1
    following = next_in_saloon(s, p)
    if s.ends_after_turn or s.knocked[following] or (s.max_turns and s.turn >= s.max_turns):
        s.phase = state.SETTLEMENT
        find_losers(s)
    else:
        start_turn(s, following)


# ---------------------------------------------------------------- settlement


@inlined
def laid_tenths(v):
    """S1: what a laid-out card counts, in tenths: a 5 nothing (T5), an 8 8.1 (T8)."""
    return 0 if v == 5 else 10 * v + (v == 8)


@inlined
def tenths(s, p):
    """S1: p's sum in tenths."""
    total = 10 if s.plus_one == p else 0
    for v in range(1, state.VALUES):
        total += 10 * v * int(s.hands[p, v]) + laid_tenths(v) * int(s.displays[p, v])
    return total


@inlined
def find_losers(s):
    """S1, S2: record all sums and who loses a heart: everyone who is bust, else those with the lowest sum."""
    bust_at = 10 * int(s.bust_at)
    highest, lowest = 0, 10 * state.CARDS * state.VALUES
    for p in range(s.num_players):
        if s.status[p] == state.SALOON:
            total = tenths(s, p)
            s.sums[p] = total
            highest = max(highest, total)
            lowest = min(lowest, total)
    for p in range(s.num_players):
        if s.status[p] == state.SALOON:
            s.losers[p] = s.sums[p] >= bust_at if highest >= bust_at else s.sums[p] == lowest


@inlined
def settle(s):
    """S3 in order: hearts, tips, end of the game, next round."""
    for p in range(s.num_players):  # S3a
        if s.losers[p]:
            s.hearts[p] -= 1
    for p in range(s.num_players):  # S3b, P3
        if s.tips[p] != NOBODY and s.losers[s.tips[p]]:
            s.hearts[p] = 1
            s.black_hearts[p] = 1
    count = 0
    for p in range(s.num_players):
        count += s.hearts[p] > 0
    if count <= 1 or (s.schnell_duell and count < s.num_players):  # S3c, E1, Q1
        end_game(s)
        return
    for p in range(s.num_players):  # R5, R7, P3, P4: with two left in the saloon the wanted are out
        if s.hearts[p] > 0:
            s.status[p] = state.SALOON
        else:
            s.status[p] = state.OUT if count <= 2 or s.black_hearts[p] else state.WANTED
    s.start_player = next_in_saloon(s, int(s.start_player))  # S3e
    s.round_number += 1
    start_round(s)


@inlined
def end_game(s):
    """Find the winners (E1, E2, Q2); the cards stay as they were settled."""
    best = 0
    for p in range(s.num_players):
        best = max(best, schnell_duell_rank(s, p))
    for p in range(s.num_players):
        s.winners[p] = schnell_duell_rank(s, p) == best if s.schnell_duell else s.hearts[p] > 0
        s.status[p] = state.SALOON if s.hearts[p] > 0 else state.OUT
    s.phase = state.OVER
    s.player = NOBODY
    s.turn_player = NOBODY


@inlined
def schnell_duell_rank(s, p):
    """Q2 as one number: hearts first, then the sum (in tenths, + 1); bust sums rank below all others and equal."""
    total = int(s.sums[p])
    return 10_000 * int(s.hearts[p]) + (total + 1 if total < 10 * int(s.bust_at) else 0)


@inlined
def next_tipper(s):
    """P2: the next wanted player in turn order from the start player; after the last, NOBODY."""
    p = int(s.start_player)
    for _ in range(s.num_players):
        if s.status[p] == state.WANTED and s.tips[p] == NOBODY:
            return p
        p = left_of(s, p)
    return NOBODY


@inlined
def score(s, p):
    return int(s.hearts[p])
