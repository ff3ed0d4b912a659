"""What is true of every position of Schwarze Katze: what no observation shows whole."""

from blackjacky_env.games.schwarze_katze.rules import deck
from blackjacky_env.games.schwarze_katze.state import CARDS, PLAY, RANKS, SUITS
from blackjacky_env.games.trick_taking import ASIDE
from tests.games.fixtures import facts_of_tricks


def facts(s):
    aside = {card for card in range(CARDS) if s.where[card] == ASIDE}
    yield aside == {*range(CARDS)} - {*deck(s.num_players, {})}, "the lowest cards are taken out (K2)"
    yield from facts_of_tricks(s, CARDS, playing=s.phase == PLAY)
    for p in range(s.num_players):
        for suit in range(SUITS):
            held = p in s.where[RANKS * suit : RANKS * suit + RANKS]
            yield not (s.voids[p][suit] and held), "players known to lack a suit have no card of it (K4)"
