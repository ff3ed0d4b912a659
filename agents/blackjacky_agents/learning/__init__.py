"""Training: self-play, MaskablePPO, leagues, best responses, NFSP, PSRO and deep CFR."""
