"""Environments for all registered games: PettingZoo AEC, Gymnasium, vector environments and batches."""
