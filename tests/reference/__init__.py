"""Slow, plain second readings of the rules, written without looking at the engine."""
