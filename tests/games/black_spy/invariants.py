"""What is true of every position of Black Spy: what no observation shows whole."""

from blackjacky_env.games.black_spy import state
from blackjacky_env.games.trick_taking import PLAYED
from tests.games.fixtures import facts_of_tricks


def facts(s):
    yield s.star in {state.NOBODY, s.where[state.RED_1]}, "the red star is where everybody knows it to be (B4)"
    for p in range(s.num_players):
        kinds = [card if card < state.KINDS else state.BLACK_7 for card in range(state.CARDS) if s.where[card] == p]
        lacking = any(s.colour_voids[p][kind // state.RANKS] or s.rank_voids[p][kind % state.RANKS] for kind in kinds)
        yield not lacking, "players known to lack a colour or number have no card of it (B5)"
    if s.phase == state.TAKE:
        yield from _facts_of_taking(s)
        return
    yield state.PILE not in s.where, "the pile is taken before anything else (V3)"
    yield from facts_of_tricks(s, state.CARDS, playing=s.phase == state.PLAY)
    yield from (_facts_of_passing if s.phase == state.PASS else _facts_of_passed_cards)(s)


def _chosen(player, order, s):
    """Cards that a player has chosen, where players choose three each in this order."""
    place, asked = order.index(player), order.index(s.player)
    return state.PICKS if place < asked else s.picks if place == asked else 0


def _clockwise(s):
    return [(s.dealer + 1 + i) % s.num_players for i in range(s.num_players)]


def _facts_of_taking(s):
    """V3: the pile."""
    order = sorted(_clockwise(s), key=lambda p: -s.totals[p])
    pile = state.PICKS * s.num_players
    taken = [_chosen(p, order, s) for p in range(s.num_players)]
    dealt = (state.CARDS - s.left_out - pile) // s.num_players - s.trick
    held = [s.where.count(p) - dealt for p in range(s.num_players)]
    yield held == taken, "everybody takes three cards in order (V3)"
    yield s.where.count(state.PILE) == pile - sum(taken), "the pile has as many cards as are left (V3)"
    yield max(s.taken_at) <= 1 + order.index(s.player), "cards are taken in order (V3)"
    yield {*s.passed_by} == {state.NOBODY}, "nothing has been passed (B3)"


def _facts_of_passing(s):
    for p in range(s.num_players):
        chosen = [s.where[card] for card in range(state.CARDS) if s.passed_by[card] == p]
        yield chosen == [p] * _chosen(p, _clockwise(s), s), "everybody chooses three own cards in order (B3, O2)"


def _facts_of_passed_cards(s):
    n = s.num_players
    passed = [(seat, s.where[card] % PLAYED) for card, seat in enumerate(s.passed_by) if seat != state.NOBODY]
    nothing = (s.phase == state.CALLING and s.call_before_pass) or (
        s.mole and s.deal_number > 0 and s.mole_replaces_pass
    )
    givers = [] if nothing else [p for p in range(n) for _ in range(state.PICKS)]
    yield sorted(giver for giver, _ in passed) == givers, "everybody has passed three cards (B3)"
    places = {(receiver - giver) % n for giver, receiver in passed}
    yield len(places) <= 1 and 0 not in places, "cards are passed to the same place by all (B3)"
