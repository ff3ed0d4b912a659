"""What the bots of Black Spy read from an observation: what is asked, the trick on the table, points, unseen cards."""

from __future__ import annotations

from blackjacky_agents.bots.trick_readers import readers
from blackjacky_env.compiled import compiled, inlined
from blackjacky_env.games.black_spy import rules, state

AT = state.RECORD.at
led_card, highest_on_table, beats, players_to_come, _write_hand_sizes = readers(state.RECORD, state.RANKS)


@compiled
def phase_of(observation):
    """The decision asked, one of the phases of the rules."""
    for phase in range(state.TAKE, state.PLAY + 1):
        if observation[AT.phase + phase]:
            return phase
    return state.PLAY + 1


@inlined
def points_of(observation, card):
    """B7, V1, V2."""
    never, choice = observation[AT.no_good_spies], observation[AT.moon_choice]
    return rules.points_of(card, never, choice, observation[AT.moon_choice_spies])


@compiled
def points_on_table(observation):
    """Points of the cards played to this trick."""
    points = 0
    for seat in range(1, state.SEATS):
        if observation[AT.table + seat]:
            points += points_of(observation, int(observation[AT.table + seat]) - 1)
    return points


@compiled
def write_hand_sizes(observation, sizes):
    """Write into ``sizes`` (int64, (6,)) how many cards each player holds, those that I choose to pass included.

    While cards are taken from the mole's pile (V3), everybody is taken to hold as many as I do.
    """
    own, choosing = 0, observation[AT.phase + state.PASS]
    for card in range(state.KINDS):
        own += observation[AT.my_hand + card] + choosing * observation[AT.passed + card]
    _write_hand_sizes(observation, own, sizes)


@compiled
def count_unseen(observation, unseen):
    """Write into ``unseen`` (int64, (55,)) how many of each card lie in other hands, or in the mole's pile."""
    for card in range(state.KINDS):
        unseen[card] = observation[AT.played + card] == 0
    unseen[state.BLACK_7] = state.BLACK_7S
    for seat in range(state.SEATS):
        unseen[state.BLACK_7] -= observation[AT.black_7s_played + seat]
    choosing = observation[AT.phase + state.PASS]  # what I choose to pass is still mine
    for card in range(state.KINDS):
        unseen[card] -= observation[AT.my_hand + card] + choosing * observation[AT.passed + card]
