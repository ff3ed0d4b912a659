"""What can be asked about the next settlement."""

from blackjacky_env.engine.compiling import compiled
from blackjacky_env.engine.game import Event
from blackjacky_env.games.schwarze_katze.rules import penalties_of_deal


@compiled
def gets_most(s, p):
    """K6: whether nobody gets more penalty points in the deal than p."""
    own, most = penalties_of_deal(s, p), True
    for other in range(s.num_players):
        most &= penalties_of_deal(s, other) <= own
    return most


EVENT = Event("gets the most penalty points of the deal", gets_most)
