"""The observation of one seat: `encode`, which writes it from a position."""

from __future__ import annotations

from blackjacky_env.compiled import inlined, make_encode, seen_from
from blackjacky_env.games import trick_taking as tricks
from blackjacky_env.games.black_spy import state
from blackjacky_env.games.black_spy.rules import black_7, has_pile, pass_places, place_of_seat

AT = state.RECORD.at
_encode_shown = make_encode(state.RECORD)


@inlined
def encode(s, observer, out):
    _encode_shown(s, observer, out)
    observer, n = int(observer), int(s.num_players)
    out[AT.pass_to] = pass_places(s)
    for card in range(state.KINDS):
        where = int(s.where[card])
        seat = where - tricks.PLAYED - observer
        seat += n * (seat < 0)
        out[AT.my_hand + card] = (where == observer) & (s.passed_by[card] != observer)
        out[AT.played + card] = (1 + seat) * (where >= tricks.PLAYED)
    out[AT.my_hand + state.BLACK_7] = 0
    out[AT.played + state.BLACK_7] = 0
    for i in range(state.BLACK_7S):
        where = int(s.where[black_7(i)])
        out[AT.my_hand + state.BLACK_7] += (where == observer) & (s.passed_by[black_7(i)] != observer)
        if where >= tricks.PLAYED:
            out[AT.black_7s_played + seen_from(observer, where - tricks.PLAYED, n)] += 1
    if s.left_out:  # shown as if the first empty seat had played them
        for card in range(state.KINDS):
            if s.where[card] == tricks.NOT_IN_DECK and card != state.BLACK_7:
                out[AT.played + card] = 1 + n
        for i in range(state.BLACK_7S):
            out[AT.black_7s_played + n] += s.where[black_7(i)] == tricks.NOT_IN_DECK
    if pass_places(s):
        encode_passing(s, observer, n, out)
    if has_pile(s):
        encode_pile(s, observer, out)


@inlined
def encode_passing(s, observer, n, out):
    """O3: what I have chosen or passed until its receiver has played it, and what I was passed."""
    places = pass_places(s)
    receiver = observer + places - n * (observer + places >= n)
    giver = observer - places + n * (observer < places)
    for card in range(state.KINDS):
        out[AT.passed + card] = (s.passed_by[card] == observer) & (s.where[card] < tricks.PLAYED)
        out[AT.received + card] = (s.passed_by[card] == giver) & (holder_of(s, card) == observer)
    passed, received, played = 0, 0, 0
    for i in range(state.BLACK_7S):
        card = black_7(i)
        passed += s.passed_by[card] == observer
        received += (s.passed_by[card] == giver) & (holder_of(s, card) == observer)
        played += s.where[card] == tricks.PLAYED + receiver
    out[AT.passed + state.BLACK_7] = max(0, passed - played)
    out[AT.received + state.BLACK_7] = received


@inlined
def holder_of(s, card):
    """The seat that has the card in its hand, or has played it; for others no seat."""
    return s.where[card] & (tricks.PLAYED - 1)


@inlined
def encode_pile(s, observer, out):
    """V3: the pile as the player sees it who chooses, and what each has left there, until cards are passed (O3)."""
    place = place_of_seat(s, observer)
    if s.phase == state.TAKE and place_of_seat(s, int(s.player)) < place:
        return
    for card in range(state.KINDS):
        out[AT.pile + card] = (s.where[card] == state.PILE) | (s.taken_at[card] > 1 + place)
    for card in range(state.KINDS, state.CARDS):
        out[AT.pile + state.BLACK_7] += (s.where[card] == state.PILE) | (s.taken_at[card] > 1 + place)
