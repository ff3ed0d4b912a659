"""Bots for Schwarze Katze: each a compiled function from what a player sees to an action."""
