"""Exact play at small tables: the tree of a game, its equilibria, and what any agent loses against perfect play."""
