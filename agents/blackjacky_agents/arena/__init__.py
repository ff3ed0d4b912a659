"""Measuring agents: games, tournaments and what they say."""
