"""Environments for any game of the registry: PettingZoo AEC, Gymnasium seat, vector environments."""
