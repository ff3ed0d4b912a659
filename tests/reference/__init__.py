"""Slow, plain reference implementations of the rules, written without looking at the engine."""
