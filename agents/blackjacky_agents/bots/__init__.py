"""Heuristic bots, each a compiled function of what its player may know."""
