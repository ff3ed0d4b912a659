"""Files of trained agents: safetensors for the weights, JSON for everything else, never a pickle.

An agent is a weights file ``NAME.safetensors`` and a card ``NAME.json`` with its game, encoding and training. The card
holds the checksum of its weights. If saving is interrupted, the file is the old agent or the new one, never a mixture.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load, save

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.games import find_encoding, get_kit
from blackjacky_agents.kit.encoding import Encoding
from blackjacky_agents.kit.settings import MAX_UNITS
from blackjacky_agents.networks.network import Layers, network_agent, pack, sizes_of
from blackjacky_agents.storage.files import next_of, read_by_card, write_with_card
from blackjacky_env.checks import check_integer
from blackjacky_env.games import DEFAULT, get_game
from blackjacky_env.play import check_arrays
from blackjacky_env.reading import parse_json, read_file

if TYPE_CHECKING:
    from blackjacky_agents.kit.settings import MixedTableSettings

AGENT_FILE = "weights.safetensors"
_FORMAT = 1
_PARTS = ("weight", "bias")  # of a layer
_HOW_IT_MIXES = "by random playouts among its inputs, which it draws for every decision"


def save_agent(path: Path, layers: Layers, game: str, encoding: Encoding, greedy: bool = True, **facts: Any) -> None:
    """Write a trained agent to ``path`` (.safetensors) and its card beside it; ``facts`` are added to the card."""
    parts = {f"layer_{i}.{name}": layer[k] for i, layer in enumerate(layers) for k, name in enumerate(_PARTS)}
    mixes = {"mixes": _HOW_IT_MIXES} if encoding.drawn else {}
    data = save({name: np.ascontiguousarray(part, np.float32) for name, part in parts.items()}, mixes or None)
    card = {**identity(game, encoding), "layers": sizes_of(layers), "greedy": greedy, **mixes}
    write_with_card(path, data, card, facts)


def identity(game: str, encoding: Encoding) -> dict[str, Any]:
    """The card's entries that must match the installed package for the agent to be loaded."""
    rules = get_game(game)
    return {
        "format": _FORMAT,
        "game": game,
        "version": rules.version,
        "encoding": encoding.name,
        "encoding_version": encoding.version,
        "observation_size": rules.layout.size,
        "num_actions": rules.num_actions,
        "activation": "relu",
    }


def load_agent(path: Path | str, game: str = DEFAULT, name: str = "") -> CompiledAgent:
    """Load a trained agent from a run folder or a ``.safetensors`` file; its name is ``ppo:PATH`` unless given.

    Raises `ValueError` if the files are missing or damaged, or made for another game, version or space.
    """
    layers, encoding, greedy = read_network(path, game)
    return network_agent(game, encoding, pack(layers, greedy), name or f"ppo:{path}")


def read_initial(name: str, game: str) -> tuple[Layers, str, tuple[int, ...]]:
    """Layers, encoding and sizes of the hidden layers of a shipped agent, a run folder or a weights file."""
    layers, encoding, _ = read_network(get_kit(game).trained.get(name, name), game)
    return layers, encoding.name, tuple(len(bias) for _, bias in layers[:-1])


def initial_layers(settings: MixedTableSettings) -> Layers | None:
    """The layers of ``init_from``, a shipped agent, a run folder or a weights file; None if it is empty.

    Raises `ValueError` if sizes differ from the settings, or the encoding does and has other features.
    """
    if not settings.init_from:
        return None
    layers, encoding, sizes = read_initial(settings.init_from, settings.game)
    layouts = [find_encoding(name, settings.game).layout for name in (encoding, settings.encoding)]
    if layouts[0] is not layouts[1] or sizes != settings.hidden_sizes:
        raise ValueError(
            f"init_from={settings.init_from!r} has encoding={encoding!r} and hidden_sizes={sizes}; "
            f"the learner has encoding={settings.encoding!r} and hidden_sizes={settings.hidden_sizes}"
        )
    return layers


def read_network(path: Path | str, game: str = DEFAULT) -> tuple[Layers, Encoding, bool]:
    """Layers and encoding of a trained agent, and whether it acts greedily; errors as `load_agent`."""
    where = f"the trained agent {str(path)!r}"
    file, card = _file_of(path), read_card(path)
    try:
        encoding = find_encoding(card.get("encoding", ""), game)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    for name, own in identity(game, encoding).items():
        if card.get(name) != own:
            raise ValueError(f"{where} is for {name}={card.get(name)!r:.100}, not for {name}={own!r}")
    data = read_by_card(file, card)
    if data is None:
        raise ValueError(f"{where} is damaged: {file.name} is truncated or does not match the checksum in its card")
    try:
        layers = _read_layers(data, card.get("layers"), encoding.size, card["num_actions"])
    except (SafetensorError, TypeError, ValueError) as error:
        raise ValueError(
            f"{where} is damaged: it has not the weights of layers={card.get('layers')!r:.100}: {error}"
        ) from None
    if not isinstance(greedy := card.get("greedy", True), bool):
        raise ValueError(f"{where} is damaged: its card says greedy={greedy!r:.100}, which is neither true nor false")
    return layers, encoding, greedy


def _file_of(path: Path | str) -> Path:
    return Path(path) / AGENT_FILE if Path(path).is_dir() else Path(path)


def _read_layers(data: bytes, sizes: Any, inputs: int, outputs: int) -> Layers:
    """The layers of these sizes in a weights file; `ValueError` if they do not lead from its inputs to its outputs."""
    first, *units = (check_integer("a layer", size, 1, MAX_UNITS) for size in sizes)
    if first != inputs or units[-1:] != [outputs]:
        raise ValueError(f"they must lead from {inputs} inputs to {outputs} actions")
    number, like = np.float32(0), dict[str, npt.NDArray[np.float32]]()
    for i, shape in enumerate(pairwise([first, *units])):
        like |= {
            f"layer_{i}.weight": np.broadcast_to(number, shape),
            f"layer_{i}.bias": np.broadcast_to(number, shape[1]),
        }
    arrays = check_arrays("the file", load(data), like)
    return [(arrays[f"layer_{i}.weight"], arrays[f"layer_{i}.bias"]) for i in range(len(units))]


def read_card(path: Path | str) -> dict[str, Any]:
    """The card of the trained agent at ``path`` (see `load_agent`); `ValueError` if it is missing or unreadable."""
    file = _file_of(path)
    card = file.with_suffix(".json")
    for needed in (file, card):
        if not needed.is_file() and not next_of(needed).is_file():
            raise ValueError(
                f"there is no trained agent at {str(path)!r}: {str(needed)!r} is missing; "
                "pass a run folder (runs/NAME) or a .safetensors file with its .json card beside it"
            )
    try:
        content = parse_json(read_file(card))
    except ValueError as error:
        raise ValueError(f"the card {str(card)!r} of a trained agent is damaged: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"the card {str(card)!r} of a trained agent is damaged: it is not a JSON object")
    return content
