"""Evaluation of agents: games, tournaments and their statistics."""
