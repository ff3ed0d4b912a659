"""A bot for liar's dice, and the rules for people and language models: `KIT` is the agents' side of the game."""

import liars_dice
from liars_dice import CALL, DICE, RECORD

from blackjacky_agents.kit import GameKit
from blackjacky_env.extending import compiled

AT = RECORD.at


@compiled
def counter(observation, mask, random_state, parameters):
    """Calls a bid of more dice than can be expected, seeing its own, and makes the lowest bid otherwise."""
    players, dice, faces = observation[AT.num_players], observation[AT.dice], observation[AT.faces]
    needed = observation[AT.count]
    for die in range(AT.cup, AT.cup + DICE):
        needed -= observation[die] == observation[AT.face] or observation[die] == faces
    is_doubtful = needed * faces > 2 * (players - 1) * dice
    for action in range(CALL):
        if mask[action] and not (is_doubtful and mask[CALL]):
            return action
    return CALL


SUMMARY, *RULES = (" ".join(words.split()) for words in liars_dice.__doc__.split("\n\n")[1:])
KIT = GameKit(bots={"counter": (counter,)}, texts={"en": {"summary": SUMMARY, "help": RULES}})
