"""The zero-sum result of a finished game, the same for all games."""

from __future__ import annotations

from blackjacky_env.engine.compiling import inlined


@inlined
def share_result(winners, num_players, rewards):
    """Set ``rewards`` (float64, by seat): zero-sum, 1 shared by the ``winners`` (1 by seat); 0 if all or none win."""
    won = 0
    for p in range(num_players):
        won += winners[p]
    for p in range(num_players):
        if 0 < won < num_players:
            rewards[p] = 1.0 / won if winners[p] else -1.0 / (num_players - won)
