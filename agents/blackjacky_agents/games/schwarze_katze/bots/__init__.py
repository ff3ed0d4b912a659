"""Bots for Schwarze Katze."""
