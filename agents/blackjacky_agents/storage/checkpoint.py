"""Training checkpoints: safetensors for arrays, JSON for everything else, never a pickle.

A checkpoint is a folder with ``arrays.safetensors`` and ``state.json`` and one checksum for both. It is written under a
temporary name and renamed, so that it is either complete or absent. One that replaces another of the same step leaves
the other as ``step_N.replaced`` until it stands in its place.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load, save

from blackjacky_agents.storage.files import write_json
from blackjacky_env.checks import check_integer
from blackjacky_env.reading import MAX_DATA, MAX_LIST, read_file

Arrays = dict[str, npt.NDArray[Any]]

MOST_COUNTED = 2**53
"""The largest number of steps, updates and the like in a checkpoint."""

MOST_SECONDS = 1e12
_KEPT = 2  # checkpoints


def save_checkpoint(folder: Path, steps: int, arrays: Mapping[str, npt.NDArray[Any]], state: Mapping[str, Any]) -> Path:
    """Write the checkpoint at ``steps`` steps into ``folder``; returns its path.

    Deletes all others except the previous one. Checkpoints with more steps are deleted too: they were broken, and
    training resumed from an earlier one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"step_{steps:012d}"
    for left in folder.glob("aside*"):  # by a process that was killed; a folder has one writer
        shutil.rmtree(left)
    aside, replaced = folder / "aside", path.with_suffix(".replaced")
    data = save({name: np.array(array, order="C") for name, array in arrays.items()})
    try:
        aside.mkdir()
        (aside / "arrays.safetensors").write_bytes(data)
        write_json(aside / "state.json", {**state, "sha256": _checksum(data, state)})
        if path.exists():
            shutil.rmtree(replaced, ignore_errors=True)
            path.rename(replaced)
        aside.rename(path)
    except OSError:  # such as a full disk, on which it must not take the room of the next one
        shutil.rmtree(aside, ignore_errors=True)
        raise
    shutil.rmtree(replaced, ignore_errors=True)
    kept = [other for other in _checkpoints(folder) if other <= path][:_KEPT]
    for other in set(_checkpoints(folder)) - set(kept):
        shutil.rmtree(other)
    return path


def has_checkpoint(folder: Path) -> bool:
    """Whether there is a checkpoint in ``folder``, perhaps a broken one."""
    return bool(_checkpoints(folder))


def _checkpoints(folder: Path) -> list[Path]:
    """All checkpoints, newest first; one that was being replaced follows the other of its step, if that is there."""
    return sorted(folder.glob("step_*"), key=lambda path: (path.stem, not path.suffix), reverse=True)


def load_checkpoint(folder: Path, most: int = MAX_DATA) -> tuple[Arrays, dict[str, Any], list[str]]:
    """Load the newest complete checkpoint: its arrays, its state, and a warning for each newer one that is broken.

    ``most``: bytes that its arrays may have. Raises `ValueError` if there is none.
    """
    complaints = []
    for path in _checkpoints(folder):
        try:
            arrays, state = _read_checkpoint(path, most)
        except (OSError, ValueError, KeyError, RecursionError, SafetensorError) as error:
            complaints.append(f"checkpoint {path.name} is broken ({error}); using the one before it")
        else:
            return arrays, state, complaints
    raise ValueError("; ".join([f"there is no complete checkpoint in {str(folder)!r}", *complaints]))


def _read_checkpoint(path: Path, most: int) -> tuple[Arrays, dict[str, Any]]:
    data = read_file(path / "arrays.safetensors", most)
    state = json.loads(read_file(path / "state.json", MAX_LIST))
    if not isinstance(state, dict) or state.pop("sha256", None) != _checksum(data, state):
        raise ValueError("its checksum is wrong")
    return load(data), state


def read_count(state: Mapping[str, Any], name: str) -> int:
    """A number of something that has been done; `TypeError` or `ValueError` if it is missing or none."""
    return check_integer(name, state.get(name), 0, MOST_COUNTED)


def _checksum(data: bytes, state: Mapping[str, Any]) -> str:
    return hashlib.sha256(data + json.dumps(state, sort_keys=True).encode()).hexdigest()
