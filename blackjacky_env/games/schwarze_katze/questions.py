"""What can be asked about the next settlement."""

from blackjacky_env.engine.compiling import compiled
from blackjacky_env.engine.game import Event
from blackjacky_env.games.schwarze_katze.state import NO_TRICK


@compiled
def penalties_of(s, p):
    """K6: what the deal adds to p's total."""
    return int(s.penalties[p]) if s.tricks_taken[p] else NO_TRICK


@compiled
def gets_most(s, p):
    """Whether nobody gets more penalty points in the deal than p."""
    own, most = penalties_of(s, p), True
    for other in range(s.num_players):
        most &= penalties_of(s, other) <= own
    return most


EVENT = Event("gets the most penalty points of the deal", gets_most)
