"""The actions of Black Spy as data; the phase says whether a card is played, passed or taken from the pile."""

from __future__ import annotations

from blackjacky_env.engine.actions import ActionInfo, Actions
from blackjacky_env.games.black_spy.options import COLOUR_NAMES, KIND_NAMES
from blackjacky_env.games.black_spy.rules import BLACK

SECRET_PHASES = ("take", "pass")
"""B3, V3: phases in which only the acting player knows the card."""

ACTIONS = Actions(
    [
        *(ActionInfo("card", card=name, secret=("card",), secret_phases=SECRET_PHASES) for name in KIND_NAMES),
        *(ActionInfo("call", number=colour) for colour in COLOUR_NAMES[:BLACK]),
        ActionInfo("others"),
        ActionInfo("myself"),
    ],
    {
        "card": "{card}",
        "call": "call {number}",
        "others": "60 points for each of the others",
        "myself": "minus 60 points for me",
    },
)
