"""The observation of one seat: `encode` from a position, and `sample` back to a full position.

Seats are relative to the observer: 0 is the observer, 1 the left neighbour and so on; entries of seats that do not
exist are 0. Arrays by card have one entry for each card: clubs, diamonds, hearts, spades, each from 2 to ace.
"""

from __future__ import annotations

from blackjacky_env.engine.compiling import inlined
from blackjacky_env.engine.random import draw
from blackjacky_env.engine.trick_taking import ASIDE, PLAYED
from blackjacky_env.games.schwarze_katze.imagined import deal_unseen
from blackjacky_env.games.schwarze_katze.rules import is_taken_out
from blackjacky_env.games.schwarze_katze.state import CARDS, RANKS, RECORD

AT = RECORD.at
_encode_shown, _sample_shown = RECORD.encode, RECORD.sample


@inlined
def encode(s, observer, out):
    """Write the observation of seat ``observer`` into ``out`` (int16, shape (K,))."""
    _encode_shown(s, observer, out)
    observer, n = int(observer), int(s.num_players)
    for card in range(CARDS):
        where = int(s.where[card])
        seat = where - PLAYED - observer
        seat += n * (seat < 0)
        out[AT.my_hand + card] = where == observer
        out[AT.played + card] = (1 + seat) * (where >= PLAYED)
    if s.left_out:
        for card in range(CARDS):
            if s.where[card] == PLAYED + n:
                out[AT.played + card] = 1 + n


@inlined
def sample(observation, bits, s):
    """Write into ``s`` a random full legal position consistent with ``observation``.

    ``observation``: integers, (K,), as written by `encode`; ``bits`` (uint64) determine everything that is drawn.
    The observer gets seat 0, the game a new key. Every deal of the unseen cards that fits the hand sizes and known
    voids is equally likely.
    """
    s.key = draw(bits, 0)
    _sample_shown(observation, s)
    s.deals = int(s.deal_number) + 1
    unseen, s.left_out = 0, 0
    for card in range(CARDS):
        s.left_out += observation[AT.played + card] == 1 + s.num_players
        seen = observation[AT.my_hand + card] or observation[AT.played + card]
        unseen |= int(not seen and not is_taken_out(card, int(s.num_players))) << card
    holders = deal_unseen(unseen, draw(bits, 1), s)
    for card in range(CARDS):
        holder = holders[card // RANKS] >> 4 * (card % RANKS) & 15
        if observation[AT.my_hand + card]:
            s.where[card] = 0
        elif observation[AT.played + card]:
            s.where[card] = PLAYED + int(observation[AT.played + card]) - 1
        else:
            s.where[card] = ASIDE if holder == 0 else holder
