"""Bots for Black Jacky."""
