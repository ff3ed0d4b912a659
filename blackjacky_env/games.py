"""The registry of games: one line each. A game is imported when it is first asked for.

A game called NAME has the module `blackjacky_env.NAME_v0`, the environment ``blackjacky/NAME-v0`` of PettingZoo, and
for Gymnasium the seat ``blackjacky/NameSeat-v0``.
"""

from __future__ import annotations

import difflib
import functools
import importlib

from blackjacky_env.engine.game import Game

GAMES = {
    "black_jacky": "blackjacky_env.black_jacky",
    "schwarze_katze": "blackjacky_env.schwarze_katze",
}


@functools.cache
def get_game(name: str) -> Game:
    """The declaration of the game called ``name``; `ValueError` names those there are."""
    if name not in GAMES:
        near = difflib.get_close_matches(name, GAMES, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        raise ValueError(f"unknown game {name!r}{hint} Games are {', '.join(map(repr, GAMES))}")
    game: Game = importlib.import_module(GAMES[name]).GAME
    return game
