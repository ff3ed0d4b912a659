"""The moves by name; seats are relative to the player who acts."""

from itertools import combinations

NO_TRICK, IDLE_3, IDLE_6, DRAW, KNOCK = 0, 3, 6, 30, 47
PAIRS = list(combinations(range(6), 2))

DRAWS = (NO_TRICK, DRAW)
KNOCKS = (NO_TRICK, KNOCK)


def lay(card):
    return card


def exchange(first, second):
    """Lay a 3: these two relative seats exchange a card."""
    return 9 + PAIRS.index((first, second))


def plus_one(seat):
    """Lay a 6: "+1" goes to this relative seat."""
    return 24 + seat


def swap_draw(card):
    return 30 + card


def swap_discard(card):
    return 38 + card


def give(card):
    return 47 + card


def tip(seat):
    """Tip that this relative seat will lose a heart."""
    return 55 + seat
