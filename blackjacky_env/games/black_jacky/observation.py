"""The observation of one seat: its layout, `encode` from a position, and `sample` back to a full position.

Seats are relative to the observer: 0 is the observer, 1 the left neighbour and so on; entries of seats that do not
exist are 0. Arrays by value have one entry for each v = 1 .. 8.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.engine.compiling import entry, inlined, zeros
from blackjacky_env.engine.layout import Layout, Part
from blackjacky_env.engine.random import below, draw, shuffle
from blackjacky_env.games.black_jacky.rules import (
    CARDS,
    EXCHANGE,
    NO_CARD,
    NOBODY,
    OUT,
    OVER,
    SALOON,
    SEATS,
    SPECTATOR,
    STATE,
    TIP,
    VALUES,
    WANTED,
    left_of,
)

_PHASES = 5

LAYOUT = Layout(
    [
        Part("num_players", (), 2, 6, "players of the game"),
        Part("schnell_duell", (), 0, 1, "1: variant Schnell-Duell"),
        Part("max_card", (), 2, 8, "option: highest card in the deck"),
        Part("bust_at", (), 2, 99, "option: sum that is bust"),
        Part("hand_size", (), 1, 8, "option: cards dealt to each player"),
        Part("first_hearts", (), 1, 9, "option: hearts at the start"),
        Part("max_turns", (), 0, 127, "option: turn limit per round, 0 = no limit"),
        Part("tricks", (8,), 0, 1, "option: by value, 1 = the card's power is enabled"),
        Part("phase", (_PHASES,), 0, 1, "one-hot: tip, trick, exchange, zock, over"),
        Part("round", (), 0, 127, "rounds finished"),
        Part("turn", (), 0, 127, "zocks done in this round, at most 127"),
        Part("ends_after_turn", (), 0, 1, "1: a 1 was laid, settlement follows this zock (T1)"),
        Part("to_act", (SEATS,), 0, 1, "one-hot seat to act; none when the game is over"),
        Part("turn_player", (SEATS,), 0, 1, "one-hot seat whose turn it is; none in tip and over"),
        Part("start_player", (SEATS,), 0, 1, "one-hot seat that starts the round"),
        Part("hearts", (SEATS,), 0, 9, "hearts by seat"),
        Part("black_hearts", (SEATS,), 0, 1, "1: holds or has lost a black heart"),
        Part("wanted", (SEATS,), 0, 1, "1: has no heart, may tip"),
        Part("out", (SEATS,), 0, 1, "1: out for good"),
        Part("winners", (SEATS,), 0, 1, "1: has won the game"),
        Part("knocked", (SEATS,), 0, 1, "1: has knocked"),
        Part("first_knocker", (SEATS,), 0, 1, "one-hot seat that announced the end"),
        Part("last_turns", (SEATS,), 0, 1, "1: the last turn of this seat is not finished"),
        Part("plus_one", (SEATS,), 0, 1, 'one-hot seat that has the "+1"'),
        Part("tips", (SEATS,), 0, 6, "by tipper: 1 + the relative seat named, 0 = none"),
        Part("trickster", (SEATS,), 0, 1, "one-hot seat that laid the 3 of a pending exchange"),
        Part("exchange_pair", (2, SEATS), 0, 1, "one-hot seats of a pending exchange, in the order of giving"),
        Part("exchange_given", (2,), 0, 1, "1: the first / second of the pair has given"),
        Part("my_given", (8,), 0, 1, "one-hot value of the card I gave in the pending exchange (still in my hand)"),
        Part("discard_top", (8,), 0, 1, "one-hot value on top of the discard pile"),
        Part("discards", (8,), 0, 8, "cards in the discard pile by value, top included"),
        Part("draw_count", (), 0, CARDS, "cards in the draw pile"),
        Part("hand_counts", (SEATS,), 0, CARDS, "cards in hand by seat"),
        Part("my_hand", (8,), 0, 8, "my hand by value"),
        Part("displays", (SEATS, 8), 0, 8, "laid-out cards by seat and value, turned-over 5s included"),
        Part("known", (SEATS - 1, 8), 0, 8, "cards that I know seats 1 .. 5 to hold, by value"),
        Part("public", (SEATS, 8), 0, 8, "cards that a spectator knows seats 0 .. 5 to hold, by value"),
    ]
)
SIZE = LAYOUT.size

# Offsets as constants, for compiled code.
_OPTIONS = LAYOUT.offset("num_players")
_TRICKS = LAYOUT.offset("tricks")
_PHASE = LAYOUT.offset("phase")
_ROUND = LAYOUT.offset("round")
_TURN = LAYOUT.offset("turn")
_ENDS_AFTER_TURN = LAYOUT.offset("ends_after_turn")
_TO_ACT = LAYOUT.offset("to_act")
_TURN_PLAYER = LAYOUT.offset("turn_player")
_START_PLAYER = LAYOUT.offset("start_player")
_HEARTS = LAYOUT.offset("hearts")
_BLACK_HEARTS = LAYOUT.offset("black_hearts")
_WANTED = LAYOUT.offset("wanted")
_OUT = LAYOUT.offset("out")
_WINNERS = LAYOUT.offset("winners")
_KNOCKED = LAYOUT.offset("knocked")
_FIRST_KNOCKER = LAYOUT.offset("first_knocker")
_LAST_TURNS = LAYOUT.offset("last_turns")
_PLUS_ONE = LAYOUT.offset("plus_one")
_TIPS = LAYOUT.offset("tips")
_TRICKSTER = LAYOUT.offset("trickster")
_EXCHANGE_PAIR = LAYOUT.offset("exchange_pair")
_EXCHANGE_GIVEN = LAYOUT.offset("exchange_given")
_MY_GIVEN = LAYOUT.offset("my_given")
_DISCARD_TOP = LAYOUT.offset("discard_top")
_DISCARDS = LAYOUT.offset("discards")
_DRAW_COUNT = LAYOUT.offset("draw_count")
_HAND_COUNTS = LAYOUT.offset("hand_counts")
_MY_HAND = LAYOUT.offset("my_hand")
_DISPLAYS = LAYOUT.offset("displays")
_KNOWN = LAYOUT.offset("known")
_PUBLIC = LAYOUT.offset("public")


@inlined
def encode(s, observer, out):
    """Write the observation of seat ``observer`` into ``out`` (int8, shape (SIZE,))."""
    for place in range(SIZE):  # a constant length compiles to a few stores instead of a call
        out[place] = 0
    observer = int(observer)
    encode_options(s, out)
    encode_table(s, observer, out)
    q = observer
    for seat in range(s.num_players):
        encode_seat(s, observer, q, seat, out)
        q = left_of(s, q)
    if s.phase == EXCHANGE:
        encode_exchange(s, observer, out)


@inlined
def encode_options(s, out):
    """The options in force."""
    out[_OPTIONS] = s.num_players
    out[_OPTIONS + 1] = s.schnell_duell
    out[_OPTIONS + 2] = s.max_card
    out[_OPTIONS + 3] = s.bust_at
    out[_OPTIONS + 4] = s.hand_size
    out[_OPTIONS + 5] = s.first_hearts
    out[_OPTIONS + 6] = s.max_turns
    put_values(out, _TRICKS, s.tricks)


@inlined
def encode_table(s, observer, out):
    """What lies on the table and whose turn it is."""
    out[_PHASE + int(s.phase)] = 1
    out[_ROUND] = s.round_number
    out[_TURN] = min(int(s.turn), 127)
    out[_ENDS_AFTER_TURN] = s.ends_after_turn
    if s.first_knocker != NOBODY and s.phase != OVER:
        q = int(s.turn_player)
        while q != s.first_knocker:
            if s.status[q] == SALOON:
                out[_LAST_TURNS + relative_to(s, observer, q)] = 1
            q = left_of(s, q)
    if s.discard_top != NO_CARD:
        out[_DISCARD_TOP + int(s.discard_top) - 1] = 1
    out[_DRAW_COUNT] = s.draw_count
    put_values(out, _DISCARDS, s.discards)
    put_values(out, _MY_HAND, s.hands[observer])


@inlined
def encode_seat(s, observer, q, seat, out):
    """The seat of player q, ``seat`` places clockwise of the observer, and the known cards of its hand."""
    out[_TO_ACT + seat] = s.player == q
    out[_TURN_PLAYER + seat] = s.turn_player == q
    out[_START_PLAYER + seat] = s.start_player == q
    out[_FIRST_KNOCKER + seat] = s.first_knocker == q
    out[_PLUS_ONE + seat] = s.plus_one == q
    out[_HEARTS + seat] = s.hearts[q]
    out[_BLACK_HEARTS + seat] = s.black_hearts[q]
    out[_WANTED + seat] = s.status[q] == WANTED
    out[_OUT + seat] = s.status[q] == OUT
    out[_WINNERS + seat] = s.winners[q]
    out[_KNOCKED + seat] = s.knocked[q]
    out[_TIPS + seat] = (1 + relative_to(s, observer, int(s.tips[q]))) * (s.tips[q] != NOBODY)
    out[_HAND_COUNTS + seat] = s.hand_counts[q]
    put_values(out, _DISPLAYS + 8 * seat, s.displays[q])
    put_values(out, _PUBLIC + 8 * seat, s.known[q, SPECTATOR])
    if seat > 0:
        put_values(out, _KNOWN + 8 * (seat - 1), s.known[q, observer])


@inlined
def encode_exchange(s, observer, out):
    """A pending exchange: who is in it, who has given, and my own card."""
    out[_TRICKSTER + relative_to(s, observer, int(s.trickster))] = 1
    for i in range(2):
        out[_EXCHANGE_PAIR + SEATS * i + relative_to(s, observer, int(s.pair[i]))] = 1
        out[_EXCHANGE_GIVEN + i] = s.given[i] != NO_CARD
        if s.pair[i] == observer and s.given[i] != NO_CARD:
            out[_MY_GIVEN + int(s.given[i]) - 1] = 1


@inlined
def put_values(out, place, counts):
    """Write the counts of v = 1 .. 8 from ``place`` on; reading all of them first compiles to a single copy."""
    ones, twos, threes, fours = counts[1], counts[2], counts[3], counts[4]
    fives, sixes, sevens, eights = counts[5], counts[6], counts[7], counts[8]
    out[place], out[place + 1], out[place + 2], out[place + 3] = ones, twos, threes, fours
    out[place + 4], out[place + 5], out[place + 6], out[place + 7] = fives, sixes, sevens, eights


@inlined
def relative_to(s, observer, q):
    """The seat of q relative to the observer."""
    return q - observer if q >= observer else q - observer + int(s.num_players)


# ---------------------------------------------------------------- back from an observation to a position


@inlined
def sample(observation, bits, s):
    """Write into ``s`` a random full legal position consistent with ``observation``.

    ``observation``: integers, (SIZE,), as written by `encode`; ``bits`` (uint64) determine everything that is drawn.
    The observer gets seat 0, the game a new key. Known cards are placed in their hands, all other unseen cards are
    dealt uniformly at random; a secretly given card is uniform over its hand. The other players know what a spectator
    knows.
    """
    s.key = draw(bits, 0)
    imagine_options(observation, s)
    imagine_table(observation, s)
    imagine_seats(observation, s)
    imagine_known(observation, s)
    imagine_hands(observation, draw(bits, 1), s)
    imagine_exchange(observation, bits, s)


@inlined
def imagine_options(observation, s):
    """The options in force."""
    s.num_players = observation[_OPTIONS]
    s.schnell_duell = observation[_OPTIONS + 1]
    s.max_card = observation[_OPTIONS + 2]
    s.bust_at = observation[_OPTIONS + 3]
    s.hand_size = observation[_OPTIONS + 4]
    s.first_hearts = observation[_OPTIONS + 5]
    s.max_turns = observation[_OPTIONS + 6]
    s.tricks[0] = 0
    take_values(observation, _TRICKS, s.tricks)


@inlined
def imagine_table(observation, s):
    """What lies on the table and whose turn it is."""
    s.phase = marked(observation, _PHASE, _PHASES)
    s.round_number = observation[_ROUND]
    s.deals = int(observation[_ROUND]) + (s.phase != TIP)
    s.turn = observation[_TURN]
    s.reshuffles = 0
    s.ends_after_turn = observation[_ENDS_AFTER_TURN]
    s.player = marked(observation, _TO_ACT, SEATS)
    s.turn_player = marked(observation, _TURN_PLAYER, SEATS)
    s.start_player = marked(observation, _START_PLAYER, SEATS)
    s.first_knocker = marked(observation, _FIRST_KNOCKER, SEATS)
    s.plus_one = marked(observation, _PLUS_ONE, SEATS)
    s.discard_top = 1 + marked(observation, _DISCARD_TOP, 8)
    s.draw_count = observation[_DRAW_COUNT]
    s.discards[0] = 0
    take_values(observation, _DISCARDS, s.discards)
    s.discard_count = 0
    for v in range(1, VALUES):
        s.discard_count += s.discards[v]


@inlined
def imagine_seats(observation, s):
    """The seats of the players; sums and losers belong to a settlement, which observations do not contain."""
    for p in range(SEATS):
        s.hearts[p] = observation[_HEARTS + p]
        s.black_hearts[p] = observation[_BLACK_HEARTS + p]
        s.status[p] = SALOON
        if observation[_WANTED + p]:
            s.status[p] = WANTED
        elif observation[_OUT + p] or p >= s.num_players:
            s.status[p] = OUT
        s.winners[p] = observation[_WINNERS + p]
        s.knocked[p] = observation[_KNOCKED + p]
        s.tips[p] = int(observation[_TIPS + p]) - 1
        s.hand_counts[p] = observation[_HAND_COUNTS + p]
        s.displays[p, 0] = 0
        take_values(observation, _DISPLAYS + 8 * p, s.displays[p])
        s.sums[p] = 0
        s.losers[p] = 0


@inlined
def imagine_known(observation, s):
    """The observer's own knowledge; the others know what a spectator knows."""
    for p in range(SEATS):
        for o in range(SEATS + 1):
            s.known[p, o, 0] = 0
            take_values(observation, _PUBLIC + 8 * p, s.known[p, o])
        if p > 0:
            take_values(observation, _KNOWN + 8 * (p - 1), s.known[p, 0])


