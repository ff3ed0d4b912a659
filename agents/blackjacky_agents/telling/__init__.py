"""Games told to people: what a move did as a seat may know it, what an action means, what a settlement brought.

The terminal and the table in the browser use the same words. A sentence names seats as ``{0}``, ``{1}``, ..; `fill`
puts names there. Sentences are made from views of the seat that is told and from the name of the action, so nothing can
be told that a seat may not know, as long as the game's `Manner` keeps secret names to itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from blackjacky_agents.telling import black_jacky, schwarze_katze
from blackjacky_agents.telling.move import Move, View, with_seats
from blackjacky_env.games import get_game

__all__ = ["Manner", "Move", "View", "fill", "is_settled", "manner_of", "with_seats"]

HELP = """
Type the number of an action or the beginnings of its words; `quit` ends the game.
All rules: blackjacky_env/GAME/README.md
"""


class Manner(NamedTuple):
    """How a game is told."""

    opponents: str
    """Who plays if nobody is named."""
    help: str
    """What `help` says in the terminal."""
    story: Callable[[Move], list[str]]
    """What a move did, as the seat that is told may know it."""
    settlement: Callable[[View], list[str]]
    """(view after it): what the last settlement brought, for who does not see it drawn."""
    explain: Callable[[str], str]
    """(name of an action): what it does, "" if the name says it all."""
    touches: Callable[[str], dict[str, Any]]
    """(name of an action): the ``card``, ``pile`` or relative ``seat`` that a person would touch for it."""


def told_plainly(move: Move) -> list[str]:
    """The name of the move, for games in which all moves are public."""
    return [f"{{{move.actor}}}: {with_seats(move.name, move.actor, move.players)}"]


MANNERS = {
    "black_jacky": Manner(
        "counter,threshold,random",
        black_jacky.HELP,
        black_jacky.story,
        black_jacky.settlement,
        black_jacky.explain,
        black_jacky.touches,
    ),
    "schwarze_katze": Manner(
        "counter,low,random",
        schwarze_katze.HELP,
        schwarze_katze.story,
        schwarze_katze.settlement,
        schwarze_katze.explain,
        schwarze_katze.touches,
    ),
}
"""By game; moves of a game without a line are told by their names, which must not be secret then."""


def manner_of(game: str) -> Manner:
    """How the game of that name is told."""
    if game in MANNERS:
        return MANNERS[game]
    opponents = f"random*{get_game(game).default_players - 1}"
    return Manner(opponents, HELP, told_plainly, lambda view: [], lambda name: "", lambda name: {})


def is_settled(game: str, before: View, after: View) -> bool:
    """A round or deal was settled between the two views, or the game has ended."""
    key = get_game(game).words.round_key
    return bool(before[key] != after[key] or after["phase"] == "over")


def fill(sentence: str, names: Mapping[int, str]) -> str:
    """The sentence with names for its ``{seat}``."""
    return re.sub(r"\{(\d+)\}", lambda match: names[int(match[1])], sentence)
