"""Positions of random games, and networks with random weights."""

from collections import namedtuple
from itertools import pairwise

import numpy as np

from blackjacky_env import make_batch

ALL_SIZES = (2, 3, 4, 5, 6)
FAMILY = (
    {},
    {"variant": "schnell_duell"},
    {"num_players": (2,), "hand_size": 8, "bust_at": 99, "hearts": 9},
    {"num_players": (2,), "variant": "schnell_duell", "hand_size": 8, "bust_at": 40, "max_turns_per_round": None},
    {"max_card": 5, "bust_at": 2, "tricks": (2, 3), "max_turns_per_round": 9},
    {"num_players": (2, 3), "max_card": 4, "hand_size": 3, "bust_at": 9, "hearts": 1},
    {"num_players": (2,), "max_card": 2, "hand_size": 1, "bust_at": 3, "tricks": ()},
    {"tricks": (6,), "hand_size": 5, "bust_at": 35, "hearts": 1, "max_turns_per_round": 127},
)
"""Games of all sizes, both variants, and options at the ends of their ranges."""


Positions = namedtuple("Positions", "observations masks")
"""What the players to act see: int8 (N, K) and (N, A)."""


def positions(games=20, moves=100, seed=0, **options):
    """All positions of the first moves of random games, one after the other where they end."""
    batch = make_batch("black_jacky", games, seed=seed, **{"num_players": ALL_SIZES, **options})
    rng = np.random.default_rng(seed)
    observations, masks = [], []
    for _ in range(moves):
        observations.append(batch.observations.copy())
        masks.append(batch.action_masks.copy())
        batch.step(np.argmax(rng.random(batch.action_masks.shape) * batch.action_masks, axis=1))
    return Positions(np.concatenate(observations), np.concatenate(masks))


def random_layers(inputs, *hidden, seed=0, outputs=61):
    """Layers of a network from what an encoding shows to the actions."""
    rng = np.random.default_rng(seed)
    return [
        (rng.normal(size=(a, b)).astype(np.float32), rng.normal(size=b).astype(np.float32))
        for a, b in pairwise([inputs, *hidden, outputs])
    ]
