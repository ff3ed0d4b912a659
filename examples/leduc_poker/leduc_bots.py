"""Bots for Leduc poker: `KIT` is the agents' side of the game."""

from leduc_poker import CALL, FOLD, RAISE, RANKS, RECORD

from blackjacky_agents.kit import GameKit
from blackjacky_env.extending import below, compiled, draw

AT = RECORD.at
HIGHEST = len(RANKS) - 1


@compiled
def strength(observation):
    """How strong my hand is: 0 weak, 1 fair, 2 good."""
    card, open_card = observation[AT.cards], observation[AT.open_card] - 1
    if open_card >= 0:
        return 2 if card == open_card else int(card == HIGHEST)
    return card


@compiled
def cautious(observation, mask, random_state, parameters):
    """Raises with good hands only, and folds weak ones to a raise."""
    worth = strength(observation)
    if worth == 2 and mask[RAISE]:
        return RAISE
    return FOLD if worth == 0 and mask[FOLD] else CALL


@compiled
def bluffer(observation, mask, random_state, parameters):
    """As `cautious`, but raises one weak hand in three."""
    if mask[RAISE] and not mask[FOLD] and strength(observation) == 0 and below(draw(random_state, 0), 3) == 0:
        return RAISE
    return cautious(observation, mask, random_state, parameters)


RULES = (
    "A raise costs 2 chips, after the open card 4. A pair with that card wins, otherwise the higher card; J < Q < K."
)
KIT = GameKit(
    bots={"cautious": (cautious,), "bluffer": (bluffer,)},
    opponents="bluffer",
    texts={"en": {"summary": "Bet on one of six cards, before and after another is turned up.", "help": [RULES]}},
)
