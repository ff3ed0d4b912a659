"""All ways to copy an environment."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np


def pickled(env: Any) -> Any:
    """A copy through a pickle."""
    return pickle.loads(pickle.dumps(env))


def from_an_object_store(env: Any) -> Any:
    """A copy whose buffers lie apart in read-only memory, at odd addresses."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(env, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=[memoryview(b"\0" + buffer.raw())[1:] for buffer in buffers])


def with_shared_buffers(env: Any) -> Any:
    """A copy whose buffers are the memory of the original."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(env, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=buffers)


COPIES = [copy.copy, copy.deepcopy, pickled, from_an_object_store, with_shared_buffers]


def arrays_of(thing: Any) -> list[np.ndarray[Any, Any]]:
    """All arrays among an object's attributes."""
    if isinstance(thing, np.ndarray):
        return [thing]
    if isinstance(thing, dict):
        return [array for entry in thing.values() for array in arrays_of(entry)]
    if isinstance(thing, tuple | list):
        return [array for entry in thing for array in arrays_of(entry)]
    return []
