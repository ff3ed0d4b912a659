"""Agents that play the games of `blackjacky_env`."""
