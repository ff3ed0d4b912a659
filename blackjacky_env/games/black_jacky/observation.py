"""The observation of one seat: `encode` from a position, and `sample` back to a full position."""

from __future__ import annotations

import numpy as np

from blackjacky_env.compiled import below, draw, inlined, make_encode, make_sample, marked, seen_from, shuffle
from blackjacky_env.declare import NOBODY
from blackjacky_env.games.black_jacky import state
from blackjacky_env.games.black_jacky.rules import clear_table, left_of

AT = state.RECORD.at
_encode_shown, _sample_shown = make_encode(state.RECORD), make_sample(state.RECORD)


@inlined
def encode(s, observer, out):
    _encode_shown(s, observer, out)
    observer, n = int(observer), int(s.num_players)
    out[AT.turn] = min(int(s.turn), 127)
    if s.first_knocker != NOBODY and s.phase != state.OVER:
        q = int(s.turn_player)
        for _ in range(seen_from(q, int(s.first_knocker), n)):
            out[AT.last_turns + seen_from(observer, q, n)] = s.status[q] == state.SALOON
            q = left_of(s, q)
    if s.discard_top != state.NO_CARD:
        out[AT.discard_top + int(s.discard_top) - 1] = 1
    q = observer
    for seat in range(n):
        out[AT.wanted + seat] = s.status[q] == state.WANTED
        out[AT.out + seat] = s.status[q] == state.OUT
        put_values(out, AT.public + 8 * seat, s.known[q, state.SPECTATOR])
        if seat > 0:
            put_values(out, AT.known + 8 * (seat - 1), s.known[q, observer])
        q = left_of(s, q)
    if n < state.SEATS:
        put_values(out, AT.displays + 8 * n, s.left_out)
    for i in range(2):
        out[AT.exchange_given + i] = s.given[i] != state.NO_CARD
        if s.pair[i] == observer and s.given[i] != state.NO_CARD:
            out[AT.my_given + int(s.given[i]) - 1] = 1


@inlined
def put_values(out, place, counts):
    """Write the counts of v = 1 .. 8 from ``place`` on; reading all of them first compiles to a single copy."""
    ones, twos, threes, fours = counts[1], counts[2], counts[3], counts[4]
    fives, sixes, sevens, eights = counts[5], counts[6], counts[7], counts[8]
    out[place], out[place + 1], out[place + 2], out[place + 3] = ones, twos, threes, fours
    out[place + 4], out[place + 5], out[place + 6], out[place + 7] = fives, sixes, sevens, eights


@inlined
def sample(observation, bits, s):
    """As `Rules.sample` says: known cards are placed in their hands, all other unseen cards are dealt uniformly.

    A secretly given card is uniform over its hand. The other players know what a spectator knows.
    """
    s.key = draw(bits, 0)
    clear_table(s)
    _sample_shown(observation, s)
    s.turn = observation[AT.turn]
    s.deals = int(s.round_number) + (s.phase != state.TIP)
    s.discard_top = 1 + marked(observation, AT.discard_top, 8)
    s.left_out[:] = 0
    for v in range(1, state.VALUES):
        s.discard_count += s.discards[v]
        if s.num_players < state.SEATS:
            s.left_out[v] = s.displays[s.num_players, v]
            s.displays[s.num_players, v] = 0
    imagine_seats(observation, s)
    imagine_hands(observation, draw(bits, 1), s)
    imagine_exchange(observation, bits, s)


@inlined
def imagine_seats(observation, s):
    """Who is in the saloon, and what everybody knows."""
    for p in range(state.SEATS):
        s.status[p] = state.SALOON
        if observation[AT.wanted + p]:
            s.status[p] = state.WANTED
        elif observation[AT.out + p] or p >= s.num_players:
            s.status[p] = state.OUT
        for o in range(state.SEATS + 1):
            take_values(observation, AT.public + 8 * p, s.known[p, o])
        if p > 0:
            take_values(observation, AT.known + 8 * (p - 1), s.known[p, 0])


@inlined
def imagine_hands(observation, bits, s):
    """Place known cards in their hands, then deal the other unseen cards at random to hands and draw pile."""
    if s.phase == state.TIP:  # nothing is dealt yet
        return
    for p in range(1, state.SEATS):
        take_values(observation, AT.known + 8 * (p - 1), s.hands[p])
    count = 0
    for v in range(1, int(s.max_card) + 1):
        unseen = v - int(s.discards[v]) - int(s.left_out[v])
        for p in range(state.SEATS):
            unseen -= int(s.hands[p, v]) + int(s.displays[p, v])
        for _ in range(unseen):
            s.draw_pile[count] = v
            count += 1
    shuffle(s.draw_pile, count, bits)
    for p in range(1, state.SEATS):
        free = int(s.hand_counts[p])
        for v in range(1, state.VALUES):
            free -= int(s.hands[p, v])
        for _ in range(min(free, count)):
            count -= 1
            s.hands[p, s.draw_pile[count]] += 1
            s.draw_pile[count] = state.NO_CARD


@inlined
def imagine_exchange(observation, bits, s):
    for i in range(2):
        if s.phase == state.EXCHANGE and observation[AT.exchange_given + i]:
            if s.pair[i] == 0:
                s.given[i] = 1 + marked(observation, AT.my_given, 8)
            else:
                s.given[i] = random_card(s, int(s.pair[i]), draw(bits, 2 + i))


@inlined
def random_card(s, p, bits):
    left = np.int64(below(bits, int(s.hand_counts[p])))
    v = 1
    while v + 1 < state.VALUES and left >= s.hands[p, v]:
        left -= int(s.hands[p, v])
        v += 1
    return v


@inlined
def take_values(observation, place, counts):
    for v in range(1, state.VALUES):
        counts[v] = observation[place + v - 1]
