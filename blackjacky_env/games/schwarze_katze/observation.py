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
    tricks.encode_cards(s, int(observer), CARDS, AT.my_hand, AT.played, out)
