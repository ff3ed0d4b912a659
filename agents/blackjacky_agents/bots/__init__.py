"""Bots of all games, and what the bots of several games share."""
