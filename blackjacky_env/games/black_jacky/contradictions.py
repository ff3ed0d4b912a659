"""What makes an observation of Black Jacky impossible, so that observations from elsewhere can be refused."""

from __future__ import annotations

from blackjacky_env.engine.compiling import compiled
from blackjacky_env.games.black_jacky.observation import LAYOUT, marked
from blackjacky_env.games.black_jacky.rules import EXCHANGE, NOBODY, OVER, SEATS, TIP, VALUES

_NUM_PLAYERS = LAYOUT.offset("num_players")
_MAX_CARD = LAYOUT.offset("max_card")
_PHASE = LAYOUT.offset("phase")
_TO_ACT = LAYOUT.offset("to_act")
_EXCHANGE_PAIR = LAYOUT.offset("exchange_pair")
_EXCHANGE_GIVEN = LAYOUT.offset("exchange_given")
_DISCARDS = LAYOUT.offset("discards")
_DRAW_COUNT = LAYOUT.offset("draw_count")
_HAND_COUNTS = LAYOUT.offset("hand_counts")
_MY_HAND = LAYOUT.offset("my_hand")
_DISPLAYS = LAYOUT.offset("displays")
_KNOWN = LAYOUT.offset("known")

_PHASE_AND_PLAYER, _CARDS, _GIVEN, _EMPTY_SEAT = range(4)
_SEATED = ("to_act", "turn_player", "start_player", "first_knocker", "plus_one", "trickster")
_SEATED_AT = tuple(LAYOUT.offset(name) for name in _SEATED)
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
        for seat in range(int(observation[_NUM_PLAYERS]), SEATS):
            if observation[_SEATED_AT[i] + seat]:
                return _EMPTY_SEAT + i
    phase, player = marked(observation, _PHASE, OVER + 1), marked(observation, _TO_ACT, SEATS)
    if phase == NOBODY or (observation[_PHASE + OVER] == 0) == (player == NOBODY):
        return _PHASE_AND_PLAYER
    if not _cards_add_up(observation):
        return _CARDS
    for i in range(2):
        if phase == EXCHANGE and observation[_EXCHANGE_GIVEN + i]:
            giver = marked(observation, _EXCHANGE_PAIR + SEATS * i, SEATS)
            if giver == NOBODY or observation[_HAND_COUNTS + giver] == 0:
                return _GIVEN
    return NOBODY


@compiled
def _cards_add_up(observation):
    """Whether every card of the deck, which is not dealt while tips are asked, lies somewhere."""
    left, hidden = 0, int(observation[_DRAW_COUNT])
    for seat in range(SEATS):
        free = int(observation[_HAND_COUNTS + seat])
        for v in range(1, VALUES):
            place = _MY_HAND if seat == 0 else _KNOWN + 8 * (seat - 1)
            free -= int(observation[place + v - 1])
        if free < 0 or (seat == 0 and free > 0):
            return False
        hidden += free
    for v in range(1, VALUES):
        unseen = v * (v <= observation[_MAX_CARD]) - int(observation[_DISCARDS + v - 1])
        for seat in range(SEATS):
            place = _MY_HAND if seat == 0 else _KNOWN + 8 * (seat - 1)
            unseen -= int(observation[place + v - 1]) + int(observation[_DISPLAYS + 8 * seat + v - 1])
        if unseen < 0:
            return False
        left += unseen
    return left == hidden or observation[_PHASE + TIP] == 1
