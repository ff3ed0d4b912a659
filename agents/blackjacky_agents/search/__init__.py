"""Search in games with hidden information: flat Monte Carlo and information-set MCTS."""
