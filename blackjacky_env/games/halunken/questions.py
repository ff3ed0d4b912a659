"""What can be asked about the next settlement."""

from blackjacky_env.engine.compiling import compiled
from blackjacky_env.engine.game import Event
from blackjacky_env.games.halunken.rules import present_score


@compiled
def gets_least(s, p):
    """C1: whether nobody gets fewer points in the game of eight rounds than p."""
    own, least = present_score(s, p), True
    for other in range(s.num_players):
        least &= present_score(s, other) >= own
    return least


EVENT = Event("gets the fewest points of the game", gets_least)
