"""The win estimate made from rewards agrees with the rewards that games pay."""

from __future__ import annotations

import numpy as np
import pytest

from blackjacky_env.engine.compiling import zeros
from blackjacky_env.games import get_game
from blackjacky_env.replay import chance_to_win


def paid(winners: int, players: int) -> list[float]:
    """The "win" rewards of a game that the first seats have won."""
    game = get_game("black_jacky")
    record, rewards = zeros(1, game.state_dtype), np.zeros(game.max_players)
    record["num_players"] = players
    record["winners"][0, :winners] = 1
    game.rules.returns(record[0], rewards)
    return rewards[:players].tolist()


@pytest.mark.parametrize("players", [2, 3, 6])
def test_a_sole_winner_has_everything_and_nobody_or_everybody_the_same(players: int) -> None:
    assert [chance_to_win(reward, players) for reward in paid(1, players)] == pytest.approx([1, *[0] * (players - 1)])
    for winners in (0, players):
        assert [chance_to_win(reward, players) for reward in paid(winners, players)] == [1 / players] * players


@pytest.mark.parametrize("k", [2, 3])
def test_other_shared_wins_count_more_than_their_share_as_the_docstring_says(k: int) -> None:
    first, *_, last = paid(k, 4)
    assert chance_to_win(first, 4) == pytest.approx(1 / k + (k - 1) / (k * 4))
    assert chance_to_win(last, 4) == 0
