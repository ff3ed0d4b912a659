"""The cards of the environment, for the reference implementation: decks, and draw piles that were made anew."""

from collections import Counter

from tests.reference.declaration import Deck

from .rules import DRAW

DEAL = "round"


def all_cards(options):
    """R1."""
    return [value for value in range(1, options.get("max_card", 8) + 1) for _ in range(value)]


def dealt(now):
    """R4: one card at a time clockwise from the start player, then one is turned up."""
    if (now["phase"], now["turn"]) != ("trick", 0):
        return None
    start, hands = now["start_player"], now["hands"]
    dealt_in = [hand for hand in hands[start:] + hands[:start] if hand]
    one_at_a_time = [card for cards in zip(*dealt_in, strict=True) for card in cards]
    return [*one_at_a_time, now["discard_top"], *now["draw_pile"]]


def attach(table):
    """Let the reference implementation of a `SideBySide` reshuffle as the environment did."""
    table.reference_game.reshuffle = lambda cards: reshuffled(cards, table.before, table.actions[-1], table.now)


def reshuffled(cards, before, action, now):
    """The new draw pile (R14): the card drawn from it at once, then what is left of it."""
    drawn = Counter(cards)
    if now["round"] == before["round"]:
        drawn.subtract(now["draw_pile"])
        return [*drawn.elements(), *now["draw_pile"]]
    player = before["player"]  # the pile is gone, but not the hand that drew
    drawn = Counter(now["last_settlement"]["hands"][player]) - Counter(before["hands"][player])
    top = list(drawn.elements()) or [action - DRAW]  # a swap for the same value
    rest = Counter(cards) - Counter(top)
    return [*top, *rest.elements()]


def start_player(now):
    return now["start_player"]


DECKS = {"deck": Deck(all_cards, dealt)}
