"""What makes an observation of Black Jacky impossible, to refuse observations from outside."""

from __future__ import annotations

from blackjacky_env.engine.compiling import compiled
from blackjacky_env.engine.fields import marked
from blackjacky_env.games.black_jacky.state import EXCHANGE, NOBODY, OVER, RECORD, SEATS, TIP, VALUES

AT = RECORD.at
_PHASE_AND_PLAYER, _CARDS, _GIVEN, _EMPTY_SEAT = range(4)
_SEATED = ("to_act", "turn_player", "start_player", "first_knocker", "plus_one", "trickster")
_SEATED_AT = tuple(RECORD.layout.offset(name) for name in _SEATED)
CONTRADICTIONS = (
    "phase and player to act contradict each other",
    "its cards do not add up to the deck",
    "a card was given from an empty hand",
    *(f"{name} is an empty seat" for name in _SEATED),
)
"""What `contradiction` finds."""


@compiled
def contradiction(observation):
    """The index in `CONTRADICTIONS` of what is wrong, or NOBODY; entries are in their ranges.

    It finds what `observation.sample` and bots rely on; whatever else is wrong shows in the observation of the sampled
    position.
    """
    for i in range(len(_SEATED_AT)):
        for seat in range(int(observation[AT.num_players]), SEATS):
            if observation[_SEATED_AT[i] + seat]:
                return _EMPTY_SEAT + i
    phase, player = marked(observation, AT.phase, OVER + 1), marked(observation, AT.to_act, SEATS)
    if phase == NOBODY or (observation[AT.phase + OVER] == 0) == (player == NOBODY):
        return _PHASE_AND_PLAYER
    if not _cards_add_up(observation):
        return _CARDS
    for i in range(2):
        if phase == EXCHANGE and observation[AT.exchange_given + i]:
            giver = marked(observation, AT.exchange_pair + SEATS * i, SEATS)
            if giver == NOBODY or observation[AT.hand_counts + giver] == 0:
                return _GIVEN
    return NOBODY


@compiled
def _cards_add_up(observation):
    """Whether every card of the deck, which is not dealt while tips are asked, lies somewhere."""
    left, hidden = 0, int(observation[AT.draw_count])
    for seat in range(SEATS):
        free = int(observation[AT.hand_counts + seat])
        for v in range(1, VALUES):
            place = AT.my_hand if seat == 0 else AT.known + 8 * (seat - 1)
            free -= int(observation[place + v - 1])
        if free < 0 or (seat == 0 and free > 0):
            return False
        hidden += free
    for v in range(1, VALUES):
        unseen = v * (v <= observation[AT.max_card]) - int(observation[AT.discards + v - 1])
        for seat in range(SEATS):
            place = AT.my_hand if seat == 0 else AT.known + 8 * (seat - 1)
            unseen -= int(observation[place + v - 1]) + int(observation[AT.displays + 8 * seat + v - 1])
        if unseen < 0:
            return False
        left += unseen
    return left == hidden or observation[AT.phase + TIP] == 1
