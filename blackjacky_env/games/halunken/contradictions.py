"""What makes an observation of Halunken & Spelunken impossible, so that observations from elsewhere can be refused."""

from __future__ import annotations

from blackjacky_env.engine.compiling import compiled
from blackjacky_env.engine.fields import marked
from blackjacky_env.games.halunken.state import (
    BASIC,
    BID,
    CARDS,
    CHOOSE,
    CHOOSE_FOR_JACK,
    DUEL,
    FIELDS,
    GIVE,
    HARBOUR,
    JACK,
    JACK_MOVES,
    LEVELS,
    MOVES,
    NAME,
    NOBODY,
    OVER,
    PLACE_CAPTAIN,
    PLACE_JACK,
    RECORD,
    ROB,
    RUM,
    SEATS,
    STANDARD,
    TAKE,
    TAKE_OR_ROB,
)

AT = RECORD.at
_SEATED = ("to_act", "start_player", "opener", "buyer", "bidder", "victim", "mover", "captains", "chosen", "numbers")
_SEATED_AT = tuple(RECORD.layout.offset(name) for name in _SEATED)
CONTRADICTIONS = (
    "decision and player to act contradict each other",
    "so many players do not play this variant",
    "an empty seat has cards or is robbed",
    "a card lies in two places",
    "its cards do not add up to the deck",
    "a player without movement cards has chosen one",
    "no card can have been chosen for Black Jack",
    "my choice is missing or was not made",
    "there is no Black Jack in the basic game",
    "the figures cannot stand so",
    "the offers and the buyer contradict each other",
    "the movement cards do not fit the round",
    "the numbers do not fit the decision",
    "who moves and who is robbed do not fit the decision",
    *(f"{name} is an empty seat" for name in _SEATED),
)
"""What `contradiction` finds."""
(_TURN, _TABLE, _NO_SEAT, _TWO_PLACES, _CARDS, _NO_CARD_LEFT, _JACK_CHOICE, _OWN_CHOICE, _NO_JACK) = range(9)
_FIGURES, _AUCTION, _ROUNDS, _NAMED, _MEETING, _EMPTY_SEAT = range(9, 15)


@compiled
def contradiction(observation):
    """The index in `CONTRADICTIONS` of what is wrong, or NOBODY; entries are in their ranges.

    It finds what `observation.sample` and playing on rely on; whatever else is wrong shows in the observation of the
    sampled position.
    """
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
    if found == NOBODY:
        found = _wrong_choices(observation, n, variant, decision, player)
    if found == NOBODY and not _figures_fit(observation, n, variant, decision, player):
        return _FIGURES
    if found == NOBODY and not _auction_fits(observation, variant, decision):
        return _AUCTION
    if found == NOBODY and not _rounds_fit(observation, n, variant, decision):
        return _ROUNDS
    if found == NOBODY and not _numbers_fit(observation, variant, decision, player):
        return _NAMED
    if found == NOBODY and not _meeting_fits(observation, variant, decision, player):
        return _MEETING
    return found


@compiled
def _total(observation, place, count):
    """The sum of ``count`` entries from ``place`` on."""
    total = 0
    for i in range(count):
        total += int(observation[place + i])
    return total


@compiled
def _is_revealed(decision):
    """Whether the movement cards of the round lie open."""
    return decision > PLACE_JACK and decision not in (BID, CHOOSE, CHOOSE_FOR_JACK)


@compiled
def _is_meeting(decision):
    """Whether two figures have met."""
    return decision in (TAKE, TAKE_OR_ROB, ROB, GIVE)


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
def _wrong_choices(observation, n, variant, decision, player):
    """Whoever has chosen had a card left, players choose in order (H9), and the observer knows the own choices."""
    for seat in range(SEATS):
        if observation[AT.chosen + seat] and _total(observation, AT.spent + MOVES * seat, MOVES) == MOVES:
            return _NO_CARD_LEFT
    if observation[AT.black_jack_chosen] and (
        variant != DUEL or _total(observation, AT.black_jack_spent, MOVES) == MOVES
    ):
        return _JACK_CHOICE
    mine, for_jack = int(observation[AT.my_choice]), int(observation[AT.my_black_jack_choice])
    if (observation[AT.chosen] == 0) != (mine == 0) or (mine and observation[AT.spent + mine - 1]):
        return _OWN_CHOICE
    if variant == BASIC and (observation[AT.black_jack] or _total(observation, AT.black_jack_spent, JACK_MOVES)):
        return _NO_JACK
    opener, buyer = marked(observation, AT.opener, SEATS), marked(observation, AT.buyer, SEATS)
    choosing = decision in (CHOOSE, CHOOSE_FOR_JACK)
    asked = (player - opener) % n if choosing else 0
    for seat in range(n):
        if (observation[AT.chosen + seat] > 0) != ((seat - opener) % n < asked):
            return _OWN_CHOICE
    place = (buyer - opener) % n
    done = choosing and buyer != NOBODY and variant == DUEL and place < asked + (decision == CHOOSE)
    if (observation[AT.black_jack_chosen] > 0) != done or (for_jack > 0) != (done and buyer == 0):
        return _JACK_CHOICE
    if (for_jack and observation[AT.black_jack_spent + for_jack - 1]) or (
        decision == CHOOSE_FOR_JACK and player != buyer
    ):
        return _JACK_CHOICE
    return _JACK_CHOICE if decision == CHOOSE_FOR_JACK and variant != DUEL else NOBODY


