"""What can be asked about the next settlement."""

from blackjacky_env.engine.compiling import compiled
from blackjacky_env.engine.game import Event
from blackjacky_env.games.black_spy.rules import points_of_deal


@compiled
def gets_most(s, p):
    """B7, B8: whether nobody gets more points in the deal than p."""
    own, most = points_of_deal(s, p), True
    for other in range(s.num_players):
        most &= points_of_deal(s, other) <= own
    return most


EVENT = Event("gets the most points of the deal", gets_most)
