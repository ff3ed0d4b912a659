"""Everything needed to declare a game in a package of your own: see docs/your_game.md."""

from blackjacky_env.compiled.compiling import compiled, inlined
from blackjacky_env.compiled.random import below, draw, shuffle, stream
from blackjacky_env.declare.actions import ActionInfo, Actions
from blackjacky_env.declare.fields import (
    NOBODY,
    Fields,
    Stored,
    by_seat,
    choice,
    flag,
    hidden,
    marked,
    number,
    own,
    role,
    seen_from,
)
from blackjacky_env.declare.game import Game, Question, Rules, Words
from blackjacky_env.declare.layout import Part
from blackjacky_env.declare.options import Range, Variant
from blackjacky_env.declare.plain_words import plain_words

__all__ = [
    "NOBODY",
    "ActionInfo",
    "Actions",
    "Fields",
    "Game",
    "Part",
    "Question",
    "Range",
    "Rules",
    "Stored",
    "Variant",
    "Words",
    "below",
    "by_seat",
    "choice",
    "compiled",
    "draw",
    "flag",
    "hidden",
    "inlined",
    "marked",
    "number",
    "own",
    "plain_words",
    "role",
    "seen_from",
    "shuffle",
    "stream",
]