@compiled
def _figures_fit(observation, n, variant, decision, player):
    """Figures are placed in turn (H2, J1), then each has a field of its own, unless two have just met (H8)."""
    if marked(observation, AT.start_player, SEATS) == NOBODY:
        return False
    if decision == PLACE_CAPTAIN:
        return observation[AT.captains + player] == 0 and observation[AT.black_jack] == 0
    shared = 0
    for seat in range(n):
        field = observation[AT.captains + seat]
        if field == 0:
            return False
        shared += field == observation[AT.black_jack]
        for other in range(seat):
            shared += field == observation[AT.captains + other]
    if decision == PLACE_JACK:
        return shared == 0 and variant != BASIC and observation[AT.black_jack] == 0
    if (observation[AT.black_jack] == 0) != (variant == BASIC) or marked(observation, AT.opener, SEATS) == NOBODY:
        return False
    return shared == (_is_meeting(decision) and observation[AT.to_rob] == 0)


@compiled
def _auction_fits(observation, variant, decision):
    """J2: the last bidder offers an own card, and buys."""
    bidder, buyer = marked(observation, AT.bidder, SEATS), marked(observation, AT.buyer, SEATS)
    if (bidder == NOBODY) != (_total(observation, AT.offers, SEATS) == 0) or (variant == BASIC and bidder != NOBODY):
        return False
    if bidder != NOBODY and observation[AT.offers + bidder] == 0:
        return False
    if decision != BID:
        return buyer == bidder
    for seat in range(SEATS):
        card = int(observation[AT.offers + seat]) - 1
        if card >= 0 and observation[AT.owners + card] != 1 + seat:
            return False
    return variant != BASIC and buyer == NOBODY


@compiled
def _rounds_fit(observation, n, variant, decision):
    """H3, J4, D3: everybody spends a movement card in each round, and reveals it."""
    revealed = _is_revealed(decision)
    spent = int(observation[AT.round]) + revealed
    for seat in range(n):
        if _total(observation, AT.spent + MOVES * seat, MOVES) != spent:
            return False
        if revealed and observation[AT.laid + seat] == 0:
            return False
    of_jack = _total(observation, AT.black_jack_spent, JACK_MOVES)
    if variant == STANDARD:
        return of_jack == observation[AT.round] or (revealed and of_jack == observation[AT.round] + 1)
    return variant == BASIC or (of_jack == spent and _total(observation, AT.black_jack_spent, MOVES) == spent)


@compiled
def _numbers_fit(observation, variant, decision, player):
    """H4, H5: one Rum is named by its owner; other numbers are moved after the cards are revealed."""
    figure, rums = NOBODY, 0
    for seat in range(SEATS):
        if observation[AT.numbers + seat] == RUM:
            figure, rums = seat, rums + 1
    if observation[AT.black_jack_number] == RUM:
        figure, rums = JACK, rums + 1
    if observation[AT.black_jack_number] and variant != DUEL:
        return False
    if decision != NAME:
        left = _total(observation, AT.numbers, SEATS) + observation[AT.black_jack_number]
        return rums == 0 and (left == 0 or _is_meeting(decision))
    owner = figure
    if figure == JACK:
        owner = marked(observation, AT.buyer, SEATS)
        if owner == NOBODY:
            owner = marked(observation, AT.opener, SEATS)
    return rums == 1 and player == owner


@compiled
def _meeting_fits(observation, variant, decision, player):
    """H7, J3, J4, D5, D6: who takes, robs or gives."""
    mover, victim = marked(observation, AT.mover, SEATS + 1), marked(observation, AT.victim, SEATS)
    buyer, first = marked(observation, AT.buyer, SEATS), int(observation[AT.to_rob]) - 1
    if (mover != NOBODY) != _is_meeting(decision) or (victim != NOBODY) != (decision == ROB):
        return False
    if mover == NOBODY:
        return _total(observation, AT.to_rob, SEATS) == 0
    if (
        not _queue_fits(observation, buyer)
        or (first != NOBODY and mover != JACK)
        or (mover == JACK and variant == BASIC)
    ):
        return False
    if decision == GIVE:
        return mover == JACK and buyer == NOBODY and _has_card(observation, player) and first in (NOBODY, player)
    if player != (buyer if mover == JACK else mover):
        return False
    if decision == ROB:
        return victim != player and _has_card(observation, victim) and first in (NOBODY, victim)
    if first != NOBODY or mover == JACK or observation[AT.captains + mover] != observation[AT.black_jack]:
        return False
    if decision == TAKE_OR_ROB and not (
        variant == DUEL and buyer not in (NOBODY, mover) and _has_card(observation, buyer)
    ):
        return False
    return _has_card(observation, HARBOUR)


@compiled
def _queue_fits(observation, buyer):
    """J4: whoever waits to be robbed or to give waits once, without gaps, and is not the buyer."""
    for i in range(SEATS):
        seat = int(observation[AT.to_rob + i]) - 1
        if seat == NOBODY:
            continue
        if seat == buyer or (i > 0 and observation[AT.to_rob + i - 1] == 0):
            return False
        for j in range(i):
            if observation[AT.to_rob + j] == 1 + seat:
                return False
    return True


@compiled
def _has_card(observation, place):
    """Whether a seat or the HARBOUR has a rogue card."""
    owned = 0
    for card in range(CARDS):
        owned += observation[AT.owners + card] == 1 + place
    return owned > 0
