"""Games told to people: what a move did as a seat may know it, what an action means, what a settlement brought.

The terminal and the table in the browser use the same words. A sentence names seats as ``{0}``, ``{1}``, ..; `fill`
puts names there. Sentences are made from views of the seat that is told and from the name of the action, so nothing can
be told that a seat may not know, as long as the game's `Narrator` keeps secret names to itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from blackjacky_env.engine import text
from blackjacky_env.games import get_game

View = dict[str, Any]

HELP = """
Type the number of an action or the beginnings of its words; `quit` ends the game.
All rules: see the README of the game.
"""


class Move(NamedTuple):
    """What is known of one move: the views of the seat that is told, and what the move was called."""

    before: View
    after: View
    name: str
    """As `TableEnv.action_name` says it."""
    seat: int | None
    """Who is told; None: a spectator."""
    players: int

    @property
    def actor(self) -> int:
        """The seat that moved."""
        return int(self.before["player"])


with_seats = partial(text.with_seats, form="{{{}}}")
"""(name of an action, actor, players): the name with ``{seat}`` for "me" and "left+2"."""


def told_plainly(move: Move) -> list[str]:
    """The name of the move, for games in which all moves are public."""
    return [f"{{{move.actor}}}: {with_seats(move.name, move.actor, move.players)}"]


class Narrator(NamedTuple):
    """How a game is told to people; by default moves are told by their names, which must not be secret then."""

    help: str = HELP
    """What `help` says in the terminal."""
    story: Callable[[Move], list[str]] = told_plainly
    """What a move did, as the seat that is told may know it."""
    settlement: Callable[[View], list[str]] = lambda view: []
    """(view after it): what the last settlement brought, for who does not see it drawn."""
    explain: Callable[[str], str] = lambda name: ""
    """(name of an action): what it does, "" if the name says it all."""
    click_targets: Callable[[str], dict[str, Any]] = lambda name: {}
    """(name of an action): the ``card``, ``pile`` or relative ``seat`` that a person would touch for it."""


def is_settled(game: str, before: View, after: View) -> bool:
    """A round or deal was settled between the two views, or the game has ended."""
    key = get_game(game).words.round_key
    return bool(before[key] != after[key] or after["phase"] == "over")


def fill(sentence: str, names: Mapping[int, str]) -> str:
    """The sentence with names for its ``{seat}``."""
    return re.sub(r"\{(\d+)\}", lambda match: names[int(match[1])], sentence)
