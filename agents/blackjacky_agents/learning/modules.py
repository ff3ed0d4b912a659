"""Networks of torch and their optimizers: building them, initial weights, arrays of checkpoints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from blackjacky_agents.checkpoint import Arrays
from blackjacky_agents.networks.network import Layers
from blackjacky_env.play import check_arrays

_MOMENTS = ("step", "exp_avg", "exp_avg_sq")  # of Adam


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


Tensors = dict[str, torch.Tensor]


def read_tensors(what: str, arrays: Mapping[str, npt.NDArray[Any]], network: nn.Module) -> Tensors:
    """What ``load_state_dict`` of a network takes; `ValueError` unless the arrays are those of such a network."""
    expected = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
    return {name: torch.from_numpy(array) for name, array in check_arrays(what, arrays, expected).items()}


def read_random_state(arrays: Mapping[str, npt.NDArray[Any]]) -> torch.Tensor:
    """The state of a generator of torch, called ``""``; `ValueError` if it is none."""
    what, generator = "the generator of torch", torch.Generator()
    state = torch.from_numpy(check_arrays(what, arrays, {"": generator.get_state().numpy()})[""])
    try:
        generator.set_state(state)
    except RuntimeError as error:
        raise ValueError(f"{what} has no possible state: {error}") from None
    return state


def moments_of(optimizer: torch.optim.Optimizer, prefix: str, separator: str) -> Arrays:
    """The moments of an optimizer, called ``PREFIX NUMBER SEPARATOR NAME`` without spaces."""
    return {
        f"{prefix}{number}{separator}{name}": tensor.numpy()
        for number, moments in optimizer.state_dict()["state"].items()
        for name, tensor in moments.items()
    }


def read_moments(what: str, arrays: Arrays, optimizer: torch.optim.Optimizer, separator: str) -> dict[int, Tensors]:
    """`moments_of` Adam, whose names come without the prefix, for `set_moments`.

    Parameters that have not been learned yet have none. Raises `ValueError` for moments that Adam cannot have.
    """
    numbers = {key.partition(separator)[0] for key in arrays}
    parameters = [each for group in optimizer.param_groups for each in group["params"]]
    moments: dict[int, Tensors] = {}
    expected: Arrays = {}
    for number, parameter in zip(map(str, range(len(parameters))), parameters, strict=True):
        if number in numbers:
            like = dict.fromkeys(_MOMENTS[1:], parameter.detach().numpy()) | {"step": np.zeros((), np.float32)}
            expected |= {f"{number}{separator}{name}": like[name] for name in _MOMENTS}
    checked = check_arrays(what, arrays, expected)
    if any(key.endswith(("step", "exp_avg_sq")) and (array < 0).any() for key, array in checked.items()):
        raise ValueError(f"{what} has steps or squares below 0")
    for key, array in checked.items():
        number, _, name = key.partition(separator)
        moments.setdefault(int(number), {})[name] = torch.from_numpy(array)
    return moments


def set_moments(optimizer: torch.optim.Optimizer, moments: dict[int, Tensors]) -> None:
    """Restore what `read_moments` has checked."""
    optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
