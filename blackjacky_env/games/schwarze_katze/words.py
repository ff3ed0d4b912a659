"""Schwarze Katze in words: actions, snapshots of positions, views of a player, why a card is illegal."""

from __future__ import annotations

from typing import Any

import numpy as np

from blackjacky_env.declare import ActionInfo, Actions, State
from blackjacky_env.draw.scene import Say, say
from blackjacky_env.games import trick_taking as tricks
from blackjacky_env.games.schwarze_katze.rules import deck, penalties_of_deal
from blackjacky_env.games.schwarze_katze.state import CARD_NAMES, RANKS, RECORD

ACTIONS = Actions((ActionInfo("play", card=name) for name in CARD_NAMES), {"play": "{card}"})
"""Every action is a card to play."""
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")


def snapshot(s: State, settled: State | None) -> dict[str, Any]:
    """Everything on the table as plain Python values; ``settled``: the record when a deal was last scored."""
    n, leader = int(s["num_players"]), int(s["leader"])
    seats = [(leader + i) % n for i in range(n)]
    where = s["where"]
    return {
        **RECORD.tell(s, "phase player deal dealer leader trick"),
        "hands": [[CARD_NAMES[card] for card in np.flatnonzero(where == p)] for p in range(n)],
        "table": [[p, CARD_NAMES[s["table"][p]]] for p in seats if s["table"][p] != tricks.NO_CARD],
        **RECORD.tell(s, "tricks_taken penalties totals"),
        "last_deal": None if settled is None else [penalties_of_deal(settled, p) for p in range(n)],
        "winners": np.flatnonzero(s["winners"]).tolist(),
    }


def view(table: dict[str, Any], seat: int | None) -> dict[str, Any]:
    """A snapshot as ``seat`` (None: a spectator) may know it, with card counts for other hands."""
    return {**table, "hands": [hand if p == seat else len(hand) for p, hand in enumerate(table["hands"])]}


def why_illegal(s: State, action: int) -> str | Say:
    """Why ``action`` (0 .. 51, not in the mask) is illegal for the player to act."""
    n = int(s["num_players"])
    if action not in deck(n, {}):
        return say("with {count} players it is not in the game (K2)", count=n)
    if s["where"][action] == tricks.NOT_IN_DECK:
        return "it is not in the deck"
    if s["where"][action] != s["player"]:
        return "it is not in the hand"
    if tricks.is_leading(s):
        return "a heart may be led only by a player who holds nothing else (K9)"
    led = SUIT_NAMES[int(s["table"][s["leader"]]) // RANKS]
    return f"{led} were led and there are {led} in the hand (K4)"
