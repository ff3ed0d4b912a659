"""Readouts of environments: everything that can be read from them, as text, for comparison."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from pettingzoo import AECEnv

from blackjacky_env.testing.errors import Spot

Env = AECEnv[Any, Any, Any]
Readout = dict[str, str]
"""Texts by what was read, such as ``rewards['player_0']``."""

_BOOKKEEPING = ("rewards", "_cumulative_rewards", "terminations", "truncations", "infos")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_LONG = 4096  # longer arrays are compared by a digest
_SHOWN = 60  # characters of a value in a message


def readout(env: Env) -> Readout:
    """Everything that ``env`` shows: agents, rewards, terminations, infos, all observations and the state vector."""
    seen: Readout = {}
    _write(seen, "agents", list(env.agents))
    if not env.agents:
        return seen
    _write(seen, "agent_selection", env.agent_selection)
    for name in _BOOKKEEPING:
        _write(seen, name, getattr(env, name, None))
    for agent in env.agents:
        _write(seen, f"observe({agent!r})", env.observe(agent))
    if callable(getattr(env.unwrapped, "state", None)):  # some environments use that name for data of their own
        with contextlib.suppress(NotImplementedError):  # PettingZoo raises this if there is none
            _write(seen, "state()", env.state())
    return seen


def compare(spot: Spot, expected: Readout, found: Readout, here: str, there: str) -> None:
    """Fail unless both readouts are the same; ``here`` and ``there`` say where they are from ("in the copy")."""
    difference = first_difference(expected, found, here, there)
    if difference:
        spot.fail(difference)


def first_difference(expected: Readout, found: Readout, here: str, there: str) -> str | None:
    """The first difference in words, or None."""
    if expected == found:
        return None
    for name in [*expected, *found]:
        one, other = expected.get(name, "missing"), found.get(name, "missing")
        if one != other:
            return f"{name}{_in_words(one, other, here, there)}"
    return None


def _in_words(one: str, other: str, here: str, there: str) -> str:
    """The difference in words: of arrays of the same kind, the first entry that differs."""
    ones, others = one.split(" "), other.split(" ")
    if ones[0] == others[0] and ones[0].endswith(":") and len(ones) == len(others):
        entry = next(i for i, pair in enumerate(zip(ones, others, strict=True)) if pair[0] != pair[1])
        return f" entry {entry - 1} is {ones[entry]} {here} and {others[entry]} {there}"
    return f" is {_short(one)} {here} and {_short(other)} {there}"


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def as_readout(name: str, value: Any) -> Readout:
    """The readout of a single value."""
    seen: Readout = {}
    _write(seen, name, value)
    return seen


def _write(seen: Readout, name: str, value: Any) -> None:
    if isinstance(value, Mapping):
        for key in value:
            _write(seen, f"{name}[{key!r}]", value[key])
    elif isinstance(value, np.ndarray):
        seen[name] = _array_text(value)
    elif isinstance(value, list | tuple) and not all(isinstance(entry, str | int | float) for entry in value):
        for index, entry in enumerate(value):
            _write(seen, f"{name}[{index}]", entry)
    else:
        seen[name] = _ADDRESS.sub("", f"{type(value).__name__} {value!r}")


def _array_text(array: npt.NDArray[Any]) -> str:
    kind = f"{array.dtype}({','.join(map(str, array.shape))}):"
    if array.size > _LONG and not array.dtype.hasobject:
        return f"{kind} {hashlib.sha256(array.tobytes()).hexdigest()}"
    return " ".join([kind, *map(repr, array.ravel().tolist())])


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same byte for byte: type, dtype, shape, contents."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return bool(one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes())
    if isinstance(one, Mapping):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def arrays(name: str, value: Any) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """All arrays in nested mappings and sequences, with their names."""
    if isinstance(value, np.ndarray):
        yield name, value
    elif isinstance(value, Mapping):
        for key in value:
            yield from arrays(f"{name}[{key!r}]", value[key])
    elif isinstance(value, list | tuple):
        for index, entry in enumerate(value):
            yield from arrays(f"{name}[{index}]", entry)
