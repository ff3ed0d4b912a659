"""How the result of a game is shared out."""

import numpy as np
import pytest

from blackjacky_env.engine.compiling import entry
from blackjacky_env.engine.result import share_result


def share(winners, num_players, rewards):
    share_result(winners, num_players, rewards)


SHARE = entry(share)


def shared(winners, num_players):
    """Return the rewards of ten seats."""
    rewards = np.zeros(10)
    SHARE(np.array(winners, np.int8), num_players, rewards)
    return rewards.tolist()


@pytest.mark.parametrize(
    ("winners", "players", "rewards"),
    [
        ([0, 1, 0], 3, [-1 / 2, 1, -1 / 2]),
        ([1, 0, 1, 0], 4, [1 / 2, -1 / 2, 1 / 2, -1 / 2]),
        ([1, 1, 0], 3, [1 / 2, 1 / 2, -1]),
        ([0, 0, 0], 3, [0, 0, 0]),
        ([1, 1, 1], 3, [0, 0, 0]),
    ],
)
def test_winners_share_1_and_the_others_lose_as_much(winners, players, rewards):
    assert shared([*winners, *[0] * (10 - players)], players) == [*rewards, *[0] * (10 - players)]
