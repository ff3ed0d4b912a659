"""Training by self-play, with MaskablePPO or in a league, networks, checkpoints and agent files."""
