"""Targets of agents: cards, weights, solutions, checkpoints, settings of runs, answers of programs and models."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace

import numpy as np

from blackjacky_agents.agent import AgentError
from blackjacky_agents.checkpoint import load_checkpoint, save_checkpoint
from blackjacky_agents.external.subprocess_agent import SubprocessAgent, _Process
from blackjacky_agents.games import encodings_of
from blackjacky_agents.language.answers import answer_in, find_action
from blackjacky_agents.learning.folders import read_config, write_config
from blackjacky_agents.learning.settings import check_settings, presets_of
from blackjacky_agents.networks.agent_file import AGENT_FILE, read_network, save_agent
from blackjacky_agents.solving.solution import Policy, load_solution, look_up, save_solution
from blackjacky_agents.solving.table import Table
from blackjacky_env.games import DEFAULT, get_game
from tests.fuzzing.target import Target, folder, written


@cache
def _agent() -> Path:
    """A network of one small layer in a run folder."""
    run = folder() / "run"
    run.mkdir(exist_ok=True)
    encoding = next(iter(encodings_of(DEFAULT).values()))
    sizes = (encoding.size, 2, get_game(DEFAULT).num_actions)
    layers = [(np.zeros((a, b), np.float32), np.zeros(b, np.float32)) for a, b in pairwise(sizes)]
    save_agent(run / AGENT_FILE, layers, DEFAULT, encoding)
    return run / AGENT_FILE


@cache
def _files() -> tuple[bytes, bytes]:
    """Weights and card of that agent."""
    return _agent().read_bytes(), _agent().with_suffix(".json").read_bytes()


def _load(weights: bytes, card: bytes) -> None:
    written("agent.safetensors", weights)
    written("agent.json", card)
    read_network(folder() / "agent.safetensors", DEFAULT)


def _load_card(data: bytes) -> None:
    _load(_files()[0], data)


def _load_weights(data: bytes) -> None:
    """The card has the checksum of whatever the weights are: whoever changes them can write that, too."""
    card = json.loads(_files()[1])
    _load(data, json.dumps({**card, "sha256": sha256(data).hexdigest()}).encode())


@cache
def _solution() -> tuple[bytes, bytes]:
    """Arrays and card of a solution of two information states."""
    table, path = Table.of(DEFAULT), folder() / "solved.safetensors"
    keys = np.array([[1, 2], [3, 4]], np.uint64)
    chances = np.array([0.5, 0.5, 1.0], np.float32)
    save_solution(path, Policy(keys, np.array([0, 2, 3]), np.array([0, 47, 3], np.int16), chances), table)
    return path.read_bytes(), path.with_suffix(".json").read_bytes()


def _load_solution(data: bytes) -> None:
    """As `_load_weights`; what is loaded is also looked up."""
    written("solution.safetensors", data)
    card = json.loads(_solution()[1])
    written("solution.json", json.dumps({**card, "sha256": sha256(data).hexdigest()}).encode())
    policy = load_solution(str(folder() / "solution.safetensors"), DEFAULT).policy
    look_up(policy.keys, np.array([[3, 4]], np.uint64))


def _load_checkpoint(data: bytes) -> None:
    """Its checksum is right for whatever it holds, if that is JSON."""
    arrays, state = data.split(b"\n{", 1) if b"\n{" in data else (data, b"")
    try:
        held = json.loads(b"{" + state)
        held["sha256"] = sha256(arrays + json.dumps(held, sort_keys=True).encode()).hexdigest()
        state = json.dumps(held).encode()
    except (ValueError, RecursionError):
        state = b"{" + state
    written("loaded/step_1/arrays.safetensors", arrays)
    written("loaded/step_1/state.json", state)
    load_checkpoint(folder() / "loaded")


def _checkpoints() -> list[bytes]:
    """The arrays of a checkpoint, a line break, and its state without the checksum."""
    arrays = {"a": np.zeros((2, 3), np.float32), "b": np.arange(4)}
    generator = np.random.default_rng(0).bit_generator.state
    state = {"steps": 5, "seconds": 1.5, "pool": [{"name": "a"}], "generator": generator}
    path = save_checkpoint(folder() / "saved", 5, arrays, state)
    return [(path / "arrays.safetensors").read_bytes() + b"\n" + json.dumps(state).encode()]


def _runs() -> list[bytes]:
    run, made = written("settings/config.json", b"").parent, []
    for settings in presets_of(DEFAULT).values():
        write_config(run, settings, "train")
        made.append((run / "config.json").read_bytes())
    return made


def _read_run(data: bytes) -> None:
    written("settings/config.json", data)
    check_settings(read_config(folder() / "settings")[0])


def _answer(data: bytes) -> None:
    """A program that has said hello answers the question for a move with this."""
    game, agent, process = get_game(DEFAULT), SubprocessAgent("true", DEFAULT), _Process.__new__(_Process)
    process._name, process._lines, process.end = agent.name, SimpleQueue(), lambda: None
    said = SimpleNamespace(write=lambda _: process._lines.put(data.partition(b"\n")[0]), flush=lambda: None)
    process._program, agent._process = SimpleNamespace(stdin=said, returncode=0), process
    mask = (np.arange(game.num_actions) < 3).astype(np.int8)
    agent.act({"observation": np.zeros(game.layout.size, game.layout.dtype), "action_mask": mask})


def _answers() -> list[bytes]:
    name = get_game(DEFAULT).words.actions.name(1)
    return [
        json.dumps(each).encode() for each in ({"action": 0}, {"action": name}, {"action": 2, "why": [1, {"a": 2}]})
    ]


def _model_reply(data: bytes) -> None:
    actions = get_game(DEFAULT).words.actions
    choices = {action: actions.name(action) for action in range(0, len(actions), 7)}
    assert 0 <= find_action(answer_in(data.decode()), choices, actions) < len(actions)


def _model_replies() -> list[bytes]:
    actions = get_game(DEFAULT).words.actions
    return [f"I think.\nANSWER: {each}".encode() for each in (3, f"2. {actions.name(7)}", actions.name(30), "swap 5")]


TARGETS = (
    Target("agent_card", _load_card, (ValueError,), lambda: [_files()[1]]),
    Target("agent_weights", _load_weights, (ValueError,), lambda: [_files()[0]]),
    Target("solution", _load_solution, (ValueError,), lambda: [_solution()[0]]),
    Target("checkpoint", _load_checkpoint, (ValueError,), _checkpoints),
    Target("run_settings", _read_run, (ValueError, TypeError), _runs),
    Target("agent_answer", _answer, (AgentError,), _answers),
    Target("model_reply", _model_reply, (ValueError,), _model_replies),
)
