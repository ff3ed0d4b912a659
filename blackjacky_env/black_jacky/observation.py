"""What one seat may know: the declared layout, `encode` into it, and `sample_state` back to a full position.

Seats are relative to the observer: 0 is the observer, 1 the left neighbour and so on; entries of seats that do not
exist are 0. Arrays by value have one entry for each v = 1 .. 8.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.black_jacky.rules import (
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
from blackjacky_env.engine.compiling import inlined, zeros
from blackjacky_env.engine.layout import Layout, Part

_PHASES = 5

LAYOUT = Layout(
    [
        Part("num_players", (), 2, 6, "players of the game"),
        Part("schnell_duell", (), 0, 1, "1: variant Schnell-Duell"),
        Part("max_card", (), 2, 8, "option: highest card in the deck"),
        Part("bust_at", (), 2, 99, "option: sum that is bust"),
        Part("hand_size", (), 1, 8, "option: cards dealt to each player"),
        Part("first_hearts", (), 1, 9, "option: hearts at the start"),
        Part("max_turns", (), 0, 127, "option: most turns of a round, 0 = no limit"),
        Part("tricks", (8,), 0, 1, "option: by value, 1 = the trick is enabled"),
        Part("phase", (_PHASES,), 0, 1, "one-hot: tip, trick, exchange, zock, over"),
        Part("round", (), 0, 127, "rounds finished"),
        Part("turn", (), 0, 127, "zocks done in this round, at most 127"),
        Part("ends_after_turn", (), 0, 1, "1: a 1 was laid, settlement follows this zock (T1)"),
        Part("to_act", (SEATS,), 0, 1, "one-hot seat to act; none when the game is over"),
        Part("turn_player", (SEATS,), 0, 1, "one-hot seat whose turn it is; none in tip and over"),
        Part("start_player", (SEATS,), 0, 1, "one-hot seat that starts the round"),
        Part("hearts", (SEATS,), 0, 9, "hearts by seat"),
        Part("black_hearts", (SEATS,), 0, 1, "1: the seat holds or has lost a black heart"),
        Part("wanted", (SEATS,), 0, 1, "1: no heart, may tip"),
        Part("out", (SEATS,), 0, 1, "1: will not come back"),
        Part("winners", (SEATS,), 0, 1, "1: has won the game"),
        Part("knocked", (SEATS,), 0, 1, "1: has knocked"),
        Part("first_knocker", (SEATS,), 0, 1, "one-hot seat that announced the end"),
        Part("last_turns", (SEATS,), 0, 1, "1: the last turn of this seat is not finished"),
        Part("plus_one", (SEATS,), 0, 1, 'one-hot seat before which "+1" lies'),
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
    """Write what seat ``observer`` sees into ``out`` (int8, shape (SIZE,))."""
    for place in range(SIZE):  # a length that the compiler knows: a few stores instead of a call
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
    """What lies before player q, ``seat`` places clockwise of the observer, and what is known of the hand."""
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
    """The counts of v = 1 .. 8 from ``place`` on: all are read before one is written, which makes it one copy."""
    ones, twos, threes, fours = counts[1], counts[2], counts[3], counts[4]
    fives, sixes, sevens, eights = counts[5], counts[6], counts[7], counts[8]
    out[place], out[place + 1], out[place + 2], out[place + 3] = ones, twos, threes, fours
    out[place + 4], out[place + 5], out[place + 6], out[place + 7] = fives, sixes, sevens, eights


@inlined
def relative_to(s, observer, q):
    """How many places q sits clockwise of the observer."""
    return q - observer if q >= observer else q - observer + int(s.num_players)


def sample_state(observation: npt.ArrayLike, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """A full legal position as a player who sees ``observation`` (integers, shape (SIZE,)) may imagine it.

    Returns one `STATE` record, shape (1,): the observer in seat 0, a new key, known cards in their hands, all other
    unseen cards dealt at random, every order equally likely; a secretly given card is each card of its hand with
    equal chance. Other players know what a spectator knows.

    Raises `ValueError` if the cards do not add up or seats and ranges are wrong; that the position shows this very
    observation is for the caller to see (`engine.table.sample_state`).
    """
    seen = LAYOUT.decode(observation)
    vector = np.asarray(observation)
    if (vector < LAYOUT.low).any() or (vector > LAYOUT.high).any():
        raise ValueError("the observation has entries outside the ranges that describe_observation() states")
    states = zeros(1, STATE)
    s = states[0]
    s["key"] = rng.integers(2**64, dtype=np.uint64)
    _set_public(s, seen)
    _deal_unseen(s, seen, rng)
    _set_known(s, seen)
    _set_exchange(s, seen, rng)
    return states


def _set_public(s: Any, seen: dict[str, Any]) -> None:
    """Everything but the cards in hands and draw pile."""
    for name in ("num_players", "schnell_duell", "max_card", "bust_at", "hand_size", "first_hearts", "max_turns"):
        s[name] = seen[name]
    s["tricks"][1:] = seen["tricks"]
    s["phase"] = _marked(seen["phase"])
    s["round_number"] = seen["round"]
    s["deals"] = seen["round"] + (s["phase"] != TIP)
    s["turn"] = seen["turn"]
    s["ends_after_turn"] = seen["ends_after_turn"]
    for field, name in (("player", "to_act"), *((name, name) for name in _SEAT_PARTS)):
        s[field] = _marked(seen[name])
        if s[field] >= s["num_players"]:
            raise ValueError(f"no legal position shows this observation: {name} is a seat without a player")
    if s["phase"] == NOBODY or (s["phase"] == OVER) != (s["player"] == NOBODY):
        raise ValueError("no legal position shows this observation: phase and player to act contradict each other")
    for name in ("hearts", "black_hearts", "winners", "knocked", "hand_counts"):
        s[name] = seen[name]
    s["status"] = [
        WANTED if wanted else OUT if out or seat >= seen["num_players"] else SALOON
        for seat, (wanted, out) in enumerate(zip(seen["wanted"], seen["out"], strict=True))
    ]
    s["tips"] = [tip - 1 for tip in seen["tips"]]
    s["discard_top"] = _marked(seen["discard_top"]) + 1
    s["discards"][1:] = seen["discards"]
    s["discard_count"] = sum(seen["discards"])
    s["draw_count"] = seen["draw_count"]
    s["displays"][:, 1:] = seen["displays"]


_SEAT_PARTS = ("turn_player", "start_player", "first_knocker", "plus_one", "trickster")


def _marked(one_hot: list[int]) -> int:
    """The index of the 1, or NOBODY."""
    return one_hot.index(1) if 1 in one_hot else NOBODY


def _deal_unseen(s: Any, seen: dict[str, Any], rng: np.random.Generator) -> None:
    """Known cards into their hands, then the other unseen cards at random into the free places and the draw pile."""
    if s["phase"] == TIP:
        return
    s["hands"][0, 1:] = seen["my_hand"]
    s["hands"][1:, 1:] = seen["known"]
    deck = np.arange(VALUES) * (np.arange(VALUES) <= s["max_card"])
    unseen = deck - s["discards"] - s["hands"].sum(axis=0) - s["displays"].sum(axis=0)
    free = s["hand_counts"] - s["hands"].sum(axis=1)
    if (unseen < 0).any() or (free < 0).any() or unseen.sum() != free.sum() + s["draw_count"]:
        raise ValueError("no legal position shows this observation: its cards do not add up to the deck")
    cards = rng.permutation(np.repeat(np.arange(VALUES), unseen))
    hands = np.split(cards, np.cumsum(free))
    for seat, dealt in enumerate(hands[:-1]):
        s["hands"][seat] += np.bincount(dealt, minlength=VALUES).astype(np.int8)
    s["draw_pile"][: len(hands[-1])] = hands[-1]


def _set_known(s: Any, seen: dict[str, Any]) -> None:
    """The observer's own knowledge; the others know what a spectator knows."""
    s["known"][:, :, 1:] = np.array(seen["public"])[:, None]
    s["known"][1:, 0, 1:] = seen["known"]


def _set_exchange(s: Any, seen: dict[str, Any], rng: np.random.Generator) -> None:
    """Who gives in a pending exchange, and which card was given."""
    s["pair"] = NOBODY
    if s["phase"] != EXCHANGE:
        return
    for i in range(2):
        seat = _marked(seen["exchange_pair"][i])
        s["pair"][i] = seat
        if not seen["exchange_given"][i]:
            s["given"][i] = NO_CARD
        elif seat == 0:
            s["given"][i] = _marked(seen["my_given"]) + 1
        elif not s["hands"][seat].any():
            raise ValueError("no legal position shows this observation: a card was given out of no hand")
        else:
            s["given"][i] = rng.choice(np.repeat(np.arange(VALUES), s["hands"][seat]))
