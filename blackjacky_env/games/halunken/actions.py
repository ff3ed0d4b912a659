"""The actions of Halunken & Spelunken as data; which decision is asked says what a card means."""

from __future__ import annotations

from blackjacky_env.engine.actions import ActionInfo, Actions
from blackjacky_env.games.halunken.options import CARD_NAMES, movement_card
from blackjacky_env.games.halunken.rules import FIELDS, MOVES

ACTIONS = Actions(
    [
        *(ActionInfo("field", number=field) for field in range(FIELDS)),
        *(ActionInfo("rogue", card=name) for name in CARD_NAMES),
        ActionInfo("pass"),
        *(ActionInfo("move", number=movement_card(move), secret=("number",)) for move in range(1, MOVES + 1)),  # H4
        *(ActionInfo("name", number=number) for number in range(1, MOVES)),
        ActionInfo("take", pile="harbour"),
        ActionInfo("rob_buyer"),
    ],
    {
        "field": "field {number}",
        "rogue": "{card}",
        "pass": "pass",
        "move": "move {number}",
        "name": "name {number}",
        "take": "take from the {pile}",
        "rob_buyer": "rob the buyer",
    },
)
