"""What a seat cannot know, varied: made from the record, since observations are under test."""

from blackjacky_env.games.schwarze_katze.state import CARDS, RANKS
from blackjacky_env.games.trick_taking import NOT_IN_DECK

_SWAPS = 200


def vary_hidden(s, settled, seat, rng):
    """Give the cards in other hands than that of ``seat`` (None: a spectator) to others who may hold them.

    Hand sizes stay, and nobody gets a card of a suit in which they have a known void. In ``settled``, the deal scored
    last, nothing is hidden.
    """
    where, voids = s["where"], s["voids"].tolist()
    held = [card for card in range(CARDS) if 0 <= where[card] < NOT_IN_DECK and where[card] != seat]
    for i, j in rng.integers(len(held), size=(_SWAPS, 2)).tolist() if held else []:
        a, b = held[i], held[j]
        p, q = int(where[a]), int(where[b])
        if not voids[q][a // RANKS] and not voids[p][b // RANKS]:
            where[a], where[b] = q, p
