"""The cards of the environment, for the reference implementation."""

from tests.reference.declaration import Deck

from . import rules

DEAL = "deal"


def all_cards(options):
    """K2."""
    return [str(card) for card in rules.all_cards(options["num_players"])]


def start_player(now):
    """K3: who leads the first trick of the deal, left of the dealer."""
    return (now["dealer"] + 1) % len(now["hands"])


def dealt(now):
    """K2: all cards one at a time clockwise, from the player who leads on."""
    if now["phase"] == "over" or now["trick"] or now["table"]:
        return None
    start, hands = start_player(now), now["hands"]
    return [card for cards in zip(*hands[start:], *hands[:start], strict=True) for card in cards]


DECKS = {"deck": Deck(all_cards, dealt)}
