"""The observation of one seat: `encode`, which writes it from a position.

Seats are relative to the observer: 0 is the observer, 1 the left neighbour and so on; entries of seats that do not
exist are 0. Arrays by card have one entry for each card: clubs, diamonds, hearts, spades, each from 2 to ace.
"""

from __future__ import annotations

from blackjacky_env.compiled import inlined, make_encode
from blackjacky_env.games import trick_taking as tricks
from blackjacky_env.games.schwarze_katze.state import CARDS, RECORD

AT = RECORD.at
_encode_shown = make_encode(RECORD)


@inlined
def encode(s, observer, out):
    """Write the observation of seat ``observer`` into ``out`` (int16, shape (K,))."""
    _encode_shown(s, observer, out)
    observer, n = int(observer), int(s.num_players)
    for card in range(CARDS):
        where = int(s.where[card])
        seat = where - tricks.PLAYED - observer
        seat += n * (seat < 0)
        out[AT.my_hand + card] = where == observer
        out[AT.played + card] = (1 + seat) * (where >= tricks.PLAYED)
    if s.left_out:
        for card in range(CARDS):
            if s.where[card] == tricks.NOT_IN_DECK:
                out[AT.played + card] = 1 + n
