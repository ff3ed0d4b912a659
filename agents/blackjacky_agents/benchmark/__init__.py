"""Algorithms against exact play: how exploitable what they learn is, by the number of decisions."""
