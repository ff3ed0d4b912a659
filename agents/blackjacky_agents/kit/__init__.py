"""What a game declares to its agents: bots, network inputs, value networks, search, training, texts.

Nothing here knows a game, plays or learns: `blackjacky_agents.games` knows the kits, and everything else asks it.
"""

from blackjacky_agents.kit.encoding import Encoding, raw_encoding
from blackjacky_agents.kit.kit import Bot, GameKit

__all__ = ["Bot", "Encoding", "GameKit", "raw_encoding"]
