"""Readouts of environments: everything that can be read from them, as text, for comparison."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from pettingzoo import AECEnv

Env = AECEnv[Any, Any, Any]
Readout = dict[str, str]
"""Texts by what was read, such as ``rewards['player_0']``; they are equal exactly if types and contents are."""

_BOOKKEEPING = ("agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations", "infos")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_LONG = 4096  # longer arrays are compared by a digest
_SHOWN = 60  # characters of a value in a message


def readout(env: Env) -> Readout:
    """Everything that ``env`` shows: agents, rewards, terminations, infos, all observations and the state vector."""
    shown: dict[str, Any] = {"agents": list(env.agents)}
    if env.agents:
        shown |= {name: getattr(env, name, None) for name in _BOOKKEEPING}
        shown |= {f"observe({agent!r})": env.observe(agent) for agent in env.agents}
        if callable(getattr(env.unwrapped, "state", None)):  # some environments use that name for data of their own
            with contextlib.suppress(NotImplementedError):  # PettingZoo raises this if there is none
                shown["state()"] = env.state()
    return {name: text for each in shown for name, text in readout_of(each, shown[each]).items()}


def readout_of(name: str, value: Any) -> Readout:
    """The readout of a single value."""
    return {each: _text(leaf) for each, leaf in leaves(name, value)}


def leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """All that nested mappings and sequences hold, with its name; lists of numbers and words are told as a whole."""
    if isinstance(value, Mapping):
        for key in value:
            yield from leaves(f"{name}[{key!r}]", value[key])
    elif isinstance(value, list | tuple) and not all(isinstance(entry, str | int | float) for entry in value):
        for index, entry in enumerate(value):
            yield from leaves(f"{name}[{index}]", entry)
    else:
        yield name, value


def _text(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return _ADDRESS.sub("", f"{type(value).__name__} {value!r}")
    kind = f"{value.dtype}({','.join(map(str, value.shape))}):"
    if value.size > _LONG and not value.dtype.hasobject:
        return f"{kind} {hashlib.sha256(value.tobytes()).hexdigest()}"
    return " ".join([kind, *map(repr, value.ravel().tolist())])


def first_difference(expected: Readout, found: Readout, here: str, there: str) -> str | None:
    """The first difference in words, or None; ``here`` and ``there`` say where the readouts are from."""
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
