"""Training: MaskablePPO, leagues, networks and the files in which they are kept."""