@inlined
def imagine_hands(observation, bits, s):
    """Place known cards in their hands, then deal the other unseen cards at random to hands and draw pile."""
    s.hands[:] = 0
    s.draw_pile[:] = NO_CARD
    if s.phase == TIP:  # nothing is dealt yet
        return
    take_values(observation, _MY_HAND, s.hands[0])
    for p in range(1, SEATS):
        take_values(observation, _KNOWN + 8 * (p - 1), s.hands[p])
    count = 0
    for v in range(1, int(s.max_card) + 1):
        unseen = v - int(s.discards[v])
        for p in range(SEATS):
            unseen -= int(s.hands[p, v]) + int(s.displays[p, v])
        for _ in range(unseen):
            s.draw_pile[count] = v
            count += 1
    shuffle(s.draw_pile, count, bits)
    for p in range(1, SEATS):
        free = int(s.hand_counts[p])
        for v in range(1, VALUES):
            free -= int(s.hands[p, v])
        for _ in range(free):
            count -= 1
            s.hands[p, s.draw_pile[count]] += 1
            s.draw_pile[count] = NO_CARD


@inlined
def imagine_exchange(observation, bits, s):
    """The pair of a pending exchange, and the card that was given."""
    s.trickster = marked(observation, _TRICKSTER, SEATS)
    for i in range(2):
        s.pair[i] = marked(observation, _EXCHANGE_PAIR + SEATS * i, SEATS)
        s.given[i] = NO_CARD
        if s.phase == EXCHANGE and observation[_EXCHANGE_GIVEN + i]:
            if s.pair[i] == 0:
                s.given[i] = 1 + marked(observation, _MY_GIVEN, 8)
            else:
                s.given[i] = any_card(s, int(s.pair[i]), draw(bits, 2 + i))


@inlined
def any_card(s, p, bits):
    """A uniformly random card of p's hand."""
    left = np.int64(below(bits, int(s.hand_counts[p])))
    v = 1
    while left >= s.hands[p, v]:
        left -= int(s.hands[p, v])
        v += 1
    return v


@inlined
def take_values(observation, place, counts):
    """The counts of v = 1 .. 8 that `put_values` wrote from ``place`` on."""
    for v in range(1, VALUES):
        counts[v] = observation[place + v - 1]


@inlined
def marked(observation, place, length):
    """The index of the 1 among ``length`` entries from ``place`` on, or NOBODY."""
    for i in range(length):
        if observation[place + i]:
            return i
    return NOBODY


def _sample_one(observation, bits, states):
    sample(observation, bits, states[0])


_sample_entry = entry(_sample_one)


def sample_state(observation: npt.ArrayLike, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """One `STATE` record, shape (1,), drawn by `sample` for ``observation`` (integers, shape (SIZE,)).

    The caller refuses contradictions before, and checks after that the position shows this very observation
    (`engine.observations`).
    """
    states = zeros(1, STATE)
    _sample_entry(LAYOUT.checked(observation), rng.integers(2**64, dtype=np.uint64), states)
    return states
