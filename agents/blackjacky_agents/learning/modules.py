"""Networks of torch and their optimizers: building them, initial weights, arrays of checkpoints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy.typing as npt
import torch
from torch import nn

from blackjacky_agents.learning.checkpoint import Arrays
from blackjacky_agents.learning.network import Layers


def mlp(sizes: Sequence[int]) -> nn.Sequential:
    """Linear layers with ReLU between them."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def linear_layers(modules: Iterable[nn.Module]) -> list[nn.Linear]:
    """The linear layers among modules."""
    return [module for module in modules if isinstance(module, nn.Linear)]


def set_layers(network: nn.Sequential, layers: Layers) -> None:
    """Copy layers into a network; outputs that it has beyond those of the layers, such as a value, stay as they are."""
    with torch.no_grad():
        for linear, (weight, bias) in zip(linear_layers(network), layers, strict=True):
            linear.weight[: len(bias)] = torch.from_numpy(weight.T.copy())
            linear.bias[: len(bias)] = torch.from_numpy(bias.copy())


def pass_advice_on(layers: Sequence[nn.Linear], begins: int, num_actions: int, logit: float) -> None:
    """Modify initial layers so that they add ``logit`` to the logit of the advised action.

    ``begins``: index of the first advice feature in the input.
    """
    units = torch.arange(num_actions)
    inputs = units + begins
    with torch.no_grad():
        for layer in layers[:-1]:
            layer.weight[units] = 0
            layer.bias[units] = 0
            layer.weight[units, inputs] = 1
            inputs = units
        layers[-1].weight[units, units] = logit


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
