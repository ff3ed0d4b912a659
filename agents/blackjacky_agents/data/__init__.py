"""Datasets of games for offline learning: `Dataset` reads what ``blackjacky dataset`` writes."""

from blackjacky_agents.data.loading import Dataset
from blackjacky_agents.data.minari_export import to_minari

__all__ = ["Dataset", "to_minari"]
