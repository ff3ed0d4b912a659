"""Bots for Black Spy."""
