"""Observations that compiled code must not see: those from which a position cannot be sampled or played on.

Whatever else is wrong shows in the observation of the sampled position, or in what is not true of it.
"""

from __future__ import annotations

from blackjacky_env.engine.compiling import compiled
from blackjacky_env.engine.fields import marked
from blackjacky_env.games.halunken.state import (
    BID,
    CARDS,
    CHOOSE,
    CHOOSE_FOR_JACK,
    DUEL,
    FIELDS,
    JACK_MOVES,
    LEVELS,
    MOVES,
    NOBODY,
    OVER,
    PLACE_JACK,
    RECORD,
    SEATS,
)

AT = RECORD.at
_SEATED = ("to_act", "start_player", "opener", "buyer", "bidder", "victim", "mover", "captains", "chosen", "numbers")
_SEATED_AT = tuple(RECORD.layout.offset(name) for name in _SEATED)
CONTRADICTIONS = (
    "decision and player to act contradict each other",
    "the variant is not for this many players",
    "an empty seat has cards or is robbed",
    "a card lies in two places",
    "its cards do not add up to the deck",
    "a player without movement cards has chosen one",
    "no card can have been chosen for Black Jack",
    "nobody opens the round",
    "the movement cards do not fit the round",
    *(f"{name} is an empty seat" for name in _SEATED),
)
"""What `contradiction` finds."""
(_TURN, _TABLE, _NO_SEAT, _TWO_PLACES, _CARDS, _NO_CARD_LEFT, _JACK_CHOICE, _NO_OPENER, _ROUNDS, _EMPTY_SEAT) = range(
    10
)


@compiled
def contradiction(observation):
    """The index in `CONTRADICTIONS` of what is wrong, or NOBODY; entries are in their ranges."""
    n, variant = int(observation[AT.num_players]), marked(observation, AT.variant, 3)
    decision, player = marked(observation, AT.decision, OVER + 1), marked(observation, AT.to_act, SEATS)
    if _total(observation, AT.decision, OVER + 1) != 1 or (decision == OVER) != (player == NOBODY):
        return _TURN
    if _total(observation, AT.variant, 3) != 1 or (n == 2) != (variant == DUEL):
        return _TABLE
    for i in range(len(_SEATED_AT)):
        for seat in range(n, SEATS):
            if observation[_SEATED_AT[i] + seat]:
                return _EMPTY_SEAT + i
    found = _wrong_cards(observation, n)
    return _wrong_moves(observation, n, variant, decision) if found == NOBODY else found


@compiled
def _total(observation, place, count):
    total = 0
    for i in range(count):
        total += int(observation[place + i])
    return total


@compiled
def _wrong_cards(observation, n):
    """Every card lies in one place, and taverns hold three cards at most."""
    in_taverns = 0
    for card in range(CARDS):
        in_taverns += observation[AT.owners + card] == 0
        if n < observation[AT.owners + card] <= SEATS:
            return _NO_SEAT
    for i in range(SEATS):
        if observation[AT.to_rob + i] > n:
            return _NO_SEAT
    for field in range(FIELDS):
        top = int(observation[AT.tops + field])
        if top and observation[AT.owners + top - 1]:
            return _TWO_PLACES
        for other in range(field):
            if top and observation[AT.tops + other] == top:
                return _TWO_PLACES
    for field in range(FIELDS):
        height = int(observation[AT.hidden + field]) + (observation[AT.tops + field] > 0)
        if height > LEVELS:
            return _CARDS
        in_taverns -= height
    return _CARDS if in_taverns else NOBODY


@compiled
def _wrong_moves(observation, n, variant, decision):
    """H3, J2, D3: rounds have an opener, everybody spends a movement card in each, and chosen cards were not spent."""
    if decision > PLACE_JACK and marked(observation, AT.opener, SEATS) == NOBODY:
        return _NO_OPENER
    revealed = decision > PLACE_JACK and decision not in (BID, CHOOSE, CHOOSE_FOR_JACK)
    rounds = int(observation[AT.round]) + revealed
    for seat in range(n):
        spent = _total(observation, AT.spent + MOVES * seat, MOVES)
        if observation[AT.chosen + seat] and spent == MOVES:
            return _NO_CARD_LEFT
        if spent != rounds:
            return _ROUNDS
    of_jack = _total(observation, AT.black_jack_spent, MOVES)
    if observation[AT.black_jack_chosen] and (variant != DUEL or of_jack == MOVES):
        return _JACK_CHOICE
    if variant == DUEL and (of_jack != rounds or _total(observation, AT.black_jack_spent, JACK_MOVES) != rounds):
        return _ROUNDS
    return NOBODY
