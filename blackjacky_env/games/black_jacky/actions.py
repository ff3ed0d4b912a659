"""The actions of Black Jacky as data."""

from __future__ import annotations

from blackjacky_env.engine.actions import ActionInfo, Actions
from blackjacky_env.games.black_jacky.rules import (
    DRAW,
    GIVE,
    KNOCK,
    LAY_3,
    LAY_6,
    NAME,
    NO_TRICK,
    NUM_ACTIONS,
    PAIRS,
    SWAP_DISCARD,
    SWAP_DRAW,
)


def _info(action: int) -> ActionInfo:
    if action == NO_TRICK:
        return ActionInfo("no_trick")
    if action < LAY_3:
        return ActionInfo("lay_without_effect" if action in (3, 6) else "lay", card=action)
    if action < LAY_6:
        first, second = PAIRS[action - LAY_3].tolist()
        return ActionInfo("lay_exchange", card=3, seats=(first, second))
    if action < DRAW:
        return ActionInfo("lay_plus_one", card=6, seats=(action - LAY_6,))
    if action == DRAW:
        return ActionInfo("draw", pile="draw")
    if action <= SWAP_DISCARD:
        return ActionInfo("swap", card=action - SWAP_DRAW, pile="draw")
    if action < KNOCK:
        return ActionInfo("swap", card=action - SWAP_DISCARD, pile="discard")
    if action == KNOCK:
        return ActionInfo("knock")
    if action <= NAME:
        return ActionInfo("give", card=action - GIVE, secret=("card",))  # T3
    return ActionInfo("tip", seats=(action - NAME,))


ACTIONS = Actions(
    map(_info, range(NUM_ACTIONS)),
    {
        "no_trick": "no trick",
        "lay": "lay {card}",
        "lay_without_effect": "lay {card} without effect",
        "lay_exchange": "lay {card}: {seat1} and {seat2} exchange",
        "lay_plus_one": "lay {card}: +1 to {seat1}",
        "draw": "draw",
        "swap": "swap {card} with the {pile} pile",
        "knock": "knock",
        "give": "give {card}",
        "tip": "tip {seat1}",
    },
)
