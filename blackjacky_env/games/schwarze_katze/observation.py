"""The observation of one seat: its layout, `encode` from a position, and `sample` back to a full position.

Seats are relative to the observer: 0 is the observer, 1 the left neighbour and so on; entries of seats that do not
exist are 0. Arrays by card have one entry for each card: clubs, diamonds, hearts, spades, each from 2 to ace.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.engine.compiling import entry, inlined, zeros
from blackjacky_env.engine.layout import Layout, Part
from blackjacky_env.engine.random import draw
from blackjacky_env.engine.trick_taking import ASIDE, PLAYED, places_from
from blackjacky_env.games.schwarze_katze.imagined import deal_unseen
from blackjacky_env.games.schwarze_katze.rules import (
    CARDS,
    NOBODY,
    OVER,
    RANKS,
    SEATS,
    STATE,
    SUITS,
    is_taken_out,
)

LAYOUT = Layout(
    [
        Part("num_players", (), 3, SEATS, "players of the game"),
        Part("piatnik_heart_lead", (), 0, 1, "option: hearts are led only by players who hold nothing else (K9)"),
        Part("heart_ace", (), 10, 11, "option: penalty of the ace of hearts"),
        Part("deals", (), 1, 50, "option: deals of the game"),
        Part("phase", (2,), 0, 1, "one-hot: play, over"),
        Part("deal", (), 0, 49, "deals scored before this one"),
        Part("trick", (), 0, 17, "tricks taken in this deal"),
        Part("to_act", (SEATS,), 0, 1, "one-hot seat to act; none when the game is over"),
        Part("dealer", (SEATS,), 0, 1, "one-hot seat of the dealer"),
        Part("leader", (SEATS,), 0, 1, "one-hot seat that leads the trick"),
        Part("my_hand", (CARDS,), 0, 1, "1: the card is in my hand"),
        Part("table", (SEATS,), 0, CARDS, "by seat: 1 + the card played to this trick, 0 = none"),
        Part("played", (CARDS,), 0, SEATS, "by card: 1 + the seat that played it in this deal, 0 = not seen"),
        Part("voids", (SEATS, SUITS), 0, 1, "1: known to have no clubs, diamonds, hearts, spades"),
        Part("tricks_taken", (SEATS,), 0, 17, "tricks taken in this deal by seat"),
        Part("penalties", (SEATS,), 0, 135, "penalties of the cards taken in this deal, by seat"),
        Part("totals", (SEATS,), -2500, 6750, "penalties of the deals scored before, by seat"),
        Part("winners", (SEATS,), 0, 1, "1: has won the game"),
    ]
)
SIZE = LAYOUT.size

# Offsets as constants, for compiled code.
_OPTIONS = LAYOUT.offset("num_players")
_PHASE = LAYOUT.offset("phase")
_DEAL = LAYOUT.offset("deal")
_TRICK = LAYOUT.offset("trick")
_TO_ACT = LAYOUT.offset("to_act")
_DEALER = LAYOUT.offset("dealer")
_LEADER = LAYOUT.offset("leader")
_MY_HAND = LAYOUT.offset("my_hand")
_TABLE = LAYOUT.offset("table")
_PLAYED = LAYOUT.offset("played")
_VOIDS = LAYOUT.offset("voids")
_TRICKS_TAKEN = LAYOUT.offset("tricks_taken")
_PENALTIES = LAYOUT.offset("penalties")
_TOTALS = LAYOUT.offset("totals")
_WINNERS = LAYOUT.offset("winners")


@inlined
def encode(s, observer, out):
    """Write the observation of seat ``observer`` into ``out`` (int16, shape (SIZE,))."""
    for place in range(SIZE):  # a constant length compiles to a few stores
        out[place] = 0
    observer, n = int(observer), int(s.num_players)
    out[_OPTIONS] = n
    out[_OPTIONS + 1] = s.piatnik_heart_lead
    out[_OPTIONS + 2] = s.heart_ace
    out[_OPTIONS + 3] = s.game_deals
    out[_PHASE + (s.phase == OVER)] = 1
    out[_DEAL] = s.deal_number
    out[_TRICK] = s.trick
    if s.player != NOBODY:
        out[_TO_ACT + places_from(observer, int(s.player), n)] = 1
    out[_DEALER + places_from(observer, int(s.dealer), n)] = 1
    out[_LEADER + places_from(observer, int(s.leader), n)] = 1
    encode_cards(s, observer, n, out)
    q = observer
    for seat in range(n):
        encode_seat(s, q, seat, out)
        q = q + 1 if q + 1 < n else 0


@inlined
def encode_cards(s, observer, n, out):
    """My hand, and who has played which card."""
    for card in range(CARDS):
        where = int(s.where[card])
        seat = where - PLAYED - observer
        seat += n * (seat < 0)
        out[_MY_HAND + card] = where == observer
        out[_PLAYED + card] = (1 + seat) * (where >= PLAYED)


@inlined
def encode_seat(s, q, seat, out):
    """What everybody knows about player q, ``seat`` places clockwise of the observer."""
    out[_TABLE + seat] = int(s.table[q]) + 1
    for suit in range(SUITS):
        out[_VOIDS + SUITS * seat + suit] = s.voids[q, suit]
    out[_TRICKS_TAKEN + seat] = s.tricks_taken[q]
    out[_PENALTIES + seat] = s.penalties[q]
    out[_TOTALS + seat] = s.totals[q]
    out[_WINNERS + seat] = s.winners[q]


# ---------------------------------------------------------------- back from an observation to a position


@inlined
def sample(observation, bits, s):
    """Write into ``s`` a random full legal position consistent with ``observation``.

    ``observation``: integers, (SIZE,), as written by `encode`; ``bits`` (uint64) determine everything that is drawn.
    The observer gets seat 0, the game a new key. Every deal of the unseen cards that fits the hand sizes and known
    voids is equally likely.
    """
    s.key = draw(bits, 0)
    imagine_table(observation, s)
    imagine_seats(observation, s)
    imagine_hands(observation, draw(bits, 1), s)


@inlined
def imagine_table(observation, s):
    """The options, the trick and whose turn it is."""
    s.num_players = observation[_OPTIONS]
    s.piatnik_heart_lead = observation[_OPTIONS + 1]
    s.heart_ace = observation[_OPTIONS + 2]
    s.game_deals = observation[_OPTIONS + 3]
    s.phase = observation[_PHASE + OVER]
    s.deal_number = observation[_DEAL]
    s.deals = int(observation[_DEAL]) + 1
    s.trick = observation[_TRICK]
    s.player = marked(observation, _TO_ACT)
    s.dealer = marked(observation, _DEALER)
    s.leader = marked(observation, _LEADER)


@inlined
def marked(observation, place):
    """The seat that is marked by a 1 from ``place`` on, or NOBODY."""
    for seat in range(SEATS):
        if observation[place + seat]:
            return seat
    return NOBODY


@inlined
def imagine_seats(observation, s):
    """What everybody knows about the players."""
    for p in range(SEATS):
        s.table[p] = int(observation[_TABLE + p]) - 1
        for suit in range(SUITS):
            s.voids[p, suit] = observation[_VOIDS + SUITS * p + suit]
        s.tricks_taken[p] = observation[_TRICKS_TAKEN + p]
        s.penalties[p] = observation[_PENALTIES + p]
        s.totals[p] = observation[_TOTALS + p]
        s.winners[p] = observation[_WINNERS + p]


@inlined
def imagine_hands(observation, bits, s):
    """Place the observer's cards and the played ones, and deal the others at random."""
    unseen = 0
    for card in range(CARDS):
        seen = observation[_MY_HAND + card] or observation[_PLAYED + card]
        unseen |= int(not seen and not is_taken_out(card, int(s.num_players))) << card
    holders = deal_unseen(unseen, bits, s)
    for card in range(CARDS):
        holder = holders[card // RANKS] >> 4 * (card % RANKS) & 15
        if observation[_MY_HAND + card]:
            s.where[card] = 0
        elif observation[_PLAYED + card]:
            s.where[card] = PLAYED + int(observation[_PLAYED + card]) - 1
        else:
            s.where[card] = ASIDE if holder == 0 else holder


def _sample_one(observation, bits, states):
    sample(observation, bits, states[0])


_sample_entry = entry(_sample_one)


def sample_state(observation: npt.ArrayLike, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """One `STATE` record, shape (1,), drawn by `sample` for ``observation`` (integers, shape (SIZE,)).

    Raises `ValueError` if the cards do not add up or seats or ranges are wrong. The caller checks that the position
    shows this very observation (`engine.observations`).
    """
    vector = LAYOUT.checked(observation)
    seen = LAYOUT.decode(vector)
    _check(seen)
    states = zeros(1, STATE)
    _sample_entry(vector, rng.integers(2**64, dtype=np.uint64), states)
    _check_hands(states[0], seen)
    return states


def _check(seen: dict[str, Any]) -> None:
    n = seen["num_players"]
    if sum(seen["phase"]) != 1 or bool(seen["phase"][OVER]) == any(seen["to_act"]):
        raise ValueError("no legal position matches this observation: phase and player to act contradict each other")
    if sum(seen["dealer"]) != 1 or sum(seen["leader"]) != 1:
        raise ValueError("no legal position matches this observation: it needs one dealer and one leader")
    for name in ("to_act", "dealer", "leader", "table"):
        if any(seen[name][n:]):
            raise ValueError(f"no legal position matches this observation: {name} is an empty seat")
    _check_played(seen)
    sizes = _hand_sizes(seen)
    unseen = _unseen(seen)
    if min(sizes) < 0 or sum(seen["my_hand"]) != sizes[0] or len(unseen) != sum(sizes[1:]):
        raise ValueError("no legal position matches this observation: its cards do not add up to the deck")


def _check_played(seen: dict[str, Any]) -> None:
    n, played = seen["num_players"], seen["played"]
    if max(played) > n:
        raise ValueError("no legal position matches this observation: an empty seat has played")
    if any(is_taken_out(card, n) and (played[card] or seen["my_hand"][card]) for card in range(CARDS)):
        raise ValueError("no legal position matches this observation: it contains cards that are taken out (K2)")
    if any(card and played[card - 1] != 1 + seat for seat, card in enumerate(seen["table"])):
        raise ValueError("no legal position matches this observation: a card on the table was played by another seat")


def _hand_sizes(seen: dict[str, Any]) -> list[int]:
    n = seen["num_players"]
    return [CARDS // n - seen["trick"] - (card > 0) for card in seen["table"][:n]]


def _unseen(seen: dict[str, Any]) -> list[int]:
    in_game = [card for card in range(CARDS) if not is_taken_out(card, seen["num_players"])]
    return [card for card in in_game if not seen["my_hand"][card] and not seen["played"][card]]


def _check_hands(s: Any, seen: dict[str, Any]) -> None:
    """Check that all cards were dealt: some are left over if the voids allow no deal."""
    if any(s["where"][card] == ASIDE for card in _unseen(seen)):
        raise ValueError("no legal position matches this observation: nobody can hold some of the unseen cards")
