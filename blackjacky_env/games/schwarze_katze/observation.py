"""The observation of one seat: `encode`, which writes it from a position."""

from __future__ import annotations

from blackjacky_env.compiled import inlined, make_encode
from blackjacky_env.games import trick_taking as tricks
from blackjacky_env.games.schwarze_katze.state import CARDS, RECORD

AT = RECORD.at
_encode_shown = make_encode(RECORD)


@inlined
def encode(s, observer, out):
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
