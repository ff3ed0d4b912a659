"""What the bots of Schwarze Katze read from an observation: the trick on the table, penalties, unseen cards."""

from __future__ import annotations

from blackjacky_agents.bots.trick_readers import readers
from blackjacky_env.compiled import compiled, inlined
from blackjacky_env.games.schwarze_katze import rules, state

AT = state.RECORD.at
led_card, highest_on_table, beats, players_to_come, _write_hand_sizes = readers(state.RECORD, state.RANKS)


@inlined
def penalty_of(observation, card):
    """K6."""
    return rules.penalty_of(card, int(observation[AT.heart_ace]))


@inlined
def is_unseen(observation, card):
    """Whether somebody else holds the card."""
    if observation[AT.my_hand + card] or observation[AT.played + card]:
        return False
    return not rules.is_taken_out(card, int(observation[AT.num_players]))


@compiled
def write_hand_sizes(observation, sizes):
    """Write into ``sizes`` (int64, (10,)) how many cards each player holds."""
    own = 0
    for card in range(state.CARDS):
        own += observation[AT.my_hand + card]
    _write_hand_sizes(observation, own, sizes)
