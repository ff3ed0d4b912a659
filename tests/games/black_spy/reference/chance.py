"""The decks of the environment, for the reference implementation."""

from tests.reference.declaration import Deck

from . import rules

DEAL = "deal"


def all_cards(_options):
    """B1."""
    return list(rules.ALL_CARDS)


def start_player(now):
    """B2: who sits left of the dealer."""
    return (now["dealer"] + 1) % len(now["hands"])


def dealt(now):
    """B2, V3: the mole's pile, then all hands one card at a time clockwise, from the dealer's left on."""
    start, hands = start_player(now), now["hands"]
    if not begins(now):
        return None
    return [*now["pile"], *(card for layer in zip(*hands[start:], *hands[:start], strict=True) for card in layer)]


def begins(now):
    """Nobody has decided anything in this deal."""
    decided = (now["called"], any(now["chosen"]), any(now["passed"]), now["leader"] is not None)
    return not any(decided) and len(set(map(len, now["hands"]))) == 1 and not any(now["left"])


DECKS = {"deck": Deck(all_cards, dealt)}
