"""What networks are shown, by game. A game has a file here and a line in each table; without one it has `raw` alone."""

from __future__ import annotations

from blackjacky_agents.features import black_jacky, schwarze_katze
from blackjacky_agents.features.encoding import Encoding, raw_encoding
from blackjacky_env.engine.game import check_choice
from blackjacky_env.games import get_game

__all__ = ["STANDINGS", "Encoding", "encodings_of", "find_encoding", "raw_encoding"]

_ENCODINGS = {"black_jacky": black_jacky.ENCODINGS, "schwarze_katze": schwarze_katze.ENCODINGS}
"""By game, what its players may be shown."""
STANDINGS = {"black_jacky": black_jacky.STANDING}
"""By game, how the players stand, without any cards: what a network is shown that judges positions between rounds."""


def encodings_of(game: str) -> dict[str, Encoding]:
    """The encodings of a game by name, its own first."""
    return {one.name: one for one in (*_ENCODINGS.get(game, ()), raw_encoding(get_game(game)))}


def find_encoding(name: str, game: str) -> Encoding:
    """The encoding of that name; `ValueError` names those that there are for the game."""
    found = encodings_of(game)
    return found[check_choice("encoding", name, tuple(found))]
