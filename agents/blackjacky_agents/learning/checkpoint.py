"""Files of trained agents and of running trainings: safetensors for arrays, JSON for everything else, never a pickle.

A trained agent is ``NAME.safetensors`` (its layers) with its card ``NAME.json`` beside it, which says what it plays and
how it was made. A checkpoint is a folder with ``arrays.safetensors`` and ``state.json`` under one checksum, written
aside and then renamed, so it is whole or not there.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load, save

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.files import write_file, write_json
from blackjacky_agents.learning.encoding import Encoding, find_encoding
from blackjacky_agents.learning.network import Layers, network_policy, pack
from blackjacky_env.games import get_game

Arrays = dict[str, npt.NDArray[Any]]

AGENT_FILE = "weights.safetensors"
_FORMAT = 1
_KEPT = 2  # checkpoints


# ---------------------------------------------------------------- trained agents


def save_agent(path: Path, layers: Layers, game: str, encoding: Encoding, greedy: bool = True, **facts: Any) -> None:
    """Write a trained agent to ``path`` (.safetensors) and its card beside it; ``facts`` go into the card."""
    arrays = {f"layer_{i}.{name}": part for i, layer in enumerate(layers) for name, part in _named(layer)}
    data = save({name: np.ascontiguousarray(part, np.float32) for name, part in arrays.items()})
    card = {**identity(game, encoding), "layers": _sizes(layers), "activation": "relu", "greedy": greedy}
    write_file(path, data)
    write_json(path.with_suffix(".json"), {**card, "sha256": hashlib.sha256(data).hexdigest(), **facts})


def identity(game: str, encoding: Encoding) -> dict[str, Any]:
    """What a trained agent must share with the package that plays it."""
    rules = get_game(game)
    return {
        "format": _FORMAT,
        "game": game,
        "version": rules.version,
        "encoding": encoding.name,
        "encoding_version": encoding.version,
        "observation_size": rules.layout.size,
        "num_actions": rules.num_actions,
    }


def _named(layer: tuple[Any, Any]) -> tuple[tuple[str, Any], tuple[str, Any]]:
    return ("weight", layer[0]), ("bias", layer[1])


def _sizes(layers: Layers) -> list[int]:
    return [len(layers[0][0]), *(len(bias) for _, bias in layers)]


def load_agent(path: Path | str, game: str = "black_jacky", name: str = "") -> CompiledAgent:
    """The trained agent in a run folder or in a ``.safetensors`` file, called ``ppo:PATH`` if no name is given.

    Raises `ValueError` saying what is wrong: nothing there, another game, other spaces, damaged files.
    """
    layers, encoding, greedy = read_network(path, game)
    return CompiledAgent(name or f"ppo:{path}", game, network_policy(encoding), pack(layers, greedy))


def read_network(path: Path | str, game: str = "black_jacky") -> tuple[Layers, Encoding, bool]:
    """Layers and encoding of a trained agent, and whether it takes its likeliest action; errors as `load_agent`."""
    where = f"the trained agent {str(path)!r}"
    file = Path(path) / AGENT_FILE if Path(path).is_dir() else Path(path)
    card = read_card(path)
    try:
        encoding = find_encoding(card.get("encoding", ""), game)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    for name, own in identity(game, encoding).items():
        if card.get(name) != own:
            raise ValueError(f"{where} is for {name}={card.get(name)!r}; needed is {name}={own!r}")
    data = file.read_bytes()
    if hashlib.sha256(data).hexdigest() != card.get("sha256"):
        raise ValueError(f"{where} is damaged: {file.name} is not the file that its card describes, or is cut short")
    return _read_layers(where, data, card, encoding), encoding, bool(card.get("greedy", True))


def _read_layers(where: str, data: bytes, card: Mapping[str, Any], encoding: Encoding) -> Layers:
    """The layers in a weights file; `ValueError` unless they lead from what the encoding shows to the actions."""
    try:
        arrays = load(data)
        layers = [(arrays[f"layer_{i}.weight"], arrays[f"layer_{i}.bias"]) for i in range(len(arrays) // 2)]
    except (SafetensorError, KeyError) as error:
        raise ValueError(f"{where} is damaged: its weights cannot be read ({error!r})") from None
    shapes = [(weight.shape, bias.shape) for weight, bias in layers]
    sizes = [encoding.size, *(bias.size for _, bias in layers)]
    if shapes != [((a, b), (b,)) for a, b in pairwise(sizes)] or sizes[1:][-1:] != [card["num_actions"]]:
        raise ValueError(
            f"{where} is damaged: its layers have the shapes {shapes}; needed are layers that lead from the "
            f"{encoding.size} numbers of the encoding {encoding.name!r} to {card['num_actions']} actions"
        )
    return layers


def read_card(path: Path | str) -> dict[str, Any]:
    """The card of a trained agent, given as for `load_agent`; `ValueError` if there is no agent or no readable card."""
    file = Path(path) / AGENT_FILE if Path(path).is_dir() else Path(path)
    card = file.with_suffix(".json")
    for needed in (file, card):
        if not needed.is_file():
            raise ValueError(
                f"there is no trained agent at {str(path)!r}: {str(needed)!r} is missing; "
                "needed is a run folder (runs/NAME) or a .safetensors file with its .json card beside it"
            )
    try:
        content = json.loads(card.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"the card {str(card)!r} of a trained agent is damaged: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"the card {str(card)!r} of a trained agent is damaged: it is no JSON object")
    return content


# ---------------------------------------------------------------- checkpoints


def save_checkpoint(folder: Path, steps: int, arrays: Mapping[str, npt.NDArray[Any]], state: Mapping[str, Any]) -> Path:
    """Write a checkpoint of ``steps`` steps into ``folder``; returns its path.

    Only it and the one before are kept. Those of more steps go too: the training went on from before them because they
    are broken.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"step_{steps:012d}"
    aside = folder / f"aside_{os.getpid()}"
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir()
    data = save({name: np.array(array, order="C") for name, array in arrays.items()})
    (aside / "arrays.safetensors").write_bytes(data)
    write_json(aside / "state.json", {**state, "sha256": _checksum(data, state)})
    shutil.rmtree(path, ignore_errors=True)
    aside.rename(path)
    kept = [other for other in sorted(folder.glob("step_*")) if other <= path][-_KEPT:]
    for other in set(folder.glob("step_*")) - set(kept):
        shutil.rmtree(other)
    return path


def load_checkpoint(folder: Path) -> tuple[Arrays, dict[str, Any], list[str]]:
    """The newest whole checkpoint in ``folder``: arrays, state, and a line about each newer one that is broken.

    Raises `ValueError` if there is none.
    """
    complaints = []
    for path in sorted(folder.glob("step_*"), reverse=True):
        try:
            arrays, state = _read_checkpoint(path)
        except (OSError, ValueError, SafetensorError) as error:
            complaints.append(f"checkpoint {path.name} is broken ({error}); using the one before it")
        else:
            return arrays, state, complaints
    raise ValueError("; ".join([f"there is no whole checkpoint in {str(folder)!r}", *complaints]))


def _read_checkpoint(path: Path) -> tuple[Arrays, dict[str, Any]]:
    data = (path / "arrays.safetensors").read_bytes()
    state = json.loads((path / "state.json").read_text("utf-8"))
    if state.pop("sha256", None) != _checksum(data, state):
        raise ValueError("its checksum is wrong")
    return load(data), state


def _checksum(data: bytes, state: Mapping[str, Any]) -> str:
    return hashlib.sha256(data + json.dumps(state, sort_keys=True).encode()).hexdigest()
