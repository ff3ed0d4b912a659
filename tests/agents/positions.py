"""Positions of random games, what the encodings make of them, and networks with random weights."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.learning.encoding import Encoding
from blackjacky_agents.learning.network import Layers
from blackjacky_env import make_batch
from blackjacky_env.engine.compiling import entry

ALL_SIZES = (2, 3, 4, 5, 6)
FAMILY: tuple[dict[str, Any], ...] = (
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


class Positions(NamedTuple):
    """What the players to act see: observations int8 (N, K), masks int8 (N, A)."""

    observations: npt.NDArray[np.int8]
    masks: npt.NDArray[np.int8]


def positions(games: int = 20, moves: int = 100, seed: int = 0, **options: Any) -> Positions:
    """All positions of the first moves of random games, one after the other where they end."""
    batch = make_batch("black_jacky", games, seed=seed, **{"num_players": ALL_SIZES, **options})
    rng = np.random.default_rng(seed)
    observations, masks = [], []
    for _ in range(moves):
        observations.append(batch.observations.copy())
        masks.append(batch.action_masks.copy())
        batch.step(np.argmax(rng.random(batch.action_masks.shape) * batch.action_masks, axis=1))
    return Positions(np.concatenate(observations), np.concatenate(masks))


def encoded(
    encoding: Encoding, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8], before: float = 0.0
) -> npt.NDArray[np.float32]:
    """What a network is shown, (N, F); ``before``: what the array to write into is full of."""
    shown = np.full((len(observations), encoding.size), before, np.float32)
    _encoder(encoding)(observations, masks, shown)
    return shown


@cache
def _encoder(encoding: Encoding) -> Any:
    encode = encoding.function

    def encode_all(observations, masks, shown):  # type: ignore[no-untyped-def]  # compiled
        for i in range(len(shown)):
            encode(observations[i], masks[i], shown[i])

    return entry(encode_all)


def random_layers(inputs: int, *hidden: int, seed: int = 0, outputs: int = 61) -> Layers:
    """Layers of a network from what an encoding shows to the actions."""
    rng = np.random.default_rng(seed)
    return [
        (rng.normal(size=(a, b)).astype(np.float32), rng.normal(size=b).astype(np.float32))
        for a, b in pairwise([inputs, *hidden, outputs])
    ]
