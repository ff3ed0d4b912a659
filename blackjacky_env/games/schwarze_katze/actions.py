"""The actions of Schwarze Katze as data: every action is a card to play."""

from __future__ import annotations

from blackjacky_env.engine.actions import ActionInfo, Actions
from blackjacky_env.games.schwarze_katze.options import CARD_NAMES

ACTIONS = Actions((ActionInfo("play", card=name) for name in CARD_NAMES), {"play": "{card}"})
