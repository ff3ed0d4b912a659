"""Networks of torch and their optimizers: building them, initial weights, arrays of checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import nn

from blackjacky_agents.networks.network import Layers
from blackjacky_agents.storage.checkpoint import Arrays

_BEFORE_GRAPH = 3  # calls of a function in which libraries allocate what they need


def mlp(sizes: Sequence[int]) -> nn.Sequential:
    """Linear layers with ReLU between them."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def linear_layers(network: nn.Sequential) -> list[nn.Linear]:
    """The linear layers of an `mlp`."""
    return [module for module in network if isinstance(module, nn.Linear)]


class Narrowed:
    """Networks without the inputs that are always 0 and the actions that are never legal: most, at small tables.

    What belongs to them has no part in what matters, nor a gradient, so the same is learnt, in half the time.

    Args:
        inputs: all that the networks will be shown, (N, F).
        masks: legal actions, (N, A).
    """

    def __init__(self, inputs: torch.Tensor, masks: torch.Tensor) -> None:
        used = [np.flatnonzero(each.numpy().any(axis=0)) for each in (inputs, masks)]  # NumPy is thrice as fast here
        self._inputs, self._actions = map(torch.from_numpy, used)
        self._behind = masks.shape[1]

    def narrow(self, inputs: torch.Tensor, *of_actions: torch.Tensor) -> list[torch.Tensor]:
        """Inputs, and masks or other numbers of the actions, (N, A), without those columns."""
        return [inputs.index_select(1, self._inputs), *(each.index_select(1, self._actions) for each in of_actions)]

    def places(self, actions: torch.Tensor) -> torch.Tensor:
        """Where actions are among the columns that are left."""
        return torch.searchsorted(self._actions, actions)

    def __call__(self, network: nn.Sequential, inputs: torch.Tensor) -> torch.Tensor:
        """As `outputs_of` an `mlp` shown narrow inputs: the logits of the actions that are left, and what is behind."""
        layers: list[tuple[torch.Tensor, ...]] = [(layer.weight, layer.bias) for layer in linear_layers(network)]
        outputs = torch.cat([self._actions, torch.arange(self._behind, len(layers[-1][1]))])
        layers[-1] = tuple(each[outputs] for each in layers[-1])
        layers[0] = layers[0][0][:, self._inputs], layers[0][1]
        return _outputs(layers, inputs)


def outputs_of(network: nn.Sequential, inputs: torch.Tensor) -> torch.Tensor:
    """The outputs of an `mlp`, (N, O) in float32, for inputs (N, F), in whose precision the hidden layers count."""
    return _outputs([(layer.weight, layer.bias) for layer in linear_layers(network)], inputs)


def _outputs(layers: Sequence[tuple[torch.Tensor, ...]], values: torch.Tensor) -> torch.Tensor:
    *hidden, last = layers
    for layer in hidden:
        values = nn.functional.linear(values, *(each.to(values.dtype) for each in layer)).relu()
    return nn.functional.linear(values.float(), *last)


def has_fast_bfloat16() -> bool:
    """Whether this CPU multiplies matrices of bfloat16 faster than those of float32."""
    return bool(getattr(torch.cpu, "_is_avx512_bf16_supported", bool)())  # torch has no public name for it


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
            optimizer.state[parameter] = {"step": torch.tensor(0.0, device=parameter.device), **moments}
    return optimizer


def tensors_of(
    networks: Mapping[str, nn.Module], optimizers: Mapping[str, torch.optim.Optimizer]
) -> dict[str, torch.Tensor]:
    """All weights, called ``NETWORK.PARAMETER``, and moments, ``OPTIMIZER.NUMBER.MOMENT``, where they lie."""
    tensors = {f"{name}.{key}": each for name, one in networks.items() for key, each in one.state_dict().items()}
    for name, optimizer in optimizers.items():
        for number, moments in enumerate(optimizer.state.values()):
            tensors |= {f"{name}.{number}.{key}": tensor for key, tensor in moments.items()}
    return tensors


def arrays_of(networks: Mapping[str, nn.Module], optimizers: Mapping[str, torch.optim.Optimizer]) -> Arrays:
    """`tensors_of` as arrays in the CPU's memory."""
    return {name: tensor.cpu().numpy() for name, tensor in tensors_of(networks, optimizers).items()}


class Replayed:
    """A function of one tensor on a GPU that is launched as one CUDA graph, from its fourth call on.

    What it reads and writes besides the tensor must stay in place.
    """

    def __init__(self, function: Callable[[torch.Tensor], torch.Tensor]) -> None:
        self._function, self._calls, self._graph = function, 0, torch.cuda.CUDAGraph()

    def __call__(self, given: torch.Tensor) -> torch.Tensor:
        """The function's result for a tensor of the same shape every time."""
        self._calls += 1
        if self._calls <= _BEFORE_GRAPH:
            return self._aside(given)
        if self._calls == _BEFORE_GRAPH + 1:
            self._given = given.clone()
            with torch.cuda.graph(self._graph, capture_error_mode="thread_local"):  # the games go on in another thread
                self._result = self._function(self._given)
        self._given.copy_(given)
        self._graph.replay()
        return self._result.clone()

    def _aside(self, given: torch.Tensor) -> torch.Tensor:
        """Call it on a stream of its own, as what a graph is to record must have been before."""
        stream, own = torch.cuda.Stream(), torch.cuda.current_stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(own)
        with torch.cuda.stream(stream):
            result = self._function(given)
        own.wait_stream(stream)
        return result
