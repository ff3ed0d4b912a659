"""Rigged deals, so that a test of a rule reads like the rule."""

from blackjacky_env import schwarze_katze_v0
from tests.games.rigged import RiggedTable

RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
CARDS = [rank + suit for suit in "CDHS" for rank in RANKS]
LOW = [rank + suit for rank in RANKS for suit in "CDS"]  # in the order in which they are taken out (K2)


def in_game(players):
    """K2."""
    out = LOW[: 52 % players]
    return [card for card in CARDS if card not in out]


def deck_of(hands):
    """The deck that deals these hands, that of the leader first; what is missing of a hand is filled up."""
    wanted = [list(hand) for hand in hands]
    named = [card for hand in wanted for card in hand]
    rest = [card for card in in_game(len(wanted)) if card not in named]
    size = 52 // len(wanted)
    for hand in wanted:
        while len(hand) < size:
            hand.append(rest.pop())
    return [hand[i] for i in range(size) for hand in wanted]


class Table(RiggedTable):
    """A game in which player_0 leads the first trick of the first deal, with these hands of all players."""

    module = schwarze_katze_v0

    def __init__(self, *hands, leader=0, **options):
        deck = deck_of([hand.split() for hand in hands])
        options = {"deals": 1, "reward": "points", **options}
        super().__init__({"start_player": leader, "deck": deck}, num_players=len(hands), **options)

    def play(self, cards):
        """Play cards such as ``"2C 3C"`` one after the other."""
        return self.take(*cards.split())
