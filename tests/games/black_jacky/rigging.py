"""Rigged deals and named moves, so that a test of a rule reads like the rule."""

from collections import Counter
from collections.abc import Mapping
from itertools import chain

from blackjacky_env import black_jacky_v0
from tests.games.black_jacky.moves import KNOCKS
from tests.games.rigged import RiggedTable

# Six hands that tie at 8, and five that beat them without being bust.
LOW_HANDS = [(3, 5), (3, 5), (2, 6), (4, 4), (2, 6), (3, 5)]
HIGH_HANDS = [(8, 8), (8, 8), (7, 8), (7, 8), (7, 7)]


def all_cards(max_card=8):
    """R1: value v stands on v cards."""
    return Counter({value: value for value in range(1, max_card + 1)})


def deal(hands, top=None, draw=(), start=0, max_card=8):
    """Return the deck that deals these hands by seat; the cards left over lie at the bottom, lowest first."""
    by_seat = dict(hands) if isinstance(hands, Mapping) else dict(enumerate(hands))
    order = sorted(by_seat, key=lambda seat: (seat < start, seat))  # clockwise from the start player
    dealt = [card for one_each in zip(*(by_seat[seat] for seat in order), strict=True) for card in one_each]
    left = all_cards(max_card)
    left.subtract(dealt)
    left.subtract(draw)
    top = min(card for card in left if left[card] > 0) if top is None else top
    left[top] -= 1
    assert min(left.values()) >= 0, f"more cards wanted than there are: {left}"
    return [*dealt, top, *draw, *sorted(left.elements())]


def losing(losers, dealt_in, start=0):
    """Return a deck after which exactly `losers` lose a heart if everybody knocks."""
    low, high, losers = iter(LOW_HANDS), iter(HIGH_HANDS), set(losers)
    return deal({seat: next(low) if seat in losers else next(high) for seat in dealt_in}, start=start)


def cards_on_table(table):
    return Counter(chain(*table["hands"], *table["displays"], table["draw_pile"], table["discards"]))


class Table(RiggedTable):
    """A game whose first rounds are dealt from `decks`: plays moves and shows the table."""

    module = black_jacky_v0

    def __init__(self, decks, players, start=0, **options):
        rigged = {"deck": [list(deck) for deck in decks]} if decks else {}
        super().__init__({"start_player": start, **rigged}, seed=7, num_players=players, **options)

    def __getitem__(self, key):
        return self.now[key]

    @property
    def legal(self):
        return set(self.actions)

    def full_name(self, action):
        return self.env.action_name(action)

    def settled(self, **expected):
        told = self.now["last_settlement"]
        assert {name: told[name] for name in expected} == expected
        return self

    def play(self, *moves):
        """Play actions, or tuples of actions, one after the other."""
        for move in moves:
            for action in move if isinstance(move, tuple) else (move,):
                self.env.step(action)
        return self

    def knock_all(self):
        """Everybody in the saloon knocks, which ends the round."""
        return self.play(*[KNOCKS] * self["status"].count("saloon"))


def one_round(hands, top=None, draw=(), start=0, **options):
    """Return a table whose first round deals these hands by seat."""
    deck = deal(hands, top, draw, start, options.get("max_card", 8))
    return Table([deck], len(hands), start, **options)
