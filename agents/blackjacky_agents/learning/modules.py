"""Networks of torch and their optimizers: building them, initial weights, arrays of checkpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import torch
from torch import nn

from blackjacky_agents.checkpoint import Arrays
from blackjacky_agents.networks.network import Layers


def mlp(sizes: Sequence[int]) -> nn.Sequential:
    """Linear layers with ReLU between them."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def linear_layers(network: nn.Sequential) -> list[nn.Linear]:
    """The linear layers of an `mlp`."""
    return [module for module in network if isinstance(module, nn.Linear)]


def set_layers(network: nn.Sequential, layers: Layers) -> None:
    """Copy layers into an `mlp`; outputs that it has beyond those of the layers, such as a value, stay as they are."""
    with torch.no_grad():
        for linear, (weight, bias) in zip(linear_layers(network), layers, strict=True):
            linear.weight[: len(bias)] = torch.from_numpy(weight.T.copy())
            linear.bias[: len(bias)] = torch.from_numpy(bias.copy())


def pass_advice_on(network: nn.Sequential, begins: int, num_actions: int, logit: float) -> None:
    """Modify the initial layers of an `mlp` so that they add ``logit`` to the logit of the advised action.

    ``begins``: index of the first advice feature in the input.
    """
    units = torch.arange(num_actions)
    inputs = units + begins
    *hidden, last = linear_layers(network)
    with torch.no_grad():
        for layer in hidden:
            layer.weight[units] = 0
            layer.bias[units] = 0
            layer.weight[units, inputs] = 1
            inputs = units
        last.weight[units, units] = logit


def with_moments(optimizer: torch.optim.Optimizer) -> torch.optim.Optimizer:
    """Give a new Adam the moments it begins with, so that every checkpoint has the same arrays."""
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            moments = {name: torch.zeros_like(parameter) for name in ("exp_avg", "exp_avg_sq")}
            optimizer.state[parameter] = {"step": torch.tensor(0.0), **moments}
    return optimizer


def arrays_of(networks: Mapping[str, nn.Module], optimizers: Mapping[str, torch.optim.Optimizer]) -> Arrays:
    """All weights, called ``NETWORK.PARAMETER``, and moments, ``OPTIMIZER.NUMBER.MOMENT``, where they lie."""
    tensors = {f"{name}.{key}": each for name, one in networks.items() for key, each in one.state_dict().items()}
    for name, optimizer in optimizers.items():
        for number, moments in enumerate(optimizer.state.values()):
            tensors |= {f"{name}.{number}.{key}": tensor for key, tensor in moments.items()}
    return {name: tensor.numpy() for name, tensor in tensors.items()}
