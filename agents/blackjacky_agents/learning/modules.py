"""Networks of torch and their optimizers: building them, initial weights, arrays of checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import nn

from blackjacky_agents.checkpoint import Arrays
from blackjacky_agents.networks.network import Layers
from blackjacky_env.play import check_arrays


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


def arrays_of(networks: Mapping[str, nn.Module], optimizers: Mapping[str, torch.optim.Optimizer]) -> Arrays:
    """All weights, called ``NETWORK.PARAMETER``, and moments, called ``OPTIMIZER.NUMBER.MOMENT``."""
    arrays = {f"{name}.{key}": each.numpy() for name, one in networks.items() for key, each in one.state_dict().items()}
    for name, optimizer in optimizers.items():
        for number, moments in optimizer.state_dict()["state"].items():
            arrays |= {f"{name}.{number}.{key}": tensor.numpy() for key, tensor in moments.items()}
    return arrays


def read_arrays(
    groups: Mapping[str, Arrays], networks: Mapping[str, nn.Module], optimizers: Mapping[str, torch.optim.Optimizer]
) -> Callable[[], None]:
    """A function that restores `arrays_of`, `grouped`; `ValueError` if they are not of such networks and of Adam."""
    weights = {}
    for name, network in networks.items():
        like = {key: tensor.numpy() for key, tensor in network.state_dict().items()}
        weights[name] = _tensors(check_arrays(name, groups[name], like))
    moments = {name: _read_moments(name, groups[name], optimizer) for name, optimizer in optimizers.items()}

    def restore() -> None:
        for name, network in networks.items():
            network.load_state_dict(weights[name])
        for name, optimizer in optimizers.items():
            of_parameters = optimizer.state_dict()["param_groups"]
            optimizer.load_state_dict({"state": moments[name], "param_groups": of_parameters})

    return restore


def _tensors(arrays: Arrays) -> dict[str, torch.Tensor]:
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def _read_moments(what: str, arrays: Arrays, optimizer: torch.optim.Optimizer) -> dict[int, dict[str, torch.Tensor]]:
    """The moments of each parameter; one that has not been learned yet has none."""
    parameters = [each for group in optimizer.param_groups for each in group["params"]]
    learned = {number for number in range(len(parameters)) if f"{number}.step" in arrays}
    like: Arrays = {f"{number}.step": np.zeros((), np.float32) for number in learned}
    like |= {f"{n}.{key}": parameters[n].detach().numpy() for n in learned for key in ("exp_avg", "exp_avg_sq")}
    checked = check_arrays(what, arrays, like)
    if any(not name.endswith("exp_avg") and (array < 0).any() for name, array in checked.items()):
        raise ValueError(f"{what} has steps or squares below 0")
    tensors = _tensors(checked)
    return {n: {key: tensors[f"{n}.{key}"] for key in ("step", "exp_avg", "exp_avg_sq")} for n in learned}


def read_random_state(arrays: Arrays) -> torch.Tensor:
    """The state of a generator of torch, called ``""``; `ValueError` if it is none."""
    what, generator = "the generator of torch", torch.Generator()
    state = torch.from_numpy(check_arrays(what, arrays, {"": generator.get_state().numpy()})[""])
    try:
        generator.set_state(state)
    except RuntimeError as error:
        raise ValueError(f"{what} has no possible state: {error}") from None
    return state
