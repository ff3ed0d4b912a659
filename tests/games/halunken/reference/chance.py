"""The decks of the environment, for the reference implementation."""

from tests.reference.declaration import Deck

from . import rules

DEAL = "game"


def all_cards(_options):
    """H1."""
    return list(rules.ROGUES)


def all_jack_cards(options):
    """J1, D1."""
    return list(rules.MOVEMENT if options["num_players"] == 2 else rules.JACK_MOVEMENT)


def start_player(now):
    return now["start_player"]


def dealt(now):
    """H1: the top cards of all fields, then the second ones, then the third ones."""
    if not begins(now):
        return None
    layers = zip(*(tavern["hidden"] for tavern in now["taverns"]), strict=True)
    return [card for layer in layers for card in layer]


def jack_cards_dealt(now):
    """J1, D6: top first."""
    return now["black_jack_deck"] if begins(now) else None


def begins(now):
    """Nobody has placed a captain (H2)."""
    return all(field is None for field in now["captains"])


DECKS = {"deck": Deck(all_cards, dealt), "black_jack_deck": Deck(all_jack_cards, jack_cards_dealt)}
