"""What agents know of Tiny: `KIT` declares a bot that bids by the worth of its card."""

from __future__ import annotations

import numpy as np
from tiny_game import BIDS, CARDS, LAYOUT

from blackjacky_agents.kit import GameKit
from blackjacky_env.engine.compiling import compiled

_CARD = LAYOUT.parts["card"].offset


@compiled
def bid_by_card(observation, mask, random_state, parameters):
    """Nothing with the lowest third of the cards, two with the highest."""
    return np.int64(observation[_CARD]) * BIDS // CARDS


KIT = GameKit(bots={"careful": (bid_by_card,)}, opponents="careful,random")
