"""Networks as compiled policies: multilayer perceptrons whose sizes and weights are parameters of one function.

All networks with the same encoding share one compiled function, so snapshots of a learner need no compilation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import Agent, CompiledAgent, check_asked
from blackjacky_agents.games import encodings_of, find_encoding
from blackjacky_agents.kit.encoding import Encoding
from blackjacky_agents.kit.settings import MAX_UNITS
from blackjacky_env.compiled import Policy, compiled, draw, entry, scratch
from blackjacky_env.declare import Game, Vector
from blackjacky_env.play import Encoder

Layers = Sequence[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]
"""Weights (inputs, outputs) and biases (outputs,) of each layer, in order; ReLU between layers."""

WIDEST = 512
"""The most units of a layer that networks in kernels for GPUs may have."""

HEADER = 2  # greedy flag, number of layers; then all sizes, inputs first


def pack(layers: Layers, greedy: bool) -> npt.NDArray[np.float32]:
    """Pack a network into float32 parameters of its policy; ``greedy``: most likely action instead of a sample."""
    numbers = [part.ravel() for layer in layers for part in layer]
    return np.concatenate([[greedy, len(layers)], sizes_of(layers), *numbers]).astype(np.float32)


def sizes_of(layers: Layers) -> list[int]:
    """The number of inputs, and of the units of each layer."""
    return [len(layers[0][0]), *(len(bias) for _, bias in layers)]


def check_packed(given: npt.NDArray[np.float32], like: npt.NDArray[np.float32], most: int) -> None:
    """Raise `ValueError` unless these are up to ``most`` packed networks, (N, size), with the layers of another one."""
    head = HEADER + int(like[1]) + 1
    is_like = given.dtype == np.float32 and given.shape[1:] == like.shape and len(given) <= most
    if not is_like or (given[:, :head] != like[:head]).any():
        raise ValueError(f"the networks, {given.dtype} of shape {given.shape}, are not like {like[:head].tolist()}")


@cache
def network_policy(encoding: Encoding) -> Policy:
    """The compiled policy of all networks with this encoding; its parameters are made by `pack`."""
    encode, size = encoding.drawn or _without_draws(encoding), encoding.size
    most = max(size, WIDEST)
    both, longest = (2, most), most + 1

    def choose(observation, mask, random_state, parameters):  # type: ignore[no-untyped-def]  # compiled
        units = widest(parameters)
        values, rows = scratch((2, units), np.float32, both), scratch(units + 1, np.int64, longest)
        encode(observation, mask, draw(random_state, 1), values[0][:size])
        logits = values[forward(values, rows, parameters)]
        uniform = (draw(random_state, 0) >> np.uint64(11)) / 2.0**53
        return pick(logits, mask, parameters[0] > 0, uniform)

    policy = compiled(choose)
    policy.check_gpu = _check_gpu  # type: ignore[attr-defined]
    policy.check_parameters = partial(check_network, size)  # type: ignore[attr-defined]
    return policy


def _without_draws(encoding: Encoding) -> Encoder:
    """What takes the place of `Encoding.drawn` where nothing is drawn."""
    function = encoding.function

    def encode(observation, mask, bits, out):  # type: ignore[no-untyped-def]  # compiled
        function(observation, mask, out)

    return compiled(encode)


def policy_of(game: str, encoding: str) -> Policy:
    """`network_policy` by names, for other processes."""
    return network_policy(find_encoding(encoding, game))


def check_network(inputs: int, parameters: npt.NDArray[np.float32], game: Game) -> None:
    """Raise `ValueError` unless these are a `pack`ed network with so many inputs, and outputs for all actions."""
    layers = parameters[1] if len(parameters) > 1 else 0
    count = int(layers) if 1 <= layers < len(parameters) - HEADER else 0
    sizes = [int(size) if 1 <= size <= MAX_UNITS else 0 for size in parameters[HEADER : HEADER + count + 1]]
    numbers = sum((before + 1) * after for before, after in pairwise(sizes))
    leads = count > 0 and sizes[0] == inputs and sizes[-1] >= game.num_actions and 0 not in sizes
    if not leads or len(parameters) != HEADER + len(sizes) + numbers:
        raise ValueError(
            f"its {len(parameters)} parameters are no network: they say layers of {sizes} units, which are {numbers} "
            f"weights; allowed is what `pack` makes of one from {inputs} inputs to {game.num_actions} actions or more"
        )


def _check_gpu(parameters: npt.NDArray[np.float32]) -> None:
    sizes = parameters[HEADER + 1 : HEADER + 1 + int(parameters[1])]
    if sizes.max() > WIDEST:
        raise ValueError(f"the network has a layer of {int(sizes.max())} units; on a GPU at most {WIDEST} are allowed")


@compiled
def widest(parameters):  # type: ignore[no-untyped-def]  # compiled
    """The size of the largest layer of a packed network, its inputs included."""
    most = 0
    for layer in range(int(parameters[1]) + 1):
        most = max(most, int(parameters[HEADER + layer]))
    return most


@compiled
def forward(values, rows, parameters):  # type: ignore[no-untyped-def]  # compiled
    """The row of ``values`` that begins with the outputs of a packed network for the inputs that ``values[0]`` holds.

    ``values``: float32, (2, `widest` or more), overwritten; ``rows``: int64, (`widest` + 1 or more,), for this
    function's use.
    """
    layers = int(parameters[1])
    start = HEADER + layers + 1
    for layer in range(layers):
        inputs, outputs = int(parameters[HEADER + layer]), int(parameters[HEADER + layer + 1])
        bias = start + inputs * outputs
        sums = values[(layer + 1) % 2][:outputs]
        for j in range(outputs):
            sums[j] = parameters[bias + j]
        _add_weighted(values[layer % 2][:inputs], parameters[start:bias], outputs, rows, sums)
        if layer + 1 < layers:
            for j in range(outputs):
                sums[j] = max(sums[j], np.float32(0))
        start = bias + outputs
    return layers % 2


@compiled
def _add_weighted(values, weights, outputs, rows, sums):  # type: ignore[no-untyped-def]
    """Add to ``sums`` (outputs,) the rows of ``weights``, each times its value.

    Most features, and half of what ReLU lets through, are 0 and are left out; the others are taken four at a time, so
    that each sum is read and written a quarter as often.
    """
    count = 0
    for i in range(len(values)):
        rows[count] = i
        count += values[i] != 0
    for k in range(0, count - 3, 4):
        a, b, c, d = rows[k], rows[k + 1], rows[k + 2], rows[k + 3]
        va, vb, vc, vd = values[a], values[b], values[c], values[d]
        first, second = weights[a * outputs : (a + 1) * outputs], weights[b * outputs : (b + 1) * outputs]
        third, fourth = weights[c * outputs : (c + 1) * outputs], weights[d * outputs : (d + 1) * outputs]
        for j in range(outputs):
            sums[j] += va * first[j] + vb * second[j] + vc * third[j] + vd * fourth[j]
    for k in range(count - count % 4, count):
        i = rows[k]
        value, row = values[i], weights[i * outputs : (i + 1) * outputs]
        for j in range(outputs):
            sums[j] += value * row[j]


@compiled
def softmax(logits, mask, probabilities):  # type: ignore[no-untyped-def]  # compiled
    """Fill ``probabilities`` (float64, (A,)) with the softmax of the logits of legal actions, 0 for the others."""
    best, total = np.float32(-np.inf), 0.0
    for action in range(len(mask)):
        if mask[action]:
            best = max(best, logits[action])
    for action in range(len(mask)):
        probabilities[action] = math.exp(np.float64(logits[action] - best)) if mask[action] else 0.0
        total += probabilities[action]
    for action in range(len(mask)):
        probabilities[action] /= total


@compiled
def pick(logits, mask, greedy, uniform):  # type: ignore[no-untyped-def]  # compiled
    """The legal action with the highest logit, or one sampled from the softmax by ``uniform``, a number in 0 .. 1."""
    best = -1
    for action in range(len(mask)):
        if mask[action] and (best < 0 or logits[action] > logits[best]):
            best = action
    if greedy:
        return best
    total = 0.0
    for action in range(len(mask)):
        if mask[action]:
            total += math.exp(np.float64(logits[action] - logits[best]))
    for action in range(len(mask)):
        if mask[action]:
            uniform -= math.exp(np.float64(logits[action] - logits[best])) / total
        if uniform < 0:
            return action
    return best


def layers_of(modules: Iterable[Any]) -> Layers:
    """The linear layers among torch modules as `Layers`."""
    return [
        (
            np.ascontiguousarray(module.weight.detach().cpu().numpy().T, np.float32),
            module.bias.detach().cpu().numpy().astype(np.float32),
        )
        for module in modules
        if hasattr(module, "in_features")
    ]


def network_agent(game: str, encoding: Encoding, parameters: npt.NDArray[np.float32], name: str = "") -> CompiledAgent:
    """A `pack`ed network as an agent, by default called ``learner``."""
    origin = (policy_of, (game, encoding.name))
    return CompiledAgent(name or "learner", game, network_policy(encoding), parameters, origin)


@cache
def _encode_entry(encoder: Encoder) -> Any:
    def encode(observations, masks, out):  # type: ignore[no-untyped-def]  # compiled
        for i in range(len(out)):
            encoder(observations[i], masks[i], out[i])

    return entry(encode)


def encode_all(
    encoding: Encoding, observations: Vector, masks: npt.NDArray[Any] | None = None
) -> npt.NDArray[np.float32]:
    """Encode observations (N, K) as float32 (N, size), where they lie; masks (N, A), None if it reads none."""
    if not isinstance(observations, np.ndarray):
        from blackjacky_env.play.gpu import encode_all as on_gpu

        return on_gpu(encoding.function, encoding.size, observations, masks)
    if masks is None:
        masks = np.zeros((len(observations), 1), np.int8)
    out = np.empty((len(observations), encoding.size), np.float32)
    _encode_entry(encoding.function)(np.ascontiguousarray(observations), masks.astype(np.int8), out)
    return out


@cache
def _logits_entry() -> Any:
    def logits(shown, parameters, out):  # type: ignore[no-untyped-def]  # compiled
        units = widest(parameters)
        values, rows = np.empty((2, units), np.float32), np.empty(units + 1, np.int64)
        for i in range(len(out)):
            values[0][: shown.shape[1]] = shown[i]
            out[i] = values[forward(values, rows, parameters)][: out.shape[1]]

    return entry(logits)


def action_probabilities(
    agent: Agent, observations: npt.NDArray[Any], masks: npt.NDArray[Any]
) -> npt.NDArray[np.float64]:
    """Action probabilities of an agent's network: the softmax over the legal actions.

    A greedy agent takes the most probable action; but where an encoding draws (`Encoding.drawn`), the agent draws
    again when it plays, and its action may be another one.

    Args:
        agent: a network agent, such as a trained one.
        observations: integers, shape (N, K).
        masks: 1 for legal actions, shape (N, A), at least one per row.

    Returns:
        Float64 (N, A); rows sum to 1, illegal actions have 0.

    Raises:
        TypeError: the agent is not a network.
        ValueError: `CompiledAgent.act_batch` would reject the observations or masks.
    """
    network, encoding = find_network(agent)
    observations, masks = check_asked(network.name, network.game, observations, masks)
    logits = np.empty(masks.shape, np.float32)
    _logits_entry()(encode_all(encoding, observations, masks), network.parameters, logits)
    legal = np.where(masks > 0, logits.astype(np.float64), -np.inf)
    probabilities: npt.NDArray[np.float64] = np.exp(legal - legal.max(axis=1, keepdims=True, initial=-np.inf))
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    return probabilities


def is_network(agent: Agent) -> bool:
    """Whether `action_probabilities` accepts the agent."""
    try:
        find_network(agent)
    except TypeError:
        return False
    return True


def find_network(agent: Agent) -> tuple[CompiledAgent, Encoding]:
    """The agent and its encoding; `TypeError` if it is not a network."""
    if isinstance(agent, CompiledAgent):
        for encoding in encodings_of(agent.game).values():
            if agent.policy is network_policy(encoding):
                return agent, encoding
    raise TypeError(f"agent {agent.name!r} is not a network, so it has no action probabilities")
