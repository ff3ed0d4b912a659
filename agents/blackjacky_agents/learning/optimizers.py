"""Weights and moments of optimizers as arrays of checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt
import torch

from blackjacky_agents.learning.checkpoint import Arrays


def tensors(arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, torch.Tensor]:
    """Copies of arrays as tensors, by name."""
    return {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}


def moments_of(optimizer: torch.optim.Optimizer, prefix: str, separator: str) -> Arrays:
    """The moments of an optimizer, called ``PREFIX NUMBER SEPARATOR NAME`` without spaces."""
    return {
        f"{prefix}{number}{separator}{name}": tensor.numpy()
        for number, moments in optimizer.state_dict()["state"].items()
        for name, tensor in moments.items()
    }


def set_moments(optimizer: torch.optim.Optimizer, arrays: Arrays, separator: str) -> None:
    """Restore `moments_of`, whose names come without the prefix."""
    moments: dict[int, dict[str, torch.Tensor]] = {}
    for key, tensor in tensors(arrays).items():
        number, _, name = key.partition(separator)
        moments.setdefault(int(number), {})[name] = tensor
    optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
