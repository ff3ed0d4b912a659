"""Network inputs declared as data: parts of the observation by name, and computed parts, which the game's code writes.

FEATURES = Features(
    RECORD.layout,
    [
        one_hot("num_players"),
        "phase voids hand=my_hand",                      # parts of the observation, one of them renamed
        divided("points", 100),
        Part("unseen", (52,), 0, 1, "cards that others hold"),   # written by the game
    ],
)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.kit.encoding import Encoding
from blackjacky_env.compiled import compiled, generated, scratch
from blackjacky_env.declare import Layout, Part


class Repeated(NamedTuple):
    """Features that repeat parts of the observation, made by the functions below."""

    names: str
    divisor: int = 1
    marked: bool = False
    """Whether a number is shown as a mark among its possible values."""


def divided(names: str, divisor: int) -> Repeated:
    """Parts of the observation, by name, separated by blanks, each entry divided; ``name=part`` renames one."""
    return Repeated(names, divisor)


def one_hot(names: str) -> Repeated:
    """Numbers of the observation, each as a mark among its possible values."""
    return Repeated(names, marked=True)


class Features:
    """The features of an encoding, float32.

    Args:
        observed: the layout of the observation.
        features: in order: names as in `divided` of parts that are repeated unchanged, what the functions above
            return, and parts that code of the game writes.

    Attributes:
        layout: of the features, with the ranges that follow from those of the observation.
        at: their offsets by name, for compiled code.
        write: compiled (observation, out): write zeros, then everything that repeats the observation.
    """

    def __init__(self, observed: Layout, features: Iterable[str | Repeated | Part]) -> None:
        parts: list[Part] = []
        lines = ["for i in range(len(out)):", "    out[i] = 0.0"]
        for feature in features:
            if isinstance(feature, Part):
                parts.append(feature)
                continue
            repeated = Repeated(feature) if isinstance(feature, str) else feature
            for each in repeated.names.split():
                name, _, source = each.partition("=")
                part = observed.parts[source or name]
                lines += _code(part, sum(before.length for before in parts), repeated)
                parts.append(_part(name, part, repeated))
        self.layout = Layout(parts)
        self.at = self.layout.at
        source = "\n    ".join(["def write_repeated(observation, out):", *lines]) + "\n"
        self.write: Callable[..., None] = compiled(generated("write_repeated", source, {}))


def _part(name: str, part: Part, repeated: Repeated) -> Part:
    if repeated.marked:
        return Part(name, (part.high - part.low + 1,), 0, 1, f"one-hot, {part.low} .. {part.high}: {part.meaning}")
    low, high = math.floor(part.low / repeated.divisor), math.ceil(part.high / repeated.divisor)
    scale = f" / {repeated.divisor}" if repeated.divisor != 1 else ""
    return Part(name, part.shape, low, high, f"{part.meaning}{scale}")


def _code(part: Part, place: int, repeated: Repeated) -> list[str]:
    """Lines that write a part to the features from ``place`` on."""
    if repeated.marked:
        return [f"out[{place - part.low} + int(observation[{part.offset}])] = 1.0"]
    scale = f" / {repeated.divisor}" if repeated.divisor != 1 else ""
    return [f"for i in range({part.length}):", f"    out[{place} + i] = observation[{part.offset} + i]{scale}"]


def with_advice(
    cards: Encoding,
    estimate: Callable[..., None],
    parameters: npt.NDArray[Any],
    actions: int,
    divisor: float,
    most: float = math.inf,
) -> Encoding:
    """The encoding ``advice``: the features of ``cards``, and what a bot expects of each action.

    Args:
        cards: the encoding that is extended.
        estimate: compiled (observation, mask, costs, parameters): fill ``costs`` (float64, (A,)), legal actions only.
        parameters: of the bot.
        actions: number of actions, A.
        divisor: of the costs, which are those of an action less those of the best.
        most: the largest cost, divided; higher ones count as this much.
    """
    high = 50 if math.isinf(most) else math.ceil(most)
    costs_meaning = f"by action: what the bot expects of it less what it expects of the best / {divisor:g}"
    ours = [
        Part("costs", (actions,), 0, high, costs_meaning),
        Part("advice", (actions,), 0, 1, "one-hot: the action with the lowest of these"),
    ]
    whole = Layout([*cards.layout.parts.values(), *ours])
    write, first, mark = cards.function, whole.parts["costs"].offset, whole.parts["advice"].offset

    def advice(observation, mask, out):
        write(observation, mask, out)
        if not mask.any():
            return
        costs = scratch(actions, np.float64)
        estimate(observation, mask, costs, parameters)
        best = np.argmin(costs)
        out[mark + best] = 1.0
        for action in range(actions):
            if mask[action]:
                out[first + action] = min(most, (costs[action] - costs[best]) / divisor)

    return Encoding("advice", cards.version, compiled(advice), whole, mark)
