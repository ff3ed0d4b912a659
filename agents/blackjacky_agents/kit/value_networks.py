"""Value networks: the chance of each seat to win, where a simulation ends.

A network gives each seat a number from what the table shows of it. The chances are the softmax of these numbers, so
the network is a Luce choice model ("Individual Choice Behavior", 1959) whose weights are learned from the results of
games; `scripts/tuning/train_value_network.py` plays the games and trains it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load, save

from blackjacky_agents.kit.search import Stage, Value, to_rewards
from blackjacky_agents.storage.files import read_by_card, write_with_card
from blackjacky_env.compiled import compiled, scratch
from blackjacky_env.declare import Layout
from blackjacky_env.reading import parse_json, read_file

_AT_ONCE = 4  # inputs


class Weights(NamedTuple):
    """A network with one hidden layer of H units with ReLU; float32."""

    inputs: npt.NDArray[np.float32]
    """(features, H)."""
    biases: npt.NDArray[np.float32]
    """(H,)."""
    outputs: npt.NDArray[np.float32]
    """(H,)."""


@dataclass(frozen=True)
class ValueNetwork:
    """The value network of a game, and what it takes to train it."""

    file: Path
    """Its weights, with their card (.json) beside them."""
    layout: Layout
    """The features of a seat."""
    write: Callable[..., None]
    """Compiled (s, out): the features of each seat at the table into ``out``, float32 (players, features), zeros."""
    stage: Stage
    """Where positions are valued: when this number changes."""
    formula: Value
    """What it takes the place of, compiled as `value`; with ``begins`` it holds at the beginning of a round only."""
    most_stages: int
    """How often the number can change in a game; later changes are not learned from."""
    tables: tuple[tuple[int, str, Mapping[str, Any], float], ...]
    """Number of players, variant, rule options, and fraction of the games for training."""
    begins: Callable[..., bool] | None = None
    """Compiled (s) -> whether a round has just begun. With it the formula values these positions, and the network all
    others: it learns what the formula says at the end of the round, which is less noisy than the result of the game.
    None: the network values all positions and learns the result."""

    @cached_property
    def value(self) -> Value:
        """Compiled (s, result): fill ``result``, float64 (max_players,), with the expected "win" rewards."""
        learned = network_value(self.write, max(table[0] for table in self.tables), self.read())
        if self.begins is None:
            return learned
        begins, formula = self.begins, self.formula

        def value(s, result):  # type: ignore[no-untyped-def]  # compiled
            if begins(s):
                formula(s, result)
            else:
                learned(s, result)

        return compiled(value)

    def read(self) -> Weights:
        """The network, to which all seats are equal if there is neither a file nor a card yet.

        Raises `ValueError` if one of them is missing, or the file is damaged or has other features.
        """
        card_file = self.file.with_suffix(".json")
        if not self.file.exists() and not card_file.exists():
            return Weights(*(np.zeros(shape, np.float32) for shape in ((self.layout.size, 1), (1,), (1,))))
        card = parse_json(read_file(card_file)) if card_file.exists() else {}
        data = read_by_card(self.file, card)
        if data is None or card.get("features") != describe(self.layout):
            raise ValueError(
                f"the value network {str(self.file)!r} is damaged or has other features; delete it and its card, "
                "and train it again: python -m scripts.tuning.train_value_network --game GAME"
            )
        return Weights(**load(data))

    def save(self, weights: Weights, facts: dict[str, Any]) -> None:
        """Write the weights and their card."""
        data = save({name: np.ascontiguousarray(array) for name, array in weights._asdict().items()})
        write_with_card(self.file, data, {"features": describe(self.layout)}, facts)


def describe(layout: Layout) -> dict[str, str]:
    """What the features mean, by name."""
    return {part.name: part.meaning for part in layout.parts.values()}


@compiled
def write_lead(scores, n, p, scale, out):  # type: ignore[no-untyped-def]  # compiled
    """By how much p's score is above the best and above the mean of the others, in units of ``scale``, into (2,)."""
    best, total = -np.inf, 0.0
    for q in range(n):
        if q != p:
            best, total = max(best, scores[q]), total + scores[q]
    out[0] = (scores[p] - best) / scale
    out[1] = (scores[p] - total / (n - 1)) / scale


def network_value(write: Callable[..., None], seats: int, weights: Weights) -> Value:
    """Compiled (s, result): the expected "win" rewards by a network."""
    size, units = len(weights.inputs), len(weights.biases)
    rounded = -(-size // _AT_ONCE) * _AT_ONCE
    inputs, biases, outputs = np.zeros((rounded, units), np.float32), weights.biases, weights.outputs
    inputs[:size] = weights.inputs
    shape = (seats, rounded)

    def value(s, result):  # type: ignore[no-untyped-def]  # compiled
        n, most, total = int(s.num_players), -np.inf, 0.0
        shown, sums = scratch(shape, np.float32), scratch(units, np.float32)
        shown[:] = 0.0
        write(s, shown)
        for p in range(n):
            for j in range(units):
                sums[j] = biases[j]
            for i in range(0, rounded, _AT_ONCE):  # so that each sum is read and written a quarter as often
                a, b, c, d = shown[p, i], shown[p, i + 1], shown[p, i + 2], shown[p, i + 3]
                for j in range(units):
                    sums[j] += a * inputs[i, j] + b * inputs[i + 1, j] + c * inputs[i + 2, j] + d * inputs[i + 3, j]
            logit = np.float32(0)
            for j in range(units):
                logit += max(sums[j], np.float32(0)) * outputs[j]
            result[p] = logit
            most = max(most, result[p])
        for p in range(n):
            result[p] = math.exp(result[p] - most)
            total += result[p]
        to_rewards(result, n, total)

    return compiled(value)
