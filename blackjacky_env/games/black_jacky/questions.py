"""What can be asked about the next settlement."""

from blackjacky_env.compiled import compiled
from blackjacky_env.declare import Question


@compiled
def loses_heart(s, p):
    """S1, S2: whether p loses a heart, even if a tip brings one back."""
    return s.losers[p] != 0


QUESTION = Question("loses a heart", loses_heart)
